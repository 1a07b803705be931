// The claim of the plan VM, tried on random plans: the calls of a plan, their order and its result are a function of
// the plan and of the order its answers came in. So a run that is cut anywhere and goes on from its known answers
// makes the same calls and comes to the same result.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PlanCall } from "../../src/plan/host/PlanProtocol.ts"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { launch, run } from "../support/planBodies.ts"
import { play, stubAnswer } from "../support/planHarness.ts"
import { generator, randomPlan } from "../support/randomPlan.ts"

/** An order of completion that is a function of what is pending, so that a restarted run goes on as the first did. */
const orderOf = (seed: number) => (pending: ReadonlyArray<PlanCall>) =>
  generator(pending.reduce((sum, call) => sum * 31 + call.n, seed))(pending.length)

const seeds = Array.from({ length: 8 }, (_, index) => index + 1)

describe("random plans, random completion orders", () => {
  for (const seed of seeds) {
    it.live(`seed ${seed}: cut after every answer, the same calls and the same result`, () =>
      Effect.gen(function* () {
        const body = run(randomPlan(seed))
        const order = orderOf(seed)
        const playFrom = (known: number, answers: Parameters<typeof play>[3] = []) =>
          Effect.scoped(
            Effect.flatMap(launch(body), (driver) => play(driver, stubAnswer, order, answers.slice(0, known)))
          )
        const first = yield* playFrom(0)
        assert.strictEqual(first.state.t, "returned", JSON.stringify(first.state))
        const cuts = Array.from({ length: first.answers.length + 1 }, (_, known) => known)
        const tried =
          cuts.length <= 8 ? cuts : cuts.filter((known) => known % Math.ceil(cuts.length / 8) === 0)
        for (const known of [...tried, first.answers.length]) {
          assert.deepStrictEqual(yield* playFrom(known, first.answers), first, `cut after ${known}`)
        }
      }).pipe(Effect.provide(PlanVmNode.layer))
    )
  }

  it.live("another order may make other calls: the order is what decides", () =>
    Effect.gen(function* () {
      const body =
        run(`const seen = []; const one = async (p) => { seen.push((await h.agent(p)).text); await h.agent(p + seen.join()) }
        await Promise.all([one("a"), one("b")]); return seen`)
      const results = yield* Effect.forEach([0, 1], (at) =>
        Effect.scoped(
          Effect.flatMap(launch(body), (driver) =>
            play(driver, stubAnswer, (pending) => Math.min(at, pending.length - 1))
          )
        )
      )
      assert.notDeepEqual(results[0]?.requests, results[1]?.requests)
    }).pipe(Effect.provide(PlanVmNode.layer))
  )
})
