// What cannot be written: an answer, something the plan gives, a blob on a full disk. Nothing that was told of is lost,
// what was paid stays counted, and the run can be gone on with or says why not.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import type { RunOptions } from "../../src/engine/Engine.ts"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { JournalError } from "../../src/journal/JournalError.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import type { FsOperation } from "../../src/kernel/files/FsPort.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const spec = { program: "p", goal: "g", concurrency: 6 }
/** Of one answer of `paidRegistry`: 10 tokens in at $1 a million, 5 out at $2. */
const priceUsd = 20e-6

const eventsOn = (disk: MemoryDisk) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Journal
      const [listing] = yield* store.list
      if (listing === undefined) return []
      const journal = yield* store.open(yield* store.runId(listing.runId), "read")
      return yield* Stream.runCollect(journal.events)
    })
  ).pipe(Effect.provide(engineOn(disk, paidRegistry().layer, { pid: 9 })))

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

const deep = (levels: number) =>
  Effect.gen(function* () {
    const paid = paidRegistry({ answer: () => Effect.succeed(said(nested(levels))) })
    const program = Effect.gen(function* () {
      const h = yield* Hooks
      const slot = yield* h.agent({ prompt: "q", schema: { type: "array" } })
      return slot.ok ? "answered" : slot.error.code
    })
    const disk = MemoryDisk.make()
    const guards = { maxRepairs: 0, retry: { maxAttempts: 1 } }
    const summary = yield* Alembic.runProgram(spec, program).pipe(
      Effect.provide(engineOn(disk, paid.layer, { guards }))
    )
    return { summary, events: yield* eventsOn(disk) }
  })

describe("an answer", () => {
  it.effect("as deep as a value may be is an answer", () =>
    Effect.gen(function* () {
      const { summary } = yield* deep(1000)
      assert.strictEqual(summary.result, "answered", JSON.stringify(summary))
    })
  )

  it.effect("that is deeper is a failure that has cost what it has cost", () =>
    Effect.gen(function* () {
      const { events, summary } = yield* deep(1001)
      assert.strictEqual(summary.result, "invalid_response", JSON.stringify(summary))
      assert.strictEqual(summary.calls.failed, 1)
      assert.closeTo(summary.costUsd ?? 0, priceUsd, 1e-12)
      assert.isTrue(events.some(({ type }) => type === "RunCompleted"))
    })
  )

  it.effect(
    "that the journal cannot hold is a failed call that was made, also for the next process's cap",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const paid = paidRegistry()
        const once = { retry: { maxAttempts: 1 } }
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          return (yield* h.agent({ prompt: "q", maxOutputTokens: 5 })).ok
        })
        /** A journal that finds every first answer too large. */
        const narrow = Effect.map(Journal, (store) => {
          const narrowed = (made: ReturnType<typeof store.open>) =>
            Effect.map(made, (journal) => {
              let first = true
              const appendAnswer: typeof journal.appendAnswer = (answer) => {
                if (!first) return journal.appendAnswer(answer)
                first = false
                return Effect.fail(
                  new JournalError({ code: "too_large", path: "blobs", problem: "too large" })
                )
              }
              return { ...journal, appendAnswer }
            })
          return Journal.of({
            ...store,
            create: (run) => narrowed(store.create(run)),
            open: (...how) => narrowed(store.open(...how))
          })
        })
        const go = (pid: number, how: RunOptions) =>
          Alembic.runProgram({ ...spec, ...how, maxUsd: 80e-6 }, program).pipe(
            Effect.provide(engineOn(disk, paid.layer, { pid, guards: once, journal: narrow }))
          )
        const first = yield* go(1, {})
        assert.strictEqual(first.result, false)
        assert.strictEqual(first.calls.failed, 1)
        assert.closeTo(first.costUsd ?? 0, priceUsd, 1e-12)
        assert.deepStrictEqual(first.usage, { inputTokens: 10, outputTokens: 5 })
        // The worst case of a call is some $75e-6 here: with what the first has cost, a second does not fit.
        const second = yield* go(2, { retryFailed: true })
        assert.strictEqual(paid.made.length, 1, JSON.stringify(second))
        assert.strictEqual(second.error?.code, "budget_exceeded")
      })
  )
})

describe("something the plan gives that is too large for the log", () => {
  it.effect("ends the run, says why, and does not run again", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry()
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        yield* h.agent("first")
        yield* h.log("x".repeat(17 * 1024 * 1024))
        return (yield* h.agent("second")).ok
      })
      const go = (pid: number) =>
        Alembic.runProgram(spec, program).pipe(Effect.provide(engineOn(disk, paid.layer, { pid })))
      const first = yield* go(1)
      assert.strictEqual(first.status, "failed")
      assert.strictEqual(first.error?.code, "too_large")
      const second = yield* go(2)
      assert.deepStrictEqual(second.error, first.error)
      assert.deepStrictEqual(paid.made, ["first"])
      const events = yield* eventsOn(disk)
      assert.strictEqual(events.at(-1)?.type, "RunFailed")
      const replay = yield* Alembic.replayProgram(spec, program).pipe(
        Effect.provide(engineOn(disk, paid.layer, { pid: 3 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )

  it.effect("as a prompt ends it too, and replays: what could not be written is in no journal", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry()
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        yield* h.agent("first")
        return (yield* h.agent("x".repeat(17 * 1024 * 1024))).ok
      })
      const first = yield* Alembic.runProgram(spec, program).pipe(Effect.provide(engineOn(disk, paid.layer)))
      assert.strictEqual(first.error?.code, "too_large", JSON.stringify(first))
      assert.deepStrictEqual(paid.made, ["first"])
      const replay = yield* Alembic.replayProgram(spec, program).pipe(
        Effect.provide(engineOn(disk, paid.layer, { pid: 2 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )
})

describe("a disk that fails", () => {
  const large = "x".repeat(300 * 1024)
  const program = Effect.gen(function* () {
    const h = yield* Hooks
    const names = ["large 1", "small 1", "large 2", "small 2", "large 3", "small 3"]
    const slots = yield* h.parallel(names.map((name) => h.agent(name)))
    return slots.filter((slot) => slot.ok).length
  })
  const registry = () =>
    paidRegistry({
      answer: ({ prompt }) => Effect.succeed(said(prompt.startsWith("large") ? `${prompt}${large}` : prompt))
    })

  const operations: ReadonlyArray<FsOperation> = ["write", "fsync", "rename", "fsync_directory", "open"]
  // A disk that is full once is met by the ballast, so that such a run may not even fail.
  const failures = operations.flatMap((operation) => [
    [operation, "EIO"] as const,
    [operation, "ENOSPC"] as const
  ])
  for (const [operation, code] of failures) {
    it.effect(
      `whichever ${operation} fails (${code}): what was told of is in the log, and no answer in it is paid again`,
      () =>
        Effect.gen(function* () {
          let failed = 0
          for (let nth = 1; nth <= 40; nth++) {
            const disk = MemoryDisk.make().fail(operation, nth, code)
            const paid = registry()
            const told: Array<RunEvent> = []
            const observeDurable = (event: RunEvent) => Effect.sync(() => void told.push(event))
            const first = yield* Alembic.runProgram({ ...spec, observeDurable }, program).pipe(
              Effect.provide(engineOn(disk, paid.layer))
            )
            if (first.ok) continue
            failed++
            const kept = yield* eventsOn(disk)
            // What was written and not synced may be there as well.
            assert.deepStrictEqual(told, kept.slice(0, told.length), `${operation} ${nth}`)
            const answered = kept.filter(({ type }) => type === "CallCompleted").length
            const before = paid.made.length
            const second = yield* Alembic.runProgram(spec, program).pipe(
              Effect.provide(engineOn(disk, paid.layer, { pid: 2 }))
            )
            assert.strictEqual(second.result, 6, `${operation} ${nth}: ${JSON.stringify(second)}`)
            assert.isAtMost(paid.made.length - before, 6 - answered, `${operation} ${nth}`)
          }
          if (code === "EIO") assert.isAbove(failed, 0)
        })
    )
  }

  it.effect("small answers that came in beside a large one that does not fit are kept", () =>
    Effect.gen(function* () {
      // Every blob fails from now on; the log does not.
      const disk = MemoryDisk.make()
      const paid = registry()
      const told: Array<RunEvent> = []
      const observeDurable = (event: RunEvent) => Effect.sync(() => void told.push(event))
      const full = Effect.map(Journal, (store) =>
        Journal.of({
          ...store,
          create: (run) =>
            Effect.map(store.create(run), (journal) => ({
              ...journal,
              appendAnswer: (answer) =>
                JSON.stringify(answer.result).length > large.length
                  ? Effect.fail(new JournalError({ code: "no_space", path: "blobs", problem: "full" }))
                  : journal.appendAnswer(answer)
            }))
        })
      )
      const first = yield* Alembic.runProgram({ ...spec, observeDurable }, program).pipe(
        Effect.provide(engineOn(disk, paid.layer, { journal: full }))
      )
      assert.strictEqual(first.error?.code, "no_space")
      const kept = yield* eventsOn(disk)
      assert.deepStrictEqual(told, kept)
      assert.strictEqual(kept.filter(({ type }) => type === "CallCompleted").length, 3)
    })
  )
})
