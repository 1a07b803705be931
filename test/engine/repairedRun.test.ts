// A log whose end was given up: what the end told that was paid stays counted, in the budget and in the summary.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const plan = Effect.gen(function* () {
  const h = yield* Hooks
  const answers: Array<boolean> = []
  for (const prompt of ["a", "b", "c"]) answers.push((yield* h.agent({ prompt, maxOutputTokens: 5 })).ok)
  return answers
})

describe("a log that was cut", () => {
  it.effect("keeps what its end said was spent: no cut makes room under a cap", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry()
      const engine = () => engineOn(disk, paid.layer)
      const run = (maxUsd: number) =>
        Alembic.runProgram({ program: "p", goal: "g", maxUsd }, plan).pipe(Effect.provide(engine()))
      const done = yield* run(1)
      assert.strictEqual(done.status, "completed", JSON.stringify(done))
      const store = <A, E>(use: (journal: Journal["Service"]) => Effect.Effect<A, E>) =>
        Effect.flatMap(Journal, use).pipe(Effect.provide(engine()))
      const runId = yield* store((journal) => journal.runId(done.runId ?? ""))
      for (const _ of [1, 2]) {
        const refused = yield* Effect.flip(store((journal) => journal.repair(runId, { truncateAt: 1 })))
        assert.deepInclude(refused, { code: "still_sound" })
        const { lost } = yield* store((journal) => journal.repair(runId, { truncateAt: 1, evenSound: true }))
        assert.deepInclude(lost, { spentUsd: done.spentUsd, calls: 3 })
        assert.isTrue((yield* store((journal) => journal.verify(runId))).ok)
      }
      // There is room for less than one call beside what was spent.
      const again = yield* run(done.spentUsd + 1e-9)
      assert.deepInclude(again, { status: "failed", spentUsd: done.spentUsd }, JSON.stringify(again))
      assert.strictEqual(paid.made.length, 3)
    })
  )
})
