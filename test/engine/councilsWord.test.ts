// What a person says and what a council says of a T3 call: a refusal stands before a GO, a GO closes the question that
// nobody answered, in the process that hears it, and an ended run takes no answer.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeError } from "../../src/domain/ModelError.ts"
import { Alembic, type ProgramSpec } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { good } from "../support/councilAnswers.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const member = (id: string, role: string) => ({ id, role })
const board = {
  members: [member("a", "x"), member("b", "x"), member("c", "x"), member("d", "contrarian")],
  axes: [{ id: "value", weight: 1 }]
}

const ship = (label = "ship") =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const answer = yield* h.agent("Ship it.", { tier: "T3", label })
    return answer.ok ? answer.text : answer.error.code
  })

const convened = Effect.gen(function* () {
  const h = yield* Hooks
  const { conclusive, decision } = yield* h.council({ board, question: "Shall we?" })
  return `${decision} ${conclusive}`
})

const together = Effect.gen(function* () {
  const [shipped, verdict] = yield* Effect.all([ship(), convened], { concurrency: "unbounded" })
  return { shipped, verdict }
})

/** Another process beside the run's, while that one lives. */
const beside = (disk: MemoryDisk) =>
  Journal.layer({ baseDir: "/base" }).pipe(
    Layer.provide(
      Layer.mergeAll(
        disk.layer,
        HostIdentity.layerTest({
          self: { pid: 2, started: "0", boot: "boot", host: "host" },
          others: [{ pid: 1, started: "0", boot: "boot", host: "host" }]
        }),
        IdFactory.layerCounter
      )
    )
  )

/** Runs of one program on one disk. `isOut`: no member of a council can be reached. */
const runs = <A>(
  program: Effect.Effect<A, never, Hooks>,
  more: Partial<ProgramSpec> = {},
  onMember: (disk: MemoryDisk) => Effect.Effect<void> = () => Effect.void
) => {
  const disk = MemoryDisk.make()
  const state = { isOut: false, members: 0 }
  const paid = paidRegistry({
    answer: ({ prompt }) =>
      Effect.gen(function* () {
        if (prompt === "Ship it.") return said("shipped")
        if (state.isOut) return yield* makeError("auth", "no key")
        if (state.members++ === 0) yield* onMember(disk)
        return said(good(prompt, 9))
      })
  })
  const engine = () => engineOn(disk, paid.layer)
  const spec = { program: "p", goal: "g", ...more }
  const store = <B, E>(effect: Effect.Effect<B, E, Journal>) => effect.pipe(Effect.provide(engine()))
  return {
    disk,
    state,
    shipped: () => paid.made.filter((prompt) => prompt === "Ship it.").length,
    run: (how: Partial<ProgramSpec> = {}) =>
      Effect.suspend(() => Alembic.runProgram({ ...spec, ...how }, program).pipe(Effect.provide(engine()))),
    replay: Effect.suspend(() => Alembic.replayProgram(spec, program).pipe(Effect.provide(engine()))),
    answer: (runId: string | undefined, item: string, answer: string) =>
      store(answerItem(runId ?? "", item, answer)),
    questions: (runId: string | undefined) =>
      store(
        Effect.scoped(
          Effect.gen(function* () {
            const journals = yield* Journal
            const journal = yield* journals.open(yield* journals.runId(runId ?? ""), "read")
            return [...journal.state().questions.values()].map(({ answer, event: { item } }) => [
              item,
              answer
            ])
          })
        )
      )
  }
}

describe("a T3 call and a council", () => {
  it.effect("what a person refused before the council said GO is not made", () =>
    Effect.gen(function* () {
      const { answer, replay, run, shipped, state } = runs(together)
      state.isOut = true
      const first = yield* run()
      assert.strictEqual(first.status, "suspended", JSON.stringify(first))
      yield* answer(first.runId, "approve-1", "refuse")
      state.isOut = false
      const second = yield* run()
      assert.deepStrictEqual(
        second.result,
        { shipped: "cancelled", verdict: "GO true" },
        JSON.stringify(second)
      )
      assert.strictEqual(shipped(), 0)
      assert.isTrue((yield* replay).identical)
      const again = yield* run({ retryFailed: true })
      assert.deepInclude(again.result, { shipped: "cancelled" })
      // Only another word of theirs is another.
      const approved = yield* run({ retryFailed: true, approve: ["ship"] })
      assert.deepInclude(approved.result, { shipped: "shipped" }, JSON.stringify(approved))
    })
  )

  it.effect("what a person refused is not made where the council has said GO already", () =>
    Effect.gen(function* () {
      // The council is called before the call is made once it is known that the call was refused.
      let isFirst = true
      const program = Effect.suspend(() => (isFirst ? ship() : Effect.andThen(convened, ship())))
      const { answer, run, shipped } = runs(program)
      const first = yield* run()
      yield* answer(first.runId, "approve-1", "refuse")
      isFirst = false
      const second = yield* run()
      assert.strictEqual(second.result, "cancelled", JSON.stringify(second))
      assert.strictEqual(shipped(), 0)
    })
  )

  it.effect("what a person refuses while the council sits is not made", () =>
    Effect.gen(function* () {
      const { run, shipped } = runs(together, {}, (disk) =>
        Effect.gen(function* () {
          const [listed] = yield* (yield* Journal).list
          yield* answerItem(listed?.runId ?? "", "approve-1", "refuse")
        }).pipe(Effect.provide(beside(disk)), Effect.orDie)
      )
      const summary = yield* run()
      assert.deepStrictEqual(
        summary.result,
        { shipped: "cancelled", verdict: "GO true" },
        JSON.stringify(summary)
      )
      assert.strictEqual(shipped(), 0)
    })
  )

  it.effect("a GO lets through, in the same process, what waits for a person; the question is closed", () =>
    Effect.gen(function* () {
      const { answer, questions, replay, run, shipped } = runs(together)
      const summary = yield* run()
      assert.deepStrictEqual(
        summary.result,
        { shipped: "shipped", verdict: "GO true" },
        JSON.stringify(summary)
      )
      assert.strictEqual(shipped(), 1)
      assert.deepStrictEqual(yield* questions(summary.runId), [["approve-1", "approve"]])
      assert.deepInclude(yield* Effect.flip(answer(summary.runId, "approve-1", "refuse")), {
        code: "already_answered"
      })
      assert.isTrue((yield* replay).identical)
    })
  )

  it.effect("a GO of the contract's own council is one", () =>
    Effect.gen(function* () {
      const { questions, run, shipped } = runs(ship(), {
        contract: { council: { board: "b", question: "Shall we?" } },
        boards: { b: board }
      })
      const summary = yield* run()
      assert.strictEqual(summary.result, "shipped", JSON.stringify(summary))
      assert.strictEqual(shipped(), 1)
      assert.deepStrictEqual(yield* questions(summary.runId), [])
    })
  )

  it.effect("a run that has ended takes no answer, and says so", () =>
    Effect.gen(function* () {
      // The plan gives up on the question and returns.
      const raced = Effect.raceFirst(
        ship(),
        Effect.flatMap(Hooks, (h) => Effect.as(h.agent("go"), "gone on"))
      )
      const { answer, questions, run } = runs(raced)
      const summary = yield* run()
      assert.strictEqual(summary.result, "gone on", JSON.stringify(summary))
      assert.deepStrictEqual(yield* questions(summary.runId), [["approve-1", undefined]])
      assert.deepInclude(yield* Effect.flip(answer(summary.runId, "approve-1", "refuse")), {
        code: "run_ended"
      })
      assert.deepStrictEqual(yield* questions(summary.runId), [["approve-1", undefined]])
    })
  )
})
