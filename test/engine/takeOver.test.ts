// A run whose process died without a word: who goes on with it is told that the lock was taken over, and so is whoever
// reads the journal.
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said, type PaidOptions } from "../support/paidRegistry.ts"

const program = Effect.flatMap(Hooks, (h) => h.agent("q"))

const runOn = (disk: MemoryDisk, pid: number, options: PaidOptions = {}) =>
  Alembic.runProgram({ program: "one", goal: "g" }, program).pipe(
    Effect.provide(engineOn(disk, paidRegistry(options).layer, { pid }))
  )

/** A process that dies in the middle of its work, and what it leaves. */
const diedOn = Effect.gen(function* () {
  const dying = MemoryDisk.make()
  const answer = () => Effect.sync(() => (dying.crashAfterStep(0), said("never written")))
  yield* Effect.exit(runOn(dying, 1, { answer }))
  assert.isTrue(dying.crashed)
  return dying.afterCrash("process")
})

const warningsOf = (disk: MemoryDisk, pid: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Journal
      const [listing] = yield* store.list
      const journal = yield* store.open(yield* store.runId(listing?.runId ?? ""), "write")
      return journal.warnings().join("\n")
    })
  ).pipe(Effect.provide(engineOn(disk, paidRegistry().layer, { pid })))

/** `tookOver` of every RunResumed of the journal. */
const notesOn = (disk: MemoryDisk) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Journal
      const [listing] = yield* store.list
      const journal = yield* store.open(yield* store.runId(listing?.runId ?? ""), "read")
      const events = yield* Stream.runCollect(journal.events)
      return events.flatMap((event) => (event.type === "RunResumed" ? [event.tookOver] : []))
    })
  ).pipe(Effect.provide(engineOn(disk, paidRegistry().layer, { pid: 9 })))

it.effect("a dead process's lock is taken over, and that is said; a released one is not", () =>
  Effect.gen(function* () {
    const whole = MemoryDisk.make()
    yield* runOn(whole, 1)
    assert.notInclude(yield* warningsOf(whole, 2), "taken over")
    assert.include(yield* warningsOf(yield* diedOn, 2), "taken over")
  })
)

it.effect("the journal notes it, once: the next who goes on took nothing over", () =>
  Effect.gen(function* () {
    const disk = yield* diedOn
    yield* runOn(disk, 2)
    assert.deepStrictEqual(yield* notesOn(disk), [true])
    yield* runOn(disk, 3)
    assert.deepStrictEqual(yield* notesOn(disk), [true])
  })
)

it.effect("who goes on after a process that let go of the run in order took nothing over", () =>
  Effect.gen(function* () {
    const disk = MemoryDisk.make()
    const asked = yield* Deferred.make<void>()
    const answer = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
    const running = yield* Effect.forkChild(runOn(disk, 1, { answer }))
    yield* Deferred.await(asked)
    yield* Fiber.interrupt(running)
    yield* runOn(disk, 2)
    assert.deepStrictEqual(yield* notesOn(disk), [undefined])
  })
)
