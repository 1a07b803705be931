// alembic.json and fixtures files: what is wrong is named by its path, and the published JSON Schema says the same as
// the reader.
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@cfworker/json-schema"
import { Effect } from "effect"
import {
  configJsonSchema,
  guardsOptions,
  parseConfig,
  readConfig
} from "../../../src/adapters/registry/Config.ts"
import { parseFixtures, readFixtures } from "../../../src/adapters/registry/Fixtures.ts"

const full = {
  $schema: "./alembic.schema.json",
  model: "smart",
  models: {
    smart: {
      model: "anthropic:claude-sonnet-4-5",
      system: "Be exact.",
      temperature: 0,
      maxOutputTokens: 2000,
      outputLimit: 64_000,
      price: { inputUsdPerMillion: 3, outputUsdPerMillion: 15 }
    },
    local: { model: "ollama:llama3:8b", retryInDoubt: true }
  },
  aliases: { both: "smart|local" },
  profiles: { reviewer: { model: "smart", system: "You review." } },
  providers: { ollama: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1" } },
  commands: { mine: { command: ["my-agent", ["--model", "{{model}}"], "-"], reads: "text" } },
  fallbacks: { smart: ["local"] },
  prices: { "openai:gpt-x": { inputUsdPerMillion: 1, outputUsdPerMillion: 2 } },
  limits: { anthropic: { concurrency: 4, requestsPerMinute: 50, tokensPerMinute: 40_000 } },
  retry: { maxAttempts: 4 },
  breaker: { trip: 3 },
  timeoutMs: 60_000,
  maxRepairs: 1,
  boards: { launch: "boards/launch.json" }
}

/** `[value, path that the message names]`. */
const wrong: ReadonlyArray<readonly [unknown, string]> = [
  [{ modles: {} }, "$.modles"],
  [{ models: { a: { model: "offline", colour: 1 } } }, "$.models.a.colour"],
  [{ models: { a: {} } }, "$.models.a.model"],
  [{ models: { "my model": { model: "" } } }, '$.models["my model"].model'],
  [{ profiles: { a: { temperature: 3 } } }, "$.profiles.a.temperature"],
  [{ prices: { x: { inputUsdPerMillion: -1, outputUsdPerMillion: 1 } } }, "$.prices.x.inputUsdPerMillion"],
  [{ limits: { anthropic: { concurrency: 0 } } }, "$.limits.anthropic.concurrency"],
  [{ providers: { x: { kind: "azure" } } }, "$.providers.x.kind"],
  [{ providers: { x: { kind: "openai", apiKeyEnv: "not a name" } } }, "$.providers.x.apiKeyEnv"],
  [{ providers: { x: { kind: "openai", apiKey: "x" } } }, "$.providers.x.apiKey"],
  [{ fallbacks: { a: [] } }, "$.fallbacks.a"],
  [{ maxRepairs: 3 }, "$.maxRepairs"],
  [[], "$"],
  [null, "$"]
]

describe("alembic.json", () => {
  it.effect("a full one is read as it is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* readConfig(full), full)
      assert.deepStrictEqual<unknown>(yield* parseConfig(`\uFEFF${JSON.stringify(full)}`), full)
      assert.deepStrictEqual<unknown>(yield* parseConfig("{}"), {})
    })
  )

  for (const [value, path] of wrong) {
    it.effect(`${JSON.stringify(value)} is refused at ${path}`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(readConfig(value))
        assert.include(message, `${path}: `)
      })
    )
  }

  it.effect("a key that is not there is told which are", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(readConfig({ modles: {}, models: { a: { mode: "x" } } }))
      assert.include(
        message,
        "$.modles: there is no such key; there are $schema, model, models, notify, aliases,"
      )
      assert.include(message, "$.models.a.mode: there is no such key; there are ")
    })
  )

  it.effect("text that is no JSON is refused", () =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(parseConfig("{ model: }"))).message, "JSON")
    })
  )

  it("its JSON Schema accepts and refuses the same", () => {
    const validator = new Validator(JSON.parse(JSON.stringify(configJsonSchema())), "2020-12")
    assert.isTrue(validator.validate(full).valid)
    assert.isTrue(validator.validate({}).valid)
    for (const [value] of wrong) assert.isFalse(validator.validate(value).valid, JSON.stringify(value))
  })

  it("its JSON Schema explains its keys where an editor looks", () => {
    assert.match(JSON.stringify(configJsonSchema()), /"models":\{[^{}]*"description":"Models by names/)
  })

  it.effect("guards take their part of it", () =>
    Effect.gen(function* () {
      const { limits, retry, breaker, timeoutMs, maxRepairs } = full
      assert.deepStrictEqual(guardsOptions(yield* readConfig(full)), {
        limits,
        retry,
        breaker,
        timeoutMs,
        maxRepairs
      })
      assert.deepStrictEqual(guardsOptions({}), {})
    })
  )
})

describe("fixtures", () => {
  it.effect("a file of every form is read", () =>
    Effect.gen(function* () {
      const fixtures = {
        rules: [
          {
            match: { exact: "a" },
            answer: { text: "b" },
            usage: { inputTokens: 1 },
            costUsd: 0.1,
            delayMs: 5,
            times: 2
          },
          { match: { includes: "a" }, answer: { object: null } },
          {
            match: { regex: "^a" },
            answer: { failure: { code: "timeout", message: "late", retryAfterMs: 1 } }
          },
          { match: { key: "00ff" }, answer: { hang: true } }
        ],
        default: { text: "echo:{{prompt}}" }
      }
      assert.deepStrictEqual<unknown>(yield* parseFixtures(JSON.stringify(fixtures)), fixtures)
      assert.deepStrictEqual(yield* readFixtures({}), {})
    })
  )

  const rule = { match: { exact: "a" }, answer: { text: "b" } }
  const bad: ReadonlyArray<readonly [unknown, string]> = [
    [{ rule: [] }, "$.rule"],
    [{ rules: [rule, { ...rule, match: { exat: "x" } }] }, "$.rules[1].match.exat"],
    [{ rules: [{ ...rule, match: {} }] }, "$.rules[0].match"],
    [{ rules: [{ ...rule, match: { exact: "a", key: "00" } }] }, "$.rules[0].match"],
    [{ rules: [{ ...rule, match: { regex: "(" } }] }, "$.rules[0].match.regex"],
    [{ rules: [{ ...rule, match: { key: "xyz" } }] }, "$.rules[0].match.key"],
    [{ rules: [{ ...rule, answer: { text: "a", hang: true } }] }, "$.rules[0].answer"],
    [
      { rules: [{ ...rule, answer: { failure: { code: "oops", message: "" } } }] },
      "$.rules[0].answer.failure.code"
    ],
    [{ rules: [{ ...rule, times: 0 }] }, "$.rules[0].times"],
    [{ rules: [{ ...rule, delayMs: -1 }] }, "$.rules[0].delayMs"],
    [{ rules: [{ answer: { text: "b" } }] }, "$.rules[0].match"]
  ]
  for (const [value, path] of bad) {
    it.effect(`${JSON.stringify(value)} is refused at ${path}`, () =>
      Effect.gen(function* () {
        assert.include((yield* Effect.flip(readFixtures(value))).message, `${path}: `)
      })
    )
  }
})
