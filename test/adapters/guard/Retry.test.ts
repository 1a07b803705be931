// Retry: what is tried again, and how long is waited, seen on a test clock with pinned and with seeded randomness.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Random, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import { CurrentAttempt } from "../../../src/adapters/guard/attempt.ts"
import { Guards, type GuardsOptions } from "../../../src/adapters/guard/Guards.ts"
import { defaultRetryPolicy, worthAnother } from "../../../src/adapters/guard/Retry.ts"
import { runBound } from "../../../src/adapters/guard/runBound.ts"
import { runWithGuards } from "../../../src/adapters/guard/runWithGuards.ts"
import { ErrorCode, makeError, type ModelError, RETRYABLE_CODES } from "../../../src/domain/ModelError.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"

const guards = (options: GuardsOptions = {}) =>
  Guards.layer(options).pipe(Layer.provide(IdFactory.layerCounter))
const input = { prompt: "again?", model: "m" }

const pinned = (value: number) =>
  Effect.provideService(Random.Random, { nextDoubleUnsafe: () => value, nextIntUnsafe: () => 0 })

/** Runs a call whose attempts fail with `error`, and tells when each attempt was made. */
const times = (error: ModelError, more: object = {}, maxAttempts?: number) =>
  Effect.gen(function* () {
    const made = yield* Ref.make<ReadonlyArray<number>>([])
    const adapter: Adapter = {
      id: "fake",
      free: false,
      hasSideEffects: false,
      attempt: () =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* Ref.update(made, (all) => [...all, now])
          return yield* error
        })
    }
    const options = maxAttempts === undefined ? {} : { maxAttempts }
    const fiber = yield* Effect.forkChild(runWithGuards(adapter, { ...input, ...more }, options))
    yield* TestClock.adjust(1_000_000)
    const result = yield* Fiber.join(fiber)
    return { made: yield* Ref.get(made), result }
  })

describe("worthAnother", () => {
  it("follows the error's own word, except for an open breaker", () => {
    for (const code of ErrorCode.literals) {
      const wanted = RETRYABLE_CODES.has(code) && code !== "circuit_open"
      assert.strictEqual(worthAnother(defaultRetryPolicy, makeError(code, ""), Infinity), wanted, code)
    }
    const told = makeError("server_error", "", { retryable: false })
    assert.isFalse(worthAnother(defaultRetryPolicy, told, Infinity))
  })
})

describe("Retry", () => {
  it.effect("waits at most 200 ms, then 400 ms: three attempts", () =>
    Effect.gen(function* () {
      const { made, result } = yield* times(makeError("server_error", "down"))
      assert.deepStrictEqual(made, [0, 200, 600])
      assert.isTrue(!result.ok && result.attempts === 3 && result.error.code === "server_error")
      assert.strictEqual(result.durationMs, 600)
    }).pipe(pinned(1), Effect.provide(guards()))
  )

  it.effect("the wait grows up to its cap and no further", () =>
    Effect.gen(function* () {
      const { made } = yield* times(makeError("rate_limited", "slow"), {}, 7)
      assert.deepStrictEqual(made, [0, 200, 600, 1400, 3000, 5000, 7000])
    }).pipe(pinned(1), Effect.provide(guards()))
  )

  it.effect("jitter is full: with the lowest draw nothing is waited", () =>
    Effect.gen(function* () {
      const { made } = yield* times(makeError("server_error", "down"))
      assert.deepStrictEqual(made, [0, 0, 0])
    }).pipe(pinned(0), Effect.provide(guards()))
  )

  it.effect.prop(
    "a hint within its budget is never undercut, and always overshot by a positive jitter",
    [Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 60_000 }))), Schema.Int],
    ([hint, seed]) =>
      Effect.gen(function* () {
        const { made } = yield* times(makeError("rate_limited", "slow", { retryAfterMs: hint }))
        assert.strictEqual(made.length, 3)
        for (const [index, at] of made.entries()) {
          if (index === 0) continue
          const wait = at - (made[index - 1] ?? 0)
          assert.isAbove(wait, hint)
          assert.isAtMost(wait, hint + Math.max(2_000, hint * 0.1) + 1)
        }
      }).pipe(Random.withSeed(seed), Effect.provide(guards(), { local: true })),
    { arbitrary: { runs: 100 } }
  )

  it.effect("a hint past its budget is returned at once, with the hint", () =>
    Effect.gen(function* () {
      const { made, result } = yield* times(makeError("rate_limited", "slow", { retryAfterMs: 60_001 }))
      assert.deepStrictEqual(made, [0])
      assert.strictEqual(result.durationMs, 0)
      assert.isTrue(!result.ok && result.error.retryAfterMs === 60_001 && result.error.retryable)
    }).pipe(Effect.provide(guards()))
  )

  it.effect("a hint past the call's remaining time is not waited for", () =>
    Effect.gen(function* () {
      const error = makeError("rate_limited", "slow", { retryAfterMs: 20_000 })
      const { made, result } = yield* times(error, { totalTimeoutMs: 10_000 })
      assert.deepStrictEqual(made, [0])
      assert.isTrue(!result.ok && result.error.code === "rate_limited")
    }).pipe(Effect.provide(guards()))
  )

  it.effect("hints that are no wait are no hints", () =>
    Effect.gen(function* () {
      for (const retryAfterMs of [Number.NaN, -5, 0, Infinity]) {
        const { made, result } = yield* times(makeError("rate_limited", "slow", { retryAfterMs }))
        assert.deepStrictEqual(made.length, 3)
        assert.isTrue(!result.ok && result.error.retryAfterMs === undefined)
      }
    }).pipe(pinned(0), Effect.provide(guards()))
  )

  it.effect("attempts can be set for one call; what is no count is not taken", () =>
    Effect.gen(function* () {
      const error = makeError("server_error", "down")
      assert.lengthOf((yield* times(error, {}, 1)).made, 1)
      for (const odd of [0, -3]) assert.lengthOf((yield* times(error, {}, odd)).made, 1)
    }).pipe(pinned(0), Effect.provide(guards({ breaker: { trip: 1_000 } })))
  )

  it.effect("attempts that are no number are the policy's", () =>
    Effect.gen(function* () {
      const error = makeError("server_error", "down")
      for (const odd of [Number.NaN, Infinity, 1.5]) assert.lengthOf((yield* times(error, {}, odd)).made, 3)
    }).pipe(pinned(0), Effect.provide(guards({ breaker: { trip: 1_000 } })))
  )

  it.effect("what is not retryable is tried once", () =>
    Effect.gen(function* () {
      for (const code of ["quota_exhausted", "auth", "client_error", "context_length", "unknown"] as const) {
        const { made } = yield* times(makeError(code, "no"))
        assert.strictEqual(made.length, 1, code)
      }
    }).pipe(Effect.provide(guards()))
  )

  it.effect("the loop stops when the breaker opens, and returns the upstream's own failure", () =>
    Effect.gen(function* () {
      const { made, result } = yield* times(makeError("server_error", "down"), {}, 20)
      assert.strictEqual(made.length, 5)
      assert.isTrue(!result.ok && result.error.code === "server_error" && result.attempts === 5)
    }).pipe(Effect.provide(guards()))
  )

  it.effect("request id and idempotency key stay the same over attempts, the attempt's number counts", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const adapter: Adapter = {
        id: "fake",
        free: false,
        hasSideEffects: false,
        attempt: ({ idempotencyKey, requestId }) =>
          Effect.gen(function* () {
            seen.push([idempotencyKey, requestId, yield* CurrentAttempt])
            return yield* makeError("server_error", "down")
          })
      }
      yield* runWithGuards(adapter, { ...input, idempotencyKey: "key" })
      assert.deepStrictEqual(seen, [
        ["key", "req-1", 1],
        ["key", "req-1", 2],
        ["key", "req-1", 3]
      ])
    }).pipe(pinned(0), Effect.provide(guards()))
  )

  it.effect(
    "an adapter that acts is not sent again after it was cut off at work, unless that is allowed",
    () =>
      Effect.gen(function* () {
        const made: Array<string> = []
        const acting = (code: ErrorCode): Adapter => ({
          id: "command:fake",
          free: false,
          hasSideEffects: true,
          attempt: () => Effect.suspend(() => (made.push(code), Effect.fail(makeError(code, "cut"))))
        })
        yield* runWithGuards(acting("timeout"), input)
        assert.deepStrictEqual(made.splice(0), ["timeout"])
        yield* runBound([{ adapter: acting("timeout"), modelId: "m", retryInDoubt: true }], input)
        assert.lengthOf(made.splice(0), 3)
        // It said itself that it was turned away: a clean end.
        yield* runWithGuards(acting("rate_limited"), input)
        assert.lengthOf(made.splice(0), 3)
      }).pipe(pinned(0), Effect.provide(guards()))
  )

  it.effect("a sleep between attempts can be aborted", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const adapter: Adapter = {
        id: "fake",
        free: false,
        hasSideEffects: false,
        attempt: () => Effect.fail(makeError("rate_limited", "slow", { retryAfterMs: 30_000 }))
      }
      const fiber = yield* Effect.forkChild(runWithGuards(adapter, input, { signal: controller.signal }), {
        startImmediately: true
      })
      yield* TestClock.adjust(10_000)
      controller.abort()
      const result = yield* Fiber.join(fiber)
      assert.isTrue(!result.ok && result.status === "cancelled" && result.error.code === "cancelled")
      assert.strictEqual(result.durationMs, 10_000)
    }).pipe(Effect.provide(guards()))
  )
})
