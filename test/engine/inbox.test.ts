// Answers are taken at any time: while the run is running they go through its inbox, which only the lock's holder
// journals. Of two answers one wins; what was left for a process that has ended is found by the next.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeHumanAdapter } from "../../src/adapters/providers/human.ts"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

/** Another process on the same disk, while the first one lives. */
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

/** A run in which somebody is asked while another call is held in flight; what it has told so far. */
const begun = (question: { readonly prompt: string; readonly tier?: "T4"; readonly model?: string }) =>
  Effect.gen(function* () {
    const disk = MemoryDisk.make()
    const asked = yield* Deferred.make<RunEvent & { readonly type: "QuestionAsked" }>()
    const answered = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const made: Array<string> = []
    const model: Adapter = {
      id: "model",
      free: true,
      hasSideEffects: false,
      attempt: ({ prompt }) =>
        Effect.suspend(() => {
          made.push(prompt)
          return prompt === "slow"
            ? Effect.as(Deferred.await(release), said("slow"))
            : Effect.succeed(said("done"))
        })
    }
    const registry = Layer.succeed(AdapterRegistry, {
      resolve: (given) => Effect.succeed(identityOf(given, given.model ?? "model:m")),
      bind: (reference) =>
        Effect.succeed([
          reference === "human"
            ? { adapter: makeHumanAdapter(), modelId: "human" }
            : { adapter: model, modelId: "m" }
        ]),
      identity: { default: "model:m" }
    })
    const observe = (event: RunEvent) =>
      event.type === "QuestionAsked"
        ? Effect.asVoid(Deferred.succeed(asked, event))
        : event.type === "QuestionAnswered"
          ? Effect.asVoid(Deferred.succeed(answered, undefined))
          : Effect.void
    const program = Effect.gen(function* () {
      const h = yield* Hooks
      const slots = yield* h.parallel([h.agent("slow"), h.agent(question)])
      return slots.map((slot) => (slot.ok ? slot.text : slot.error.code))
    })
    const spec = { program: "asks", goal: "g" }
    const go = (pid: number, on = disk) =>
      Alembic.runProgram({ ...spec, observeDurable: observe }, program).pipe(
        Effect.provide(engineOn(on, registry, { pid }))
      )
    const running = yield* Effect.forkChild(go(1))
    const { item } = yield* Deferred.await(asked)
    const runId =
      (yield* Effect.provide(
        Effect.flatMap(Journal, (store) => store.list),
        beside(disk)
      ))[0]?.runId ?? ""
    return { answered, disk, go, item, made, release, runId, running }
  })

describe("an answer to a running run", () => {
  for (const [name, question, answer, expected] of [
    ["an approval", { prompt: "act", tier: "T4" }, "approve", "done"],
    ["a question to a person", { prompt: "which?", model: "human" }, "this one", "this one"]
  ] as const) {
    it.effect(`${name} goes on while another call is in flight, once`, () =>
      Effect.gen(function* () {
        const { answered, disk, item, release, runId, running } = yield* begun(question)
        const say = answerItem(runId, item, answer).pipe(Effect.provide(beside(disk)))
        yield* say
        const again = yield* Effect.flip(say)
        assert.deepInclude(again, { code: "already_answered" })
        yield* TestClock.adjust("1 second")
        yield* Deferred.await(answered)
        yield* Deferred.succeed(release, undefined)
        const summary = yield* Fiber.join(running)
        assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
        assert.deepStrictEqual(summary.result, ["slow", expected])
        assert.strictEqual(summary.calls.total, 2)
        assert.deepInclude(yield* Effect.flip(say), { code: "already_answered" })
      })
    )

    it.effect(`${name} is taken before the run suspends`, () =>
      Effect.gen(function* () {
        const { disk, item, release, runId, running } = yield* begun(question)
        yield* answerItem(runId, item, answer).pipe(Effect.provide(beside(disk)))
        yield* Deferred.succeed(release, undefined)
        const summary = yield* Fiber.join(running)
        assert.deepStrictEqual(summary.result, ["slow", expected], JSON.stringify(summary))
      })
    )

    it.effect(`${name} that was left for a process that died is found by the next`, () =>
      Effect.gen(function* () {
        const { disk, go, item, release, runId, running } = yield* begun(question)
        yield* answerItem(runId, item, answer).pipe(Effect.provide(beside(disk)))
        const after = disk.afterCrash("process")
        yield* Fiber.interrupt(running)
        yield* Deferred.succeed(release, undefined)
        const summary = yield* go(3, after)
        assert.deepStrictEqual(summary.result, ["slow", expected], JSON.stringify(summary))
      })
    )
  }

  it.effect("what does not answer the question is refused at once, and leaves nothing", () =>
    Effect.gen(function* () {
      const { disk, item, release, runId, running } = yield* begun({ prompt: "act", tier: "T4" })
      const say = (text: string, of = item) => answerItem(runId, of, text).pipe(Effect.provide(beside(disk)))
      assert.deepInclude(yield* Effect.flip(say("perhaps")), { code: "bad_answer" })
      assert.deepInclude(yield* Effect.flip(say("approve", "approve-9")), { code: "unknown_item" })
      yield* say("refuse")
      yield* Deferred.succeed(release, undefined)
      assert.deepStrictEqual((yield* Fiber.join(running)).result, ["slow", "cancelled"])
    })
  )
})

describe("an answer to a run that nobody holds", () => {
  it.effect("comes after what was left before it", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const made = paidRegistry()
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const slot = yield* h.agent({ prompt: "act", tier: "T4" })
        return slot.ok
      })
      const engine = (pid: number) => engineOn(disk, made.layer, { pid })
      const first = yield* Alembic.runProgram({ program: "p", goal: "g" }, program).pipe(
        Effect.provide(engine(1))
      )
      const [item = ""] = first.suspended?.items ?? []
      const runId = first.runId ?? ""
      yield* Effect.gen(function* () {
        const store = yield* Journal
        yield* store.leaveAnswer(yield* store.runId(runId), { item, answer: "approve" })
      }).pipe(Effect.provide(engine(2)))
      const late = yield* Effect.flip(answerItem(runId, item, "refuse").pipe(Effect.provide(engine(3))))
      assert.deepInclude(late, { code: "already_answered" })
      const done = yield* Alembic.runProgram({ program: "p", goal: "g" }, program).pipe(
        Effect.provide(engine(4))
      )
      assert.strictEqual(done.result, true, JSON.stringify(done))
    })
  )
})
