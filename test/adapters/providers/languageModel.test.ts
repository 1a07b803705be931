// Any effect/ai LanguageModel plugs in, and its errors are read as closely as those of our own adapters.
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import { makeLanguageModelAdapter } from "../../../src/adapters/providers/languageModel.ts"
import { breakerOutcome } from "../../../src/domain/ModelError.ts"

type Parts = ReadonlyArray<Response.PartEncoded>

const finish = (reason: Response.FinishReason, output = 5): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage: {
    inputTokens: { uncached: 2, total: 12, cacheRead: 10, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: 3 }
  },
  response: undefined
})

const adapterOf = (generate: (prompt: string) => Effect.Effect<Parts, AiError.AiError>) =>
  Effect.map(
    LanguageModel.make({
      generateText: (options) => Effect.map(generate(JSON.stringify(options.prompt)), (parts) => [...parts]),
      streamText: () => {
        throw new Error("not asked for")
      }
    }),
    (model) => makeLanguageModelAdapter({ id: "language-model", model })
  )

const input = { prompt: "a question of some length", model: "m" }

const failing = (reason: AiError.AiErrorReason) =>
  Effect.gen(function* () {
    const adapter = yield* adapterOf(() =>
      Effect.fail(AiError.make({ module: "Test", method: "generateText", reason }))
    )
    return yield* Effect.flip(adapter.attempt(input))
  })

describe("language-model", () => {
  it.effect("answers with text, usage and model; system and schema are in the prompt", () =>
    Effect.gen(function* () {
      let seen = ""
      const adapter = yield* adapterOf((prompt) =>
        Effect.sync((): Parts => {
          seen = prompt
          return [
            { type: "response-metadata", modelId: "test-1", id: "x", timestamp: undefined },
            { type: "text", text: "ok" },
            finish("stop")
          ]
        })
      )
      const answer = yield* adapter.attempt({
        ...input,
        system: "be brief",
        schema: { type: "object", required: ["a"] }
      })
      assert.deepStrictEqual(
        [answer.text, answer.finishReason, answer.modelVersionUsed, answer.usage],
        [
          "ok",
          "stop",
          "test-1",
          { inputTokens: 12, outputTokens: 5, cachedInputTokens: 10, reasoningTokens: 3 }
        ]
      )
      assert.include(seen, "be brief")
      assert.include(seen, "required")
    })
  )
  it.effect("a text that was cut is an answer, none is not", () =>
    Effect.gen(function* () {
      const cut = yield* adapterOf(() => Effect.succeed([{ type: "text", text: "hal" }, finish("length")]))
      assert.strictEqual((yield* cut.attempt(input)).finishReason, "length")
      const empty = yield* adapterOf(() => Effect.succeed([finish("length")]))
      const error = yield* Effect.flip(empty.attempt(input))
      assert.deepStrictEqual(
        [error.code, error.retryable, error.usage?.outputTokens],
        ["invalid_response", false, 5]
      )
      const filtered = yield* adapterOf(() =>
        Effect.succeed([{ type: "text", text: "x" }, finish("content-filter")])
      )
      assert.strictEqual((yield* Effect.flip(filtered.attempt(input))).code, "content_filtered")
    })
  )
  const http = (status: number, body: object, headers: Record<string, string> = {}) => ({
    http: { response: { status, headers }, body: JSON.stringify(body) }
  })
  const reasons: ReadonlyArray<readonly [string, () => AiError.AiErrorReason, string, number?]> = [
    [
      "RateLimitError",
      () => new AiError.RateLimitError({ retryAfter: Duration.seconds(30) }),
      "rate_limited",
      30_000
    ],
    ["QuotaExhaustedError", () => new AiError.QuotaExhaustedError({}), "quota_exhausted"],
    ["AuthenticationError", () => new AiError.AuthenticationError({ kind: "InvalidKey" }), "auth"],
    ["ContentPolicyError", () => new AiError.ContentPolicyError({ description: "no" }), "content_filtered"],
    [
      "InternalProviderError",
      () => new AiError.InternalProviderError({ description: "down" }),
      "server_error"
    ],
    ["UnknownError", () => new AiError.UnknownError({ description: "?" }), "unknown"],
    [
      "a transport error",
      () => new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "http://x" }),
      "network"
    ],
    [
      "a TLS error inside it",
      () =>
        new AiError.NetworkError({
          reason: "TransportError",
          method: "POST",
          url: "http://x",
          cause: Object.assign(new Error("x"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
        }),
      "network"
    ],
    [
      "a URL that is none",
      () => new AiError.NetworkError({ reason: "InvalidUrlError", method: "POST", url: "x" }),
      "invalid_input"
    ],
    [
      "the body behind a generic error",
      () =>
        new AiError.InvalidRequestError({
          description: "x",
          ...http(400, { error: { code: "context_length_exceeded", message: "too long" } })
        }),
      "context_length"
    ],
    [
      "a hint that the generic error dropped",
      () =>
        new AiError.UnknownError({
          description: "x",
          ...http(429, { error: { message: "slow" } }, { "retry-after-ms": "250" })
        }),
      "rate_limited",
      250
    ]
  ]
  for (const [what, reason, code, hint] of reasons) {
    it.effect(`${what} is ${code}`, () =>
      Effect.gen(function* () {
        const error = yield* failing(reason())
        assert.strictEqual(error.code, code, error.message)
        assert.strictEqual(error.retryAfterMs, hint)
        if (what.includes("TLS"))
          assert.deepStrictEqual(
            [error.retryable, error.breaker ?? breakerOutcome(error.code)],
            [false, "neutral"]
          )
      })
    )
  }
  it.effect("interruption reaches the model", () =>
    Effect.gen(function* () {
      let interrupted = false
      const adapter = yield* adapterOf(() =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))
      )
      const fiber = yield* Effect.forkChild(adapter.attempt(input), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(interrupted)
    })
  )
})
