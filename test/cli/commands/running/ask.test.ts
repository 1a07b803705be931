// `alembic ask` and `alembic models`: one guarded call is one ModelRunResult, and keys are never shown.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ModelRunResult } from "../../../../src/domain/ModelRun.ts"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { modelServer } from "../../../support/ModelServer.ts"
import { planFolder } from "../../../support/planFolder.ts"

const decode = Schema.decodeUnknownSync(ModelRunResult, { onExcessProperty: "error" })
const schema = JSON.stringify({
  type: "object",
  properties: { n: { type: "integer", minimum: 3, maximum: 3 } },
  required: ["n"],
  additionalProperties: false
})

describe("alembic ask", () => {
  it.live("prints the answer, and as JSON exactly a ModelRunResult", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      const server = yield* modelServer
      const flags = ["--model", "openai-compatible:m", "--base-url", server.baseUrl]
      const said = yield* alembic({ cwd }, "ask", "why?", ...flags)
      assert.strictEqual(said.code, 0)
      assert.strictEqual(said.out, "re: why?")
      assert.match(said.err, /openai-compatible:m · 1 attempt · 15 tokens · cost unknown/)
      const result = decode(lastLine(yield* alembic({ cwd }, "ask", "why?", ...flags, "--json")))
      assert.isTrue(result.ok)
      assert.strictEqual(server.prompts.length, 2)
    })
  )

  it.live("gives a structured answer that fits the schema", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "s.json": schema })
      const result = decode(lastLine(yield* alembic({ cwd }, "ask", "three", "--schema", "s.json", "--json")))
      assert.deepInclude(result, { ok: true, output: { n: 3 }, costUsd: 0 })
    })
  )

  it.live("exits 1 with the failure, after as many attempts as it may make", () =>
    Effect.gen(function* () {
      const failing = `{"rules":[{"match":{"includes":"x"},"answer":{"failure":{"code":"network","message":"gone"}}}]}`
      const cwd = yield* planFolder({ "f.json": failing })
      const said = yield* alembic(
        { cwd },
        "ask",
        "x",
        "--offline-fixtures",
        "f.json",
        "--max-attempts",
        "2",
        "--json"
      )
      assert.strictEqual(said.code, 1)
      assert.deepNestedInclude(decode(lastLine(said)), { ok: false, attempts: 2, "error.code": "network" })
    })
  )

  for (const [name, args, code] of [
    ["an unknown model", ["ask", "a", "--model", "x"], "unknown_model"],
    ["a missing key", ["ask", "a", "--model", "openai:gpt-5"], "auth"],
    ["an empty prompt", ["ask", "  "], "usage"],
    ["a schema that is not there", ["ask", "a", "--schema", "no.json"], "unreadable"],
    ["a schema that is none", ["ask", "a", "--schema", "list.json"], "invalid_schema"]
  ] as const) {
    it.live(`exits 2 on ${name}`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({ "list.json": "[]" })
        const said = yield* alembic({ cwd }, ...args, "--json")
        assert.strictEqual(said.code, 2, said.out)
        assert.strictEqual(jsonLines(said).length, 1)
        assert.deepNestedInclude(lastLine(said), { ok: false, "error.code": code })
      })
    )
  }
})

describe("alembic models", () => {
  it.live("says which keys are there and what a model costs, and shows no key", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "alembic.json": `{"model":"fast","models":{"fast":{"model":"openai:gpt-5"}},"profiles":{"judge":{"model":"anthropic:claude-sonnet-4-5"}}}`
      })
      const key = "planted-7f3a9c2e51"
      const said = yield* alembic({ cwd, env: { OPENAI_API_KEY: key } }, "models", "--json")
      assert.strictEqual(said.code, 0)
      const lines = jsonLines(said)
      assert.deepStrictEqual(
        lines.slice(0, -1).map(({ kind, name }) => [kind, name]),
        [
          ["default", "fast"],
          ["model", "fast"],
          ["profile", "judge"]
        ]
      )
      assert.deepNestedInclude(lines[1], {
        "links[0].key": "present",
        "links[0].price.inputUsdPerMillion": 1.25
      })
      assert.deepNestedInclude(lines[2], {
        "links[0].key": "absent",
        "links[0].keyVariable": "ANTHROPIC_API_KEY"
      })
      assert.deepInclude(lines[3], { type: "ModelsSummary", ok: true, default: "fast", count: 3 })
      const people = yield* alembic({ cwd, env: { OPENAI_API_KEY: key } }, "models")
      assert.match(people.out, /ANTHROPIC_API_KEY not set/)
      assert.notInclude(said.out + said.err + people.out + people.err, key)
    })
  )
})

describe("alembic doctor", () => {
  it.live("finds this machine fit, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      const said = yield* alembic({ cwd }, "doctor", "--json")
      assert.strictEqual(said.code, 0, said.out)
      assert.deepInclude(lastLine(said), { type: "DoctorSummary", ok: true })
      assert.strictEqual(
        (yield* alembic({ cwd }, "list", "--json")).out,
        `{"type":"ListSummary","ok":true,"count":0}`
      )
    })
  )

  it.live("exits 1 where the configuration is wrong, 2 where no runs can be kept in what was named", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ base: "a file", "alembic.json": "{" })
      const said = yield* alembic({ cwd }, "doctor")
      assert.strictEqual(said.code, 1)
      assert.match(said.out, /✓ base directory/)
      assert.match(said.out, /✗ models/)
      const misnamed = yield* alembic({ cwd }, "doctor", "--base-dir", "base")
      assert.strictEqual(misnamed.code, 2)
      assert.include(misnamed.err, "base directory base: it is not a directory")
    })
  )
})
