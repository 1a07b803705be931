// verify finds every single change to a run; repair gives up an end and keeps a copy; gc never touches what is in use.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../../src/kernel/HostIdentity.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import type { RunEventBody } from "../../../src/domain/run/RunEvent.ts"
import {
  baseDir,
  completed,
  ended,
  goldenRun,
  journalOn,
  me,
  newRun,
  onDisk,
  runDir,
  runId,
  specOf,
  sealed,
  started,
  verified
} from "../support.ts"

const log = `${runDir}/events.jsonl`
const text = (disk: MemoryDisk, path: string) => new TextDecoder().decode(disk.read(path))

const finds = (disk: MemoryDisk, what: string, line?: number) =>
  Effect.gen(function* () {
    const before = disk.files.map((path) => [path, disk.read(path)])
    const report = yield* verified(disk)
    assert.isFalse(report.ok, what)
    assert.isAbove(report.problems.length, 0, what)
    if (line !== undefined)
      assert.include(
        report.problems.map((problem) => problem.line),
        line,
        what
      )
    assert.deepStrictEqual(
      disk.files.map((path) => [path, disk.read(path)]),
      before,
      "verify wrote something"
    )
    return report
  })

describe("verify", () => {
  it.effect("finds nothing wrong with a sound run, and vouches for all of it", () =>
    Effect.gen(function* () {
      const { disk, lines } = yield* sealed
      assert.deepStrictEqual(yield* verified(disk), {
        ok: true,
        events: lines.length,
        vouchedTo: lines.length,
        problems: []
      })
    })
  )

  it.effect("a result that an earlier end left in a reopened run is not edited; another one is", () =>
    Effect.gen(function* () {
      const bodies: ReadonlyArray<ReadonlyArray<RunEventBody>> = [
        [{ type: "RunReopened", failed: 0 }],
        [{ type: "RunReopened", failed: 0 }, { type: "RunResumed" }],
        // Killed between its new end and the file of its result.
        [
          { type: "RunReopened", failed: 0 },
          { type: "RunCompleted", status: "completed", result: { sum: 5 }, coverage: { done: 0, of: 0 } }
        ]
      ]
      for (const appended of bodies) {
        const { copy } = yield* sealed
        const disk = copy()
        yield* onDisk(
          disk,
          Effect.gen(function* () {
            const journal = yield* (yield* Journal).open(runId, "write")
            for (const body of appended) yield* journal.append(body)
            yield* journal.commit
          })
        )
        assert.deepStrictEqual((yield* verified(disk)).problems, [])
        const path = `${runDir}/result.json`
        const edited = text(disk, path).replace('"sum":3', '"sum":4')
        const report = yield* finds(disk.write(path, edited), "edited")
        assert.deepStrictEqual(
          report.problems.map(({ code }) => code),
          ["result_edited"]
        )
      }
    })
  )

  it.effect("vouches for all but the last line of a run without a checkpoint", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* goldenRun(disk, 3)
      assert.deepStrictEqual(yield* verified(disk), { ok: true, events: 7, vouchedTo: 6, problems: [] })
    })
  )

  it.effect("finds a flipped byte in any file of the run, wherever it is", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* goldenRun(disk, 2, true)
      for (const path of disk.files) {
        const bytes = disk.read(path)!
        for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 60))) {
          const flipped = bytes.slice()
          flipped[at] = flipped[at]! ^ 0x01
          const report = yield* verified(disk.afterCrash("process").write(path, flipped))
          // A call cache that is not readable, or not of this log, is used by nobody: it may be rebuilt at will.
          assert.isTrue(!report.ok || path.endsWith("cache.json"), `${path} byte ${at}`)
        }
      }
    })
  )

  it.effect("finds lines removed, swapped, doubled, inserted, edited, each at its line", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* sealed
      const withLines = (next: ReadonlyArray<string>) => copy().write(log, `${next.join("\n")}\n`)
      for (let n = 0; n < lines.length; n++) {
        const line = lines[n]!
        const last = n === lines.length - 1
        yield* finds(withLines(lines.toSpliced(n, 1)), `line ${n + 1} removed`, last ? n : n + 1)
        yield* finds(withLines(lines.toSpliced(n, 0, line)), `line ${n + 1} doubled`, n + 2)
        yield* finds(withLines(lines.toSpliced(n, 0, "{}")), `a line inserted at ${n + 1}`, n + 1)
        yield* finds(
          withLines(lines.with(n, line.replace('"at":0', '"at":9'))),
          `line ${n + 1} edited`,
          n + 1
        )
        if (!last) {
          yield* finds(
            withLines(lines.with(n, lines[n + 1]!).with(n + 1, line)),
            `line ${n + 1} swapped`,
            n + 1
          )
        }
      }
    })
  )

  it.effect("says how far the log is still good", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* sealed
      const edited = lines.with(4, lines[4]!.replace('"at":0', '"at":9'))
      const report = yield* finds(copy().write(log, `${edited.join("\n")}\n`), "line 5 edited", 5)
      assert.strictEqual(report.vouchedTo, 4)
    })
  )

  it.effect("finds edited and missing blobs, also those that only an event names", () =>
    Effect.gen(function* () {
      const { copy, disk, large, lines } = yield* sealed
      const line = lines.findIndex((text) => text.includes("resultBlob")) + 1
      for (const path of disk.files.filter((path) => path.includes("/blobs/"))) {
        yield* finds(copy().write(path, "edited"), `${path} edited`, path === large ? line : 0)
        yield* finds(copy().delete(path), `${path} missing`, path === large ? line : 0)
      }
    })
  )

  it.effect("finds an edited checkpoint, meta, result and cache, also when they are valid JSON", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* sealed
      const edits: ReadonlyArray<readonly [string, string, string]> = [
        ["checkpoint.json", '"spentUsd":1', '"spentUsd":0'],
        ["checkpoint.json", '"completed":4', '"completed":5'],
        ["meta.json", '"node":"24"', '"node":"25"'],
        ["meta.json", '"durability":"full"', '"durability":"best_effort"'],
        ["result.json", '"sum":3', '"sum":4'],
        ["workflows/main/cache.json", "answer to prompt 2", "answer to prompt 9"]
      ]
      for (const [file, from, to] of edits) {
        const path = `${runDir}/${file}`
        assert.include(text(disk, path), from)
        yield* finds(copy().write(path, text(disk, path).replace(from, to)), `${file}: ${from} → ${to}`)
      }
      for (const file of ["meta.json", "events.jsonl"])
        yield* finds(copy().delete(`${runDir}/${file}`), `${file} gone`)
    })
  )
})

describe("what is derived from the log", () => {
  const spoilt: ReadonlyArray<readonly [string, (text: string) => string | undefined]> = [
    ["checkpoint.json", (text) => text.replace('"spentUsd":1', '"spentUsd":0')],
    ["checkpoint.json", () => "{"],
    ["checkpoint.json", () => undefined],
    ["result.json", (text) => text.replace('"sum":3', '"sum":4')],
    ["result.json", () => undefined],
    ["workflows/main/cache.json", (text) => text.replace("answer to prompt 2", "answer to prompt 9")]
  ]
  const spoil = (disk: MemoryDisk, file: string, edit: (text: string) => string | undefined) => {
    const path = `${runDir}/${file}`
    const edited = edit(text(disk, path))
    return edited === undefined ? disk.delete(path) : disk.write(path, edited)
  }
  const derived = ["checkpoint.json", "result.json", "workflows/main/cache.json"]

  it.effect("is made again by a repair, byte for byte, and the repair names what it was", () =>
    Effect.gen(function* () {
      const { copy, disk } = yield* sealed
      for (const [file, edit] of spoilt) {
        const broken = spoil(copy(), file, edit)
        const remade = yield* onDisk(
          broken,
          Effect.flatMap(Journal, (store) => store.remakeDerived(runId))
        )
        assert.deepStrictEqual(remade, [`${runDir}/${file}`])
        for (const one of [...derived, "events.jsonl"])
          assert.strictEqual(text(broken, `${runDir}/${one}`), text(disk, `${runDir}/${one}`), one)
        assert.isTrue((yield* verified(broken)).ok)
      }
      const sound = copy()
      const nothing = yield* onDisk(
        sound,
        Effect.flatMap(Journal, (store) => store.remakeDerived(runId))
      )
      assert.deepStrictEqual(nothing, [])
    })
  )

  it.effect("is right again, but for the cache, when an ended run is opened to be written", () =>
    Effect.gen(function* () {
      const { copy } = yield* sealed
      for (const [file, edit] of spoilt.filter(([name]) => !name.endsWith("cache.json"))) {
        const broken = spoil(copy(), file, edit)
        yield* onDisk(
          broken,
          Effect.flatMap(Journal, (store) => store.open(runId, "write"))
        )
        assert.isTrue((yield* verified(broken)).ok, file)
      }
    })
  )

  it.effect("is sound where a run failed and had a result all the same", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          yield* journal.append(started)
          yield* journal.append({
            type: "RunFailed",
            status: "failed",
            error: { code: "gate_failed", message: "no" },
            result: { sum: 1 },
            coverage: { done: 0, of: 0 }
          })
          yield* journal.commit
          yield* journal.seal({ sum: 1 })
        })
      )
      assert.deepStrictEqual((yield* verified(disk)).problems, [])
    })
  )

  it.effect("a step that failed counts as failed and costs nothing, also where its answer is a blob", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const counted = (stdout: string) =>
        onDisk(
          disk.afterCrash("process"),
          Effect.gen(function* () {
            const journal = yield* (yield* Journal).create(newRun())
            yield* journal.append(started)
            yield* journal.append(
              completed("step", { id: "tests", exitCode: 1, stdout, stderr: "", ok: false })
            )
            yield* journal.commit
            const { failed, spending } = journal.state()
            const { spentUsd, unpriced } = spending.of()
            return { failed, spentUsd, unpriced }
          })
        )
      const small = yield* counted("no")
      assert.deepStrictEqual(small, { failed: 1, spentUsd: 0, unpriced: 0 })
      assert.deepStrictEqual(yield* counted("x".repeat(600_000)), small)
    })
  )

  it.effect("is not made of a log that is not sound", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* sealed
      const broken = copy().write(log, `${lines.with(3, "{}").join("\n")}\n`)
      const error = yield* Effect.flip(
        onDisk(
          broken,
          Effect.flatMap(Journal, (store) => store.remakeDerived(runId))
        )
      )
      assert.include(error.cure ?? "", `alembic repair ${runId} --truncate-at`)
    })
  )
})

describe("repair", () => {
  it.effect("cuts after a line, keeps a copy, and the run goes on from there", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* sealed
      const damaged = lines.with(4, lines[4]!.replace('"at":0', '"at":9'))
      const disk = copy().write(log, `${damaged.join("\n")}\n`)
      const before = disk.read(log)!
      const repaired = yield* onDisk(
        disk,
        Effect.flatMap(Journal, (store) => store.repair(runId, { truncateAt: 4 }))
      )
      assert.strictEqual(repaired.kept, 4)
      assert.deepStrictEqual(disk.read(repaired.backup), before)
      // What is kept, and a line that says what the rest told of.
      assert.isTrue(text(disk, log).startsWith(`${lines.slice(0, 4).join("\n")}\n`))
      assert.include(text(disk, log).split("\n")[4], '"type":"RunRepaired"')
      assert.isTrue((yield* verified(disk)).ok)
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "write")
          yield* journal.append({ type: "RunResumed" })
          yield* journal.commit
        })
      )
      // What is sound is given up only where somebody says so.
      const sound = disk.read(log)!
      const refused = yield* Effect.flip(
        onDisk(
          disk,
          Effect.flatMap(Journal, (store) => store.repair(runId, { truncateAt: 2 }))
        )
      )
      assert.deepInclude(refused, { code: "still_sound" })
      assert.deepStrictEqual(disk.read(log), sound)
      // A second repair keeps the first one's copy.
      const again = yield* onDisk(
        disk,
        Effect.flatMap(Journal, (store) => store.repair(runId, { truncateAt: 2, evenSound: true }))
      )
      assert.notStrictEqual(again.backup, repaired.backup)
      assert.deepStrictEqual(disk.read(repaired.backup), before)
    })
  )

  it.effect("changes nothing if what would be kept is not sound, or is not there", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* sealed
      const damaged = lines.with(2, "{}")
      for (const truncateAt of [3, 5, 100, -1]) {
        const disk = copy().write(log, `${damaged.join("\n")}\n`)
        const before = disk.files.map((path) => [path, disk.read(path)])
        yield* Effect.flip(
          onDisk(
            disk,
            Effect.flatMap(Journal, (store) => store.repair(runId, { truncateAt }))
          )
        )
        assert.deepStrictEqual(
          disk.files.map((path) => [path, disk.read(path)]),
          before
        )
      }
    })
  )

  it.effect("dying at any step of a repair leaves the log as it was or as it shall be", () =>
    Effect.gen(function* () {
      const { copy, lines } = yield* sealed
      const whole = copy()
      const repair = Effect.flatMap(Journal, (store) =>
        store.repair(runId, { truncateAt: 4, evenSound: true })
      )
      yield* onDisk(whole, repair)
      for (const kind of ["process", "power"] as const) {
        for (let n = 0; n < whole.stepCount; n++) {
          const disk = copy().crashAfterStep(n)
          yield* Effect.exit(onDisk(disk, repair))
          const after = disk.afterCrash(kind)
          assert.include([`${lines.join("\n")}\n`, text(whole, log)], text(after, log))
          const other = HostIdentity.layerTest({ self: { ...me, pid: 2 } })
          yield* Effect.scoped(
            Effect.provide(
              Effect.flatMap(Journal, (store) => store.open(runId, "write")),
              journalOn(after.layer, other)
            )
          )
        }
      }
    })
  )
})

describe("gc", () => {
  const other = (goal: string) => newRun(specOf(goal))
  /** One ended run, one that was left open, one ended, on one disk. */
  const three = Effect.gen(function* () {
    const disk = MemoryDisk.make()
    yield* goldenRun(disk, 1, true)
    for (const [goal, end] of [
      ["left open", false],
      ["ended", true]
    ] as const) {
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const run = other(goal)
          const journal = yield* (yield* Journal).create(run)
          yield* journal.append({ type: "RunStarted", runId: run.meta.runId, v: 1, concurrency: 1 })
          if (end) yield* journal.append(ended)
          yield* journal.commit
          yield* journal.checkpoint
        })
      )
    }
    return disk
  })
  const ids = { golden: runId, open: other("left open").meta.runId, ended: other("ended").meta.runId }
  const runs = (disk: MemoryDisk) =>
    [...new Set(disk.files.map((path) => path.split("/")[3] ?? ""))]
      .filter((name) => name.startsWith("run-"))
      .toSorted()

  it.effect("plans by age, count and size; what is not ended stays unless asked for", () =>
    Effect.gen(function* () {
      const disk = yield* three
      yield* TestClock.adjust(10_000)
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const store = yield* Journal
          const planned = (options: Parameters<typeof store.planGc>[0]) =>
            Effect.map(store.planGc(options), (plan) => plan.map((run) => run.runId).toSorted())
          assert.deepStrictEqual(yield* planned({ olderThanMs: 20_000 }), [])
          assert.deepStrictEqual(yield* planned({ olderThanMs: 5000 }), [ids.golden, ids.ended].toSorted())
          assert.deepStrictEqual(
            yield* planned({ olderThanMs: 5000, unfinished: true }),
            Object.values(ids).toSorted()
          )
          assert.strictEqual((yield* planned({ keep: 1, unfinished: true })).length, 2)
          assert.strictEqual((yield* planned({ maxBytes: 1, unfinished: true })).length, 3)
          assert.deepStrictEqual(yield* planned({}), [])
        })
      )
      assert.strictEqual(runs(disk).length, 3)
    })
  )

  it.effect("removes what was planned and nothing else, and never a run in use", () =>
    Effect.gen(function* () {
      const disk = yield* three
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const store = yield* Journal
          const plan = yield* store.planGc({ keep: 0 })
          assert.strictEqual(plan.length, 2)
          // Since the plan was made, somebody has begun to work on one of them.
          yield* store.open(ids.ended, "write")
          assert.deepStrictEqual(
            (yield* store.planGc({ keep: 0 })).map((run) => run.runId),
            [ids.golden]
          )
          const outcome = yield* store.collect(plan)
          assert.deepStrictEqual(
            outcome.removed.map((run) => run.runId),
            [ids.golden]
          )
          assert.deepStrictEqual(
            outcome.skipped.map((run) => run.runId),
            [ids.ended]
          )
        })
      )
      assert.deepStrictEqual(runs(disk), [ids.open, ids.ended].toSorted())
      assert.deepStrictEqual(
        disk.files.filter((path) => path.includes(".gone")),
        []
      )
    })
  )

  it.effect("dying at any step leaves whole runs or none, and the next collection finishes", () =>
    Effect.gen(function* () {
      const start = yield* three
      const collectAll = (disk: MemoryDisk, pid: number) =>
        Effect.scoped(
          Effect.provide(
            Effect.flatMap(Journal, (store) => Effect.flatMap(store.planGc({ keep: 0 }), store.collect)),
            journalOn(disk.layer, Layer.fresh(HostIdentity.layerTest({ self: { ...me, pid } })))
          )
        )
      const whole = start.afterCrash("process")
      yield* collectAll(whole, 1)
      for (let n = 0; n < whole.stepCount; n++) {
        const disk = start.afterCrash("process").crashAfterStep(n)
        yield* Effect.exit(collectAll(disk, 1))
        const after = disk.afterCrash("power")
        yield* onDisk(
          after,
          Effect.flatMap(Journal, (store) =>
            Effect.map(store.list, (list) => {
              for (const { status } of list) assert.notStrictEqual(status, "damaged")
            })
          )
        )
        yield* collectAll(after, 2)
        assert.deepStrictEqual(runs(after), [ids.open])
        assert.deepStrictEqual(
          after.files.filter((path) => path.includes(".gone")),
          []
        )
      }
    })
  )

  it.effect("list says what each run is", () =>
    Effect.gen(function* () {
      const disk = yield* three
      disk.write(`${baseDir}/runs/${ids.ended}/meta.json`, "{}").write(`${baseDir}/runs/not-a-run/x`, "")
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const store = yield* Journal
          yield* store.open(ids.open, "write")
          const list = new Map((yield* store.list).map((run) => [run.runId, run]))
          assert.strictEqual(list.size, 3)
          assert.deepStrictEqual(list.get(ids.golden), {
            runId: ids.golden,
            status: "completed",
            goal: "ação 👩‍💻",
            calls: 1,
            startedAt: 0,
            durationMs: 0,
            writtenAt: list.get(ids.golden)?.writtenAt ?? -1,
            cost: {
              spentUsd: 0.25,
              heldUsd: 0,
              heldCalls: 0,
              heldUnbounded: 0,
              unknownUsd: 0,
              unknownCalls: 0,
              unboundedCalls: 0,
              unpricedCalls: 0
            },
            costUsd: 0.25
          })
          assert.strictEqual(list.get(ids.open)?.status, "running")
          assert.strictEqual(list.get(ids.ended)?.status, "damaged")
          assert.strictEqual(list.get(ids.ended)?.error?.code, "meta_mismatch")
        })
      )
    })
  )
})
