// Limits: how much reaches an adapter at once and per minute, seen on a test clock.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import { Guards, type GuardsOptions } from "../../../src/adapters/guard/Guards.ts"
import type { AdapterLimits } from "../../../src/adapters/guard/Limits.ts"
import { runWithGuards } from "../../../src/adapters/guard/runWithGuards.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"

const guards = (limits: Readonly<Record<string, AdapterLimits>>, more: GuardsOptions = {}) =>
  Guards.layer({ ...more, limits }).pipe(Layer.provide(IdFactory.layerCounter))
const input = { prompt: "p", model: "m", maxOutputTokens: 9 }

/** Makes `count` calls at once, each of `ms`, and tells when each attempt began and how many ran at most. */
const fanOut = (count: number, ms: number, id = "fake", given: object = {}) =>
  Effect.gen(function* () {
    const begun: Array<number> = []
    let running = 0
    let most = 0
    const adapter: Adapter = {
      id,
      free: false,
      hasSideEffects: false,
      attempt: () =>
        Effect.gen(function* () {
          begun.push(yield* Clock.currentTimeMillis)
          running += 1
          most = Math.max(most, running)
          yield* Effect.sleep(ms)
          running -= 1
          return { text: "x", finishReason: "stop" }
        })
    }
    const from = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: count }), () => runWithGuards(adapter, { ...input, ...given }), {
        concurrency: "unbounded"
      })
    )
    yield* TestClock.adjust("30 minutes")
    const results = yield* Fiber.join(fiber)
    return { begun: begun.map((at) => at - from), most, results }
  })

describe("Limits", () => {
  it.effect.prop(
    "no more than the slots run at once, and all get their turn",
    [Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 7 })))],
    ([concurrency]) =>
      Effect.gen(function* () {
        const { most, results } = yield* fanOut(20, 100)
        assert.strictEqual(most, concurrency)
        assert.isTrue(results.every(({ ok }) => ok))
      }).pipe(Effect.provide(guards({ fake: { concurrency } }), { local: true })),
    { arbitrary: { runs: 20 } }
  )

  it.effect("requests a minute: what is over waits, nothing is refused", () =>
    Effect.gen(function* () {
      const { begun, results } = yield* fanOut(25, 1)
      assert.isTrue(results.every(({ ok }) => ok))
      assert.strictEqual(begun.filter((at) => at === 0).length, 10)
      assert.strictEqual(begun.filter((at) => at < 60_000).length, 19)
      assert.isAbove(begun.at(-1) ?? 0, 60_000)
    }).pipe(Effect.provide(guards({ fake: { requestsPerMinute: 10 } })))
  )

  it.effect(
    "tokens a minute: prompt and output bound count, one that is larger than the minute waits and goes",
    () =>
      Effect.gen(function* () {
        // Ten tokens each by the estimate: one of prompt, nine of output.
        const { begun } = yield* fanOut(6, 1)
        assert.strictEqual(begun.filter((at) => at === 0).length, 3)
        const huge = yield* fanOut(1, 1, "fake", { maxOutputTokens: 500 })
        assert.isTrue(huge.results[0]?.ok)
      }).pipe(Effect.provide(guards({ fake: { tokensPerMinute: 30 } })))
  )

  it.effect("limits are of one adapter: another goes its way", () =>
    Effect.gen(function* () {
      const { most } = yield* fanOut(20, 100, "other")
      assert.strictEqual(most, 20)
    }).pipe(Effect.provide(guards({ fake: { concurrency: 1 } })))
  )

  it.effect("an interrupted call gives its slot back", () =>
    Effect.gen(function* () {
      const hang: Adapter = { id: "fake", free: false, hasSideEffects: false, attempt: () => Effect.never }
      const fiber = yield* Effect.forkChild(runWithGuards(hang, input), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      const { results } = yield* fanOut(1, 1)
      assert.isTrue(results[0]?.ok)
    }).pipe(Effect.provide(guards({ fake: { concurrency: 1 } })))
  )

  it.effect("waiting for a turn counts in the total time limit, not in the attempt's", () =>
    Effect.gen(function* () {
      const attempt = yield* fanOut(3, 100, "fake", { timeoutMs: 150 })
      assert.isTrue(attempt.results.every(({ ok }) => ok))
      const whole = yield* fanOut(3, 100, "fake", { totalTimeoutMs: 150 })
      assert.strictEqual(whole.results.filter(({ ok }) => ok).length, 1)
    }).pipe(Effect.provide(guards({ fake: { concurrency: 1 } })))
  )
})
