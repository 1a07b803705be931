// No known key leaves the waist in an answer: 200 planted keys, echoed by real peers in every place of a good answer,
// and answers that hold none stay as they are, to the last white space.
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { layerConfigured } from "../../../src/adapters/registry/ConfiguredRegistry.ts"
import { makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"
import { makeRedactor } from "../../../src/adapters/redact/redactAnswer.ts"
import { hideWhole } from "../../../src/adapters/redact/redact.ts"
import { serveFault } from "../../support/FaultServer.ts"
import { comebacks, plantedKeys } from "../../support/plantedKeys.ts"

const json = { "content-type": "application/json" }
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const chat = (content: string, more: object = {}, finish = "stop") => ({
  model: "m",
  ...more,
  choices: [{ message: { role: "assistant", content }, finish_reason: finish }],
  usage: { prompt_tokens: 3, completion_tokens: 2 }
})
const input = { prompt: "hi", model: "m" }

const answerOf = (key: string, body: unknown) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serveFault({ status: 200, headers: json, body: bytes(body) })
      return yield* Effect.result(
        makeAiSdkAdapter({
          provider: "openai-compatible",
          id: "x",
          apiKey: Redacted.make(key),
          baseUrl: `${server.url}/v1`
        }).attempt(input)
      )
    })
  )

describe("known keys", () => {
  // One that ends in a newline is refused before it is sent.
  const keys = plantedKeys.filter((key) => !key.endsWith("\n"))

  it.effect("are not in text, finish reason and model of an answer", () =>
    Effect.forEach(
      keys.filter((_, index) => index % 4 === 0),
      (key, index) =>
        Effect.gen(function* () {
          const way = Object.values(comebacks)[index % Object.keys(comebacks).length] ?? String
          const read = yield* answerOf(key, chat(`the key: ${key}`, { model: way(key) }, key))
          const shown = JSON.stringify(read)
          assert.include(shown, "the key: [redacted]")
          assert.notInclude(shown, JSON.stringify(key).slice(1, -1))
          assert.notInclude(shown, Buffer.from(key).toString("base64").slice(0, -4))
        }),
      { concurrency: 4, discard: true }
    )
  )

  it.effect("are not in what a failed answer tells of itself", () =>
    Effect.gen(function* () {
      const key = "planted-0123456789abcdef"
      for (const body of [
        chat("", {}, key),
        { candidates: [{ finishReason: `MALFORMED_${key}` }] },
        { promptFeedback: { blockReason: key } }
      ]) {
        const shown = JSON.stringify(yield* answerOf(key, body))
        assert.include(shown, "[redacted]")
        assert.notInclude(shown, key)
      }
    })
  )

  it("are hidden whole in every shape, in output and raw too", () => {
    const { success } = makeRedactor(["planted-0123456789abcdef"])
    const key = "planted-0123456789abcdef"
    const clean = success({
      text: `${encodeURIComponent(key)} ${Buffer.from(`user:${key}`).toString("base64")}`,
      finishReason: "stop",
      output: { [key]: [key, 1, null, { a: `x${key}y` }] },
      raw: { headers: { authorization: `Bearer ${key}` } }
    })
    assert.deepStrictEqual(clean.output, { "[redacted]": ["[redacted]", 1, null, { a: "x[redacted]y" }] })
    assert.deepStrictEqual(clean.raw, { headers: { authorization: "Bearer [redacted]" } })
    assert.notInclude(clean.text, key)
    assert.notInclude(clean.text, Buffer.from(`user:${key}`).toString("base64").slice(8, -4))
  })

  it("of four characters and more are hidden, words that stand for no key are not", () => {
    assert.strictEqual(hideWhole(["k3y9"])("a k3y9 b"), "a [redacted] b")
    assert.strictEqual(hideWhole(["k3"])("a k3 b"), "a k3 b")
    for (const word of ["ollama", "test", "none"])
      assert.strictEqual(hideWhole([word])(`the ${word}`), `the ${word}`)
  })

  it.effect("of another provider are not shown either", () =>
    Effect.gen(function* () {
      const key = "planted-0123456789abcdef"
      const server = yield* serveFault({ status: 200, headers: json, body: bytes(chat(`it is ${key}`)) })
      const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: key }
      const [link] = yield* AdapterRegistry.use(({ bind }) => bind("openai-compatible:m")).pipe(
        Effect.provide(
          layerConfigured().pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
        )
      )
      const answer = link === undefined ? assert.fail("no link") : yield* link.adapter.attempt(input)
      assert.strictEqual(answer.text, "it is [redacted]")
    })
  )
})

describe("answers without keys", () => {
  it.effect("stay as they are, whatever they talk about", () =>
    Effect.gen(function* () {
      const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"
      for (const text of [
        "  Two  spaces,\n\n\ttabs and <b>HTML</b> stay.\n",
        "Set ANTHROPIC_API_KEY=sk-ant-api03-... or `Authorization: Bearer sk-proj-aaaaaaaaaaaaaaaaaaaaaaaa`",
        `${"x".repeat(100_000)} the end`
      ]) {
        const read = yield* Effect.fromResult(yield* answerOf(key, chat(text)))
        assert.strictEqual(read.text, text)
      }
    })
  )
})
