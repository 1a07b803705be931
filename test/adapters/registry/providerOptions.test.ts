// Provider options: they cannot say again what the engine decides, nor make a call dearer than what was reserved.
// What is refused is refused before anything is sent; what is sent is read at the peer.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import type { Binding } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { inputBound, outputBound, reserveUsd, utf8Bytes } from "../../../src/adapters/Pricing.ts"
import { costProblem, optionProblem, thinkingTokens } from "../../../src/adapters/registry/providerOptions.ts"
import { makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"
import { makeHumanAdapter } from "../../../src/adapters/providers/human.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import type { ProviderKind } from "../../../src/adapters/providers/sdkModels.ts"
import { runBound } from "../../../src/adapters/guard/runBound.ts"
import { runWithGuards } from "../../../src/adapters/guard/runWithGuards.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"
import { serveFault } from "../../support/FaultServer.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))
const providers = ["anthropic", "openai", "google", "openai-compatible"] as const
const price = { inputUsdPerMillion: 3, outputUsdPerMillion: 15 }
const refused = {
  status: 400,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode("{}")
}

const bindingAt = (provider: ProviderKind, url: string): Binding => ({
  adapter: makeAiSdkAdapter({
    provider,
    id: provider,
    apiKey: Redacted.make("sk-test-0123456789"),
    baseUrl: `${url}/v1`
  }),
  modelId: "m",
  price
})
const input = { prompt: "a question", model: "m", maxOutputTokens: 10 }

const overriding = [
  { model: "gpt-expensive" },
  { models: ["a"] },
  { messages: [] },
  { prompt: "q" },
  { max_tokens: 99_999 },
  { maxTokens: 99_999 },
  { max_completion_tokens: 99_999 },
  { maxCompletionTokens: 99_999 },
  { max_output_tokens: 99_999 },
  { max_tokens_to_sample: 5 },
  { maxNewTokens: 5 },
  { num_predict: 5 },
  { n: 50 },
  { best_of: 2 },
  { candidateCount: 2 },
  { num_return_sequences: 2 },
  { stream: true },
  { response_format: { type: "text" } },
  { textFormat: {} },
  { response_schema: {} },
  { responseMimeType: "text/plain" },
  { system: "s" },
  { instructions: "q".repeat(3000) },
  { systemInstruction: "s" },
  { fallbacks: "default" },
  { options: { num_predict: 5 } },
  { generationConfig: { maxOutputTokens: 5 } },
  { extra_body: { n: 5 } }
]

describe("what the engine decides", () => {
  it("cannot be said again, under any name", () => {
    for (const options of overriding) {
      const [name = ""] = Object.keys(options)
      assert.include(optionProblem(options) ?? "", `providerOptions.${name}`)
    }
  })

  it("what is not of it passes, also where its inside has such a name", () => {
    for (const options of [
      undefined,
      {},
      { workflow: { model: "opus" }, metadata: { model: "x", n: 1 } },
      { reasoningEffort: "high", top_k: 3, store: true, thinking: { type: "enabled", budgetTokens: 5 } },
      { maxToolCalls: 2, num_ctx: 4096, service_tier: "flex" }
    ]) {
      assert.isUndefined(optionProblem(options))
    }
  })

  for (const provider of providers) {
    it.live(`is refused before anything is sent to ${provider}`, () =>
      Effect.gen(function* () {
        const server = yield* serveFault(refused)
        const binding = bindingAt(provider, server.url)
        for (const providerOptions of overriding) {
          for (const result of [
            yield* runBound([binding], { ...input, providerOptions }),
            yield* runWithGuards(binding.adapter, { ...input, providerOptions })
          ]) {
            if (result.ok) return assert.fail("it must be refused")
            assert.deepInclude(result.error, { code: "invalid_input", retryable: false })
            assert.include(result.error.message, `providerOptions.${Object.keys(providerOptions)[0]}`)
            assert.strictEqual(result.attempts, 0)
            assert.strictEqual(result.costUsd, 0)
          }
        }
        assert.strictEqual(server.requests.length, 0)
      }).pipe(Effect.provide(guards))
    )
  }

  it.effect("is refused by the adapters that reach no provider, too", () =>
    Effect.gen(function* () {
      for (const adapter of [makeOfflineAdapter(), makeHumanAdapter()]) {
        const result = yield* runWithGuards(adapter, { ...input, providerOptions: { n: 2 } })
        assert.isTrue(!result.ok && result.error.code === "invalid_input" && result.attempts === 0)
      }
    }).pipe(Effect.provide(guards))
  )
})

describe("under a cost bound", () => {
  const dearer = [
    { service_tier: "priority" },
    { serviceTier: "flex" },
    { serviceTier: "auto" },
    { speed: "fast" },
    { inferenceGeo: "us" },
    { cacheControl: { type: "ephemeral", ttl: "1h" } },
    { cachedContent: "cachedContents/1" },
    { previousResponseId: "resp_1" },
    { prediction: { type: "content", content: "x" } },
    { mcpServers: [] },
    { web_search_options: {} },
    { plugins: [{ id: "web" }] },
    { thinking: { type: "enabled", budget_tokens: "60000" } },
    { reasoning: { inner: { max_tokens: 60_000 } } },
    { something_new: 1 }
  ]

  it("what may raise the cost is named, what cannot passes", () => {
    for (const options of dearer) {
      assert.include(costProblem(options) ?? "", `providerOptions.${Object.keys(options)[0]}`)
    }
    assert.isUndefined(
      costProblem({
        api: "chat",
        structuredOutputs: false,
        workflow: { model: "opus", isolation: "worktree" },
        reasoningEffort: "high",
        thinking: { type: "enabled", budgetTokens: 5 },
        thinkingConfig: { thinkingBudget: 5, includeThoughts: true },
        serviceTier: "default",
        top_p: 0.5,
        seed: 1,
        stop: ["x"],
        user: "u"
      })
    )
  })

  it.live(
    "it is refused before anything is sent, and without a bound it is sent and its cost is not known",
    () =>
      Effect.gen(function* () {
        const answer = {
          choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 3, completion_tokens: 2 }
        }
        const server = yield* serveFault({
          ...refused,
          status: 200,
          body: new TextEncoder().encode(JSON.stringify(answer))
        })
        const chain = [bindingAt("openai-compatible", server.url)]
        for (const providerOptions of dearer) {
          const result = yield* runBound(chain, { ...input, providerOptions }, { bounded: true })
          assert.isTrue(!result.ok && result.error.code === "invalid_input" && result.attempts === 0)
        }
        assert.strictEqual(server.requests.length, 0)
        const unbound = yield* runBound(chain, { ...input, providerOptions: { service_tier: "priority" } })
        assert.isTrue(unbound.ok)
        assert.notProperty(unbound, "costUsd")
        const plain = yield* runBound(chain, { ...input, providerOptions: { top_k: 3 } })
        assert.closeTo(plain.costUsd ?? -1, (3 * 3 + 2 * 15) / 1e6, 1e-15)
      }).pipe(Effect.provide(guards))
  )

  it.live("a package that would send again on its own sends once", () =>
    Effect.gen(function* () {
      const cut = {
        candidates: [
          {
            content: { role: "model", parts: [{ text: "the first half" }] },
            finishReason: "CONTINUATION",
            continuationToken: "more"
          }
        ],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 3, totalTokenCount: 7 }
      }
      const server = yield* serveFault({
        ...refused,
        status: 200,
        body: new TextEncoder().encode(JSON.stringify(cut))
      })
      const result = yield* runBound(
        [bindingAt("google", server.url)],
        { ...input, timeoutMs: 2000 },
        { bounded: true, maxAttempts: 1 }
      )
      assert.strictEqual(server.requests.length, 1)
      assert.deepInclude(result, { ok: true, text: "the first half", finishReason: "length", attempts: 1 })
      assert.closeTo(result.costUsd ?? -1, (4 * 3 + 3 * 15) / 1e6, 1e-15)
    }).pipe(Effect.provide(guards))
  )

  it("thinking budgets are output, and every byte of the options is input", () => {
    const binding = bindingAt("anthropic", "http://127.0.0.1:1")
    const options = [
      [{ thinking: { type: "enabled", budgetTokens: 60_000 } }, 60_000],
      [{ thinking: { type: "enabled" } }, 1024],
      [{ thinking: { type: "adaptive" } }, 0],
      [{ thinkingConfig: { thinkingBudget: 500 } }, 500],
      [{ thinkingConfig: { thinkingBudget: -1 } }, 0],
      [{ reasoning: { max_tokens: 70 } }, 70]
    ] as const
    for (const [providerOptions, tokens] of options) {
      const asked = { ...input, providerOptions }
      assert.strictEqual(thinkingTokens(providerOptions), tokens)
      assert.strictEqual(outputBound(binding, asked), 10 + tokens)
      const bytes = utf8Bytes(JSON.stringify(providerOptions))
      assert.strictEqual(inputBound(asked), inputBound(input) + bytes)
      assert.closeTo(
        (reserveUsd(binding, asked) ?? 0) - (reserveUsd(binding, input) ?? 0),
        (tokens * 15 + bytes * 3) / 1e6,
        1e-12
      )
    }
  })

  for (const provider of providers) {
    it.live(`${provider} is sent no greater output bound than what was reserved for`, () =>
      Effect.gen(function* () {
        const server = yield* serveFault(refused)
        const binding = bindingAt(provider, server.url)
        const providerOptions = {
          thinking: { type: "enabled", budgetTokens: 60_000 },
          thinkingConfig: { thinkingBudget: 60_000 }
        }
        const { maxOutputTokens: _, ...unsaid } = input
        for (const asked of [input, unsaid])
          yield* runBound([binding], { ...asked, providerOptions }, { bounded: true })
        yield* Deferred.await(server.received)
        const bounds = server.requests.map(({ body }) => {
          const sent = JSON.parse(body)
          return sent.max_tokens ?? sent.max_output_tokens ?? sent.generationConfig?.maxOutputTokens
        })
        assert.lengthOf(bounds, 2)
        assert.isAtMost(bounds[0], outputBound(binding, { ...input, providerOptions }))
        assert.isAtMost(bounds[1], outputBound(binding, { ...unsaid, providerOptions }))
      }).pipe(Effect.provide(guards))
    )
  }
})
