// A council inside a run: killed at any step, it goes on where it was; no statement or vote is paid twice.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"

const board = {
  members: [
    { id: "a", role: "engineer" },
    { id: "b", role: "seller" },
    { id: "c", role: "user" },
    { id: "d", role: "contrarian" }
  ]
}

/** Members that answer by rule, in the form they are asked for. */
const members = () => {
  const offline = makeOfflineAdapter()
  return paidRegistry({ answer: (input) => offline.attempt(input) })
}

const spec = { program: "decide", goal: "g", concurrency: 2 }
const decide = Effect.gen(function* () {
  const h = yield* Hooks
  const verdict = yield* h.council({ board, question: "Shall we?" })
  return { ok: verdict.ok, decision: verdict.decision ?? null }
})

describe("h.council", () => {
  it.effect("is a call of the run; what it asks is journaled and replays", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = members()
      const first = yield* Alembic.runProgram(spec, decide).pipe(Effect.provide(engineOn(disk, paid.layer)))
      assert.strictEqual(first.status, "completed", JSON.stringify(first))
      assert.isTrue(JSON.stringify(first.result).includes('"ok":true'))
      assert.isAbove(paid.made.length, 10)
      const made = paid.made.length
      const replay = yield* Alembic.replayProgram(spec, decide).pipe(
        Effect.provide(engineOn(disk, paid.layer))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
      assert.strictEqual(paid.made.length, made)
    })
  )

  it.effect("costs what its members cost, once", () =>
    Effect.gen(function* () {
      const offline = makeOfflineAdapter()
      const paid = paidRegistry({
        answer: (input) =>
          Effect.map(offline.attempt(input), ({ finishReason, text, usage = {} }) => ({
            finishReason,
            text,
            usage
          }))
      })
      const summary = yield* Alembic.runProgram(
        spec,
        Effect.gen(function* () {
          const h = yield* Hooks
          return (yield* h.council({ board, question: "Shall we?" })).costUsd ?? null
        })
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer)))
      assert.isAbove(summary.costUsd ?? 0, 0)
      assert.strictEqual(summary.costUsd, summary.result)
    })
  )

  it.effect("a board that does not load is a failure with the board's own code", () =>
    Effect.gen(function* () {
      const broken = { members: board.members.slice(0, 3) }
      const summary = yield* Alembic.runProgram(
        spec,
        Effect.gen(function* () {
          const h = yield* Hooks
          return yield* h.council({ board: broken, question: "Shall we?" })
        })
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paidRegistry().layer)))
      assert.include(JSON.stringify(summary.result), "no_contrarian")
    })
  )

  it.effect("killed at every third step, goes on and asks nobody twice what was answered", () =>
    Effect.gen(function* () {
      const whole = members()
      const golden = yield* Alembic.runProgram(spec, decide).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), whole.layer))
      )
      const asked = whole.made.length
      let crashes = 0
      for (let step = 70; ; step += 3) {
        const paid = members()
        const disk = MemoryDisk.make().crashAfterStep(step)
        yield* Effect.exit(Alembic.runProgram(spec, decide).pipe(Effect.provide(engineOn(disk, paid.layer))))
        if (!disk.crashed) break
        crashes++
        const left = disk.afterCrash("power")
        const second = yield* Alembic.runProgram(spec, decide).pipe(
          Effect.provide(engineOn(left, paid.layer, { pid: 2 }))
        )
        assert.deepStrictEqual(second.result, golden.result, `step ${step}: ${JSON.stringify(second)}`)
        assert.isAtMost(paid.made.length, asked + second.calls.inDoubt, `step ${step}`)
      }
      assert.isAbove(crashes, 15)
    })
  )
})
