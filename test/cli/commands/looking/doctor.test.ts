// doctor --model: one real call, and what it tells; ask says of an answer that it was cut.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, lastLine } from "../../../support/commandLine.ts"
import { serveFault } from "../../../support/FaultServer.ts"
import { modelServer } from "../../../support/ModelServer.ts"
import { planFolder } from "../../../support/planFolder.ts"

const key = ["sk", "test", "0123456789abcdef"].join("-")

describe("alembic doctor --model", () => {
  it.live("makes one call and says where it went, with which key, whether the schema was taken", () =>
    Effect.gen(function* () {
      const server = yield* modelServer
      server.reply(() => '{"ok":true}')
      const cwd = yield* planFolder({})
      const env = { VLLM_BASE_URL: server.baseUrl, VLLM_API_KEY: key }
      const said = yield* alembic({ cwd, env }, "doctor", "--model", "vllm:m")
      assert.strictEqual(said.code, 0, said.err)
      assert.strictEqual(server.prompts.length, 1)
      assert.include(said.out, `reached at      ${server.baseUrl}`)
      assert.match(said.out, /key +found in VLLM_API_KEY/)
      assert.match(said.out, /answer +after .*\$0/)
      assert.notInclude(said.out + said.err, key)
    })
  )

  it.live(
    "names what helps where there is no answer: the path of the API, the server that is not there",
    () =>
      Effect.gen(function* () {
        const server = yield* serveFault({
          status: 404,
          headers: { "content-type": "application/json" },
          body: new TextEncoder().encode('{"error":{"message":"not found"}}')
        })
        const cwd = yield* planFolder({})
        const missed = yield* alembic(
          { cwd },
          "doctor",
          "--model",
          "ollama:m",
          "--base-url",
          server.url,
          "--json"
        )
        assert.strictEqual(missed.code, 1)
        assert.include(JSON.stringify(lastLine(missed)), `no version in it: try ${server.url}/v1`)
        const nobody = yield* alembic(
          { cwd },
          "doctor",
          "--model",
          "ollama:m",
          "--base-url",
          "http://127.0.0.1:9/v1"
        )
        assert.strictEqual(nobody.code, 1)
        assert.match(nobody.out, /✗ answer +network/)
        const unknown = yield* alembic({ cwd }, "doctor", "--model", "gpt-5")
        assert.strictEqual(unknown.code, 2)
        assert.match(unknown.err, /did you mean openai:gpt-5/)
      })
  )
})

it.live("ask says that an answer was cut at the output limit", () =>
  Effect.gen(function* () {
    const rules = [{ match: { includes: "tell" }, answer: { text: "half an" }, finishReason: "length" }]
    const cwd = yield* planFolder({ "fixtures.json": JSON.stringify({ rules }) })
    const said = yield* alembic({ cwd }, "ask", "tell me", "--offline-fixtures", "fixtures.json")
    assert.strictEqual(said.code, 0)
    assert.include(said.err, "cut at the output limit")
  })
)
