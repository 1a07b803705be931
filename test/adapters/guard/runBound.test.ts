// runBound: chains, structured output with repair, and what all of it cost. The adapters are offline ones with
// fixtures wherever that says enough.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Adapter, AttemptSuccess } from "../../../src/adapters/Adapter.ts"
import type { Binding } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import type { AttemptPort, EndedAttempt } from "../../../src/adapters/guard/AttemptPort.ts"
import { forecastUsd, reserveUsd, utf8Bytes } from "../../../src/adapters/Pricing.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import { type BoundOptions, runBound } from "../../../src/adapters/guard/runBound.ts"
import { ErrorCode, makeError, type ModelError } from "../../../src/domain/ModelError.ts"
import type { ModelRunInput, ModelRunResult } from "../../../src/domain/ModelRun.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"
import { unusable } from "../../support/schemas.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))
const input = { prompt: "what is it?", model: "" }
const schema = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false
}
const price = { inputUsdPerMillion: 1_000_000, outputUsdPerMillion: 1_000_000 }

/** A paid adapter that gives these ends in order, the last again and again, and keeps what it was asked. */
const scripted = (
  id: string,
  ends: ReadonlyArray<AttemptSuccess | ModelError>,
  more: Partial<Adapter> = {}
) => {
  const asked: Array<ModelRunInput> = []
  const adapter: Adapter = {
    id,
    free: false,
    hasSideEffects: false,
    attempt: (given) =>
      Effect.suspend(() => {
        const end = ends[Math.min(asked.length, ends.length - 1)]
        asked.push(given)
        if (end === undefined) return Effect.never
        return "text" in end ? Effect.succeed(end) : Effect.fail(end)
      }),
    ...more
  }
  const binding: Binding = { adapter, modelId: `${id}-model`, price }
  return { asked, binding }
}

const said = (text: string, more: Partial<AttemptSuccess> = {}): AttemptSuccess => ({
  text,
  finishReason: "stop",
  usage: { inputTokens: 2, outputTokens: 1 },
  ...more
})

const run = (
  chain: ReadonlyArray<Binding>,
  given: object,
  options?: BoundOptions
): Effect.Effect<ModelRunResult, never, Guards> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(runBound(chain, { ...input, ...given }, options))
    yield* TestClock.adjust(30_000)
    return yield* Fiber.join(fiber)
  })

describe("structured output", () => {
  it.effect("an answer that fits is decoded, with no repair", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said('{"n":1}')])
      const result = yield* run([binding], { schema })
      assert.deepInclude(result, { ok: true, output: { n: 1 }, attempts: 1, costUsd: 3 })
      assert.notProperty(result, "repairs")
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a wrong one is shown to the model with the exact issue, and what both cost adds up", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said('Sure! {"n":"one"}'), said('{"n":1}')])
      const result = yield* run([binding], { schema, idempotencyKey: "key" })
      assert.deepInclude(result, { output: { n: 1 }, attempts: 2, repairs: 1, costUsd: 6 })
      assert.deepInclude(result, { usage: { inputTokens: 4, outputTokens: 2 } })
      const [first, second] = asked
      assert.strictEqual(first?.prompt, input.prompt)
      assert.include(second?.prompt, input.prompt)
      assert.include(second?.prompt, 'Sure! {"n":"one"}')
      assert.include(second?.prompt, "$.n")
      // Another request, so another key; the same call, so the same request id.
      assert.deepStrictEqual([first?.idempotencyKey, second?.idempotencyKey], ["key", "key-repair-1"])
      assert.strictEqual(first?.requestId, second?.requestId)
    }).pipe(Effect.provide(guards))
  )

  it.effect("after two repairs it is invalid_response with the issues", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [
        said("no idea"),
        said('{"m":1}'),
        said('{"n":1.5}'),
        said('{"n":1}')
      ])
      const result = yield* run([binding], { schema })
      assert.strictEqual(asked.length, 3)
      assert.deepInclude(result, { ok: false, attempts: 3, repairs: 2, costUsd: 9 })
      if (result.ok) return assert.fail("it must fail")
      assert.strictEqual(result.error.code, "invalid_response")
      assert.isFalse(result.error.retryable)
      assert.nestedPropertyVal(result.error.detail, "issues[0].path", "$.n")
    }).pipe(Effect.provide(guards))
  )

  it.effect(
    "a key that stands twice is repaired, and the model is told so; else it is invalid_response",
    () =>
      Effect.gen(function* () {
        const better = scripted("a", [said('{"n":1,"n":9}'), said('{"n":2}')])
        assert.deepInclude(yield* run([better.binding], { schema }), { output: { n: 2 }, repairs: 1 })
        assert.include(better.asked[1]?.prompt, 'the key "n" stands twice')
        const worse = scripted("a", [said('So: {"n":1,"n":9}')])
        const result = yield* run([worse.binding], { schema })
        assert.isTrue(!result.ok && result.error.code === "invalid_response", JSON.stringify(result))
      }).pipe(Effect.provide(guards))
  )

  it.effect("repairs can be forbidden", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said("no idea")])
      const result = yield* run([binding], { schema }, { maxRepairs: 0 })
      assert.isTrue(!result.ok && result.error.code === "invalid_response" && asked.length === 1)
    }).pipe(Effect.provide(guards))
  )

  it.effect("an answer cut at the output limit is not repaired: it would be cut again", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said('{"n":', { finishReason: "length" })])
      const result = yield* run([binding], { schema })
      assert.strictEqual(asked.length, 1)
      assert.isTrue(!result.ok && result.error.message.includes("cut at the output limit"))
    }).pipe(Effect.provide(guards))
  )

  it.effect("two different values that both fit are no answer", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said('{"n":1} or {"n":2}'), said('{"n":2}')])
      const result = yield* run([binding], { schema })
      assert.deepInclude(result, { output: { n: 2 }, repairs: 1 })
      assert.include(asked[1]?.prompt, "2 different JSON values")
    }).pipe(Effect.provide(guards))
  )

  it.effect("of several values the one that fits is the answer", () =>
    Effect.gen(function* () {
      const { binding } = scripted("a", [said('Not {"m":1} nor [1], but {"n":7}')])
      assert.deepInclude(yield* run([binding], { schema }), { output: { n: 7 } })
    }).pipe(Effect.provide(guards))
  )

  it.effect("a native output is checked like any other", () =>
    Effect.gen(function* () {
      const { binding } = scripted("a", [
        said("{}", { output: { n: "x" } }),
        said("{}", { output: { n: 3 } })
      ])
      assert.deepInclude(yield* run([binding], { schema }), { output: { n: 3 }, repairs: 1 })
    }).pipe(Effect.provide(guards))
  )

  it.effect("a lone surrogate, which the journal cannot carry, is an issue", () =>
    Effect.gen(function* () {
      const { binding } = scripted("a", [said('"\\ud800"'), said('"fine"')])
      assert.deepInclude(yield* run([binding], { schema: { type: "string" } }), {
        output: "fine",
        repairs: 1
      })
    }).pipe(Effect.provide(guards))
  )

  it.effect("a schema that cannot be used is refused before any call", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said("{}")])
      for (const [wrong] of Object.values(unusable)) {
        const result = yield* run([binding], { schema: wrong })
        assert.isTrue(!result.ok && result.error.code === "invalid_input" && result.attempts === 0)
      }
      assert.strictEqual(asked.length, 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("without a schema nothing is decoded", () =>
    Effect.gen(function* () {
      const { binding } = scripted("a", [said('{"n":1}')])
      assert.notProperty(yield* run([binding], {}), "output")
    }).pipe(Effect.provide(guards))
  )

  it.effect("what a repair shows never passes what was reserved for it, however long the answer", () =>
    Effect.gen(function* () {
      for (const unit of ["x", "é", "世", "🙂", "\n"]) {
        const { asked, binding } = scripted("a", [said(unit.repeat(50_000))])
        yield* run([binding], { schema })
        const bytes = asked.reduce((sum, { prompt }) => sum + utf8Bytes(prompt), 0)
        const inputOnly = { ...binding, price: { ...price, outputUsdPerMillion: 0 } }
        assert.strictEqual(asked.length, 3)
        assert.isAtMost(bytes, forecastUsd([inputOnly], { ...input, schema }, 2) ?? 0)
        for (const one of asked) assert.isAtMost(utf8Bytes(one.prompt), reserveUsd(inputOnly, one) ?? 0)
      }
    }).pipe(Effect.provide(guards))
  )
})

describe("chains", () => {
  const other: ReadonlySet<ErrorCode> = new Set([
    "invalid_input",
    "cancelled",
    "budget_exceeded",
    "awaiting_answer"
  ])
  for (const code of ErrorCode.literals) {
    it.effect(
      `after ${code} the next link is ${other.has(code) ? "not " : ""}tried, and the result says so`,
      () =>
        Effect.gen(function* () {
          const first = scripted("a", [makeError(code, "no", { retryable: false, httpStatus: 500 })])
          const second = scripted("b", [said("yes")])
          const result = yield* run([first.binding, second.binding], {})
          assert.strictEqual(result.ok, !other.has(code))
          assert.strictEqual(second.asked.length, other.has(code) ? 0 : 1)
          if (other.has(code)) return assert.deepInclude(result, { adapterId: "a", modelId: "a-model" })
          assert.deepInclude(result, { adapterId: "b", modelId: "b-model", attempts: 2, costUsd: 3 })
          assert.nestedPropertyVal(result, "fellBackFrom[0].adapterId", "a")
          assert.nestedPropertyVal(result, "fellBackFrom[0].error.code", code)
          assert.strictEqual(second.asked[0]?.model, "b-model")
        }).pipe(Effect.provide(guards))
    )
  }

  it.effect("each link is retried first; the last failure names all that were tried", () =>
    Effect.gen(function* () {
      const first = scripted("a", [makeError("server_error", "a is down", { httpStatus: 503 })])
      const second = scripted("b", [makeError("rate_limited", "b is busy", { httpStatus: 429 })])
      const result = yield* run([first.binding, second.binding], {})
      assert.deepInclude(result, { ok: false, attempts: 6, adapterId: "b", costUsd: 0 })
      assert.isTrue(!result.ok && result.error.message === "b is busy")
      assert.nestedPropertyVal(result, "fellBackFrom[0].error.message", "a is down")
      assert.lengthOf(result.fellBackFrom ?? [], 1)
    }).pipe(Effect.provide(guards))
  )

  it.effect(
    "an adapter that acts may have acted: no other is sent after it, unless it certainly did not",
    () =>
      Effect.gen(function* () {
        const acting = (code: ErrorCode) =>
          scripted("a", [makeError(code, "no", { retryable: false })], { hasSideEffects: true })
        const second = scripted("b", [said("yes")])
        for (const code of ["timeout", "network", "server_error", "unknown", "invalid_response"] as const) {
          assert.isFalse((yield* run([acting(code).binding, second.binding], {})).ok, code)
        }
        assert.isTrue((yield* run([acting("quota_exhausted").binding, second.binding], {})).ok)
      }).pipe(Effect.provide(guards))
  )

  it.effect("a wrong answer falls back after its repairs", () =>
    Effect.gen(function* () {
      const first = scripted("a", [said("no")])
      const second = scripted("b", [said('{"n":2}')])
      const result = yield* run([first.binding, second.binding], { schema })
      assert.deepInclude(result, { ok: true, output: { n: 2 }, attempts: 4, repairs: 2, costUsd: 12 })
    }).pipe(Effect.provide(guards))
  )

  it.effect("the total time limit is of the chain", () =>
    Effect.gen(function* () {
      const first = scripted("a", [])
      const second = scripted("b", [said("yes")])
      const result = yield* run([first.binding, second.binding], { totalTimeoutMs: 500 })
      assert.isTrue(!result.ok && result.error.code === "timeout" && result.durationMs === 500)
      assert.strictEqual(second.asked.length, 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("an empty chain is a failure", () =>
    Effect.gen(function* () {
      const result = yield* run([], {})
      assert.isTrue(!result.ok && result.error.code === "invalid_input")
    }).pipe(Effect.provide(guards))
  )
})

describe("under a cost bound", () => {
  it.effect("the output bound is always sent", () =>
    Effect.gen(function* () {
      const { asked, binding } = scripted("a", [said("yes")])
      yield* run([binding], {}, { bounded: true })
      yield* run([{ ...binding, maxOutputTokens: 77 }], {}, { bounded: true })
      yield* run([binding], { maxOutputTokens: 5 }, { bounded: true })
      yield* run([binding], {})
      assert.deepStrictEqual(
        asked.map(({ maxOutputTokens }) => maxOutputTokens),
        [4096, 77, 5, undefined]
      )
    }).pipe(Effect.provide(guards))
  )

  const refusing = (from: number) => {
    const asked: Array<readonly [number: number, kind: string]> = []
    const told: Array<EndedAttempt> = []
    const port: AttemptPort = {
      admit: ({ kind, number }) =>
        Effect.suspend(() => {
          asked.push([number, kind])
          return number >= from ? Effect.fail(makeError("budget_exceeded", "nothing is left")) : Effect.void
        }),
      ended: (attempt) => Effect.sync(() => void told.push(attempt))
    }
    return { asked, port, told }
  }

  it.effect("a retry that the budget does not allow ends the call with the failure it had", () =>
    Effect.gen(function* () {
      const first = scripted("a", [makeError("server_error", "down", { httpStatus: 503 })])
      const { asked, port, told } = refusing(2)
      const fiber = yield* Effect.forkChild(run([first.binding], {}, { port }))
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      assert.deepInclude(result, { ok: false, attempts: 1, costUsd: 0 })
      assert.isTrue(!result.ok && result.error.code === "server_error")
      assert.match(result.ok ? "" : result.error.message, /down; no other attempt was made: nothing is left/)
      assert.deepStrictEqual(asked, [
        [1, "first"],
        [2, "retry"]
      ])
      assert.deepStrictEqual(
        told.map(({ number, error }) => [number, error?.code]),
        [[1, "server_error"]]
      )
    }).pipe(Effect.provide(guards))
  )

  it.effect("a repair that it does not allow is no answer, and what the model said is told", () =>
    Effect.gen(function* () {
      const { binding } = scripted("a", [said("no json here")])
      const { asked, port, told } = refusing(2)
      const result = yield* run([binding], { schema }, { port })
      assert.isTrue(!result.ok && result.error.code === "invalid_response")
      assert.match(result.ok ? "" : result.error.message, /no other attempt was made/)
      assert.deepStrictEqual(asked[1], [2, "repair"])
      assert.deepStrictEqual(
        told.map(({ number, raw }) => [number, raw]),
        [[1, "no json here"]]
      )
    }).pipe(Effect.provide(guards))
  )

  it.effect("a link that it does not allow is not tried, nor named as tried", () =>
    Effect.gen(function* () {
      const first = scripted("a", [makeError("auth", "no key")])
      const second = scripted("b", [said("yes")])
      const { asked, port } = refusing(2)
      const result = yield* run([first.binding, second.binding], {}, { port })
      assert.deepInclude(result, { ok: false, adapterId: "a" })
      assert.notProperty(result, "fellBackFrom")
      assert.isTrue(!result.ok && result.error.code === "auth")
      assert.deepStrictEqual(asked[1], [2, "fallback"])
      assert.strictEqual(second.asked.length, 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("offline costs exactly 0, failures and repairs included", () =>
    Effect.gen(function* () {
      const adapter = makeOfflineAdapter({
        rules: [{ match: { includes: "fail" }, answer: { failure: { code: "auth", message: "no" } } }]
      })
      const chain = [{ adapter, modelId: "offline" }]
      for (const given of [{}, { schema }, { prompt: "fail" }]) {
        assert.propertyVal(yield* run(chain, given), "costUsd", 0)
      }
      for (const link of chain) assert.strictEqual(reserveUsd(link, input), 0)
    }).pipe(Effect.provide(guards))
  )
})
