// Presets: models of known servers by name, without an alembic.json; what somebody meant who wrote a name otherwise; and
// a server that takes no JSON Schema.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Schema } from "effect"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { layerConfigured, type RegistryOptions } from "../../../src/adapters/registry/ConfiguredRegistry.ts"
import { presets } from "../../../src/adapters/registry/presets.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { runBound } from "../../../src/adapters/guard/runBound.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"

type Env = Readonly<Record<string, string>>

const bind = (reference: string, env: Env = {}, options: RegistryOptions = {}) =>
  AdapterRegistry.use((registry) => registry.bind(reference)).pipe(
    Effect.provide(
      layerConfigured(options).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
    )
  )

const key = ["sk", "test", "0123456789abcdef"].join("-")

describe("presets", () => {
  it.effect("are bound by name: local ones without a key and for nothing, others by their own key", () =>
    Effect.gen(function* () {
      for (const [id, { keyVariable, local }] of Object.entries(presets)) {
        const [link] = yield* bind(`${id}:some/model:3b`, local ? {} : { [keyVariable]: key })
        assert.strictEqual(link?.adapter.id, id)
        assert.strictEqual(link?.modelId, "some/model:3b")
        if (local) assert.strictEqual(link?.price?.inputUsdPerMillion, 0)
        if (!local) {
          const refused = yield* Effect.flip(bind(`${id}:m`))
          assert.strictEqual(refused.code, "auth")
          assert.include(refused.cure, keyVariable)
        }
      }
    })
  )

  it.effect("a local one that is reached elsewhere is free no more", () =>
    Effect.gen(function* () {
      const [link] = yield* bind("ollama:m", { OLLAMA_BASE_URL: "https://models.example.com/v1" })
      assert.isUndefined(link?.price)
    })
  )

  it.effect("a provider of that name in alembic.json goes before", () =>
    Effect.gen(function* () {
      const config = {
        providers: { groq: { kind: "openai-compatible" as const, baseUrl: "http://localhost:1/v1" } }
      }
      const [link] = yield* bind("groq:m", {}, { config })
      assert.strictEqual(link?.adapter.id, "groq")
    })
  )

  it.effect("Google's key is read by its other usual names", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* bind("google:gemini-2.5-flash", { GEMINI_API_KEY: key })).length, 1)
    })
  )

  it.effect("says what was meant by another tool's way to write a model", () =>
    Effect.gen(function* () {
      const meant = (text: string) => Effect.map(Effect.flip(bind(text)), ({ cure }) => cure)
      assert.match(yield* meant("anthropic/claude-sonnet-4-5"), /^did you mean anthropic:claude-sonnet-4-5\?/)
      assert.match(yield* meant("gpt-5"), /^did you mean openai:gpt-5\?/)
      assert.match(yield* meant("llama3.2"), /^did you mean ollama:llama3\.2\?/)
      assert.match(yield* meant("who"), /^name one of: /)
    })
  )
})

const Asked = Schema.fromJsonString(
  Schema.Struct({
    response_format: Schema.optionalKey(Schema.Json),
    messages: Schema.Array(Schema.Struct({ content: Schema.Json }))
  })
)
const decodeAsked = Schema.decodeUnknownOption(Asked)

/** A server that knows no `json_schema`, as some do. */
const oldServer = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly seen: Array<typeof Asked.Type>
    readonly stop: () => void
  }>((resume) => {
    const seen: Array<typeof Asked.Type> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const asked = Option.getOrThrow(decodeAsked(Buffer.concat(chunks).toString("utf8")))
        seen.push(asked)
        const refuses = asked.response_format !== undefined
        response.writeHead(refuses ? 400 : 200, { "content-type": "application/json" })
        response.end(
          JSON.stringify(
            refuses
              ? { error: { message: "response_format type json_schema is not supported" } }
              : { model: "m", choices: [{ finish_reason: "stop", message: { content: '{"a":1}' } }] }
          )
        )
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address: AddressInfo | string | null = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/v1`, seen, stop: () => server.close() }))
    })
  }),
  ({ stop }) => Effect.sync(stop)
)

describe("a server that takes no JSON Schema", () => {
  it.live("is asked once more with the schema in the prompt, and from then on so at once", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* oldServer
      const links = yield* bind("vllm:m", { VLLM_BASE_URL: url })
      const input = {
        prompt: "p",
        model: "m",
        schema: { type: "object", properties: { a: { type: "integer" } } }
      }
      const guards = Guards.layer({ retry: { baseMs: 1 } }).pipe(Layer.provide(IdFactory.layerMonotonic))
      const first = yield* runBound(links, input).pipe(Effect.provide(guards))
      assert.deepInclude(first, { ok: true, output: { a: 1 }, attempts: 2 })
      assert.strictEqual(seen.length, 2)
      assert.include(JSON.stringify(seen[1]?.messages), "integer")
      const second = yield* runBound(links, input).pipe(Effect.provide(guards))
      assert.deepInclude(second, { ok: true, attempts: 1 })
      assert.strictEqual(seen.length, 3)
    })
  )
})
