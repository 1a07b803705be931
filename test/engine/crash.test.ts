// A process dies at every step it takes to its files; the next one goes on. Same result, and no call that had a
// journaled answer is made again.
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const spec = { program: "fan", goal: "fan out, then in", concurrency: 3 }

const fan = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.phase("fan out")
  const slots = yield* h.parallel(["a", "b", "c", "d"].map((name) => h.agent(name)))
  yield* h.log("fanned out")
  yield* h.phase("fan in")
  const all = slots.map((slot) => (slot.ok ? slot.text : "lost")).join(" ")
  const last = yield* h.agent(`sum ${all}`)
  return { all, last: last.ok ? last.text : "lost" }
})

/** What the journal has: answers, which may never be asked again, and events. */
const found = Effect.scoped(
  Effect.gen(function* () {
    const store = yield* Journal
    let [answered, lastSeq] = [0, 0]
    for (const { runId } of yield* store.list) {
      const journal = yield* store.open(yield* store.runId(runId), "read")
      const { calls, lastSeq: last } = journal.state()
      lastSeq = last
      for (const call of calls.values()) if (call.status === "completed") answered++
    }
    return { answered, lastSeq }
  })
)

describe("a run that dies", () => {
  for (const kind of ["process", "power"] as const) {
    it.effect(
      `at any step, by a ${kind} crash, goes on to the same result and pays for no answer twice`,
      () =>
        Effect.gen(function* () {
          const undisturbed = paidRegistry()
          const golden = yield* Alembic.runProgram(spec, fan).pipe(
            Effect.provide(engineOn(MemoryDisk.make(), undisturbed.layer))
          )
          assert.strictEqual(golden.status, "completed", JSON.stringify(golden))
          let crashes = 0
          for (let step = 1; ; step++) {
            const paid = paidRegistry()
            const disk = MemoryDisk.make().crashAfterStep(step)
            let told = 0
            const observeDurable = ({ seq }: RunEvent) =>
              Effect.sync(() => {
                told = seq
              })
            const first = yield* Effect.exit(
              Alembic.runProgram({ ...spec, observeDurable }, fan).pipe(
                Effect.provide(engineOn(disk, paid.layer))
              )
            )
            if (!disk.crashed) {
              assert.isTrue(Exit.isSuccess(first))
              break
            }
            crashes++
            const madeBefore = paid.made.length
            const left = disk.afterCrash(kind)
            const { answered, lastSeq } = yield* found.pipe(
              Effect.provide(engineOn(left, paid.layer, { pid: 3 })),
              Effect.catchCause((cause) => Effect.die(Cause.pretty(cause)))
            )
            assert.isAtMost(told, lastSeq, `step ${step}: an event was told of and is not there`)
            const second = yield* Alembic.runProgram(spec, fan).pipe(
              Effect.provide(engineOn(left, paid.layer, { pid: 2 }))
            )
            assert.strictEqual(second.status, "completed", `step ${step}: ${JSON.stringify(second)}`)
            assert.deepStrictEqual(second.result, golden.result, `step ${step}`)
            assert.isAtMost(
              paid.made.length - madeBefore,
              5 - answered,
              `step ${step}: an answered call was made again`
            )
            const replay = yield* Alembic.replayProgram(spec, fan).pipe(
              Effect.provide(engineOn(left, paid.layer, { pid: 4 }))
            )
            assert.isTrue(replay.identical, `step ${step}: ${JSON.stringify(replay)}`)
          }
          assert.isAbove(crashes, 30)
        }),
      20_000
    )
  }
})
