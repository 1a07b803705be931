// The bound of a run's journal: a run that has come to it stops before it begins anything new, loses nothing that it has
// paid for, and goes on with a larger one to the same end.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Alembic, type ProgramSpec } from "../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { dice } from "../support/dice.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const noteBytes = 10_000
const note = "n".repeat(noteBytes)

/** Log and blobs, as they lie on the disk. */
const journalBytes = (disk: MemoryDisk): number =>
  disk.files
    .filter((path) => path.endsWith("/events.jsonl") || path.includes("/blobs/"))
    .reduce((sum, path) => sum + (disk.read(path)?.length ?? 0), 0)

/** Room for what says how a process and a run end. */
const endBytes = 2000

describe("a journal that has come to its bound", () => {
  it.effect("takes no further note: the run waits, goes on with a larger bound, and replays", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const { layer } = paidRegistry({ free: true })
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        for (let n = 0; n < 40; n++) yield* h.log(`note ${n}`, note)
        return (yield* h.agent("after")).ok
      })
      const spec: ProgramSpec = { program: "notes", goal: "g" }
      const run = (maxJournalBytes: number) =>
        Alembic.runProgram({ ...spec, maxJournalBytes }, program).pipe(Effect.provide(engineOn(disk, layer)))
      for (const max of [100_000, 100_000, 250_000]) {
        const waits = yield* run(max)
        assert.strictEqual(waits.status, "suspended", JSON.stringify(waits))
        assert.deepInclude(waits.suspended, { reason: "journal_full" })
        assert.isAtMost(journalBytes(disk), max + endBytes)
        assert.isAtLeast(journalBytes(disk), max - noteBytes - endBytes)
      }
      assert.deepInclude(yield* run(1e6), { status: "completed", result: true })
      const replayed = yield* Alembic.replayProgram(spec, program).pipe(Effect.provide(engineOn(disk, layer)))
      assert.isTrue(replayed.identical, JSON.stringify(replayed))
    })
  )

  it.effect("may be what the contract says, and what is given for the run goes before it", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const { layer } = paidRegistry({ free: true })
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        for (let n = 0; n < 40; n++) yield* h.log(`note ${n}`, note)
        return "done"
      })
      const spec: ProgramSpec = { program: "notes", goal: "g", contract: { journal: { maxBytes: 100_000 } } }
      const run = (given: Partial<ProgramSpec>) =>
        Alembic.runProgram({ ...spec, ...given }, program).pipe(Effect.provide(engineOn(disk, layer)))
      assert.deepInclude((yield* run({})).suspended, { reason: "journal_full" })
      assert.isAtMost(journalBytes(disk), 100_000 + endBytes)
      assert.deepInclude(yield* run({ maxJournalBytes: 1e6 }), { status: "completed", result: "done" })
    })
  )

  it.effect("pays for nothing that it has no room for, and for nothing twice, wherever the bound is", () =>
    Effect.gen(function* () {
      const { below } = dice(11)
      for (let round = 0; round < 20; round++) {
        const disk = MemoryDisk.make()
        const answerBytes = 100 + below(20_000)
        const paid = paidRegistry({ answer: () => Effect.succeed(said("x".repeat(answerBytes))) })
        const calls = 2 + below(5)
        const notes = Array.from({ length: calls }, () => note.slice(0, below(noteBytes)))
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          let sum = 0
          for (const [n, one] of notes.entries()) {
            const answer = yield* h.agent(`call ${n}`)
            yield* h.log("answered", one)
            sum += answer.ok ? answer.text.length : -1
          }
          return sum
        })
        let max = 2000 + below(30_000)
        let last: unknown
        for (;;) {
          const before = paid.made.length
          const size = journalBytes(disk)
          const done = yield* Alembic.runProgram(
            { program: `paid ${round}`, goal: "g", maxJournalBytes: max },
            program
          ).pipe(Effect.provide(engineOn(disk, paid.layer)))
          // Nothing was sent where less than an eighth was left.
          if (size + max / 8 > max) assert.strictEqual(paid.made.length, before)
          assert.isAtMost(journalBytes(disk), Math.max(size, max) + answerBytes + endBytes)
          last = done
          if (done.status !== "suspended") break
          assert.deepInclude(done.suspended, { reason: "journal_full" }, JSON.stringify(done))
          max += 3000 + below(20_000)
        }
        assert.deepInclude(last, { status: "completed", result: calls * answerBytes })
        assert.strictEqual(paid.made.length, calls)
      }
    })
  )

  it.effect("keeps the answer of a call that is in flight when a note finds no room", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const released = yield* Deferred.make<void>()
      const paid = paidRegistry({
        answer: ({ prompt }) =>
          prompt === "slow" ? Effect.as(Deferred.await(released), said("late")) : Effect.succeed(said("soon"))
      })
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const writes = Effect.gen(function* () {
          yield* h.agent("quick")
          for (let n = 0; n < 20; n++) yield* h.log(`note ${n}`, note)
        })
        const [slow] = yield* Effect.all([h.agent("slow"), writes], { concurrency: "unbounded" })
        return slow.ok ? slow.text : ""
      })
      let notes = 0
      const spec: ProgramSpec = {
        program: "in flight",
        goal: "g",
        observe: (event) =>
          event.type === "Logged" && ++notes === 5
            ? Effect.asVoid(Deferred.succeed(released, undefined))
            : Effect.void
      }
      const run = (maxJournalBytes: number) =>
        Alembic.runProgram({ ...spec, maxJournalBytes }, program).pipe(
          Effect.provide(engineOn(disk, paid.layer))
        )
      const waits = yield* run(80_000)
      assert.deepInclude(waits.suspended, { reason: "journal_full" }, JSON.stringify(waits))
      const done = yield* run(1e6)
      assert.deepInclude(done, { status: "completed", result: "late" })
      assert.deepInclude(done.calls, { replayed: 2, live: 0, inDoubt: 0 })
      assert.deepStrictEqual(paid.made, ["slow", "quick"])
    })
  )
})
