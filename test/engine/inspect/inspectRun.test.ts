// Alembic.inspect: a run as an app sees it, its typed error and every call included.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeError } from "../../../src/domain/ModelError.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

class TooDear extends Schema.TaggedError<TooDear>()("TooDear", { usd: Schema.Number }) {}

const flaky = () =>
  paidRegistry({
    answer: (_input, made) =>
      made === 1
        ? Effect.fail(makeError("server_error", "busy", { httpStatus: 503 }))
        : Effect.succeed(said("the answer"))
  })

describe("Alembic.inspect", () => {
  it.live("tells each attempt of a call, and the typed error that ended the run", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        yield* h.phase("ask")
        yield* h.agent("why?", { label: "one" })
        return yield* new TooDear({ usd: 3 })
      })
      const alembic = yield* Alembic
      const spec = { program: "p", goal: "Ask once", success: Schema.Void, error: TooDear }
      const summary = yield* alembic.runProgram(spec, program)
      const { calls, phases, run } = yield* alembic.inspect(summary.runId ?? "")
      assert.deepInclude(run, { status: "failed", goal: "Ask once" })
      assert.deepInclude(run.error, { tag: "TooDear", value: { _tag: "TooDear", usd: 3 } })
      assert.deepStrictEqual(phases, ["ask"])
      const [call] = calls
      assert.deepInclude(call, { number: 1, name: "one", phase: "ask", status: "completed", attempts: 2 })
      assert.deepStrictEqual(
        call?.tries.map(({ attempt, error, kind }) => [attempt, kind, error?.code]),
        [
          [1, undefined, "server_error"],
          [2, "retry", undefined]
        ]
      )
      const missing = yield* Effect.flip(alembic.inspect("run-0123456789abcdef"))
      assert.strictEqual(missing.code, "run_missing")
    }).pipe(Effect.provide(engineOn(MemoryDisk.make(), flaky().layer)))
  )
})
