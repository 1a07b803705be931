// A plan with very many findings is refused in little time, and says how many it does not list.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { inspectPlan, loadPlan } from "../../src/plan/load/loadPlan.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { planFolder } from "../support/planFolder.ts"

const run = "export const run = async () => 1\n"
const plans: ReadonlyArray<readonly [name: string, text: (count: number) => string, sweep: boolean]> = [
  ["on a line each", (count) => `const v = [${"Date.now(),\n".repeat(count)}]\n${run}`, false],
  ["on one line", (count) => `const v = [${"Date.now(),".repeat(count)}]\n${run}`, false],
  ["in a comment, swept", (count) => `/* ${"Date.now()\n".repeat(count)}*/\n${run}`, true]
]

describe("a plan with 20,000 findings", () => {
  for (const [name, text, sweep] of plans) {
    it.live(name, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({ "plan.ts": text(20_000) })
        const before = yield* Clock.currentTimeMillis
        const { findings, notices } = yield* inspectPlan(`${folder}/plan.ts`, { sweep }).pipe(
          Effect.provide(layer)
        )
        const took = (yield* Clock.currentTimeMillis) - before
        assert.strictEqual(findings.length, 1000)
        assert.match(notices.join(), /^\d+ more findings are not listed: the first 1000 are$/)
        const refused = yield* Effect.flip(
          loadPlan(`${folder}/plan.ts`, { sweep }).pipe(Effect.provide(layer))
        )
        assert.match(refused.message, /\nand \d+ more, which are not listed$/)
        // Quadratic, it is a minute.
        assert.isBelow(took, 15_000)
      })
    )
  }
})
