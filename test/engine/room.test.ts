// A disk that fills up: nothing is paid for that could not be written, and what was paid is written.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import { leastBallast, roomBytes } from "../../src/journal/store/ballast.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const calls = 6
const program = Effect.gen(function* () {
  const h = yield* Hooks
  const texts: Array<number> = []
  for (let n = 0; n < calls; n++) {
    const answer = yield* h.agent(`call ${n}`)
    texts.push(answer.ok ? answer.text.length : -1)
  }
  return texts
})
const spec = { program: "room", goal: "g" }
const answerBytes = 10_000

const world = (meanwhile: (disk: MemoryDisk, made: number) => void = () => {}) => {
  const disk = MemoryDisk.make()
  const paid = paidRegistry({
    answer: (_input, made) =>
      Effect.sync(() => {
        meanwhile(disk, made)
        return said("x".repeat(answerBytes))
      })
  })
  const run = Alembic.runProgram(spec, program).pipe(Effect.provide(engineOn(disk, paid.layer)))
  return { disk, run, paid }
}

/** How much lies on the disk. */
const used = (disk: MemoryDisk) => disk.files.reduce((sum, path) => sum + (disk.read(path)?.length ?? 0), 0)
const ballastOf = (disk: MemoryDisk) => disk.files.filter((path) => path.endsWith("/ballast"))

describe("a paid call", () => {
  it.effect("is not made while the disk has no room: the run waits for it, and goes on", () =>
    Effect.gen(function* () {
      const { disk, paid, run } = world()
      disk.limit(roomBytes + leastBallast - 1)
      for (const _again of [1, 2]) {
        const waits = yield* run
        assert.strictEqual(waits.status, "suspended", JSON.stringify(waits))
        assert.deepInclude(waits.suspended, { reason: "disk", items: ["call-1"] })
        assert.deepStrictEqual(paid.made, [])
      }
      disk.limit(Infinity)
      const done = yield* run
      assert.deepInclude(done, {
        status: "completed",
        result: Array.from({ length: calls }, () => answerBytes)
      })
      assert.deepStrictEqual(ballastOf(disk), [])
    })
  )

  it.effect("whose disk fills up while it is made is written all the same: the ballast is given up", () =>
    Effect.gen(function* () {
      const { disk, paid, run } = world((disk, made) => {
        // Somebody else takes all that is free.
        if (made === 2) disk.limit(used(disk))
      })
      const waits = yield* run
      assert.deepInclude(waits.suspended, { reason: "disk", items: ["call-3"] }, JSON.stringify(waits))
      assert.deepStrictEqual(ballastOf(disk), [])
      assert.strictEqual(paid.made.length, 2)
      disk.limit(Infinity)
      const done = yield* run
      assert.strictEqual(done.status, "completed", JSON.stringify(done))
      assert.strictEqual(done.calls.replayed, 2)
      // Nothing was paid for twice.
      assert.strictEqual(paid.made.length, calls)
    })
  )

  const many = Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(Array.from({ length: 8 }, (_, n) => h.agent(`call ${n}`)))
    return slots.filter((slot) => slot.ok).length
  })
  /** Eight calls in flight together; when the last has been asked, others take all that is free. */
  const crowd = (bytes: number) => {
    const disk = MemoryDisk.make()
    const all = Deferred.makeUnsafe<void>()
    const paid = paidRegistry({
      answer: (_input, made) =>
        Effect.gen(function* () {
          if (made === 8) {
            disk.limit(used(disk))
            yield* Deferred.succeed(all, undefined)
          }
          yield* Deferred.await(all)
          return said("x".repeat(bytes))
        })
    })
    const run = Alembic.runProgram({ ...spec, concurrency: 8 }, many).pipe(
      Effect.provide(engineOn(disk, paid.layer))
    )
    return { disk, run, paid }
  }

  it.effect("of several in flight: whatever large they come back, all of them are written", () =>
    Effect.gen(function* () {
      const { disk, paid, run } = crowd(900_000)
      const first = yield* run
      assert.strictEqual(paid.made.length, 8)
      assert.strictEqual(first.calls.live, 8, JSON.stringify(first))
      disk.limit(Infinity)
      const done = first.status === "completed" ? first : yield* run
      assert.deepInclude(done, { status: "completed", result: 8 })
      assert.strictEqual(paid.made.length, 8, "nothing was paid for twice")
    })
  )

  it.effect("that brings more than there is room for leaves the run waiting, and is told as in doubt", () =>
    Effect.gen(function* () {
      const { disk, paid, run } = crowd(3_000_000)
      const first = yield* run
      assert.strictEqual(first.status, "suspended", JSON.stringify(first))
      assert.strictEqual(first.suspended?.reason, "disk")
      assert.strictEqual(first.error?.code, "no_space")
      const kept = 8 - first.calls.inDoubt
      assert.isAbove(first.calls.inDoubt, 0)
      assert.isAbove(kept, 0)
      assert.strictEqual(first.heldCalls, first.calls.inDoubt)
      const still = yield* run
      assert.strictEqual(still.status, "suspended", JSON.stringify(still))
      assert.strictEqual(paid.made.length, 8, "while the disk is full nothing is asked")
      disk.limit(Infinity)
      const done = yield* run
      assert.deepInclude(done, { status: "completed", result: 8 }, JSON.stringify(done))
      assert.strictEqual(paid.made.length, 16 - kept, "what was written was not asked again")
    })
  )

  it.effect("has a ballast beside it while it is made, and a run that pays nothing has none", () =>
    Effect.gen(function* () {
      let seen: ReadonlyArray<string> = []
      const { disk, run } = world((disk) => {
        seen = ballastOf(disk)
      })
      yield* run
      assert.strictEqual(seen.length, 1)
      assert.deepStrictEqual(ballastOf(disk), [])
      const free = paidRegistry({
        free: true,
        answer: () => Effect.sync(() => ((seen = ballastOf(disk)), said("free")))
      })
      yield* Alembic.runProgram({ program: "free", goal: "g" }, program).pipe(
        Effect.provide(engineOn(disk, free.layer))
      )
      assert.deepStrictEqual(seen, [])
    })
  )

  it.effect(
    "of a dead process whose disk is full to the last byte: the lock is taken with the ballast's room",
    () =>
      Effect.gen(function* () {
        const { disk, run } = world((disk, made) => {
          if (made === 2) disk.crashAfterStep(0)
        })
        yield* Effect.exit(run)
        const after = disk.afterCrash("process")
        after.limit(used(after))
        const paid = paidRegistry()
        const again = Alembic.runProgram(spec, program).pipe(
          Effect.provide(engineOn(after, paid.layer, { pid: 2 }))
        )
        const waits = yield* again
        assert.deepInclude(waits.suspended, { reason: "disk" }, JSON.stringify(waits))
        assert.deepStrictEqual(paid.made, [])
        after.limit(Infinity)
        assert.strictEqual((yield* again).status, "completed")
      })
  )

  it.effect("finds the ballast of a process that died, which is used and goes with the run", () =>
    Effect.gen(function* () {
      const { disk, run } = world((disk, made) => {
        if (made === 2) disk.crashAfterStep(0)
      })
      yield* Effect.exit(run)
      const after = disk.afterCrash("process")
      assert.strictEqual(ballastOf(after).length, 1)
      const paid = paidRegistry()
      const done = yield* Alembic.runProgram(spec, program).pipe(
        Effect.provide(engineOn(after, paid.layer, { pid: 2 }))
      )
      assert.strictEqual(done.status, "completed", JSON.stringify(done))
      assert.deepStrictEqual(ballastOf(after), [])
    })
  )
})
