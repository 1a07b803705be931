// A run whose process died without a word: who goes on with it is told that the lock was taken over.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/FsPort.memory.ts"
import { Hooks } from "../../src/plan/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const program = Effect.flatMap(Hooks, (h) => h.agent("q"))

const warningsOf = (disk: MemoryDisk, pid: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Journal
      const [listing] = yield* store.list
      const journal = yield* store.open(yield* store.runId(listing?.runId ?? ""), "write")
      return journal.warnings().join("\n")
    })
  ).pipe(Effect.provide(engineOn(disk, paidRegistry().layer, { pid })))

it.effect("a dead process's lock is taken over, and that is said; a released one is not", () =>
  Effect.gen(function* () {
    const whole = MemoryDisk.make()
    const spec = { program: "one", goal: "g" }
    yield* Alembic.runProgram(spec, program).pipe(Effect.provide(engineOn(whole, paidRegistry().layer)))
    assert.notInclude(yield* warningsOf(whole, 2), "taken over")
    const dying = MemoryDisk.make().crashAfterStep(72)
    yield* Effect.exit(
      Alembic.runProgram(spec, program).pipe(Effect.provide(engineOn(dying, paidRegistry().layer)))
    )
    assert.isTrue(dying.crashed)
    assert.include(yield* warningsOf(dying.afterCrash("process"), 2), "taken over")
  })
)
