// 200 planted keys in API keys, custom headers and base URLs, echoed by a real peer or a real child: none of them is
// in the `ModelError` that comes out.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import type { ModelError } from "../../../src/domain/ModelError.ts"
import { makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"
import { makeCommandAdapter } from "../../../src/adapters/providers/command.ts"
import { serveFault } from "../../support/FaultServer.ts"
import { comebacks, pieceLeft, plantedKeys } from "../../support/plantedKeys.ts"

const tool = fileURLToPath(new URL("../../support/fakeTool.mjs", import.meta.url))
const providers = ["openai-compatible", "openai", "anthropic", "google"] as const
const ways = Object.values(comebacks)
const input = { prompt: "hi", model: "m" }

const assertClean = (error: ModelError, key: string) => {
  const shown = JSON.stringify({ ...error, message: error.message })
  assert.isUndefined(pieceLeft(shown, key), shown)
  assert.isUndefined(pieceLeft(String(error), key), String(error))
}

const reply = (key: string, index: number) => ({
  status: [400, 401, 429, 500, 200][index % 5] ?? 400,
  headers: { "content-type": "application/json", "x-request-id": encodeURIComponent(key) },
  body: new TextEncoder().encode(
    JSON.stringify({
      error: { message: (ways[index % ways.length] ?? String)(key), type: "invalid_request_error", code: key }
    })
  )
})

describe("planted keys", () => {
  it.effect("as API keys and in custom headers of every HTTP provider", () =>
    Effect.forEach(
      plantedKeys,
      (key, index) =>
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* serveFault(reply(key, index))
            const provider = providers[index % providers.length] ?? "openai"
            const inHeader = index % 3 === 0
            const adapter = makeAiSdkAdapter({
              provider,
              id: provider,
              apiKey: Redacted.make(inHeader ? "another-key-0123456789" : key),
              baseUrl: `${server.url}/v1`,
              ...(inHeader && { headers: { "x-gateway-key": Redacted.make(key) } })
            })
            const error = yield* Effect.flip(adapter.attempt(input))
            // A key that ends in a newline is refused before it is sent.
            assert.strictEqual(error.code === "invalid_input", key.endsWith("\n"), error.message)
            assert.strictEqual(server.requests.length, key.endsWith("\n") ? 0 : 1)
            assertClean(error, key)
          })
        ),
      { concurrency: 8, discard: true }
    )
  )

  it.effect("in base URLs", () =>
    Effect.forEach(
      plantedKeys,
      (key, index) =>
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* serveFault(reply(key, index))
            const encoded = encodeURIComponent(key)
            const baseUrl =
              index % 2 === 0
                ? `${server.url.replace("//", `//user:${encoded}@`)}/v1`
                : `${server.url}/v1?api_key=${encoded}`
            const adapter = makeAiSdkAdapter({
              provider: "openai-compatible",
              id: "x",
              apiKey: undefined,
              baseUrl
            })
            assertClean(yield* Effect.flip(adapter.attempt(input)), key)
          })
        ),
      { concurrency: 8, discard: true }
    )
  )

  it.effect("on the output of a child, which got them in its environment or by configuration", () =>
    Effect.forEach(
      plantedKeys.filter((_, index) => index % 5 === 0),
      (key, index) =>
        Effect.gen(function* () {
          const text = ways.map((way) => way(key)).join("\n")
          const script = { stdout: index % 2 === 0 ? text : "", stderr: text, exitCode: 1 }
          const told = {
            ...script,
            stdout: Buffer.from(script.stdout).toString("base64"),
            stderr: Buffer.from(script.stderr).toString("base64")
          }
          const adapter = makeCommandAdapter({
            id: "command:tool",
            spec: {
              argv: [process.execPath, tool, Buffer.from(JSON.stringify(told)).toString("base64")],
              reads: "claude",
              ...(index % 2 === 0 && { env: { SOME_API_KEY: key } })
            },
            ...(index % 2 === 1 && { secrets: [Redacted.make(key)] })
          })
          const error = yield* Effect.flip(adapter.attempt(input))
          assert.property(error.detail, "stderr")
          assertClean(error, key)
        }),
      { concurrency: 4, discard: true }
    )
  )
})
