// An Effect program as a plan: run, run again, resume after a crash, replay, on in-memory files.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineLayer } from "../../support/engineLayer.ts"

const spec = { program: "greet", goal: "greet three people" }

const greet = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.phase("greet")
  const slots = yield* h.parallel([h.agent("a"), h.agent("b"), h.agent("c")])
  yield* h.log("greeted", { of: slots.length })
  return slots.map((slot) => (slot.ok ? slot.text : "lost"))
})

describe("Alembic.runProgram", () => {
  it.effect("runs, prints the same again, and replays identical", () =>
    Effect.gen(function* () {
      const first = yield* Alembic.runProgram(spec, greet)
      assert.strictEqual(first.status, "completed", JSON.stringify(first))
      assert.deepStrictEqual(first.result, ["echo:a", "echo:b", "echo:c"])
      assert.deepStrictEqual(first.coverage, { done: 3, of: 3 })
      assert.strictEqual(first.calls.live, 3)
      const again = yield* Alembic.runProgram(spec, greet)
      assert.strictEqual(again.status, "completed", JSON.stringify(again))
      assert.strictEqual(again.calls.live, 0)
      assert.deepStrictEqual(again.result, first.result)
      const replay = yield* Alembic.replayProgram(spec, greet)
      assert.isTrue(replay.identical, JSON.stringify(replay))
    }).pipe(Effect.provide(engineLayer()))
  )
})
