// Faults of the network that the shared cases do not hold, from real sockets: what they mean, that one attempt is
// one request, and that interruption reaches the wire of every provider.
import { assert, describe, it, vi } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import dns from "node:dns"
import { gzipSync } from "node:zlib"
import { type AiSdkOptions, makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"
import { breakerOutcome, type ModelError } from "../../../src/domain/ModelError.ts"
import { type Script, serveFault } from "../../support/FaultServer.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const whole = JSON.stringify({ model: "m", choices: [{ finish_reason: "stop", message: { content: "ok" } }] })
const half = bytes(whole.slice(0, 40))
const json = { "content-type": "application/json" }

const adapter = (baseUrl: string, provider: AiSdkOptions["provider"] = "openai-compatible") =>
  makeAiSdkAdapter({ provider, id: provider, apiKey: Redacted.make("sk-test-0123456789"), baseUrl })

const input = { prompt: "hi", model: "m" }

const read = (error: ModelError) => [error.code, error.retryable, error.breaker ?? breakerOutcome(error.code)]

const faults: ReadonlyArray<readonly [string, Script, ReadonlyArray<unknown>]> = [
  [
    "a reset in the body",
    { status: 200, headers: json, body: half, fault: "reset-mid-body" },
    ["network", true, "failure"]
  ],
  [
    "a body shorter than said",
    { status: 200, headers: json, body: half, fault: "short-body" },
    ["network", true, "failure"]
  ],
  [
    "a cut body that ends with the connection",
    { status: 200, headers: json, body: half, fault: "close-delimited-truncated" },
    ["invalid_response", true, "failure"]
  ],
  [
    "a close before any header",
    { status: 200, headers: json, body: half, fault: "close-before-headers" },
    ["network", true, "failure"]
  ],
  [
    "bytes that are not HTTP",
    { status: 200, headers: json, body: half, fault: "garbage-bytes" },
    ["network", false, "neutral"]
  ],
  [
    "a redirect, which is not followed",
    { status: 307, headers: { location: "https://elsewhere.test/" }, body: bytes("") },
    ["client_error", false, "neutral"]
  ],
  [
    "a proxy that wants a login",
    { status: 407, headers: {}, body: bytes("") },
    ["client_error", false, "neutral"]
  ],
  [
    "a gzip body cut in the middle",
    { status: 200, headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(whole).subarray(0, 30) },
    ["invalid_response", true, "failure"]
  ]
]

describe("faults of the network", () => {
  for (const [what, script, expected] of faults) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const server = yield* serveFault(script)
        const error = yield* Effect.flip(adapter(`${server.url}/v1`).attempt(input))
        assert.deepStrictEqual(read(error), expected, error.message)
        assert.strictEqual(server.requests.length, 1)
      })
    )
  }

  it.effect("TLS spoken to a peer without it", () =>
    Effect.gen(function* () {
      const server = yield* serveFault({ status: 200, headers: json, body: bytes(whole) })
      const error = yield* Effect.flip(adapter(`${server.url.replace("http:", "https:")}/v1`).attempt(input))
      assert.deepStrictEqual(read(error), ["network", false, "neutral"], error.message)
    })
  )

  it.effect("a resolver that is down for a moment", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          vi.spyOn(dns, "lookup").mockImplementation((...args: ReadonlyArray<unknown>) => {
            const callback = args.at(-1)
            if (typeof callback === "function") {
              queueMicrotask(() =>
                callback(Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }))
              )
            }
          })
        ),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const error = yield* Effect.flip(adapter("http://provider.test/v1").attempt(input))
      assert.deepStrictEqual(read(error), ["network", true, "failure"])
    })
  )

  it.effect("base URLs that no request can be built from", () =>
    Effect.gen(function* () {
      for (const url of [
        "not a url",
        "http://user:sk-in-the-url-0123456789@127.0.0.1/v1",
        "ftp://127.0.0.1/v1"
      ]) {
        const error = yield* Effect.flip(adapter(url).attempt(input))
        assert.deepStrictEqual(read(error), ["invalid_input", false, "neutral"], `${url}: ${error.message}`)
        assert.notInclude(error.message, "sk-in-the-url")
      }
    })
  )

  it.effect("a missing key or base URL fails before anything is sent", () =>
    Effect.gen(function* () {
      for (const provider of ["anthropic", "openai", "google"] as const) {
        const keyless = makeAiSdkAdapter({
          provider,
          id: provider,
          apiKey: undefined,
          baseUrl: "http://127.0.0.1:1"
        })
        assert.strictEqual((yield* Effect.flip(keyless.attempt(input))).code, "auth")
      }
      const homeless = makeAiSdkAdapter({
        provider: "openai-compatible",
        id: "x",
        apiKey: undefined,
        baseUrl: undefined
      })
      assert.strictEqual((yield* Effect.flip(homeless.attempt(input))).code, "invalid_input")
    })
  )
})

describe("interruption reaches the wire", () => {
  for (const provider of ["openai-compatible", "openai", "anthropic", "google"] as const) {
    for (const fault of ["hang-before-headers", "hang-mid-body"] as const) {
      it.effect(`${provider}, ${fault}`, () =>
        Effect.gen(function* () {
          const server = yield* serveFault({ status: 200, headers: json, body: half, fault })
          const fiber = yield* Effect.forkChild(adapter(`${server.url}/v1`, provider).attempt(input))
          yield* Deferred.await(server.received)
          yield* Fiber.interrupt(fiber)
          // The peer sees the connection close; nothing is left that would still be billed.
          yield* Deferred.await(server.closedByClient)
        })
      )
    }
  }
})

describe("what is sent", () => {
  it.effect(
    "system, prompt, sampling, schema and custom headers, with the key where the provider wants it",
    () =>
      Effect.gen(function* () {
        const server = yield* serveFault({ status: 200, headers: json, body: bytes(whole) })
        const asked = makeAiSdkAdapter({
          provider: "openai-compatible",
          id: "x",
          apiKey: Redacted.make("sk-test-0123456789"),
          baseUrl: `${server.url}/v1`,
          headers: { "x-team": Redacted.make("blue") }
        })
        yield* asked.attempt({
          ...input,
          system: "be brief",
          temperature: 0.5,
          maxOutputTokens: 7,
          schema: { type: "object", properties: { a: { type: "string" } } },
          providerOptions: { top_k: 3, workflow: { model: "opus" }, alembic: { x: "0123" } }
        })
        const request = yield* Deferred.await(server.received)
        assert.match(request.head, /^POST \/v1\/chat\/completions /)
        assert.match(request.head, /authorization: Bearer sk-test-0123456789/i)
        assert.match(request.head, /x-team: blue/i)
        const sent = JSON.parse(request.body)
        assert.doesNotHaveAnyKeys(sent, ["workflow", "alembic"])
        assert.deepInclude(sent, { model: "m", max_tokens: 7, temperature: 0.5, top_k: 3 })
        assert.deepStrictEqual(
          sent.messages.map((message: { readonly role: string }) => message.role),
          ["system", "user"]
        )
        assert.strictEqual(sent.response_format.type, "json_schema")
        // The schema is open, which strict mode does not take.
        assert.strictEqual(sent.response_format.json_schema.strict, false)
      })
  )

  it.effect("no key where none is configured for a compatible server", () =>
    Effect.gen(function* () {
      const server = yield* serveFault({ status: 200, headers: json, body: bytes(whole) })
      yield* makeAiSdkAdapter({
        provider: "openai-compatible",
        id: "x",
        apiKey: undefined,
        baseUrl: `${server.url}/v1`
      }).attempt(input)
      assert.notMatch((yield* Deferred.await(server.received)).head, /authorization/i)
    })
  )

  it.effect("the schema in words where native mode is switched off", () =>
    Effect.gen(function* () {
      const server = yield* serveFault({ status: 200, headers: json, body: bytes(whole) })
      yield* adapter(`${server.url}/v1`).attempt({
        ...input,
        schema: { type: "object", required: ["a"] },
        providerOptions: { structuredOutputs: false }
      })
      const sent = JSON.parse((yield* Deferred.await(server.received)).body)
      assert.notProperty(sent, "response_format")
      assert.include(JSON.stringify(sent.messages), "required")
    })
  )
})
