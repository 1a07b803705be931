// Pricing: exact costs, absent where unknown, and a reserve that no run of a call can pass.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import type { Binding, Price } from "../../src/adapters/registry/AdapterRegistry.ts"
import type { AttemptPort, EndedAttempt } from "../../src/adapters/guard/AttemptPort.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import {
  costOf,
  costOfFailure,
  inputBound,
  outputBound,
  forecastUsd,
  reserveUsd,
  utf8Bytes
} from "../../src/adapters/Pricing.ts"
import { runBound } from "../../src/adapters/guard/runBound.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"

const adapter: Adapter = { id: "paid", free: false, hasSideEffects: false, attempt: () => Effect.never }
const of = (price?: Price, more: Partial<Binding> = {}): Binding => ({
  adapter,
  modelId: "m",
  ...(price === undefined ? {} : { price }),
  ...more
})
const price: Price = { inputUsdPerMillion: 3, outputUsdPerMillion: 15, cachedInputUsdPerMillion: 0.3 }
const input = { prompt: "prompt", model: "m" }

describe("costOf", () => {
  it("counts input, cached input and output at their rates", () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 100 }
    assert.closeTo(costOf(of(price), usage) ?? -1, (600 * 3 + 400 * 0.3 + 100 * 15) / 1e6, 1e-15)
  })

  it("cached and written tokens without a rate cost what input costs", () => {
    const plain = { inputUsdPerMillion: 1, outputUsdPerMillion: 1 }
    assert.closeTo(
      costOf(of(plain), {
        inputTokens: 10,
        cachedInputTokens: 4,
        cacheWriteInputTokens: 3,
        outputTokens: 0
      }) ?? -1,
      10 / 1e6,
      1e-15
    )
    assert.closeTo(
      costOf(of({ ...plain, cacheWriteUsdPerMillion: 2 }), {
        inputTokens: 10,
        cacheWriteInputTokens: 3,
        outputTokens: 0
      }) ?? -1,
      13 / 1e6,
      1e-15
    )
  })

  it("a tier holds for requests above it, not at it", () => {
    const tiered: Price = {
      ...price,
      tiers: [{ aboveInputTokens: 100, inputUsdPerMillion: 6, outputUsdPerMillion: 30 }]
    }
    assert.closeTo(costOf(of(tiered), { inputTokens: 100, outputTokens: 1 }) ?? -1, (300 + 15) / 1e6, 1e-15)
    assert.closeTo(costOf(of(tiered), { inputTokens: 101, outputTokens: 1 }) ?? -1, (606 + 30) / 1e6, 1e-15)
  })

  it("is absent when price or usage is not known, and 0 only when that is the price", () => {
    assert.isUndefined(costOf(of(), { inputTokens: 1, outputTokens: 1 }))
    assert.isUndefined(costOf(of(price), undefined))
    assert.isUndefined(costOf(of(price), { inputTokens: 1 }))
    assert.isUndefined(costOf(of(price), { totalTokens: 2 }))
    const free = { inputUsdPerMillion: 0, outputUsdPerMillion: 0 }
    assert.strictEqual(costOf(of(free), { inputTokens: 5, outputTokens: 5 }), 0)
  })
})

describe("costOfFailure", () => {
  it("is 0 for what was refused, unknown for what may have run, and what was billed where that is said", () => {
    assert.strictEqual(costOfFailure(of(price), makeError("server_error", "", { httpStatus: 500 })), 0)
    assert.strictEqual(costOfFailure(of(price), makeError("rate_limited", "", { httpStatus: 429 })), 0)
    assert.strictEqual(costOfFailure(of(price), makeError("circuit_open", "")), 0)
    assert.isUndefined(costOfFailure(of(price), makeError("timeout", "")))
    assert.isUndefined(costOfFailure(of(price), makeError("network", "")))
    assert.isUndefined(costOfFailure(of(price), makeError("invalid_response", "", { httpStatus: 200 })))
    const billed = makeError("content_filtered", "", { usage: { inputTokens: 1_000_000, outputTokens: 0 } })
    assert.strictEqual(costOfFailure(of(price), billed), 3)
    assert.strictEqual(costOfFailure(of(price), makeError("unknown", "", { costUsd: 0.5 })), 0.5)
    assert.strictEqual(
      costOfFailure(of(undefined, { adapter: { ...adapter, free: true } }), makeError("timeout", "")),
      0
    )
  })
})

describe("reserveUsd", () => {
  it("is bytes and output bound of one attempt at their rates", () => {
    const { input: asked, reserve } = {
      input: { ...input, prompt: "é".repeat(100), system: "be brief" },
      reserve: (200 + 64 + 8 + 64) * 3 + 4096 * 15
    }
    assert.strictEqual(inputBound(asked), 336)
    assert.closeTo(reserveUsd(of(price), asked) ?? -1, reserve / 1e6, 1e-12)
  })

  it("takes the call's output bound, else the model's, else 4,096", () => {
    assert.strictEqual(outputBound(of(), { ...input, maxOutputTokens: 5 }), 5)
    assert.strictEqual(outputBound(of(undefined, { maxOutputTokens: 50 }), input), 50)
    assert.strictEqual(outputBound(of(), input), 4096)
  })

  it("takes the tier that its own input bound can reach, and no other", () => {
    const one = reserveUsd(of(price), input) ?? 0
    const cheap: Price = { inputUsdPerMillion: 0.1, outputUsdPerMillion: 0.1 }
    const above = (aboveInputTokens: number): Price => ({
      ...cheap,
      tiers: [{ aboveInputTokens, inputUsdPerMillion: 3, outputUsdPerMillion: 15 }]
    })
    assert.strictEqual(reserveUsd(of(above(inputBound(input) - 1)), input), one)
    assert.strictEqual(reserveUsd(of(above(inputBound(input))), input), reserveUsd(of(cheap), input))
  })

  it("a forecast counts the repairs where there is a schema, and the dearest link", () => {
    const one = reserveUsd(of(price), input) ?? 0
    const cheap: Price = { inputUsdPerMillion: 0.1, outputUsdPerMillion: 0.1 }
    assert.strictEqual(forecastUsd([of(cheap), of(price)], input, 2), one)
    assert.isAbove(forecastUsd([of(price)], { ...input, schema: { type: "object" } }, 2) ?? 0, 3 * one)
    assert.isUndefined(forecastUsd([of(price), of()], input, 2))
  })

  it("is unknown without a price", () => {
    assert.isUndefined(reserveUsd(of(), input))
  })

  it.effect.prop(
    "no attempt costs more than its reserve, whatever the model says and bills within its bounds",
    [
      Schema.Array(Schema.Literals(["good", "bad", "long", "billedFailure", "refused"])).pipe(
        Schema.check(Schema.isMaxLength(9))
      ),
      Schema.String.pipe(Schema.check(Schema.isMaxLength(300)))
    ],
    ([script, prompt]) =>
      Effect.gen(function* () {
        let step = 0
        const usageOf = (asked: { readonly prompt: string; readonly maxOutputTokens?: number }) => ({
          inputTokens: utf8Bytes(asked.prompt),
          outputTokens: asked.maxOutputTokens ?? 0
        })
        const worst: Adapter = {
          ...adapter,
          attempt: (asked) =>
            Effect.suspend(() => {
              const usage = usageOf(asked)
              switch (script[step++]) {
                case "good":
                  return Effect.succeed({ text: "1", finishReason: "stop", usage })
                case "long":
                  return Effect.succeed({ text: "世".repeat(20_000), finishReason: "stop", usage })
                case "billedFailure":
                  return Effect.fail(makeError("invalid_response", "", { retryable: true, usage }))
                case "refused":
                  return Effect.fail(makeError("server_error", "", { httpStatus: 500 }))
                default:
                  return Effect.succeed({ text: '"x"', finishReason: "stop", usage })
              }
            })
        }
        // Input alone has a price: the output bound would hide a prompt that grew unreckoned.
        const chain = [of({ inputUsdPerMillion: 3, outputUsdPerMillion: 0 }, { adapter: worst })]
        const asked = { prompt: `p${prompt}`, model: "m", schema: { type: "integer" } }
        let reserved = 0
        const told: Array<EndedAttempt> = []
        const port: AttemptPort = {
          admit: (attempt) =>
            Effect.sync(() => void (reserved += reserveUsd(attempt.binding, attempt.input) ?? Infinity)),
          ended: (attempt) => Effect.sync(() => void told.push(attempt))
        }
        const fiber = yield* Effect.forkChild(runBound(chain, asked, { port, bounded: true }))
        yield* TestClock.adjust(60_000)
        const result = yield* Fiber.join(fiber)
        assert.isAtMost(result.costUsd ?? Infinity, reserved)
        // Every attempt but the answer itself is told, once, in order.
        const numbers = told.map(({ number }) => number)
        const expected = Array.from({ length: result.attempts - (result.ok ? 1 : 0) }, (_, at) => at + 1)
        assert.deepStrictEqual(numbers, expected)
      }).pipe(Effect.provide(Guards.layer().pipe(Layer.provide(IdFactory.layerCounter)), { local: true })),
    { arbitrary: { runs: 200 } }
  )
})
