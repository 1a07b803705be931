// Many answer at once: of several answers to an item one is taken, and its giver alone is told so; answers to several
// items are all taken. Nothing that was said to be taken is lost, and nobody is told that a run runs which does not.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { makeHumanAdapter } from "../../src/adapters/providers/human.ts"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { answerItem, openQuestions } from "../../src/engine/people/answerItem.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { dice } from "../support/dice.ts"
import { engineOn } from "../support/engineLayer.ts"

const pids = [2, 3, 4, 5, 6]
const process = (pid: number) => ({ pid, started: "0", boot: "boot", host: "host" })

/** A process of its own, which knows that the others live. */
const beside = (disk: MemoryDisk, pid: number) =>
  Journal.layer({ baseDir: "/base" }).pipe(
    Layer.provide(
      Layer.mergeAll(
        disk.layer,
        HostIdentity.layerTest({ self: process(pid), others: pids.map(process) }),
        IdFactory.layerCounter
      )
    )
  )

const registry = Layer.succeed(AdapterRegistry, {
  resolve: (given) => Effect.succeed(identityOf(given, given.model ?? "human")),
  bind: () => Effect.succeed([{ adapter: makeHumanAdapter(), modelId: "human" }]),
  identity: { default: "human" }
})

const asksFor = (count: number, tier?: "T4") =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(
      Array.from({ length: count }, (_, n) =>
        h.agent({ prompt: `ask ${n}`, ...(tier === undefined ? {} : { tier }) })
      )
    )
    return slots.map((slot) => (slot.ok ? slot.text : slot.error.code))
  })

/** A run that is suspended on so many questions. */
const suspended = (count: number, tier?: "T4") =>
  Effect.gen(function* () {
    const disk = MemoryDisk.make()
    const go = (foreignUntil = 0) =>
      Alembic.runProgram({ program: "asks", goal: "g", foreignUntil }, asksFor(count, tier)).pipe(
        Effect.provide(engineOn(disk, registry))
      )
    const { runId = "", suspended: stopped } = yield* go()
    const events = (pid: number) =>
      Effect.gen(function* () {
        const journal = yield* (yield* Journal).open(yield* (yield* Journal).runId(runId), "read")
        const answers = [...journal.state().questions.values()].map(({ answer }) => answer)
        return { answers, open: (yield* openQuestions(journal)).map(({ item }) => item) }
      }).pipe(Effect.scoped, Effect.provide(beside(disk, pid)))
    const say = (pid: number, item: string, answer: string) =>
      Effect.result(answerItem(runId, item, answer)).pipe(Effect.provide(beside(disk, pid)))
    return { disk, go, runId, items: stopped?.items ?? [], say, seen: events(6) }
  })

/** Holds the run as an answering process does, until it is let go. */
const held = (disk: MemoryDisk, runId: string) =>
  Effect.gen(function* () {
    const taken = yield* Deferred.make<void>()
    const free = yield* Deferred.make<void>()
    const holding = Effect.gen(function* () {
      const store = yield* Journal
      yield* store.open(yield* store.runId(runId), "answer")
      yield* Deferred.succeed(taken, undefined)
      yield* Deferred.await(free)
    }).pipe(Effect.scoped, Effect.provide(beside(disk, 6)))
    yield* Effect.forkChild(holding)
    yield* Deferred.await(taken)
    return Deferred.succeed(free, undefined)
  })

const answers = ["approve", "approve", "refuse", "refuse"]

describe("several answers to one item", () => {
  it.effect("that come while another process journals one: one is taken, once that one is done", () =>
    Effect.gen(function* () {
      const { disk, runId, say, seen } = yield* suspended(1, "T4")
      const letGo = yield* held(disk, runId)
      const saying = yield* Effect.forEach(answers, (answer, index) =>
        Effect.forkChild(say(pids[index] ?? 0, "approve-1", answer))
      )
      yield* Effect.yieldNow
      yield* letGo
      const told = yield* Effect.forEach(saying, Fiber.join)
      const taken = told.flatMap((result, index) =>
        Result.isSuccess(result) ? [[result.success, answers[index]]] : []
      )
      const log = yield* seen
      assert.deepStrictEqual(taken, [["journaled", log.answers[0]]])
      for (const result of told)
        if (Result.isFailure(result)) assert.deepInclude(result.failure, { code: "already_answered" })
    })
  )

  it.effect("at once, in any order: its giver alone is told that it is taken, and it is the one", () =>
    Effect.gen(function* () {
      for (let seed = 0; seed < 12; seed++) {
        const { below } = dice(seed)
        const { say, seen } = yield* suspended(1, "T4")
        const told = yield* Effect.forEach(
          answers,
          (answer, index) =>
            Effect.andThen(
              Effect.repeat(Effect.yieldNow, { times: below(40) }),
              say(pids[index] ?? 0, "approve-1", answer)
            ),
          { concurrency: "unbounded" }
        )
        const taken = told.flatMap((result, index) =>
          Result.isSuccess(result) ? [[result.success, answers[index]]] : []
        )
        const log = yield* seen
        assert.deepStrictEqual(taken, [["journaled", log.answers[0]]], `seed ${seed}`)
      }
    })
  )
})

describe("answers to several items at once", () => {
  it.effect("are all in the log, and nobody is told that the run is running", () =>
    Effect.gen(function* () {
      const { disk, go, items, runId, say, seen } = yield* suspended(4)
      const letGo = yield* held(disk, runId)
      const saying = yield* Effect.forEach(items, (item, index) =>
        Effect.forkChild(say(pids[index] ?? 0, item, `to ${item}`))
      )
      yield* Effect.yieldNow
      yield* letGo
      const told = yield* Effect.forEach(saying, Fiber.join)
      assert.deepStrictEqual(
        told.map(Result.getOrElse(String)),
        items.map(() => "journaled" as const)
      )
      assert.deepStrictEqual(yield* seen, { answers: items.map((item) => `to ${item}`), open: [] })
      assert.deepStrictEqual(
        (yield* go()).result,
        items.map((item) => `to ${item}`)
      )
    })
  )
})

describe("what was left in the inbox", () => {
  it.effect("is no question any more, though no process has taken it", () =>
    Effect.gen(function* () {
      const { disk, go, runId, say, seen } = yield* suspended(2)
      yield* Effect.gen(function* () {
        const store = yield* Journal
        yield* store.leaveAnswer(yield* store.runId(runId), { item: "q-1", answer: "left" })
      }).pipe(Effect.provide(beside(disk, 2)))
      assert.deepStrictEqual((yield* seen).open, ["q-2"])
      const late = yield* say(3, "q-1", "other")
      assert.deepInclude(Result.isFailure(late) ? late.failure : {}, { code: "already_answered" })
      yield* say(3, "q-2", "two")
      assert.deepStrictEqual((yield* go()).result, ["left", "two"])
    })
  )

  it.effect("for another question of that name is no answer, and keeps nobody from answering", () =>
    Effect.gen(function* () {
      const { disk, go, runId, say, seen } = yield* suspended(1)
      yield* Effect.gen(function* () {
        const store = yield* Journal
        yield* store.leaveAnswer(yield* store.runId(runId), { item: "q-1", answer: "old", asked: "other" })
      }).pipe(Effect.provide(beside(disk, 2)))
      assert.deepStrictEqual((yield* seen).open, ["q-1"])
      assert.isTrue(Result.isSuccess(yield* say(3, "q-1", "new")))
      assert.deepStrictEqual((yield* go()).result, ["new"])
    })
  )

  it.effect("of a run that was written elsewhere is not taken for an answer that was given here", () =>
    Effect.gen(function* () {
      const { disk, go, runId, seen } = yield* suspended(1, "T4")
      yield* Effect.gen(function* () {
        const store = yield* Journal
        yield* store.leaveAnswer(yield* store.runId(runId), { item: "approve-1", answer: "approve" })
      }).pipe(Effect.provide(beside(disk, 2)))
      assert.strictEqual((yield* go(1_000)).status, "suspended")
      assert.deepStrictEqual((yield* seen).open, ["approve-1"])
    })
  )
})
