import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import {
  completed,
  ended,
  goldenRun,
  keyOf,
  makeCalls,
  newRun,
  onDisk,
  runDir,
  runId,
  scheduled,
  started
} from "./support.ts"

describe("Journal", () => {
  it.effect("keeps what was appended and gives it back after opening again", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* goldenRun(disk, 3, true)
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "read")
          const events = yield* Stream.runCollect(journal.events)
          assert.deepStrictEqual(
            events.map((event) => event.type),
            [
              "RunStarted",
              "CallScheduled",
              "CallCompleted",
              "CallScheduled",
              "CallCompleted",
              "CallScheduled",
              "CallCompleted",
              "RunCompleted"
            ]
          )
          assert.deepStrictEqual(
            events.map((event) => event.seq),
            [1, 2, 3, 4, 5, 6, 7, 8]
          )
          const completions = yield* Stream.runCollect(journal.completions)
          assert.deepStrictEqual(
            completions.map(({ n, rank }) => [n, rank]),
            [
              [1, 0],
              [2, 1],
              [3, 2]
            ]
          )
          assert.deepStrictEqual(yield* journal.result, { sum: 3 })
          assert.strictEqual(journal.state().end?.status, "completed")
          assert.deepStrictEqual(journal.warnings(), [])
        })
      )
    })
  )

  it.effect("reads an answer back before it is committed", () =>
    onDisk(
      MemoryDisk.make(),
      Effect.gen(function* () {
        const journal = yield* (yield* Journal).create(newRun())
        yield* journal.append(started)
        yield* journal.append(scheduled(1, "a"))
        yield* journal.append(completed("a", { ok: true, text: "A" }))
        assert.deepStrictEqual(yield* journal.readResult(`${keyOf("a")}#1`), { ok: true, text: "A" })
      })
    )
  )

  it.effect("goes on where an interrupted process stopped", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* goldenRun(disk, 2)
      const next = disk.afterCrash("power")
      yield* onDisk(
        next,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "write")
          yield* makeCalls(journal, 1, 3)
          yield* journal.append(ended)
          yield* journal.commit
          yield* journal.seal({ sum: 3 })
        })
      )
      const undisturbed = MemoryDisk.make()
      yield* goldenRun(undisturbed, 3, true)
      assert.deepStrictEqual(next.read(`${runDir}/events.jsonl`), undisturbed.read(`${runDir}/events.jsonl`))
      assert.deepStrictEqual(next.files, undisturbed.files)
    })
  )
})
