// What is found when a run is opened: torn tails are cut, everything else that is wrong is named by its line, and
// nothing is written then. Cases F01 to F14, F19, F28 and F29 of the durability list.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { sha256 } from "../../src/domain/fingerprint.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { checkRunId, checkWorkflowId } from "../../src/journal/store/RunDirectory.ts"
import {
  baseDir,
  ended,
  goldenRun,
  makeCalls,
  newRun,
  onDisk,
  runDir,
  runId,
  specOf,
  started
} from "./support.ts"

const log = `${runDir}/events.jsonl`
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The disk of a run of `count` calls, as another process would find it; each test works on its own copy. */
const golden = (count: number, end = false) =>
  Effect.gen(function* () {
    const disk = MemoryDisk.make()
    yield* goldenRun(disk, count, end)
    const bytes = disk.read(log)!
    return {
      disk,
      bytes,
      lines: decoder.decode(bytes).split("\n").slice(0, -1),
      copy: () => disk.afterCrash("process")
    }
  })

const openIn = (disk: MemoryDisk, mode: "read" | "write" = "write") =>
  onDisk(
    disk,
    Effect.flatMap(Journal, (store) => store.open(runId, mode)).pipe(
      Effect.map((journal) => ({ lastSeq: journal.state().lastSeq, warnings: [...journal.warnings()] }))
    )
  )

/** Opening fails with that code, at that line, and changes nothing at all. */
const refused = (disk: MemoryDisk, code: string, line?: number) =>
  Effect.gen(function* () {
    const snapshot = () => disk.files.map((path) => [path, disk.read(path)])
    const before = snapshot()
    for (const mode of ["read", "write"] as const) {
      const error = yield* Effect.flip(openIn(disk, mode))
      assert.strictEqual(error.code, code, error.message)
      if (line !== undefined) assert.strictEqual(error.line, line, error.message)
      assert.isString(error.cure)
      assert.deepStrictEqual(snapshot(), before)
    }
  })

const withLines = (disk: MemoryDisk, lines: ReadonlyArray<string>) => disk.write(log, `${lines.join("\n")}\n`)

describe("a torn tail", () => {
  it.effect("F01-F03: cut at every byte of the last three records, the run goes on to the same log", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(3)
      const from = bytes.length - encoder.encode(`${lines.slice(-3).join("\n")}\n`).length
      // The undisturbed continuation of every possible prefix.
      for (let end = from; end <= bytes.length; end++) {
        const disk = copy().delete(`${runDir}/checkpoint.json`).write(log, bytes.slice(0, end))
        const whole = bytes.lastIndexOf(0x0a, end - 1) + 1
        const seen = yield* openIn(disk.afterCrash("process"), "read")
        assert.strictEqual(seen.warnings.length, whole === end ? 0 : 1)

        const opened = yield* openIn(disk)
        assert.deepStrictEqual(disk.read(log), bytes.slice(0, whole))
        assert.strictEqual(opened.warnings.length, whole === end ? 0 : 1)
        if (whole !== end) assert.include(opened.warnings[0], `${end - whole} bytes after byte ${whole}`)
      }
    })
  )

  it.effect("F01: what is appended after a cut makes whole lines again", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(3)
      const last = encoder.encode(lines.at(-1)).length
      for (const cut of [1, 2, 50, last, last + 1]) {
        const disk = copy()
          .delete(`${runDir}/checkpoint.json`)
          .write(log, bytes.slice(0, bytes.length - cut))
        yield* onDisk(
          disk,
          Effect.gen(function* () {
            const journal = yield* (yield* Journal).open(runId, "write")
            const { completed } = yield* Effect.promise(() => import("./support.ts"))
            yield* journal.append(completed("prompt 3: ação 👩‍💻"))
            yield* journal.commit
          })
        )
        assert.deepStrictEqual(disk.read(log), bytes)
      }
    })
  )

  it.effect("F01: a reader leaves a torn tail where it is", () =>
    Effect.gen(function* () {
      const { bytes, copy } = yield* golden(2)
      const disk = copy().write(log, bytes.slice(0, -5)).protect()
      assert.strictEqual((yield* openIn(disk, "read")).lastSeq, 4)
      assert.deepStrictEqual(disk.read(log), bytes.slice(0, -5))
    })
  )

  it.effect("F07: zero bytes at the end are a torn tail, in the middle they are damage", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(2)
      const appended = copy().write(log, Buffer.concat([bytes, new Uint8Array(4096)]))
      assert.strictEqual((yield* openIn(appended)).lastSeq, 5)
      assert.deepStrictEqual(appended.read(log), bytes)

      const overwritten = copy().write(log, Buffer.concat([bytes.slice(0, -100), new Uint8Array(100)]))
      assert.strictEqual((yield* openIn(overwritten)).lastSeq, 4)

      const middle = bytes.slice()
      const line3 = encoder.encode(`${lines.slice(0, 2).join("\n")}\n`).length
      middle.fill(0, line3 + 10, line3 + 40)
      yield* refused(copy().write(log, middle), "journal_corrupt", 3)
    })
  )
})

describe("anything else wrong with the log", () => {
  it.effect("F04: garbage that ends in a newline, and empty lines, are damage by line", () =>
    Effect.gen(function* () {
      const { bytes, copy } = yield* golden(2)
      for (const garbage of ['{"seq":7,"ty\n', "\n", "\n\n", "null\n", "[]\n", "{}\n", "\u0000\n"]) {
        yield* refused(
          copy().write(log, Buffer.concat([bytes, encoder.encode(garbage)])),
          "journal_corrupt",
          6
        )
      }
    })
  )

  it.effect("F05: a flipped bit at every byte of a middle record is an error, at that line", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(3)
      const start = encoder.encode(`${lines.slice(0, 3).join("\n")}\n`).length
      const end = start + encoder.encode(lines[3]).length + 1
      for (let at = start; at < end; at++) {
        for (const bit of [0x01, 0x20]) {
          const flipped = bytes.slice()
          flipped[at] = flipped[at]! ^ bit
          const error = yield* Effect.flip(openIn(copy().write(log, flipped)))
          assert.include(["journal_corrupt", "journal_tampered", "journal_sequence", "schema"], error.code)
          assert.strictEqual(error.line, 4, `byte ${at - start}, bit ${bit}: ${error.message}`)
        }
      }
    })
  )

  it.effect("F06, F09: every line of a log removed, doubled, swapped, or changed to other valid JSON", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* golden(5)
      for (let n = 0; n < lines.length - 1; n++) {
        const without = lines.toSpliced(n, 1)
        yield* refused(withLines(copy(), without), "journal_sequence", n + 1)
        yield* refused(withLines(copy(), lines.toSpliced(n, 0, lines[n]!)), "journal_sequence", n + 2)
        yield* refused(withLines(copy(), without.toSpliced(n + 1, 0, lines[n]!)), "journal_sequence", n + 1)
        const edited = lines[n]!.replace('"at":0', '"at":1')
        yield* refused(withLines(copy(), lines.with(n, edited)), "journal_tampered", n + 1)
        const rechained = lines[n]!.replace(
          /"prev":"./,
          (text) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")
        )
        yield* refused(withLines(copy(), lines.with(n, rechained)), "journal_tampered", n + 1)
      }
    })
  )

  it.effect("F08: two events on one line are named as what they are, and none is salvaged", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* golden(2)
      const disk = withLines(copy(), [...lines.slice(0, 3), `${lines[3]!.slice(0, 40)}${lines[4]}`])
      const error = yield* Effect.flip(openIn(disk))
      assert.deepStrictEqual([error.code, error.line], ["journal_corrupt", 4])
      assert.include(error.message, "two events on one line")
    })
  )

  it.effect("an event that nests deeper than any that is written is damage, not a stack that runs out", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(1)
      const head = `{"seq":4,"at":0,"prev":"${sha256(lines[2]!)}","type":"Logged","data":`
      const next = (levels: number) =>
        Buffer.concat([
          bytes,
          encoder.encode(`${head}${"[".repeat(levels)}${"]".repeat(levels)},"message":"m"}\n`)
        ])
      yield* refused(copy().write(log, next(20_000)), "journal_corrupt", 4)
      yield* openIn(copy().write(log, next(1000)))
    })
  )

  it.effect(
    "an event whose bytes are not UTF-8 is damage, also where it is chained; the lines around it are read",
    () =>
      Effect.gen(function* () {
        const { bytes, copy, lines } = yield* golden(1)
        const event = (seq: number, before: string | Uint8Array, message: string) =>
          `{"seq":${seq},"at":0,"prev":"${sha256(before)}","type":"Logged","message":"${message}"}`
        const fourth = Buffer.from(event(4, lines[2]!, "ação 👩‍💻 \u0001")).map((byte) =>
          byte === 1 ? 0xff : byte
        )
        const fifth = Buffer.from(event(5, fourth, "é"))
        const newline = Buffer.from("\n")
        yield* refused(
          copy().write(log, Buffer.concat([bytes, fourth, newline, fifth, newline])),
          "journal_corrupt",
          4
        )
      })
  )

  it.effect("F32: an event of a kind this version does not know is `schema`", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(1)
      const next = `{"seq":4,"at":0,"prev":"${sha256(lines[2]!)}","type":"FromTheFuture"}\n`
      yield* refused(copy().write(log, Buffer.concat([bytes, encoder.encode(next)])), "schema", 4)
    })
  )
})

describe("the checkpoint", () => {
  it.effect("F10: cut at every byte it is made anew, and stray temporary files are removed", () =>
    Effect.gen(function* () {
      const { bytes, copy, disk } = yield* golden(2, true)
      const checkpoint = disk.read(`${runDir}/checkpoint.json`)!
      for (let end = 0; end < checkpoint.length - 1; end++) {
        const cut = copy().write(`${runDir}/checkpoint.json`, checkpoint.slice(0, end))
        for (const n of [1, 2, 3]) cut.write(`${runDir}/checkpoint.json.tmp-x-${n}`, "{")
        const { lastSeq, warnings } = yield* openIn(cut)
        assert.strictEqual(lastSeq, 6)
        assert.strictEqual(warnings.length, 1)
        assert.deepStrictEqual(
          cut.files.filter((path) => path.includes(".tmp-")),
          []
        )
        assert.deepStrictEqual(cut.read(log), bytes)
      }
    })
  )

  it.effect("F11: ahead of the log is an error, in the middle of a line or at its end", () =>
    Effect.gen(function* () {
      const { bytes, copy, lines } = yield* golden(3, true)
      yield* refused(withLines(copy(), lines.slice(0, -2)), "checkpoint_ahead")
      yield* refused(copy().write(log, bytes.slice(0, -1)), "checkpoint_ahead")
      yield* refused(copy().write(log, ""), "checkpoint_ahead")
    })
  )

  it.effect("F12: behind the log is the usual case", () =>
    Effect.gen(function* () {
      const { disk } = yield* golden(2, true)
      const longer = yield* golden(5)
      // The checkpoint of a shorter past, whose last line the log still has.
      const behind = yield* golden(2)
      yield* onDisk(
        behind.disk,
        Effect.flatMap(
          Effect.flatMap(Journal, (store) => store.open(runId, "write")),
          (journal) => journal.checkpoint
        )
      )
      const checkpoint = behind.disk.read(`${runDir}/checkpoint.json`)!
      const opened = yield* openIn(longer.copy().write(`${runDir}/checkpoint.json`, checkpoint))
      assert.deepStrictEqual(opened, { lastSeq: 11, warnings: [] })
      assert.isDefined(disk.read(`${runDir}/checkpoint.json`))
    })
  )

  it.effect("vouches for the last line, which no other line does", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* golden(2, true)
      const edited = lines.at(-1)!.replace('"sum":3', '"sum":4')
      yield* refused(
        withLines(copy(), lines.with(lines.length - 1, edited)),
        "journal_tampered",
        lines.length
      )
    })
  )
})

describe("meta.json and the directory", () => {
  it.effect("F13: missing, foreign, edited or cut anywhere, it is refused", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* golden(1)
      const path = `${runDir}/meta.json`
      const meta = disk.read(path)!
      yield* refused(copy().delete(path), "meta_missing")
      const other = MemoryDisk.make()
      const foreign = newRun(specOf("another goal"))
      yield* onDisk(
        other,
        Effect.flatMap(Journal, (store) => store.create(foreign))
      )
      yield* refused(
        copy().write(path, other.read(`${baseDir}/runs/${foreign.meta.runId}/meta.json`)!),
        "meta_mismatch"
      )
      for (let at = 0; at < meta.length; at++) {
        const flipped = meta.slice()
        flipped[at] = flipped[at]! ^ 0x01
        const error = yield* Effect.flip(openIn(copy().write(path, flipped)))
        assert.include(["meta_mismatch", "schema"], error.code)
        assert.strictEqual(
          (yield* Effect.flip(openIn(copy().write(path, meta.slice(0, at))))).code,
          "meta_mismatch"
        )
      }
    })
  )

  it.effect("F13: a part of the spec that was edited in its blob is found before anything runs", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* golden(1)
      const goal = newRun().meta.parts.goal!
      yield* refused(copy().write(`${runDir}/blobs/${goal}`, '"another goal"'), "blob_corrupt")
      yield* refused(copy().delete(`${runDir}/blobs/${goal}`), "blob_missing")
      assert.isDefined(disk.read(`${runDir}/blobs/${goal}`))
    })
  )

  it.effect("F14: an empty directory is no run; a checkpoint or meta without a log has lost it", () =>
    Effect.gen(function* () {
      const { copy } = yield* golden(2, true)
      yield* refused(copy().delete(log), "journal_missing")
      yield* refused(copy().delete(log).delete(`${runDir}/meta.json`), "journal_missing")
      yield* refused(copy().delete(log).delete(`${runDir}/checkpoint.json`), "journal_missing")
      const empty = copy().delete(runDir).write(`${runDir}/.x`, "").delete(`${runDir}/.x`)
      yield* refused(empty, "run_missing")
      yield* onDisk(
        empty,
        Effect.flatMap(Journal, (store) => store.create(newRun()))
      )
      assert.isDefined(empty.read(`${runDir}/meta.json`))
    })
  )

  it.effect("a making that failed holds no lock: who made it goes on with the run", () =>
    Effect.gen(function* () {
      const { copy } = yield* golden(1)
      yield* onDisk(
        copy(),
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* Journal
            const error = yield* Effect.flip(store.create(newRun()))
            assert.strictEqual(error.code, "run_exists")
            assert.isAbove((yield* store.open(runId, "write")).state().lastSeq, 0)
          })
        )
      )
    })
  )

  it.effect("a run that is there is not made again", () =>
    Effect.gen(function* () {
      const { bytes, disk } = yield* golden(2)
      const error = yield* Effect.flip(
        onDisk(
          disk,
          Effect.flatMap(Journal, (store) => store.create(newRun()))
        )
      )
      assert.strictEqual(error.code, "run_exists")
      assert.deepStrictEqual(disk.read(log), bytes)
    })
  )

  it.effect("F19: a read-only directory can be read with no write at all, and not resumed", () =>
    Effect.gen(function* () {
      const { copy } = yield* golden(2, true)
      const disk = copy().protect()
      assert.strictEqual((yield* openIn(disk, "read")).lastSeq, 6)
      assert.deepStrictEqual(
        disk.log.filter(({ op }) => !["open", "read", "stat"].includes(op)),
        []
      )
      assert.strictEqual((yield* Effect.flip(openIn(disk, "write"))).code, "read_only")
    })
  )

  it("F28: ids that are not ids go no further", () => {
    for (const id of [
      "../../etc",
      "run-%2e%2e",
      "/abs",
      "C:x",
      "run-0123456789abcde\u0000",
      "run-0123456789abcdef.",
      "run-0123456789abcdef ",
      "CON",
      "",
      ".",
      "..",
      "x".repeat(300),
      "RUN-0123456789ABCDEF",
      "run-0123456789ABCDEF",
      "run-0123456789abcdef\n"
    ]) {
      const checked = checkRunId(id)
      assert.isTrue(Result.isFailure(checked) && checked.failure.code === "bad_id", id)
    }
    assert.isTrue(Result.isSuccess(checkRunId("run-0123456789abcdef")))
  })

  it("F27: workflow ids that fold together or that Windows reserves are refused everywhere", () => {
    for (const id of [
      "Build",
      "cafe\u0301",
      "café",
      "a/b",
      "..",
      ".hidden",
      "",
      "x".repeat(65),
      "con",
      "nul.txt",
      "com1",
      "a."
    ]) {
      assert.isTrue(Result.isFailure(checkWorkflowId(id)), id)
    }
    for (const id of ["build", "main", "a.b-c_d", "x".repeat(64), "console"]) {
      assert.isTrue(Result.isSuccess(checkWorkflowId(id)), id)
    }
  })

  it.effect("F29: a symbolic link anywhere below the base is refused, its target untouched", () =>
    Effect.gen(function* () {
      const { copy } = yield* golden(2, true)
      for (const path of [
        `${baseDir}/runs`,
        runDir,
        log,
        `${runDir}/meta.json`,
        `${runDir}/checkpoint.json`,
        `${runDir}/result.json`,
        `${runDir}/lock`,
        `${runDir}/blobs`,
        `${runDir}/workflows`,
        `${runDir}/workflows/main/cache.json`
      ]) {
        const disk = copy().write("/sentinel", "untouched").delete(path).symlink(path, "/sentinel")
        for (const mode of ["read", "write"] as const) {
          assert.strictEqual((yield* Effect.flip(openIn(disk, mode))).code, "symlink", path)
        }
        const created = yield* Effect.flip(
          onDisk(
            disk,
            Effect.flatMap(Journal, (store) => store.create(newRun()))
          )
        )
        assert.strictEqual(created.code, "symlink", path)
        assert.strictEqual(decoder.decode(disk.read("/sentinel")), "untouched")
      }
    })
  )

  it.effect("a base that is a file is said to be one", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make().write(baseDir, "a file")
      const error = yield* Effect.flip(
        onDisk(
          disk,
          Effect.flatMap(Journal, (store) => store.create(newRun()))
        )
      )
      assert.strictEqual(error.code, "not_a_directory")
      assert.deepStrictEqual(disk.files, [baseDir])
    })
  )

  it.effect("a second writer in the same process is refused while the first works, and not after", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const store = yield* Journal
          yield* Effect.scoped(
            Effect.gen(function* () {
              const journal = yield* store.create(newRun())
              yield* journal.append(started)
              yield* journal.commit
              const error = yield* Effect.flip(Effect.scoped(store.open(runId, "write")))
              assert.deepStrictEqual([error.code, error.holder?.pid], ["run_locked", 100])
              assert.strictEqual((yield* Effect.scoped(store.open(runId, "read"))).state().lastSeq, 1)
            })
          )
          const again = yield* store.open(runId, "write")
          yield* makeCalls(again, 1)
          yield* again.append(ended)
          yield* again.commit
        })
      )
    })
  )
})
