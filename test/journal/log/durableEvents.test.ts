// Whoever watches a journal is told of events in order, once they are durable, and before anybody goes on who waited
// for that.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDurableEvents } from "../../../src/journal/log/durableEvents.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { completed, newRun, onDisk, started } from "../support.ts"

const event = (seq: number) => ({ seq, at: 0, prev: "", type: "PhaseStarted" as const, title: "" })

describe("durable events", () => {
  it.effect("are told once each, up to where the log is durable", () =>
    Effect.gen(function* () {
      const events = makeDurableEvents()
      const told: Array<number> = []
      events.appended(event(1))
      events.watch(({ seq }) => Effect.sync(() => void told.push(seq)))
      for (const seq of [2, 3, 4]) events.appended(event(seq))
      yield* events.durable(3)
      assert.deepStrictEqual(told, [2, 3])
      yield* events.durable(3)
      events.appended(event(5))
      yield* events.durable(5)
      assert.deepStrictEqual(told, [2, 3, 4, 5])
    })
  )

  it.effect("are told before a commit returns, and not at an append", () =>
    onDisk(
      MemoryDisk.make(),
      Effect.gen(function* () {
        const journal = yield* (yield* Journal).create(newRun())
        const told: Array<string> = []
        journal.watch(({ type }) => Effect.sync(() => void told.push(type)))
        yield* journal.append(started)
        yield* journal.append(completed("a", { ok: true }))
        assert.deepStrictEqual(told, [])
        yield* journal.commit
        assert.deepStrictEqual(told, ["RunStarted", "CallCompleted"])
      })
    )
  )
})
