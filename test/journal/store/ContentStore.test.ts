// Values by content: storing again writes nothing, writers converge, damage is found, large results go here first.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { fingerprint, sha256 } from "../../../src/domain/fingerprint.ts"
import { FsPort } from "../../../src/kernel/files/FsPort.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { makeContentStore, maxBlobBytes } from "../../../src/journal/store/ContentStore.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { maxLineBytes } from "../../../src/journal/log/LogReader.ts"
import { answer, completed, keyOf, newRun, onDisk, runDir, runId, scheduled, started } from "../support.ts"

const stored = (disk: MemoryDisk) => Effect.provide(makeContentStore("/blobs"), disk.layer)
const renames = (disk: MemoryDisk) => disk.log.filter(({ op }) => op === "rename").length

describe("ContentStore", () => {
  it.effect("names a value by the fingerprint of its canonical JSON, whatever its order", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const blobs = yield* stored(disk)
      const name = yield* blobs.put({ b: [1, "ação"], a: null })
      assert.strictEqual(name, Result.getOrThrow(fingerprint({ a: null, b: [1, "ação"] })))
      assert.strictEqual(yield* blobs.put({ a: null, b: [1, "ação"] }), name)
      assert.deepStrictEqual(yield* blobs.get(name), { a: null, b: [1, "ação"] })
      assert.isTrue(yield* blobs.has(name))
      assert.deepStrictEqual(yield* blobs.list, [name])
    })
  )

  it.effect("storing again writes nothing, also in another process", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* (yield* stored(disk)).put({ a: 1 })
      const before = renames(disk)
      const again = yield* stored(disk)
      yield* again.put({ a: 1 })
      yield* again.put({ a: 1 })
      assert.strictEqual(renames(disk), before)
    })
  )

  it.effect("sixteen writers of the same content converge", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const names = yield* Effect.forEach(
        Array.from({ length: 16 }),
        () => Effect.flatMap(stored(disk), (blobs) => blobs.put("x".repeat(10_000))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(names).size, 1)
      assert.strictEqual(disk.files.length, 1)
    })
  )

  it.effect("what is returned is durable", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const name = yield* (yield* stored(disk)).put({ a: 1 })
      const after = yield* stored(disk.afterCrash("power"))
      assert.deepStrictEqual(yield* after.get(name), { a: 1 })
    })
  )

  it.effect("a damaged blob is never read, and is mended by storing it again", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const name = yield* (yield* stored(disk)).put({ a: 1 })
      const bytes = disk.read(`/blobs/${name}`)!
      for (let at = 0; at < bytes.length; at++) {
        const flipped = bytes.slice()
        flipped[at] = flipped[at]! ^ 1
        disk.write(`/blobs/${name}`, flipped)
        assert.strictEqual((yield* Effect.flip((yield* stored(disk)).get(name))).code, "blob_corrupt")
      }
      yield* (yield* stored(disk)).put({ a: 1 })
      assert.deepStrictEqual(disk.read(`/blobs/${name}`), bytes)
      disk.delete(`/blobs/${name}`)
      assert.strictEqual((yield* Effect.flip((yield* stored(disk)).get(name))).code, "blob_missing")
    })
  )

  it.effect("refuses names that are none, and values JSON cannot carry", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const blobs = yield* stored(disk)
      for (const name of ["../../etc/passwd", "", "A".repeat(64), `${"a".repeat(64)}/x`]) {
        assert.strictEqual((yield* Effect.flip(blobs.get(name))).code, "bad_id")
      }
      const error = yield* Effect.flip(blobs.put({ when: new Date(0) }))
      assert.strictEqual(error.code, "not_canonical")
      assert.include(error.message, "$.when")
      assert.strictEqual(
        (yield* Effect.flip(blobs.putBytes(new Uint8Array(maxBlobBytes + 1)))).code,
        "too_large"
      )
    })
  )
})

describe("large values in a run", () => {
  const large = answer("x".repeat(300_000))

  it.effect("a large answer is a blob that is durable before the event that names it", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          yield* journal.append(started)
          yield* journal.append(scheduled(1, "a"))
          const event = yield* journal.append(completed("a", large))
          assert.isTrue(event.type === "CallCompleted" && event.result === undefined)
          yield* journal.commit
          assert.strictEqual(journal.state().spending.of().spentUsd, 0.25)
          assert.strictEqual(journal.state().usage.outputTokens, 5)
        })
      )
      const steps = disk.log.map(({ op, path }) => `${op} ${path.replace(/\.tmp.*/, "")}`)
      const name = sha256(disk.read(disk.files.find((path) => (disk.read(path)?.length ?? 0) > 300_000)!)!)
      assert.isBelow(
        steps.lastIndexOf(`rename ${runDir}/blobs/${name}`),
        steps.lastIndexOf(`write ${runDir}/events.jsonl`)
      )
      yield* onDisk(
        disk.afterCrash("power"),
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "read")
          assert.deepStrictEqual(yield* journal.readResult(`${keyOf("a")}#1`), large)
          assert.strictEqual(journal.state().spending.of().spentUsd, 0.25)
        })
      )
      const damaged = disk.afterCrash("power").write(`${runDir}/blobs/${name}`, "{}")
      const error = yield* onDisk(
        damaged,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "read")
          return yield* Effect.flip(journal.readResult(`${keyOf("a")}#1`))
        })
      )
      assert.strictEqual(error.code, "blob_corrupt")
    })
  )

  it.effect("an event that is too large to be a line is a typed error, and the log goes on", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          yield* journal.append(started)
          const error = yield* Effect.flip(
            journal.append({ type: "Logged", message: "x".repeat(maxLineBytes + 1) })
          )
          assert.strictEqual(error.code, "too_large")
          yield* journal.append({ type: "Logged", message: "small" })
          yield* journal.commit
          assert.strictEqual(journal.state().lastSeq, 2)
        })
      )
    })
  )

  it.effect("what JSON cannot carry never reaches the log", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          for (const data of [Number.NaN, "\ud800"]) {
            const error = yield* Effect.flip(journal.append({ type: "Logged", message: "m", data }))
            assert.strictEqual(error.code, "not_canonical")
          }
          yield* journal.append(started)
          yield* journal.commit
          assert.strictEqual(journal.state().lastSeq, 1)
        })
      )
    })
  )

  it.live("an answer of 100 MB is kept and given back", () =>
    Effect.gen(function* () {
      const huge = answer("y".repeat(100 * 1024 * 1024))
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          yield* journal.append(started)
          yield* journal.append(completed("a", huge))
          yield* journal.commit
          const text = yield* journal.readResultText(`${keyOf("a")}#1`)
          assert.isAbove(text.length, 100 * 1024 * 1024)
          assert.isBelow((yield* (yield* FsPort).stat(`${runDir}/events.jsonl`))?.size ?? Infinity, 2000)
        })
      )
    })
  )
})
