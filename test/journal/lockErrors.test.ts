// F30: a lock on a file system that cannot be trusted with one. What goes wrong with it is an error, never "unlocked",
// and leaves nothing that would keep the next one out.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { acquireLock } from "../../src/journal/store/RunLock.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { me } from "./support.ts"

const path = "/base/lock"
/** A process of this machine that sees the others which live. */
const as = (disk: MemoryDisk, pid: number, living: ReadonlyArray<number> = []) =>
  Layer.merge(
    disk.layer,
    Layer.fresh(
      HostIdentity.layerTest({ self: { ...me, pid }, others: living.map((other) => ({ ...me, pid: other })) })
    )
  )

/** A dead owner's lock, so that taking it over is tried as well. */
const stale = (disk: MemoryDisk) =>
  disk.write(path, JSON.stringify({ ...me, pid: 4_194_300, boot: "an earlier boot" }))

describe("F30: locking on a file system that fails", () => {
  for (const code of ["EBADF", "ENOLCK", "ESTALE", "EIO"]) {
    for (const taken of [false, true]) {
      it.effect(
        `${code} at any step of ${taken ? "taking over" : "taking"} it is an error, and the next one gets it`,
        () =>
          Effect.gen(function* () {
            const fresh = () =>
              taken ? stale(MemoryDisk.make()) : MemoryDisk.make().write("/base/other", "")
            const golden = fresh()
            assert.strictEqual(yield* Effect.scoped(Effect.provide(acquireLock(path), as(golden, 1))), taken)
            const steps = new Map<string, number>()
            let failures = 0
            for (const { op } of golden.log) {
              const nth = (steps.get(op) ?? 0) + 1
              steps.set(op, nth)
              const disk = fresh().fail(op, nth, code)
              const outcome = yield* Effect.gen(function* () {
                const own = yield* Effect.result(acquireLock(path))
                // While the one holds it, nobody else does; a fault did not make two owners.
                if (own._tag === "Failure") return own.failure.code
                const other = yield* Effect.result(
                  Effect.scoped(Effect.provide(acquireLock(path), as(disk, 2, [1])))
                )
                assert.strictEqual(other._tag, "Failure", `${op} ${nth}`)
                return "held"
              }).pipe(Effect.provide(as(disk, 1)), Effect.scoped)
              if (outcome !== "held") {
                failures++
                assert.notStrictEqual(outcome, "run_locked", `${op} ${nth}`)
              }
              // pid 1 is gone.
              const next = yield* Effect.result(Effect.scoped(Effect.provide(acquireLock(path), as(disk, 3))))
              assert.strictEqual(next._tag, "Success", `${op} ${nth}: ${JSON.stringify(next)}`)
            }
            assert.isAbove(failures, 0)
          })
      )
    }
  }

  it.effect("a file that the owner before swept away on its way to being the lock is made again", () =>
    Effect.gen(function* () {
      for (const stands of [false, true]) {
        const disk = stands ? stale(MemoryDisk.make()) : MemoryDisk.make().write("/base/other", "")
        disk.fail("link", stands ? 2 : 1, "ENOENT")
        assert.strictEqual(yield* Effect.scoped(Effect.provide(acquireLock(path), as(disk, 1))), stands)
      }
    })
  )

  it.effect("a directory that is gone is an error, and nobody looks for it for ever", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(Effect.provide(acquireLock("/gone/lock"), as(MemoryDisk.make(), 1)))
      )
      assert.strictEqual(error._tag, "JournalError")
    })
  )
})
