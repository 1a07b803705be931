// The whole waist over real sockets: configuration, registry, adapter, guards. For each HTTP adapter: a good answer, a
// structured one with repair, a limit with a hint, an outage, an abort; and what really went over the wire.
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Layer } from "effect"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { layerConfigured } from "../../src/adapters/registry/ConfiguredRegistry.ts"
import { Guards, type GuardsOptions } from "../../src/adapters/guard/Guards.ts"
import { type BoundOptions, runBound } from "../../src/adapters/guard/runBound.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { type Kind, type ProviderServer, providerServer, type Turn } from "../support/ProviderServer.ts"

const models: Readonly<Record<Kind, string>> = {
  anthropic: "claude-sonnet-4-5",
  openai: "gpt-4o",
  google: "gemini-2.5-pro",
  "openai-compatible": "local"
}
const key = ["k", "0123456789abcdef0123456789abcdef"].join("-")
const env = {
  ANTHROPIC_API_KEY: key,
  OPENAI_API_KEY: key,
  GOOGLE_GENERATIVE_AI_API_KEY: key
}
const input = { prompt: "What is it?", model: "" }
const schema = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false
}

/** A chain to a server that answers by the script, and a waist around it. */
const against = <A, E>(
  kind: Kind,
  turns: ReadonlyArray<Turn>,
  use: (
    call: (
      given?: object,
      options?: BoundOptions
    ) => Effect.Effect<import("../../src/domain/ModelRun.ts").ModelRunResult>,
    server: ProviderServer
  ) => Effect.Effect<A, E>,
  options: GuardsOptions = {}
) =>
  Effect.gen(function* () {
    const server = yield* providerServer(kind, turns)
    const defaultModel = `${kind}:${models[kind]}`
    const registry = layerConfigured({ defaultModel, baseUrl: server.url }).pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
    )
    const guards = Guards.layer({ retry: { baseMs: 1, maxMs: 2 }, ...options }).pipe(
      Layer.provide(IdFactory.layerCounter)
    )
    const context = yield* Layer.build(Layer.merge(registry, guards))
    const chain = yield* AdapterRegistry.use(({ bind }) => bind(defaultModel)).pipe(Effect.provide(context))
    const call = (given: object = {}, more: BoundOptions = {}) =>
      runBound(chain, { ...input, ...given }, more).pipe(Effect.provide(context))
    return yield* use(call, server)
  }).pipe(Effect.scoped)

for (const kind of ["anthropic", "openai", "google", "openai-compatible"] as const) {
  const priced = kind !== "openai-compatible"
  describe(kind, () => {
    it.live("a good answer comes with usage, and with a cost where there is a price", () =>
      against(kind, [{ text: "a lamp" }], (call, server) =>
        Effect.gen(function* () {
          const result = yield* call()
          assert.deepInclude(result, {
            ok: true,
            adapterId: kind,
            modelId: models[kind],
            text: "a lamp",
            attempts: 1
          })
          assert.isTrue(result.usage?.inputTokens === 11 && result.usage.outputTokens === 7)
          assert.strictEqual(result.costUsd !== undefined && result.costUsd > 0, priced)
          assert.lengthOf(server.requests, 1)
          assert.include(server.requests[0], input.prompt)
        })
      )
    )

    it.live("a wrong structured answer is repaired by one more request that shows it", () =>
      against(kind, [{ text: '{"n":"one"}' }, { text: '{"n":1}' }], (call, server) =>
        Effect.gen(function* () {
          const result = yield* call({ schema })
          assert.deepInclude(result, { ok: true, output: { n: 1 }, repairs: 1, attempts: 2 })
          assert.strictEqual(result.usage?.inputTokens, 22)
          assert.lengthOf(server.requests, 2)
          assert.include(server.requests[1], '{\\"n\\":\\"one\\"}')
        })
      )
    )

    it.live("a limit with a hint is waited for, then answered", () =>
      against(
        kind,
        [
          { status: 429, headers: { "retry-after-ms": "40" }, text: '{"error":{"message":"slow down"}}' },
          { text: "yes" }
        ],
        (call, server) =>
          Effect.gen(function* () {
            const result = yield* call()
            assert.deepInclude(result, { ok: true, text: "yes", attempts: 2 })
            assert.isAtLeast(result.durationMs, 40)
            // A refusal is not billed: what the good answer cost is what the call cost.
            assert.strictEqual(result.costUsd !== undefined, priced)
            assert.lengthOf(server.requests, 2)
          })
      )
    )

    it.live("an outage under a fan-out of 1,000 costs at most concurrency + 4 requests", () =>
      against(kind, [{ status: 503, text: '{"error":{"message":"down"}}' }], (call, server) =>
        Effect.gen(function* () {
          const results = yield* Effect.forEach(Array.from({ length: 1_000 }), () => call(), {
            concurrency: 10
          })
          assert.isTrue(results.every((result) => !result.ok))
          assert.isAtMost(server.requests.length, 14)
          const refused = results.filter((result) => !result.ok && result.error.code === "circuit_open")
          assert.isAtLeast(refused.length, 985)
        })
      )
    )

    it.live("an abort reaches the wire, and the result says cancelled", () =>
      against(kind, [{ text: "", hang: true }], (call, server) =>
        Effect.gen(function* () {
          const controller = new AbortController()
          const fiber = yield* Effect.forkChild(call({}, { signal: controller.signal }))
          yield* Deferred.await(server.received)
          controller.abort()
          const result = yield* Fiber.join(fiber)
          yield* Deferred.await(server.closedByClient)
          assert.deepInclude(result, { ok: false, status: "cancelled", attempts: 1 })
          assert.notProperty(result, "costUsd")
        })
      )
    )

    it.live("no key is in any result, whatever the server echoes", () =>
      against(
        kind,
        [{ status: 401, text: `{"error":{"message":"Incorrect API key provided: ${key}"}}` }],
        (call) =>
          Effect.gen(function* () {
            const result = yield* call()
            assert.isTrue(!result.ok && result.error.code === "auth")
            assert.notInclude(JSON.stringify(result), key)
            assert.notInclude(JSON.stringify(result), key.slice(-16))
          })
      )
    )
  })
}
