// Tiers of a plan's own calls: what may happen without a person does, what may not waits for one, through a restart;
// refused is an answer, and nothing was asked.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentOptions, Tier } from "../../../src/domain/Call.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import type { ProgramSpec } from "../../../src/engine/program/runProgram.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { good } from "../../support/councilAnswers.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const asking = (options: Partial<AgentOptions>) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const answer = yield* h.agent("Do it.", options)
    return answer.ok ? answer.text : answer.error.code
  })

/** One run on one disk, gone on with as often as it is asked for. */
const runs = (options: Partial<AgentOptions>, more: Partial<ProgramSpec> = {}, paid = paidRegistry()) => {
  const disk = MemoryDisk.make()
  const engine = () => engineOn(disk, paid.layer)
  return {
    made: paid.made,
    run: Effect.suspend(() =>
      Alembic.runProgram({ program: "p", goal: "g", ...more }, asking(options)).pipe(Effect.provide(engine()))
    ),
    replay: Effect.suspend(() =>
      Alembic.replayProgram({ program: "p", goal: "g", ...more }, asking(options)).pipe(
        Effect.provide(engine())
      )
    ),
    answer: (runId: string | undefined, item: string, answer: string) =>
      Effect.suspend(() => answerItem(runId ?? "", item, answer).pipe(Effect.provide(engine())))
  }
}

describe("the tier of a call", () => {
  for (const tier of [undefined, "T1", "T2"] as const) {
    it.effect(`${tier ?? "none at all"}: it is made`, () =>
      Effect.gen(function* () {
        const { made, run } = runs(tier === undefined ? {} : { tier })
        assert.strictEqual((yield* run).result, "echo:Do it.")
        assert.strictEqual(made.length, 1)
      })
    )
  }

  for (const tier of ["T3", "T4"] as const) {
    it.effect(`${tier}: it waits for a person, is made once when approved, and replays`, () =>
      Effect.gen(function* () {
        const { answer, made, replay, run } = runs({ tier, label: "deploy" })
        const first = yield* run
        assert.deepInclude(first, { status: "suspended" }, JSON.stringify(first))
        assert.deepStrictEqual(first.suspended, { reason: "approval", items: ["approve-1"] })
        // Looked at again it waits for the same, and nobody is asked twice.
        assert.deepStrictEqual((yield* run).suspended, first.suspended)
        assert.deepStrictEqual(made, [])
        yield* answer(first.runId, "approve-1", "approve")
        const second = yield* run
        assert.deepInclude(second, { status: "completed", result: "echo:Do it." }, JSON.stringify(second))
        assert.strictEqual(made.length, 1)
        assert.isTrue((yield* replay).identical)
      })
    )

    it.effect(`${tier}: refused is an answer to the plan, and nothing was asked`, () =>
      Effect.gen(function* () {
        const { answer, made, run } = runs({ tier })
        const { runId } = yield* run
        yield* answer(runId, "approve-1", "refuse")
        assert.deepInclude(yield* run, { status: "completed", result: "cancelled" })
        assert.deepStrictEqual(made, [])
      })
    )

    it.effect(`${tier}: approved beforehand by its label, it is made`, () =>
      Effect.gen(function* () {
        const { run } = runs({ tier, label: "deploy" }, { approve: ["deploy"] })
        assert.strictEqual((yield* run).status, "completed")
      })
    )
  }

  it.effect("T0: a model that may cost something is not asked, and the run says so", () =>
    Effect.gen(function* () {
      const { made, run } = runs({ tier: "T0" })
      const { error, status } = yield* run
      assert.deepStrictEqual([status, error?.code], ["failed", "budget_exceeded"])
      assert.deepStrictEqual(made, [])
      const free = runs({ tier: "T0" }, {}, paidRegistry({ free: true }))
      assert.strictEqual((yield* free.run).status, "completed")
    })
  )

  for (const [score, status] of [
    [9, "completed"],
    [2, "suspended"]
  ] as const) {
    it.effect(`T3 after a council whose votes are ${score}: ${status}`, () =>
      Effect.gen(function* () {
        const paid = paidRegistry({ answer: ({ prompt }) => Effect.succeed(said(good(prompt, score))) })
        const member = (id: string, role: string) => ({ id, role })
        const board = {
          members: [member("a", "x"), member("b", "x"), member("c", "x"), member("d", "contrarian")],
          axes: [{ id: "value", weight: 1 }]
        }
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          yield* h.council({ board, question: "Shall we?" })
          return yield* asking({ tier: "T3" satisfies Tier })
        })
        const summary = yield* Alembic.runProgram({ program: "p", goal: "g" }, program).pipe(
          Effect.provide(engineOn(MemoryDisk.make(), paid.layer))
        )
        assert.strictEqual(summary.status, status, JSON.stringify(summary))
      })
    )
  }
})
