// The real adapters under the real spine: deadlines and aborts that reach the wire and the child, hints that are
// waited for, and requests that are not sent again when it would not help. Counted at the peer.
import { LLMock } from "@copilotkit/aimock"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { type AiSdkOptions, makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"
import { makeCommandAdapter } from "../../../src/adapters/providers/command.ts"
import { loadProvider } from "../../../src/adapters/providers/sdkModels.ts"
import { runWithGuards } from "../../../src/adapters/guard/runWithGuards.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"
import { serveFault } from "../../support/FaultServer.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))
const json = { "content-type": "application/json" }
const bytes = (text: string) => new TextEncoder().encode(text)

const adapterAt = (baseUrl: string, provider: AiSdkOptions["provider"] = "openai-compatible") =>
  makeAiSdkAdapter({ provider, id: provider, apiKey: Redacted.make("sk-test-0123456789"), baseUrl })

const input = { prompt: "a question", model: "m" }

const startMock = Effect.acquireRelease(
  Effect.promise(async () => {
    const mock = new LLMock({ port: 0, logLevel: "silent" })
    mock.onMessage("a question", { content: "an answer" })
    await mock.start()
    return mock
  }),
  (mock) => Effect.promise(() => mock.stop())
)

// The time limits below are about the wire, not about how long a package takes to load.
beforeAll(async () => {
  await loadProvider("openai-compatible")
})

describe("under the spine", () => {
  for (const fault of ["hang-before-headers", "hang-mid-body"] as const) {
    it.live(`the time limit covers the whole exchange and closes the connection (${fault})`, () =>
      Effect.gen(function* () {
        const server = yield* serveFault({ status: 200, headers: json, body: bytes('{"choices":['), fault })
        const result = yield* runWithGuards(
          adapterAt(`${server.url}/v1`),
          { ...input, timeoutMs: 1500 },
          { maxAttempts: 1 }
        )
        assert.isFalse(result.ok)
        if (!result.ok) assert.deepInclude(result.error, { code: "timeout", retryable: true })
        yield* Deferred.await(server.closedByClient)
      }).pipe(Effect.provide(guards))
    )
  }

  it.live("an aborted signal is cancelled, and the connection is closed", () =>
    Effect.gen(function* () {
      const server = yield* serveFault({
        status: 200,
        headers: json,
        body: bytes(""),
        fault: "hang-before-headers"
      })
      const controller = new AbortController()
      const fiber = yield* Effect.forkChild(
        runWithGuards(adapterAt(`${server.url}/v1`), input, { signal: controller.signal })
      )
      yield* Deferred.await(server.received)
      controller.abort()
      const result = yield* Fiber.join(fiber)
      assert.isTrue(!result.ok && result.error.code === "cancelled" && result.status === "cancelled")
      yield* Deferred.await(server.closedByClient)
    }).pipe(Effect.provide(guards))
  )

  for (const [provider, base] of [
    ["openai-compatible", "/v1"],
    ["openai", "/v1"],
    ["anthropic", "/v1"],
    ["google", "/v1beta"]
  ] as const) {
    it.live(`${provider}: an outage is tried again and recovers; a spent quota is not`, () =>
      Effect.gen(function* () {
        const mock = yield* startMock
        const adapter = adapterAt(`${mock.url}${base}`, provider)
        mock.nextRequestError(503, { message: "down", type: "server_error" })
        const recovered = yield* runWithGuards(adapter, input)
        assert.isTrue(
          recovered.ok && recovered.text === "an answer" && recovered.attempts === 2,
          JSON.stringify(recovered)
        )
        mock.clearRequests()
        mock.nextRequestError(429, {
          message: "No credit.",
          type: "insufficient_quota",
          code: "insufficient_quota"
        })
        const spent = yield* runWithGuards(adapter, input)
        // Gemini's envelope has no place for the code; its 429 without one is a rate limit.
        if (provider !== "google" && provider !== "anthropic") {
          assert.isTrue(
            !spent.ok && spent.error.code === "quota_exhausted" && spent.attempts === 1,
            JSON.stringify(spent)
          )
          assert.strictEqual(mock.getRequests().length, 1)
        }
      }).pipe(Effect.provide(guards))
    )
  }

  it.live("a hint beyond its budget is not waited for, and one request is sent", () =>
    Effect.gen(function* () {
      const server = yield* serveFault({
        status: 429,
        headers: { ...json, "retry-after": "600" },
        body: bytes("{}")
      })
      const result = yield* runWithGuards(adapterAt(`${server.url}/v1`), input)
      assert.isTrue(!result.ok && result.error.retryAfterMs === 600_000)
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(guards))
  )

  it.live("a hint within it is waited for, at least", () =>
    Effect.gen(function* () {
      const server = yield* serveFault({
        status: 429,
        headers: { ...json, "retry-after-ms": "60" },
        body: bytes("{}")
      })
      const result = yield* runWithGuards(adapterAt(`${server.url}/v1`), input, { maxAttempts: 2 })
      assert.strictEqual(result.attempts, 2)
      assert.strictEqual(server.requests.length, 2)
      assert.isAtLeast(result.durationMs, 60)
    }).pipe(Effect.provide(guards))
  )

  it.live("a child that hangs is ended at the time limit", () =>
    Effect.gen(function* () {
      const tool = fileURLToPath(new URL("../../support/fakeTool.mjs", import.meta.url))
      const script = Buffer.from(JSON.stringify({ fault: "hang" })).toString("base64")
      const adapter = makeCommandAdapter({
        id: "command:tool",
        spec: { argv: [process.execPath, tool, script], reads: "text" }
      })
      const result = yield* runWithGuards(adapter, { ...input, timeoutMs: 300 }, { maxAttempts: 1 })
      assert.isTrue(!result.ok && result.error.code === "timeout")
    }).pipe(Effect.provide(guards))
  )
})
