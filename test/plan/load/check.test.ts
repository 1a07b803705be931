// `alembic check`: what machines get for one plan, several, a folder; what people see of a finding; exit codes.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  checkExitCode,
  checkPlan,
  checkPlans,
  CheckResult,
  renderFinding,
  summaryOf
} from "../../../src/plan/load/check.ts"
import { layer } from "../../../src/plan/bundler/PlanBundler.node.ts"
import { planFolder } from "../../support/planFolder.ts"

const files = {
  "good.plan.ts": 'import { a } from "./lib/a.ts"\nexport const run = async () => a\n',
  "bad.plan.ts": "export const run = async () => [\n\tDate.now(), Math.random()\n]\n",
  "broken.plan.ts": "export const run = (\n",
  "empty.ts": "export const nothing = 1\n",
  "lib/a.ts": "export const a = 1\n",
  "lib/deep/other.mjs": "async function go() {}\nexport { go as run }\n",
  "flows/w.js": "export const meta = { name: 'w' }\nreturn 1\n",
  "node_modules/p/plan.js": "export const run = async () => Date.now()\n",
  ".hidden/plan.js": "export const run = async () => Date.now()\n",
  "types.d.ts": "export const run: () => void\n"
}

const check = (paths: ReadonlyArray<string>) => checkPlans(paths).pipe(Effect.provide(layer))
const encode = Schema.encodeUnknownEffect(CheckResult)

describe("check", () => {
  it.effect("of a good plan: ok, and every module", () =>
    Effect.gen(function* () {
      const path = `${yield* planFolder(files)}/good.plan.ts`
      const { result } = yield* checkPlan(path).pipe(Effect.provide(layer))
      assert.deepStrictEqual(yield* encode(result), {
        ok: true,
        path,
        modules: ["good.plan.ts", "lib/a.ts"],
        findings: []
      })
      assert.strictEqual(checkExitCode([{ result, details: [] }]), 0)
    })
  )

  it.effect("of a bad plan: the findings as they are in the refusal, and what people see", () =>
    Effect.gen(function* () {
      const path = `${yield* planFolder(files)}/bad.plan.ts`
      const checked = yield* checkPlan(path).pipe(Effect.provide(layer))
      const { result } = checked
      assert.isFalse(result.ok)
      assert.deepStrictEqual("findings" in result ? result.findings[0] : undefined, {
        construct: "Date.now()",
        file: "bad.plan.ts",
        line: 2,
        column: 2,
        message: "Non-deterministic construct detected: Date.now() (bad.plan.ts:2:2)",
        instead: "take the time from input.args, or from an agent's answer, and build it with new Date(value)"
      })
      assert.strictEqual(
        checked.details[1],
        "bad.plan.ts:2:14  Math.random()\n" +
          "  2 |  Date.now(), Math.random()\n" +
          "    |              ^\n" +
          "  instead: take a seed from input.args and compute from it, or ask for a choice with h.agent"
      )
      assert.strictEqual(checkExitCode([checked]), 3)
    })
  )

  it.effect("of what cannot be checked: the error, with its place", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(files)
      const checked = yield* check([`${folder}/broken.plan.ts`, `${folder}/none.ts`, `${folder}/empty.ts`])
      const errors = checked.map(({ result }) => ("error" in result ? result.error : undefined))
      assert.deepStrictEqual(
        errors.map((error) => error?.code),
        ["plan_unparsable", "plan_unreadable", "no_run"]
      )
      assert.strictEqual(errors[0]?.file, "broken.plan.ts")
      assert.strictEqual(errors[0]?.line, 2)
      assert.strictEqual(checkExitCode(checked), 2)
      assert.strictEqual(checkExitCode([...checked, ...(yield* check([`${folder}/bad.plan.ts`]))]), 3)
    })
  )

  it.effect("of a folder: every plan in it, and nothing else", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(files)
      const checked = yield* check([folder])
      assert.deepStrictEqual(
        checked.map(({ result }) => result.path.slice(folder.length + 1)),
        ["bad.plan.ts", "broken.plan.ts", "flows/w.js", "good.plan.ts", "lib/deep/other.mjs"]
      )
      assert.deepStrictEqual(summaryOf(checked), { type: "CheckSummary", ok: false, files: 5, findings: 2 })
      const workflow = checked[2]?.result
      assert.isTrue(workflow?.ok)
      assert.strictEqual(workflow !== undefined && "notices" in workflow ? workflow.notices?.length : 0, 1)
    })
  )

  it.effect("of a folder without plans is an error", () =>
    Effect.gen(function* () {
      const [checked] = yield* check([yield* planFolder({ "readme.txt": "" })])
      assert.strictEqual(
        checked !== undefined && "error" in checked.result ? checked.result.error.code : "",
        "plan_unreadable"
      )
    })
  )
})

describe("renderFinding", () => {
  const finding = { construct: "Date.now()", file: "p.js", line: 1, message: "", instead: "x" }

  it("keeps the caret under the construct of a very long line", () => {
    const text = `${"a;".repeat(5000)}Date.now();${"b;".repeat(5000)}`
    const [, shown, caret] = renderFinding({ ...finding, column: 10_001 }, text).split("\n")
    assert.isBelow(shown?.length ?? 0, 120)
    assert.strictEqual(shown?.slice(caret?.indexOf("^")).startsWith("Date.now()"), true)
  })

  it("does without the line where there is none", () => {
    assert.strictEqual(
      renderFinding({ ...finding, column: 1 }, undefined),
      "p.js:1:1  Date.now()\n  instead: x"
    )
  })
})
