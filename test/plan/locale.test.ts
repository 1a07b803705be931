// The one locale and the one time zone that every plan has, whatever the host's are: seen from a plan in its process.
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { loadPlan } from "../../src/plan/load/loadPlan.ts"
import * as PlanBundler from "../../src/plan/bundler/PlanBundler.node.ts"
import { PlanVm } from "../../src/plan/host/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { play } from "../support/planHarness.ts"
import { planFolder } from "../support/planFolder.ts"

const live = Layer.mergeAll(PlanBundler.layer, PlanVmNode.layer)

/** What the expression is, in a plan; and what it must be. */
const expected: ReadonlyArray<readonly [expression: string, value: unknown]> = [
  ["['b', 'a', 'B', 'ä', 'A', 'z'].sort((x, y) => x.localeCompare(y))", ["a", "A", "ä", "b", "B", "z"]],
  ["['z', 'ä', 'a'].sort(new Intl.Collator().compare)", ["a", "ä", "z"]],
  ["(1234567.891).toLocaleString()", "1,234,567.891"],
  ["(1234567.891).toLocaleString(undefined, { maximumFractionDigits: 0 })", "1,234,568"],
  ["(1234567.891).toLocaleString('de-DE')", "1.234.567,891"],
  ["[1234.5, 6789.1].toLocaleString()", "1,234.5,6,789.1"],
  ["12345678901234567890n.toLocaleString()", "12,345,678,901,234,567,890"],
  ["'i'.toLocaleUpperCase()", "I"],
  ["new Date(0).toLocaleDateString()", "1/1/1970"],
  ["new Date(0).toLocaleDateString([], { month: 'long' })", "January"],
  ["new Date(0).toLocaleString().replace(/\\s/g, ' ')", "1/1/1970, 12:00:00 AM"],
  ["String(new Date(0))", "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)"],
  ["new Date(2024, 0, 31, 12).getTime()", 1706702400000],
  ["new Date(0).getTimezoneOffset()", 0],
  ["new Intl.NumberFormat().resolvedOptions().locale", "en-US"],
  ["Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC"],
  ["new Intl.PluralRules() instanceof Intl.PluralRules", true]
]

it.effect("a plan's locale is en-US and its time zone UTC", () =>
  Effect.gen(function* () {
    const source = `export const run = async () => [\n${expected.map(([expression]) => expression).join(",\n")}\n]\n`
    const path = `${yield* planFolder({ "plan.js": source })}/plan.js`
    const vm = yield* PlanVm
    const { bundle } = yield* loadPlan(path)
    const driver = yield* vm.launch(bundle, { goal: "g", files: [] })
    const { state } = yield* play(driver)
    assert.deepStrictEqual(
      JSON.parse(state.t === "returned" ? (state.result ?? "null") : JSON.stringify(state)),
      expected.map(([, value]) => value)
    )
  }).pipe(Effect.scoped, Effect.provide(live))
)
