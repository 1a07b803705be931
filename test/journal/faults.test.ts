// The fault matrix, in memory: a small run is made to fail or die at every step of its files and every byte of its
// log, and is then resumed. What must hold: an answer that the journal has is never paid for again, the result is
// that of the undisturbed run, and every failure is typed.
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import type { FsOperation } from "../../src/kernel/files/FsPort.ts"
import { MemoryDisk, SimulatedCrash, type CrashKind } from "../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { committedUsd } from "../../src/journal/state/RunState.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { JournalError } from "../../src/journal/JournalError.ts"
import {
  answer,
  completed,
  journalOn,
  keyOf,
  me,
  newRun,
  runDir,
  runId,
  scheduled,
  started
} from "./support.ts"

const calls = 4
const prompts = Array.from({ length: calls }, (_, n) => `prompt ${n + 1}`)

/** What was paid for, outside the disk, as a provider would remember it. */
type Paid = Map<string, number>

/** A driver like the engine's: answers from the journal where it has them, pays for the rest, ends the run. */
const work = (paid: Paid) =>
  Effect.gen(function* () {
    const store = yield* Journal
    const journal = yield* Effect.flatMap(store.exists(runId), (there) =>
      there ? store.open(runId, "write") : store.create(newRun())
    )
    if (journal.state().startedAt === undefined) yield* journal.append(started)
    const texts: Array<string> = []
    for (const [n, prompt] of prompts.entries()) {
      const id = `${keyOf(prompt)}#1`
      if (journal.state().calls.get(id)?.status !== "completed") {
        yield* journal.append(scheduled(n + 1, prompt, 1))
        yield* journal.commit
        paid.set(prompt, (paid.get(prompt) ?? 0) + 1)
        yield* journal.append(completed(prompt, answer(`answer to ${prompt}`)))
        yield* journal.commit
      }
      texts.push(yield* journal.readResultText(id))
    }
    if (journal.state().end === undefined) {
      yield* journal.append({
        type: "RunCompleted",
        status: "completed",
        result: texts,
        coverage: { done: 0, of: 0 }
      })
      yield* journal.commit
    }
    yield* journal.seal(texts)
    return { texts, spentUsd: committedUsd(journal.state()) }
  })

/** One process: another pid each time, so that the lock of the one before is a dead owner's. */
const processOn = (disk: MemoryDisk, pid: number, paid: Paid) =>
  Effect.exit(
    Effect.scoped(
      Effect.provide(
        work(paid),
        journalOn(disk.layer, Layer.fresh(HostIdentity.layerTest({ self: { ...me, pid } })))
      )
    )
  )

const goldenTexts = prompts.map((prompt) => JSON.stringify(sorted(answer(`answer to ${prompt}`))))
function sorted(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted()
          .map(([key, member]) => [key, sorted(member)])
      )
    : value
}

/** Resumes until done and holds the result against the undisturbed one. */
const resumed = (disk: MemoryDisk, paid: Paid, what: string) =>
  Effect.gen(function* () {
    const exit = yield* processOn(disk, 2, paid)
    if (Exit.isFailure(exit)) return assert.fail(`${what}: ${Cause.pretty(exit.cause)}`)
    assert.deepStrictEqual(exit.value.texts, goldenTexts, what)
    const again = [...paid.values()].reduce((sum, times) => sum + times - 1, 0)
    assert.isAtMost(again, 1, `${what}: paid again for more than the one call in flight`)
    // What may have been spent is never less than what was.
    assert.isAtLeast(exit.value.spentUsd + 1e-9, 0.25 * (calls + again), what)
    return again
  })

const undisturbed = Effect.gen(function* () {
  const disk = MemoryDisk.make()
  const paid: Paid = new Map()
  const exit = yield* processOn(disk, 1, paid)
  assert.isTrue(Exit.isSuccess(exit))
  return disk
})

const diesLike = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof SimulatedCrash

describe("the fault matrix", () => {
  for (const kind of ["process", "power"] satisfies ReadonlyArray<CrashKind>) {
    it.effect(`dying at every step of the files (${kind}) loses no answer`, () =>
      Effect.gen(function* () {
        const { stepCount } = yield* undisturbed
        assert.isAbove(stepCount, 100)
        for (let n = 0; n < stepCount; n++) {
          const disk = MemoryDisk.make().crashAfterStep(n)
          const paid: Paid = new Map()
          const exit = yield* processOn(disk, 1, paid)
          if (Exit.isSuccess(exit)) continue
          assert.isTrue(diesLike(exit), `step ${n}`)
          yield* resumed(disk.afterCrash(kind), paid, `died before step ${n}`)
        }
      })
    )
  }

  it.effect(
    "dying in the middle of any write loses no answer, and a call is paid again only if it was in flight",
    () =>
      Effect.gen(function* () {
        const { byteCount } = yield* undisturbed
        let twice = 0
        // Every byte would take a minute; seven is prime to all that repeats in a log.
        for (let n = 1; n < byteCount; n += 7) {
          const disk = MemoryDisk.make().crashAfterByte(n)
          const paid: Paid = new Map()
          const exit = yield* processOn(disk, 1, paid)
          assert.isTrue(diesLike(exit), `byte ${n}`)
          twice += (yield* resumed(disk.afterCrash("process"), paid, `died after byte ${n}`)) ?? 0
        }
        // The window between an answer and its line exists: the matrix must have hit it.
        assert.isAbove(twice, 0)
      })
  )

  const operations: ReadonlyArray<FsOperation> = [
    "open",
    "read",
    "write",
    "fsync",
    "fsync_directory",
    "rename",
    "unlink",
    "mkdir",
    "link",
    "stat"
  ]
  for (const op of operations) {
    it.effect(`failing at every ${op}, whatever the errno: a typed error, and a clean resume`, () =>
      Effect.gen(function* () {
        const golden = yield* undisturbed
        const times = golden.log.filter((step) => step.op === op).length
        assert.isAbove(times, 0, `${op} is never used`)
        for (const code of ["ENOSPC", "EIO", "EACCES", "EROFS", "ESTALE"]) {
          for (let nth = 1; nth <= times; nth++) {
            const what = `${op} ${nth} fails with ${code}`
            const disk = MemoryDisk.make().fail(op, nth, code)
            const paid: Paid = new Map()
            const exit = yield* processOn(disk, 1, paid)
            if (Exit.isFailure(exit)) assert.instanceOf(Cause.squash(exit.cause), JournalError, what)
            // A file system that refuses to sync directories, which is put up with, does not survive a power cut.
            yield* resumed(disk.afterCrash(op === "fsync_directory" ? "process" : "power"), paid, what)
          }
        }
      })
    )
  }

  it.effect("every write short: the log is the same to the byte", () =>
    Effect.gen(function* () {
      const golden = yield* undisturbed
      const disk = MemoryDisk.make()
      for (let nth = 1; nth < 2000; nth += 2) disk.shortWrite(nth, 5)
      assert.isTrue(Exit.isSuccess(yield* processOn(disk, 1, new Map())))
      for (const file of ["events.jsonl", "meta.json", "checkpoint.json", "result.json"]) {
        assert.deepStrictEqual(disk.read(`${runDir}/${file}`), golden.read(`${runDir}/${file}`))
      }
    })
  )
})
