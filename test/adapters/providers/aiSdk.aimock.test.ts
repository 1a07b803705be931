// Each wire format against a real aimock server on loopback: success, structured, 429 with hint, outage, abort.
import { LLMock } from "@copilotkit/aimock"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { type AiSdkOptions, makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}

const mock = new LLMock({ port: 0, logLevel: "silent" })

beforeAll(async () => {
  mock.onMessage("capital", {
    content: "Lisbon",
    usage: {
      prompt_tokens: 12,
      completion_tokens: 5,
      input_tokens: 12,
      output_tokens: 5,
      promptTokenCount: 12,
      candidatesTokenCount: 5
    }
  })
  mock.onMessage("city as json", { content: JSON.stringify({ city: "Lisbon" }) })
  await mock.start()
})
afterAll(() => mock.stop())

const formats: ReadonlyArray<{
  readonly provider: AiSdkOptions["provider"]
  readonly model: string
  readonly base: string
  readonly options?: Record<string, string>
}> = [
  { provider: "openai-compatible", model: "some-model", base: "/v1" },
  { provider: "openai", model: "gpt-5-mini", base: "/v1" },
  { provider: "openai", model: "gpt-5-mini", base: "/v1", options: { api: "chat" } },
  { provider: "anthropic", model: "claude-sonnet-4-5", base: "/v1" },
  { provider: "anthropic", model: "claude-3-haiku-20240307", base: "/v1" },
  { provider: "google", model: "gemini-2.5-flash", base: "/v1beta" }
]

for (const { base, model, options, provider } of formats) {
  describe(`${provider} ${model} ${JSON.stringify(options ?? {})}`, () => {
    const adapter = () =>
      makeAiSdkAdapter({
        provider,
        id: provider,
        apiKey: Redacted.make("sk-test-0123456789abcdef"),
        baseUrl: `${mock.url}${base}`
      })
    const input = { prompt: "What is the capital?", model, ...(options && { providerOptions: options }) }

    it.live("answers with text, usage and model", () =>
      Effect.gen(function* () {
        const answer = yield* adapter().attempt(input)
        assert.strictEqual(answer.text, "Lisbon")
        assert.strictEqual(answer.finishReason, "stop")
        assert.isAbove(answer.usage?.inputTokens ?? 0, 0)
        assert.isAbove(answer.usage?.outputTokens ?? 0, 0)
        // aimock's Gemini names no version.
        if (provider !== "google") assert.isString(answer.modelVersionUsed)
      })
    )

    it.live("asks for structure in its native mode", () =>
      Effect.gen(function* () {
        mock.clearRequests()
        const answer = yield* adapter().attempt({ ...input, prompt: "the city as json", schema })
        assert.deepStrictEqual(JSON.parse(answer.text), { city: "Lisbon" })
        assert.strictEqual(mock.getRequests().length, 1)
      })
    )

    it.live("a 429 with Retry-After is a rate limit with the hint, and one request", () =>
      Effect.gen(function* () {
        mock.clearRequests()
        mock.prependFixture({
          match: { userMessage: "limited" },
          response: {
            error: { message: "Slow down", type: "rate_limit_error", code: "rate_limit_exceeded" },
            status: 429,
            retryAfter: 7
          }
        })
        const error = yield* Effect.flip(adapter().attempt({ ...input, prompt: "limited" }))
        assert.strictEqual(error.code, "rate_limited")
        assert.strictEqual(error.retryAfterMs, 7000)
        assert.isTrue(error.retryable)
        assert.strictEqual(mock.getRequests().length, 1)
      })
    )

    it.live("an outage is the server's failure", () =>
      Effect.gen(function* () {
        mock.prependFixture({
          match: { userMessage: "broken" },
          response: { error: { message: "Internal", type: "server_error" }, status: 503 }
        })
        const error = yield* Effect.flip(adapter().attempt({ ...input, prompt: "broken" }))
        assert.strictEqual(error.code, "server_error")
        assert.strictEqual(error.httpStatus, 503)
        mock.setChaos({ disconnectRate: 1 })
        const cut = yield* Effect.flip(adapter().attempt(input))
        mock.clearChaos()
        assert.strictEqual(cut.code, "network")
        assert.isTrue(cut.retryable)
        mock.setChaos({ malformedRate: 1 })
        const malformed = yield* Effect.flip(adapter().attempt(input))
        mock.clearChaos()
        assert.strictEqual(malformed.code, "invalid_response")
      }).pipe(Effect.ensuring(Effect.sync(() => mock.clearChaos())))
    )

    it.live("interruption does not wait for the answer", () =>
      Effect.gen(function* () {
        mock.setChaos({ latencyMs: 20_000 })
        const fiber = yield* Effect.forkChild(adapter().attempt(input))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.ensuring(Effect.sync(() => mock.clearChaos())), Effect.timeout("5 seconds"))
    )
  })
}
