// Steps of a program: done once, journaled before the program goes on, given back ever after.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"
import { engineLayer, engineOn } from "../../support/engineLayer.ts"

const Row = Schema.Struct({
  id: Schema.Int,
  at: Schema.DateTimeUtcFromString,
  left: Schema.OptionFromNullOr(Schema.Int)
})

class Refused extends Schema.TaggedError<Refused>()("Refused", { amount: Schema.Int, at: Schema.Date }) {}

const number = { success: Schema.Number }
const spec = { program: "steps", goal: "g" }

/** Counts what is really done. */
const counter = () => {
  const done: Array<string> = []
  return {
    done,
    effect: <A>(name: string, value: A) =>
      Effect.andThen(
        Effect.promise(() => new Promise((resolve) => void setTimeout(resolve, 2))),
        Effect.sync(() => {
          done.push(name)
          return value
        })
      )
  }
}

describe("Alembic.step", () => {
  it.effect("is done once: run again, and replayed, the program gets the journaled value, decoded", () =>
    Effect.gen(function* () {
      const { done, effect } = counter()
      const row = Schema.decodeUnknownSync(Row)({ id: 1, at: "2026-01-01T00:00:00Z", left: null })
      const seen: Array<unknown> = []
      const program = Effect.gen(function* () {
        const first = yield* Alembic.step("insert", { success: Row }, effect("insert", row))
        seen.push(first)
        const nothing = yield* Alembic.step(
          "touch",
          { success: Schema.Void },
          Effect.asVoid(effect("touch", 0))
        )
        const loop = yield* Effect.forEach([1, 2, 3], (n) =>
          Alembic.step("next", number, effect(`next ${n}`, n))
        )
        const keyed = yield* Effect.forEach(
          ["a", "b", "c"],
          (key) => Alembic.step("keyed", { ...number, key }, effect(key, key.length)),
          { concurrency: "unbounded" }
        )
        return [first.id, nothing === undefined, ...loop, ...keyed]
      })
      const summary = yield* Alembic.runProgram(spec, program)
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.deepStrictEqual(summary.result, [1, true, 1, 2, 3, 1, 1, 1])
      assert.strictEqual(done.length, 8)
      const replay = yield* Alembic.replayProgram(spec, program)
      assert.isTrue(replay.identical, JSON.stringify(replay))
      assert.strictEqual(done.length, 8, "nothing was done again")
      assert.deepStrictEqual(seen[1], seen[0])
      assert.deepStrictEqual(seen[0], row)
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("gives a typed error back as its own class, live and from the journal", () =>
    Effect.gen(function* () {
      let made = 0
      const program = Effect.gen(function* () {
        const pay = Effect.suspend(() => {
          made++
          return Effect.fail(new Refused({ amount: 3, at: new Date(0) }))
        })
        const error = yield* Effect.flip(Alembic.step("pay", { success: Schema.Void, error: Refused }, pay))
        return [error instanceof Refused, error._tag, error.amount, error.at instanceof Date]
      })
      const first = yield* Alembic.runProgram(spec, program)
      assert.deepStrictEqual(first.result, [true, "Refused", 3, true], JSON.stringify(first))
      const replay = yield* Alembic.replayProgram(spec, program)
      assert.isTrue(replay.identical, JSON.stringify(replay))
      assert.strictEqual(made, 1)
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("two of one name in flight together fail by name; with keys they do not", () =>
    Effect.gen(function* () {
      const { effect } = counter()
      const both = (keys: ReadonlyArray<string | undefined>) =>
        Effect.forEach(
          keys,
          (key) =>
            Alembic.step("charge", { ...number, ...(key === undefined ? {} : { key }) }, effect("c", 1)),
          { concurrency: "unbounded" }
        )
      const failed = yield* Alembic.runProgram(spec, both([undefined, undefined]))
      assert.strictEqual(failed.error?.tag, "StepCollisionError", JSON.stringify(failed))
      assert.include(failed.error?.message, '"charge"')
      const same = yield* Alembic.runProgram({ ...spec, goal: "same" }, both(["k", "k"]))
      assert.include(same.error?.message, '"k"')
      const mended = yield* Alembic.runProgram(spec, both(["a", "b"]))
      assert.deepStrictEqual(mended.result, [1, 1], JSON.stringify(mended))
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("in flight when the run stops it is in doubt: made again, with the same idempotency key", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const keys: Array<string> = []
      const reached = yield* Deferred.make<void>()
      const stop = yield* Deferred.make<string>()
      const program = (hold: Effect.Effect<void>) =>
        Alembic.step(
          "send",
          number,
          Effect.gen(function* () {
            keys.push(yield* Alembic.IdempotencyKey)
            yield* Deferred.succeed(reached, undefined)
            yield* hold
            return 7
          })
        )
      const first = paidRegistry()
      const running = yield* Effect.forkChild(
        Alembic.runProgram({ ...spec, stop }, program(Effect.never)).pipe(
          Effect.provide(engineOn(disk, first.layer))
        )
      )
      yield* Deferred.await(reached)
      yield* Deferred.succeed(stop, "SIGTERM")
      assert.strictEqual((yield* Fiber.join(running)).status, "interrupted")
      const done = yield* Alembic.runProgram(spec, program(Effect.void)).pipe(
        Effect.provide(engineOn(disk, first.layer, { pid: 2 }))
      )
      assert.strictEqual(done.result, 7, JSON.stringify(done))
      assert.strictEqual(done.calls.inDoubt, 1)
      assert.strictEqual(keys.length, 2)
      assert.strictEqual(keys[0], keys[1])
      assert.match(keys[0] ?? "", /^alembic-[0-9a-f]{40}$/)
    })
  )

  it.effect("is durable before the program goes on", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const { done, effect } = counter()
      const reached = yield* Deferred.make<void>()
      const program = (after: Effect.Effect<void>) =>
        Effect.tap(Alembic.step("once", number, effect("once", 1)), () => after)
      const layer = engineOn(disk, paidRegistry().layer)
      const running = yield* Effect.forkChild(
        Alembic.runProgram(
          spec,
          program(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
        ).pipe(Effect.provide(layer))
      )
      yield* Deferred.await(reached)
      const left = disk.afterCrash("power")
      yield* Fiber.interrupt(running)
      const next = engineOn(left, paidRegistry().layer, { pid: 2 })
      const again = yield* Alembic.runProgram(spec, program(Effect.void)).pipe(Effect.provide(next))
      assert.strictEqual(again.result, 1, JSON.stringify(again))
      assert.deepStrictEqual(done, ["once"])
    })
  )

  it.effect("runs on the host's clock, makes no calls and begins no steps", () =>
    Effect.gen(function* () {
      const inner = Effect.gen(function* () {
        const h = yield* Hooks
        yield* h.agent("inside")
        return 1
      })
      const failed = yield* Alembic.runProgram(spec, Alembic.step("outer", number, inner))
      assert.include(failed.error?.message, "outer")
      const nested = yield* Alembic.runProgram(
        { ...spec, goal: "nested" },
        Alembic.step("outer", number, Alembic.step("inner", number, Effect.succeed(1)))
      )
      assert.include(nested.error?.message, 'inside of step "outer"')
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("that died is made again by the mended program; one that failed by its type is not", () =>
    Effect.gen(function* () {
      let dies = true
      const made = { dies: 0, fails: 0 }
      const program = Effect.gen(function* () {
        const refused = yield* Effect.exit(
          Alembic.step(
            "refused",
            { success: Schema.Void, error: Refused },
            Effect.suspend(() => Effect.fail(new Refused({ amount: ++made.fails, at: new Date(0) })))
          )
        )
        const value = yield* Alembic.step(
          "dies",
          number,
          Effect.suspend(() => (made.dies++, dies ? Effect.die(new Error("a bug")) : Effect.succeed(5)))
        )
        return [Exit.isFailure(refused), value]
      })
      const first = yield* Alembic.runProgram(spec, program)
      assert.strictEqual(first.status, "failed")
      assert.include(first.error?.message, "a bug")
      dies = false
      const second = yield* Alembic.runProgram(spec, program)
      assert.deepStrictEqual(second.result, [true, 5], JSON.stringify(second))
      assert.deepStrictEqual(made, { dies: 2, fails: 1 })
      const replay = yield* Alembic.replayProgram(spec, program)
      assert.isTrue(replay.identical, JSON.stringify(replay))
    }).pipe(Effect.provide(engineLayer()))
  )
})
