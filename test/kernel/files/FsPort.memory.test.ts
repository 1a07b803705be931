// Faults in memory: what is acknowledged survives, what is not may not, and nothing else ever happens.
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { FsPort, type FsError } from "../../../src/kernel/files/FsPort.ts"
import { MemoryDisk, SimulatedCrash } from "../../../src/kernel/files/FsPort.memory.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array | undefined) =>
  content === undefined ? undefined : new TextDecoder().decode(content)
const on = <A, E>(
  disk: MemoryDisk,
  self: (fs: typeof FsPort.Service) => Effect.Effect<A, E, import("effect").Scope.Scope>
) => Effect.scoped(Effect.provide(Effect.flatMap(FsPort, self), disk.layer))
const disk = () => MemoryDisk.make().write("/d/old", "old")

describe("MemoryDisk", () => {
  it.effect("after a power cut has what was synced, and only that", () =>
    Effect.gen(function* () {
      const machine = disk()
      yield* on(machine, (fs) =>
        Effect.gen(function* () {
          const log = yield* fs.openAppend("/d/log")
          yield* log.append(bytes("kept"))
          yield* log.sync
          yield* log.append(bytes(" lost"))
        })
      )
      assert.strictEqual(text(machine.afterCrash("power").read("/d/log")), "kept")
      assert.strictEqual(text(machine.afterCrash("process").read("/d/log")), "kept lost")
    })
  )

  it.effect("replace is atomic at every step of it and durable at its end", () =>
    Effect.gen(function* () {
      const undisturbed = disk()
      yield* on(undisturbed, (fs) => fs.replace("/d/old", bytes("new")))
      const steps = undisturbed.stepCount
      assert.isAbove(steps, 4)
      for (const kind of ["power", "process"] as const) {
        assert.strictEqual(text(undisturbed.afterCrash(kind).read("/d/old")), "new")
        for (let n = 0; n < steps; n++) {
          const machine = disk().crashAfterStep(n)
          const exit = yield* Effect.exit(on(machine, (fs) => fs.replace("/d/old", bytes("new"))))
          assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof SimulatedCrash)
          assert.include(["old", "new"], text(machine.afterCrash(kind).read("/d/old")))
        }
      }
    })
  )

  it.effect("a failed replace leaves the old file and no temporary one", () =>
    Effect.gen(function* () {
      for (const [op, code] of [
        ["open", "ENOSPC"],
        ["write", "ENOSPC"],
        ["write", "EIO"],
        ["fsync", "EIO"],
        ["rename", "ENOSPC"]
      ] as const) {
        const machine = disk().fail(op, 1, code)
        const error = yield* Effect.flip(on(machine, (fs) => fs.replace("/d/old", bytes("new"))))
        assert.deepStrictEqual([error.op, error.code], [op, code])
        assert.strictEqual(text(machine.read("/d/old")), "old")
        assert.deepStrictEqual(machine.files, ["/d/old"])
      }
    })
  )

  it.effect("a rename that is refused for a moment is tried again, and not for ever", () =>
    Effect.gen(function* () {
      for (const code of ["EPERM", "EBUSY", "EACCES", "ESTALE"]) {
        const machine = disk().fail("rename", 1, code).fail("rename", 2, code)
        yield* on(machine, (fs) => fs.replace("/d/old", bytes("new")))
        assert.strictEqual(text(machine.read("/d/old")), "new")
        const stuck = disk().fail("rename", 1, code, { always: true })
        assert.strictEqual(
          (yield* Effect.flip(on(stuck, (fs) => fs.replace("/d/old", bytes("new"))))).code,
          code
        )
        assert.strictEqual(text(stuck.read("/d/old")), "old")
        assert.isAtMost(stuck.log.filter(({ op }) => op === "rename").length, 5)
      }
    })
  )

  it.effect("directories that refuse to sync are put up with, files that do are not", () =>
    Effect.gen(function* () {
      for (const code of ["EPERM", "EISDIR", "EINVAL", "EACCES"]) {
        yield* on(disk().fail("fsync_directory", 1, code), (fs) => fs.replace("/d/old", bytes("new")))
      }
      const error = yield* Effect.flip(
        on(disk().fail("fsync_directory", 1, "EIO"), (fs) => fs.replace("/d/old", bytes("new")))
      )
      assert.strictEqual(error.code, "EIO")
    })
  )

  it.effect("an append that does not fit whole is not there at all", () =>
    Effect.gen(function* () {
      for (const room of [0, 1, 3, 7]) {
        const machine = MemoryDisk.make()
          .write("/d/log", "0123")
          .limit(4 + room)
        const after = yield* on(machine, (fs) =>
          Effect.gen(function* () {
            const log = yield* fs.openAppend("/d/log")
            const error = yield* Effect.flip(log.append(bytes("456789AB")))
            assert.strictEqual(error.code, "ENOSPC")
            return yield* log.size
          })
        )
        assert.strictEqual(after, 4)
        assert.strictEqual(text(machine.read("/d/log")), "0123")
      }
    })
  )

  it.effect("after a failed sync nothing is written any more", () =>
    Effect.gen(function* () {
      const machine = disk().fail("fsync", 1, "EIO")
      const errors = yield* on(machine, (fs) =>
        Effect.gen(function* () {
          const log = yield* fs.openAppend("/d/log")
          yield* log.append(bytes("a"))
          const seen: Array<FsError> = [yield* Effect.flip(log.sync)]
          const steps = machine.stepCount
          for (const later of [log.sync, log.syncNow, log.append(bytes("b")), log.truncate(0)]) {
            seen.push(yield* Effect.flip(later))
          }
          assert.strictEqual(machine.stepCount, steps)
          return seen
        })
      )
      assert.deepStrictEqual(
        errors.map(({ code, op }) => `${op} ${code}`),
        Array(5).fill("fsync EIO")
      )
    })
  )

  it.effect("dies in the middle of a write after a given byte", () =>
    Effect.gen(function* () {
      const machine = disk().crashAfterByte(3)
      const exit = yield* Effect.exit(
        on(machine, (fs) => Effect.flatMap(fs.openAppend("/d/log"), (log) => log.append(bytes("abcdef"))))
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.isTrue(machine.crashed)
      assert.strictEqual(text(machine.afterCrash("process").read("/d/log")), "abc")
    })
  )
})
