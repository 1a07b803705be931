// The spine: six steps, never a throw. It is driven with adapters that do everything an adapter can do.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { runWithGuards } from "../../../src/adapters/guard/runWithGuards.ts"
import { makeError, type ModelError } from "../../../src/domain/ModelError.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"
import {
  answers,
  assertSound,
  deeds,
  fine,
  hostile,
  input,
  revoked,
  throwingGetters,
  values,
  wild
} from "../../support/wildAdapters.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))

describe("runWithGuards", () => {
  it.effect("answers a good attempt", () =>
    Effect.gen(function* () {
      const result = yield* runWithGuards(
        wild(() => Effect.succeed(fine)),
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

  it.effect("its error channel is never: a compile-time check", () => {
    const call = runWithGuards(
      wild(() => Effect.succeed(fine)),
      input
    ).pipe(Effect.satisfiesErrorType<never>())
    // @ts-expect-error an effect that may fail is no spine
    Effect.fail("no").pipe(Effect.satisfiesErrorType<never>())
    return Effect.asVoid(call).pipe(Effect.provide(guards))
  })

  // Every deed with every value: more than any sample of them.
  for (const [deed, act] of Object.entries(deeds)) {
    it.effect(
      `never throws when the attempt does this with ${Object.keys(answers).length} values: ${deed}`,
      () =>
        Effect.forEach(Object.entries(answers), ([name, value]) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(
              runWithGuards(
                wild(() => act(value)),
                { ...input, timeoutMs: 1_000 }
              )
            )
            // Three attempts with their time limits, waits, and the grace of one that cannot be stopped.
            for (let n = 0; n < 12; n++) yield* TestClock.adjust(10_000)
            const exit = yield* Fiber.await(fiber)
            assert.isTrue(Exit.isSuccess(exit), `${deed} ${name}: ${String(exit)}`)
            if (Exit.isSuccess(exit)) assertSound(exit.value)
          }).pipe(Effect.provide(guards, { local: true }))
        )
    )
  }

  it.effect("garbage is invalid_response, never an answer", () =>
    Effect.gen(function* () {
      for (const name of ["undefined", "array", "noFinish", "numberText", "blank", "blankCut"]) {
        const fiber = yield* Effect.forkChild(
          runWithGuards(
            wild(() => Effect.succeed(answers[name]?.())),
            input
          )
        )
        yield* TestClock.adjust(10_000)
        const result = yield* Fiber.join(fiber)
        assert.isTrue(!result.ok && result.error.code === "invalid_response", name)
        // An empty answer may be a glitch; one that was cut before its first token is the same again.
        assert.strictEqual(result.attempts, name === "blank" ? 3 : 1, name)
      }
    }).pipe(Effect.provide(guards))
  )

  it.effect("usage and cost that cannot be counts are absent, never 0", () =>
    Effect.gen(function* () {
      for (const name of ["badUsage", "textUsage", "badCost", "negativeCost"]) {
        const result = yield* runWithGuards(
          wild(() => Effect.succeed(answers[name]?.())),
          input
        )
        assert.isTrue(result.ok, name)
        assert.notProperty(result, "usage")
        assert.notProperty(result, "costUsd")
      }
    }).pipe(Effect.provide(guards))
  )

  it.effect("bad input names its path, and the attempt is never reached", () =>
    Effect.gen(function* () {
      let reached = 0
      const adapter = wild(() => ((reached += 1), Effect.succeed(fine)))
      const bad: ReadonlyArray<readonly [unknown, string]> = [
        [{}, "$.prompt"],
        [{ prompt: "", model: "m" }, "$.prompt"],
        [{ ...input, temperature: 3 }, "$.temperature"],
        [{ ...input, maxOutputTokens: 0 }, "$.maxOutputTokens"],
        [{ ...input, timeoutMs: 1.5 }, "$.timeoutMs"],
        [{ ...input, schema: [1] }, "$.schema"],
        [{ ...input, maxTokens: 5 }, "$.maxTokens"],
        [null, "$"],
        ["prompt", "$"],
        [throwingGetters, "$"],
        [Object.defineProperty({ ...input }, "system", { enumerable: true, get: hostile }), "read"],
        [revoked(), "read"]
      ]
      for (const [value, path] of bad) {
        const result = yield* runWithGuards(adapter, value)
        assert.isTrue(!result.ok && result.error.code === "invalid_input" && result.attempts === 0)
        if (!result.ok) assert.include(result.error.message, path)
        assertSound(result)
      }
      assert.strictEqual(reached, 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a member that is undefined is absent", () =>
    Effect.gen(function* () {
      const result = yield* runWithGuards(
        wild(() => Effect.succeed(fine)),
        { ...input, system: undefined }
      )
      assert.isTrue(result.ok)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a time limit is of each attempt, a total one of the call with its waits", () =>
    Effect.gen(function* () {
      const stopped: Array<string> = []
      const adapter = wild(() =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.push("stopped")))
      )
      const each = yield* Effect.forkChild(runWithGuards(adapter, { ...input, timeoutMs: 100 }))
      yield* TestClock.adjust(10_000)
      const one = yield* Fiber.join(each)
      assert.isTrue(!one.ok && one.error.code === "timeout" && one.attempts === 3)
      assert.strictEqual(stopped.length, 3)
      const whole = yield* Effect.forkChild(runWithGuards(adapter, { ...input, totalTimeoutMs: 150 }))
      yield* TestClock.adjust(150)
      const two = yield* Fiber.join(whole)
      assert.isTrue(!two.ok && two.error.code === "timeout" && two.attempts === 1 && two.durationMs === 150)
      assert.strictEqual(stopped.length, 4)
    }).pipe(Effect.provide(guards))
  )

  it.effect("an attempt that cannot be stopped is left behind after its grace", () =>
    Effect.gen(function* () {
      const adapter = wild(() => Effect.uninterruptible(Effect.never))
      const fiber = yield* Effect.forkChild(
        runWithGuards(adapter, { ...input, timeoutMs: 50 }, { maxAttempts: 1 })
      )
      yield* TestClock.adjust(50)
      yield* TestClock.adjust(10_000)
      const result = yield* Fiber.join(fiber)
      assert.isTrue(!result.ok && result.error.code === "timeout" && result.durationMs === 10_050)
    }).pipe(Effect.provide(guards))
  )

  it.effect("interruption stays interruption, and the attempt is stopped first", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const adapter = wild(() =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => events.push("attempt stopped"))
          )
        )
      )
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      events.push("caller ended")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(events, ["attempt stopped", "caller ended"])
    }).pipe(Effect.provide(guards))
  )

  it.effect("an attempt that interrupts itself is a failure, not an interruption", () =>
    Effect.gen(function* () {
      const result = yield* runWithGuards(
        wild(() => Effect.interrupt),
        input
      )
      assert.isTrue(!result.ok && result.status === "cancelled" && result.attempts === 1)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a signal that aborts gives cancelled, and none is tried where it had aborted before", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const started = yield* Deferred.make<void>()
      let stopped = 0
      const adapter = wild(() =>
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => (stopped += 1)))
        )
      )
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input, { signal: controller.signal }))
      yield* Deferred.await(started)
      controller.abort()
      const result = yield* Fiber.join(fiber)
      assert.isTrue(!result.ok && result.status === "cancelled" && result.attempts === 1)
      assert.strictEqual(stopped, 1)
      // It was on its way: what it will cost is not known.
      assert.notProperty(result, "costUsd")
      const late = yield* runWithGuards(adapter, input, { signal: controller.signal })
      assert.isTrue(!late.ok && late.status === "cancelled" && late.attempts === 0)
      assert.propertyVal(late, "costUsd", 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a message shows neither key nor prompt nor page", () =>
    Effect.gen(function* () {
      for (const name of ["errorWithKey", "errorWithPrompt", "htmlError", "hugeError"]) {
        const result = yield* runWithGuards(
          wild(() => Effect.die(values[name]?.())),
          input
        )
        assertSound(result)
        assert.isTrue(
          !result.ok && !result.error.message.includes("<html") && result.error.message.length < 300
        )
      }
    }).pipe(Effect.provide(guards))
  )

  it.effect("what a failed attempt was billed is counted with what the good one was", () =>
    Effect.gen(function* () {
      let tried = 0
      const adapter = wild(() =>
        ++tried === 1
          ? Effect.fail(
              makeError("invalid_response", "empty", {
                retryable: true,
                usage: { inputTokens: 10, outputTokens: 1 },
                costUsd: 0.25
              })
            )
          : Effect.succeed({ ...fine, usage: { inputTokens: 10, outputTokens: 5 }, costUsd: 0.5 })
      )
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input))
      yield* TestClock.adjust(10_000)
      const result = yield* Fiber.join(fiber)
      assert.deepInclude(result, { attempts: 2, costUsd: 0.75, usage: { inputTokens: 20, outputTokens: 6 } })
    }).pipe(Effect.provide(guards))
  )

  it.effect(
    "the cost is unknown once an attempt may have been billed unseen, and known when it was refused",
    () =>
      Effect.gen(function* () {
        const after = (error: ModelError) =>
          Effect.gen(function* () {
            let tried = 0
            const adapter = wild(() =>
              ++tried === 1 ? Effect.fail(error) : Effect.succeed({ ...fine, costUsd: 0.5 })
            )
            const fiber = yield* Effect.forkChild(runWithGuards(adapter, input))
            yield* TestClock.adjust(10_000)
            return yield* Fiber.join(fiber)
          })
        assert.notProperty(yield* after(makeError("network", "reset in the middle")), "costUsd")
        assert.propertyVal(
          yield* after(makeError("server_error", "down", { httpStatus: 503 })),
          "costUsd",
          0.5
        )
      }).pipe(Effect.provide(guards))
  )
})
