// An archive is the same bytes everywhere, is there whole or not at all, and does not come in damaged.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { canonicalJsonOf } from "../../../src/domain/json/canonicalJson.ts"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { keepOthersOut } from "../../../src/journal/store/RunLock.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../../src/kernel/HostIdentity.ts"
import { journalOn, me, onDisk, runDir, runId, sealed, verified } from "../support.ts"

describe("archive", () => {
  const exported = (disk: MemoryDisk, path = "/out.tar") =>
    onDisk(
      disk,
      Effect.flatMap(Journal, (store) => store.export(runId, path))
    )
  const imported = (disk: MemoryDisk) =>
    onDisk(
      disk,
      Effect.flatMap(Journal, (store) => store.import("/in.tar"))
    )
  const elsewhere = (archive: Uint8Array) => MemoryDisk.make().write("/in.tar", archive)

  it.effect("is the same bytes on two machines, with its hash, whatever else lies in the directory", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* sealed
      const other = copy()
      const one = yield* exported(disk)
      other
        .write(`${runDir}/events.jsonl.bak`, "old")
        .write(`${runDir}/lock`, "{")
        .write(`${runDir}/blobs/${sha256("nobody names it")}`, "nobody names it")
      const two = yield* exported(other)
      assert.deepStrictEqual(two, one)
      assert.deepStrictEqual(other.read("/out.tar"), disk.read("/out.tar"))
      assert.strictEqual(sha256(disk.read("/out.tar")!), one.sha256)
      assert.strictEqual(disk.read("/out.tar")!.length, one.bytes)
    })
  )

  for (const operation of ["write", "fsync", "rename", "open", "link", "fsync_directory"] as const) {
    it.effect(`is there whole or not at all, whichever ${operation} fails`, () =>
      Effect.gen(function* () {
        const { copy, disk } = yield* sealed
        const before = disk.files
        yield* exported(disk)
        const whole = disk.read("/out.tar")
        for (let nth = 1; nth <= 30; nth++) {
          const failing = copy().fail(operation, nth, "ENOSPC")
          const made = yield* Effect.exit(exported(failing))
          // A lock that could not be removed is a dead process's soon, and nobody's then.
          const left = failing.files.filter((path) => !before.includes(path) && !path.endsWith("/lock"))
          if (left.length > 0) {
            assert.deepStrictEqual(left, ["/out.tar"], `${operation} ${nth}`)
            assert.deepStrictEqual(failing.read("/out.tar"), whole, `${operation} ${nth}`)
          } else assert.isTrue(Exit.isFailure(made))
        }
      })
    )
  }

  it.effect("leaves nothing when it is interrupted, wherever it is", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* sealed
      const before = disk.files
      let interruptions = 0
      for (let turns = 0; ; turns++) {
        const there = copy()
        const running = yield* Effect.forkChild(exported(there), { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        const ended = running.pollUnsafe()
        yield* Fiber.interrupt(running)
        if (ended !== undefined) break
        interruptions++
        assert.deepStrictEqual(
          there.files.filter((path) => !before.includes(path)),
          []
        )
      }
      assert.isAbove(interruptions, 3)
    })
  )

  it.effect("is not made of a run that somebody works on, nor can anybody begin to meanwhile", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* sealed
      const before = disk.files
      const other = { ...me, pid: 200 }
      const host = (self: typeof me) => HostIdentity.layerTest({ self, others: [me, other] })
      const exportAs = (disk: MemoryDisk, self: typeof me) =>
        Effect.scoped(
          Effect.provide(
            Effect.flatMap(Journal, (store) => store.export(runId, "/out.tar")),
            journalOn(disk.layer, host(self))
          )
        )
      const working = <A, E>(disk: MemoryDisk, self: Effect.Effect<A, E>) =>
        Effect.scoped(
          Effect.provide(
            Effect.andThen(
              Effect.flatMap(Journal, (store) => store.open(runId, "write")),
              self
            ),
            journalOn(disk.layer, host(me))
          )
        )
      const refused = yield* working(disk, Effect.flip(exportAs(disk, other)))
      assert.strictEqual(refused.code, "run_locked")
      assert.deepStrictEqual(disk.files, before)

      const there = copy()
      const exporting = yield* Effect.forkChild(exportAs(there, other), { startImmediately: true })
      const late = yield* Effect.flip(working(there, Effect.void))
      assert.strictEqual(late.code, "run_locked")
      yield* Fiber.join(exporting)
      yield* working(there, Effect.void)
    })
  )

  it.effect("is kept from others where no lock can be written, if nobody holds the run", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* sealed
      const host = HostIdentity.layerTest({ self: { ...me, pid: 200 }, others: [me] })
      const keep = (disk: MemoryDisk) =>
        Effect.scoped(Effect.provide(keepOthersOut(`${runDir}/lock`), journalOn(disk.layer, host)))
      yield* keep(disk.protect())
      const held = copy().write(`${runDir}/lock`, canonicalJsonOf(me)).protect()
      assert.strictEqual((yield* Effect.flip(keep(held))).code, "run_locked")
    })
  )

  it.effect("comes in whole, verifies, and is exported again to the same bytes", () =>
    Effect.gen(function* () {
      const { disk } = yield* sealed
      yield* exported(disk)
      const archive = disk.read("/out.tar")!
      const there = elsewhere(archive)
      yield* imported(there)
      assert.isTrue((yield* verified(there)).ok)
      yield* exported(there)
      assert.deepStrictEqual(there.read("/out.tar"), archive)
      assert.strictEqual((yield* Effect.flip(exported(there))).code, "file_exists")
      assert.strictEqual((yield* Effect.flip(imported(there))).code, "run_exists")
      assert.deepStrictEqual(
        there.files.filter((path) => path.includes(".import")),
        []
      )
    })
  )

  it.effect("does not come in with any byte changed, cut short, or with something after its end", () =>
    Effect.gen(function* () {
      const { disk } = yield* sealed
      yield* exported(disk)
      const archive = disk.read("/out.tar")!
      const refused = (bytes: Uint8Array, what: string) =>
        Effect.gen(function* () {
          const there = elsewhere(bytes)
          const error = yield* Effect.flip(imported(there))
          assert.strictEqual(error.code, "archive_invalid", what)
          assert.deepStrictEqual(there.files, ["/in.tar"], what)
        })
      for (let at = 0; at < archive.length; at += 997) {
        const flipped = archive.slice()
        flipped[at] = flipped[at]! ^ 0x04
        yield* refused(flipped, `byte ${at}`)
        yield* refused(archive.slice(0, at), `cut at ${at}`)
      }
      yield* refused(Buffer.concat([archive, new Uint8Array(512)]), "longer")
    })
  )

  it.effect("a name that no run has is refused before anything is written there", () =>
    Effect.gen(function* () {
      const { tarEnd, tarHeader, tarPadding } = yield* Effect.promise(
        () => import("../../../src/journal/maintenance/tar.ts")
      )
      for (const name of [
        "../../evil",
        `${runId}/../../evil`,
        `${runId}/lock`,
        `${runId}/blobs/../x`,
        "/etc/x"
      ]) {
        const archive = Buffer.concat([
          tarHeader({ name, size: 4 }),
          Buffer.from("evil"),
          new Uint8Array(tarPadding(4)),
          tarEnd()
        ])
        const there = elsewhere(archive)
        assert.strictEqual((yield* Effect.flip(imported(there))).code, "archive_invalid")
        assert.deepStrictEqual(there.files, ["/in.tar"])
      }
    })
  )

  it.effect("a run that is not sound is not exported", () =>
    Effect.gen(function* () {
      const { copy, large } = yield* sealed
      const disk = copy().write(large, "edited")
      assert.strictEqual((yield* Effect.flip(exported(disk))).code, "archive_invalid")
      assert.isUndefined(disk.read("/out.tar"))
    })
  )
})
