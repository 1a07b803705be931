import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeError, ModelError } from "../../src/domain/ModelError.ts"
import type { ModelRunResult } from "../../src/domain/ModelRun.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import type { Adapter, AttemptSuccess } from "../../src/adapters/Adapter.ts"
import { Guards } from "../../src/adapters/Guards.ts"
import { runWithGuards } from "../../src/adapters/runWithGuards.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))
const fine: AttemptSuccess = { text: "fine", finishReason: "stop" }
const adapterOf = (attempt: Adapter["attempt"]): Adapter => ({
  id: "fake",
  free: false,
  acts: false,
  attempt
})
const input = { prompt: "hello there", model: "m" }

describe("runWithGuards", () => {
  it.effect("answers a good attempt", () =>
    Effect.gen(function* () {
      const result = yield* runWithGuards(
        adapterOf(() => Effect.succeed(fine)),
        input
      )
      assert.deepStrictEqual(result, {
        ok: true,
        adapterId: "fake",
        modelId: "m",
        requestId: "req-1",
        durationMs: 0,
        text: "fine",
        finishReason: "stop",
        attempts: 1
      })
    }).pipe(Effect.provide(guards))
  )

  it.effect("bad input never reaches the attempt", () =>
    Effect.gen(function* () {
      let reached = 0
      const adapter = adapterOf(() => Effect.sync(() => ((reached += 1), fine)))
      for (const bad of [
        {},
        { prompt: "", model: "m" },
        { prompt: "x", model: "m", temperature: 3 },
        null,
        7,
        { ...input, schema: [1] }
      ]) {
        const result = yield* runWithGuards(adapter, bad)
        assert.isFalse(result.ok)
        if (!result.ok) {
          assert.strictEqual(result.error.code, "invalid_input")
          console.log(result.error.message)
        }
      }
      assert.strictEqual(reached, 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("retries and returns the last failure", () =>
    Effect.gen(function* () {
      let reached = 0
      const adapter = adapterOf(() =>
        Effect.suspend(() => Effect.fail(makeError("server_error", `try ${++reached}`)))
      )
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input))
      yield* TestClock.adjust(10_000)
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(reached, 3)
      assert.isTrue(!result.ok && result.error.message === "try 3" && result.attempts === 3)
    }).pipe(Effect.provide(guards))
  )

  it.effect("an uninterruptible hang times out", () =>
    Effect.gen(function* () {
      const adapter = adapterOf(() => Effect.uninterruptible(Effect.never))
      const fiber = yield* Effect.forkChild(
        runWithGuards(adapter, { ...input, timeoutMs: 50 }, { maxAttempts: 1 })
      )
      yield* TestClock.adjust(50)
      yield* TestClock.adjust(10_000)
      const result: ModelRunResult = yield* Fiber.join(fiber)
      assert.isTrue(!result.ok && result.error.code === "timeout")
    }).pipe(Effect.provide(guards))
  )

  it.effect("interruption stays interruption, and reaches the attempt", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const adapter = adapterOf(() =>
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
        )
      )
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(stopped)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.hasInterrupts(exit))
    }).pipe(Effect.provide(guards))
  )

  it.effect("an attempt that interrupts itself is a cancelled failure", () =>
    Effect.gen(function* () {
      const result = yield* runWithGuards(
        adapterOf(() => Effect.interrupt),
        input
      )
      assert.isTrue(!result.ok && result.status === "cancelled")
    }).pipe(Effect.provide(guards))
  )

  it.effect("an abort gives cancelled", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const started = yield* Deferred.make<void>()
      const adapter = adapterOf(() => Deferred.succeed(started, undefined).pipe(Effect.andThen(Effect.never)))
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input, { signal: controller.signal }))
      yield* Deferred.await(started)
      controller.abort()
      const result = yield* Fiber.join(fiber)
      assert.isTrue(!result.ok && result.status === "cancelled" && result.attempts === 1)
    }).pipe(Effect.provide(guards))
  )
  void ModelError
})
