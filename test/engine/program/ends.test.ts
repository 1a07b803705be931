// How programs end: typed results, typed errors, failures that are not sealed, one run for two callers.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"
import { engineLayer, engineOn } from "../../support/engineLayer.ts"

class TooDear extends Schema.TaggedError<TooDear>()("TooDear", { usd: Schema.Number, since: Schema.Date }) {}
const Report = Schema.Struct({ at: Schema.Date, lines: Schema.ReadonlySet(Schema.String) })
const typed = { program: "typed", goal: "g", success: Report, error: TooDear }

describe("a program's result", () => {
  it.effect("keeps its type, now and when the run is asked for again", () =>
    Effect.gen(function* () {
      const program = Effect.succeed({ at: new Date(5), lines: new Set(["a"]) })
      for (const _ of [1, 2]) {
        const summary = yield* Alembic.runProgram(typed, program)
        assert.isTrue(summary.ok, JSON.stringify(summary))
        if (summary.ok) {
          const at: Date = summary.result.at
          assert.strictEqual(at.getTime(), 5)
          assert.isTrue(summary.result.lines.has("a"))
        }
      }
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("that its schema refuses fails by name, and does not seal the run", () =>
    Effect.gen(function* () {
      const Small = Schema.Number.pipe(Schema.check(Schema.isLessThan(3)))
      const spec = { program: "small", goal: "g", success: Small }
      const refused = yield* Alembic.runProgram(spec, Effect.succeed(5))
      assert.strictEqual(refused.error?.code, "result_refused", JSON.stringify(refused))
      const mended = yield* Alembic.runProgram(spec, Effect.succeed(2))
      assert.strictEqual(mended.result, 2, JSON.stringify(mended))
      // @ts-expect-error a value of another type does not compile
      yield* Alembic.runProgram({ ...spec, goal: "text" }, Effect.succeed("text"))
    }).pipe(Effect.provide(engineLayer()))
  )
})

describe("a program's error", () => {
  it.effect("is kept with tag, message and value, and given back as its class", () =>
    Effect.gen(function* () {
      const program = Effect.fail(new TooDear({ usd: 3, since: new Date(0) }))
      const summary = yield* Alembic.runProgram(typed, program)
      assert.strictEqual(summary.error?.tag, "TooDear", JSON.stringify(summary))
      assert.deepStrictEqual(summary.error?.value, {
        _tag: "TooDear",
        usd: 3,
        since: "1970-01-01T00:00:00.000Z"
      })
      assert.notStrictEqual(summary.error?.message, "")
      assert.isFalse(summary.ok)
      if (!summary.ok) assert.isTrue(summary.failure instanceof TooDear)
      const untyped = yield* Alembic.runProgram({ program: "untyped", goal: "g" }, program)
      assert.deepStrictEqual(untyped.error?.value, summary.error?.value)
      const plain = yield* Alembic.runProgram(
        { program: "plain", goal: "g" },
        Effect.fail({ _tag: "Odd" as const, n: 1 })
      )
      assert.deepStrictEqual([plain.error?.tag, plain.error?.value], ["Odd", { _tag: "Odd", n: 1 }])
      const thrown = yield* Alembic.runProgram(
        { program: "thrown", goal: "g" },
        Effect.die(new TypeError("no"))
      )
      assert.deepStrictEqual([thrown.error?.tag, thrown.error?.message], ["TypeError", "no"])
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("stands in the slot that it lost", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        return yield* h.parallel([Effect.fail(new TooDear({ usd: 1, since: new Date(0) })), h.agent("b")], {
          accept: "loss"
        })
      })
      const { result } = yield* Alembic.runProgram({ program: "slots", goal: "g" }, program)
      const [lost] = Array.isArray(result) ? result : []
      const value = { _tag: "TooDear", since: "1970-01-01T00:00:00.000Z", usd: 1 }
      assert.deepStrictEqual(lost, {
        ok: false,
        status: "failed",
        error: {
          code: "plan_error",
          message: `TooDear: ${JSON.stringify(value)}`,
          retryable: false,
          tag: "TooDear",
          value
        }
      })
    }).pipe(Effect.provide(engineLayer()))
  )
})

describe("a program that failed", () => {
  it.effect("is driven again on its journaled answers once it is mended; completed stays completed", () =>
    Effect.gen(function* () {
      const paid = paidRegistry()
      const layer = engineOn(MemoryDisk.make(), paid.layer)
      const spec = { program: "bug", goal: "g" }
      const program = (end: Effect.Effect<string, Error>) =>
        Effect.gen(function* () {
          const h = yield* Hooks
          yield* h.phase("one")
          yield* h.agent("a")
          return yield* end
        })
      const run = (end: Effect.Effect<string, Error>) =>
        Alembic.runProgram(spec, program(end)).pipe(Effect.provide(layer))
      assert.strictEqual((yield* run(Effect.fail(new Error("a bug")))).error?.message, "a bug")
      assert.strictEqual((yield* run(Effect.fail(new Error("another")))).error?.message, "another")
      const mended = yield* run(Effect.succeed("done"))
      assert.strictEqual(mended.result, "done", JSON.stringify(mended))
      assert.deepStrictEqual(paid.made, ["a"])
      assert.strictEqual((yield* run(Effect.fail(new Error("late")))).result, "done")
      const replay = yield* Alembic.replayProgram(spec, program(Effect.succeed("done"))).pipe(
        Effect.provide(layer)
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )
})

describe("the same run twice in one process", () => {
  it.effect("is one, and gives both callers its result", () =>
    Effect.gen(function* () {
      const alembic = yield* Alembic
      let ran = 0
      const program = Effect.gen(function* () {
        ran++
        const answer = yield* (yield* Hooks).agent("a")
        return answer.ok
      })
      const run = alembic.runProgram({ program: "both", goal: "g" }, program)
      const [first, second] = yield* Effect.all([run, run], { concurrency: "unbounded" })
      assert.strictEqual(first.status, "completed", JSON.stringify(first))
      assert.deepStrictEqual(second, first)
      assert.strictEqual(ran, 1)
    }).pipe(Effect.provide(engineLayer()))
  )
})
