// Group commit and its failures. Syncs are counted in a disk that records its steps.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { FsPort } from "../../../src/kernel/files/FsPort.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import {
  completed,
  goldenRun,
  makeCalls,
  newRun,
  onDisk,
  runDir,
  runId,
  scheduled,
  started
} from "../support.ts"

const log = `${runDir}/events.jsonl`
const syncs = (disk: MemoryDisk) => disk.log.filter(({ op, path }) => op === "fsync" && path === log).length
const writes = (disk: MemoryDisk) => disk.log.filter(({ op, path }) => op === "write" && path === log).length
const lines = (disk: MemoryDisk) => new TextDecoder().decode(disk.read(log)).split("\n").slice(0, -1)

/** A run that is open to be written, and what the disk had seen by then. */
const opened = (disk: MemoryDisk) =>
  Effect.gen(function* () {
    const journal = yield* (yield* Journal).create(newRun())
    yield* journal.append(started)
    yield* journal.commit
    return { journal, syncs: syncs(disk), writes: writes(disk) }
  })

describe("EventLog", () => {
  it.effect("one who waits alone costs one write and one sync, and no timer (E3)", () => {
    const disk = MemoryDisk.make()
    return onDisk(
      disk,
      Effect.gen(function* () {
        const before = yield* opened(disk)
        // The test's clock does not move: a commit that waited for a timer would never return.
        yield* makeCalls(before.journal, 10)
        assert.strictEqual(syncs(disk) - before.syncs, 10)
        assert.strictEqual(writes(disk) - before.writes, 10)
      })
    )
  })

  it.effect("sixty-four who wait together share one (E3)", () => {
    const disk = MemoryDisk.make()
    return onDisk(
      disk,
      Effect.gen(function* () {
        const before = yield* opened(disk)
        yield* Effect.forEach(
          Array.from({ length: 64 }, (_, n) => n + 1),
          (n) => Effect.andThen(before.journal.append(scheduled(n, `p${n}`)), before.journal.commit),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(syncs(disk) - before.syncs, 1)
        assert.strictEqual(lines(disk).length, 65)
      })
    )
  })

  it.effect("a commit returns only when its events are on the disk (E1)", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const { journal } = yield* opened(disk)
          yield* Effect.forEach(
            Array.from({ length: 50 }, (_, n) => n + 1),
            (n) =>
              Effect.gen(function* () {
                const event = yield* journal.append(scheduled(n, `p${n}`))
                yield* journal.commit
                // As after a power cut at this very moment.
                assert.isAtLeast(lines(disk.afterCrash("power")).length, event.seq)
              }),
            { concurrency: 7 }
          )
        })
      )
    })
  )

  it.effect("a committer that is interrupted takes nobody with it", () => {
    const disk = MemoryDisk.make()
    return onDisk(
      disk,
      Effect.gen(function* () {
        const { journal } = yield* opened(disk)
        yield* journal.append(scheduled(1, "a"))
        const first = yield* Effect.forkChild(journal.commit, { startImmediately: true })
        const second = yield* Effect.forkChild(journal.commit, { startImmediately: true })
        yield* Fiber.interrupt(first)
        yield* Fiber.join(second)
        assert.strictEqual(lines(disk.afterCrash("power")).length, 2)
      })
    )
  })

  it.effect("a full disk leaves whole lines, every one that fits, and says so (E2)", () =>
    Effect.gen(function* () {
      const golden = MemoryDisk.make()
      yield* goldenRun(golden, 4)
      const whole = golden.read(log)!.length
      const blobs = golden.files.reduce((sum, path) => sum + (golden.read(path)?.length ?? 0), 0) - whole
      for (let room = blobs + 400; room < blobs + whole; room += 97) {
        const disk = MemoryDisk.make().limit(room + 200)
        const acknowledged: Array<number> = []
        const error = yield* Effect.flip(
          onDisk(
            disk,
            Effect.gen(function* () {
              const journal = yield* (yield* Journal).create(newRun())
              yield* journal.append(started)
              for (let n = 1; n <= 4; n++) {
                yield* journal.append(scheduled(n, `prompt ${n}: ação 👩‍💻`))
                const { seq } = yield* journal.append(completed(`prompt ${n}: ação 👩‍💻`))
                yield* journal.commit
                acknowledged.push(seq)
              }
              return yield* Effect.fail({ code: "fits" as const })
            })
          )
        )
        const text = new TextDecoder().decode(disk.read(log) ?? new Uint8Array(0))
        if (error.code === "fits") continue
        assert.strictEqual(error.code, "no_space")
        // A prefix of the undisturbed log, at a line's end, with everything that was acknowledged.
        assert.isTrue(new TextDecoder().decode(golden.read(log)).startsWith(text))
        assert.isTrue(text === "" || text.endsWith("\n"))
        assert.isAtLeast(text.split("\n").length - 1, acknowledged.at(-1) ?? 0)
      }
    })
  )

  it.effect("of a group that does not fit, the answers that do are kept and acknowledged (E2)", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const outcomes = yield* onDisk(
        disk,
        Effect.gen(function* () {
          const { journal } = yield* opened(disk)
          const used = disk.files.reduce((sum, path) => sum + (disk.read(path)?.length ?? 0), 0)
          disk.limit(used + 2000)
          return yield* Effect.forEach(
            Array.from({ length: 10 }, (_, n) => n + 1),
            (n) => Effect.result(Effect.andThen(journal.append(completed(`p${n}`)), journal.commit)),
            { concurrency: "unbounded" }
          )
        })
      )
      const kept = outcomes.filter(({ _tag }) => _tag === "Success").length
      assert.isAbove(kept, 0)
      assert.isBelow(kept, 10)
      assert.strictEqual(lines(disk.afterCrash("power")).length, 1 + kept)
    })
  )

  it.effect("after EIO on a sync nothing is written: no line, no checkpoint, no cache", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const { journal } = yield* opened(disk)
          disk.fail("fsync", 1, "EIO")
          yield* journal.append(scheduled(1, "a"))
          const error = yield* Effect.flip(journal.commit)
          assert.deepStrictEqual([error.code, error.errno], ["io_error", "EIO"])
          const steps = disk.stepCount
          for (const later of [
            journal.append(completed("a")),
            journal.commit,
            journal.checkpoint,
            journal.seal(1)
          ]) {
            yield* Effect.flip(Effect.asVoid(later))
          }
          assert.deepStrictEqual(
            disk.log.slice(steps).filter(({ op }) => op !== "unlink"),
            []
          )
        })
      )
    })
  )

  it.effect("a file system that cannot sync is said so once, and in meta.json", () =>
    Effect.gen(function* () {
      for (const code of ["EINVAL", "ENOTSUP"]) {
        const disk = MemoryDisk.make().fail("fsync", 1, code, { always: true })
        yield* onDisk(
          disk,
          Effect.gen(function* () {
            const journal = yield* (yield* Journal).create(newRun())
            yield* journal.append(started)
            yield* makeCalls(journal, 3)
            assert.strictEqual(journal.warnings().length, 1)
            assert.strictEqual(journal.meta.durability, "best_effort")
          })
        )
        assert.strictEqual(lines(disk).length, 7)
        assert.include(
          new TextDecoder().decode(disk.read(`${runDir}/meta.json`)),
          '"durability":"best_effort"'
        )
      }
    })
  )

  it.effect("syncs the log before it writes the checkpoint that counts on it", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* goldenRun(disk, 3, true)
      const steps = disk.log.map(({ op, path }) => `${op} ${path}`)
      const lastSync = steps.lastIndexOf(`fsync ${log}`)
      const lastWrite = steps.lastIndexOf(`write ${log}`)
      const checkpoint = steps.findIndex((step) => step === `rename ${runDir}/checkpoint.json`)
      assert.isAbove(lastSync, lastWrite)
      assert.isAbove(checkpoint, lastSync)
    })
  )

  it.effect("writes a checkpoint about every thousand events, beside the calls and never ahead", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* goldenRun(disk, 1200)
      const checkpoints = disk.log.filter(
        ({ op, path }) => op === "rename" && path === `${runDir}/checkpoint.json`
      ).length
      assert.strictEqual(checkpoints, 2)
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "read")
          assert.strictEqual(journal.state().lastSeq, 2401)
          assert.deepStrictEqual(journal.warnings(), [])
        })
      )
    })
  )

  it.effect("F21: checkpoints asked for at once are written one at a time, and never go back", () => {
    const disk = MemoryDisk.make()
    return onDisk(
      disk,
      Effect.gen(function* () {
        const { journal } = yield* opened(disk)
        const path = `${runDir}/checkpoint.json`
        let last = 0
        yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n + 1),
          (n) =>
            Effect.gen(function* () {
              yield* journal.append(scheduled(n, `p${n}`.padEnd(n % 2 === 0 ? 2000 : 1, "x")))
              yield* journal.checkpoint
              const seen: { lastSeq: number } = JSON.parse(new TextDecoder().decode(disk.read(path)))
              assert.isAtLeast(seen.lastSeq, last)
              last = seen.lastSeq
            }),
          { concurrency: 20 }
        )
        assert.strictEqual(last, 201)
      })
    )
  })

  it.effect("a slow sync holds up nobody's append, and those that come meanwhile share the next", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const gate = yield* Deferred.make<void>()
      let slow = false
      const syncsSeen: Array<string> = []
      const layer = Layer.effect(
        FsPort,
        Effect.map(FsPort, (fs) =>
          FsPort.of({
            ...fs,
            openAppend: (path) =>
              Effect.map(fs.openAppend(path), (handle) => {
                const sync = Effect.suspend(() => {
                  syncsSeen.push(slow ? "slow" : "quick")
                  return slow ? Effect.andThen(Deferred.await(gate), handle.sync) : handle.sync
                })
                return { ...handle, sync, syncNow: sync }
              })
          })
        )
      ).pipe(Layer.provide(disk.layer))
      const { journalOn } = yield* Effect.promise(() => import("../support.ts"))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          yield* journal.append(started)
          yield* journal.commit
          slow = true
          yield* journal.append(scheduled(1, "first"))
          const first = yield* Effect.forkChild(journal.commit)
          yield* Effect.yieldNow
          yield* Effect.yieldNow
          const rest = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 9 }, (_, n) => n + 2),
              (n) => Effect.andThen(journal.append(scheduled(n, `p${n}`)), journal.commit),
              { concurrency: "unbounded" }
            )
          )
          yield* Effect.yieldNow
          assert.strictEqual(journal.state().lastSeq, 11)
          const before = syncsSeen.length
          yield* Deferred.succeed(gate, undefined)
          yield* Fiber.join(first)
          yield* Fiber.join(rest)
          assert.strictEqual(syncsSeen.length - before, 1)
        }).pipe(Effect.provide(journalOn(layer)))
      )
    })
  )
})
