// The offline adapter and its fixtures, through the guards like any other adapter.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import type { Fixtures } from "../../../src/adapters/registry/Fixtures.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { layerOffline, scripted } from "../../../src/adapters/registry/offlineRegistry.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import { runBound } from "../../../src/adapters/guard/runBound.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"
import { satisfiable } from "../../support/schemas.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))

/** Asks one adapter made of the fixtures these questions, one after the other. */
const ask = (fixtures: Fixtures | undefined, questions: ReadonlyArray<string | object>) =>
  Effect.gen(function* () {
    const chain = [{ adapter: makeOfflineAdapter(fixtures), modelId: "offline" }]
    return yield* Effect.forEach(questions, (question) =>
      Effect.gen(function* () {
        const input = typeof question === "string" ? { prompt: question } : question
        const fiber = yield* Effect.forkChild(
          runBound(chain, { model: "offline", ...input }, { maxAttempts: 1 })
        )
        yield* TestClock.adjust(1_000_000)
        return yield* Fiber.join(fiber)
      })
    )
  })

const texts = (fixtures: Fixtures | undefined, questions: ReadonlyArray<string | object>) =>
  Effect.map(ask(fixtures, questions), (results) =>
    results.map((result) => (result.ok ? result.text : `! ${result.error.code}: ${result.error.message}`))
  )

describe("offline, without fixtures", () => {
  it.effect("the same question has the same answer, another has another", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = yield* texts(undefined, ["x", "x", "y", { prompt: "x", system: "s" }])
      assert.strictEqual(a, b)
      assert.notStrictEqual(a, c)
      assert.notStrictEqual(a, d)
      assert.match(a ?? "", /^offline answer [0-9a-f]{12}$/)
    }).pipe(Effect.provide(guards))
  )

  it.effect("it is free, uses tokens, takes no time", () =>
    Effect.gen(function* () {
      const [result] = yield* ask(undefined, ["four"])
      assert.deepInclude(result, {
        ok: true,
        costUsd: 0,
        durationMs: 0,
        usage: { inputTokens: 1, outputTokens: 7 }
      })
    }).pipe(Effect.provide(guards))
  )

  for (const [name, schema] of Object.entries(satisfiable)) {
    it.effect(`an answer fits its schema, without a repair: ${name}`, () =>
      Effect.gen(function* () {
        for (const prompt of ["a", "b", "c"]) {
          const [result] = yield* ask(undefined, [{ prompt, schema }])
          assert.isTrue(
            result?.ok && result.output !== undefined && result.repairs === undefined,
            JSON.stringify(result)
          )
        }
      }).pipe(Effect.provide(guards))
    )
  }
})

describe("offline, with fixtures", () => {
  it.effect("the first rule that matches answers", () =>
    Effect.gen(function* () {
      const fixtures: Fixtures = {
        rules: [
          { match: { exact: "hello" }, answer: { text: "exact" } },
          { match: { includes: "ell" }, answer: { text: "includes" } },
          { match: { regex: "^h.*o$" }, answer: { text: "regex" } },
          { match: { key: "ab12" }, answer: { text: "key" } }
        ],
        default: { text: "echo:{{prompt}} {{prompt}}" }
      }
      const questions = ["hello", "yell", "hippo", { prompt: "any", cacheKey: "ab12" }, "$& other"]
      assert.deepStrictEqual(yield* texts(fixtures, questions), [
        "exact",
        "includes",
        "regex",
        "key",
        "echo:$& other $& other"
      ])
    }).pipe(Effect.provide(guards))
  )

  it.effect("a rule with times is used up in the order of the calls", () =>
    Effect.gen(function* () {
      const fixtures: Fixtures = {
        rules: [
          { match: { includes: "" }, answer: { text: "one" }, times: 1 },
          { match: { includes: "" }, answer: { text: "two" }, times: 2 },
          { match: { includes: "" }, answer: { text: "rest" } }
        ]
      }
      assert.deepStrictEqual(yield* texts(fixtures, ["a", "b", "c", "d", "e"]), [
        "one",
        "two",
        "two",
        "rest",
        "rest"
      ])
    }).pipe(Effect.provide(guards))
  )

  it.effect("a failure is the failure it names, with its hint", () =>
    Effect.gen(function* () {
      const fixtures: Fixtures = {
        rules: [
          {
            match: { exact: "limit" },
            answer: { failure: { code: "rate_limited", message: "slow down", retryAfterMs: 99_000 } }
          },
          {
            match: { exact: "quota" },
            answer: { failure: { code: "quota_exhausted", message: "no credit" } }
          }
        ]
      }
      const [limit, quota] = yield* ask(fixtures, ["limit", "quota"])
      assert.nestedPropertyVal(limit, "error.retryAfterMs", 99_000)
      assert.nestedPropertyVal(limit, "error.retryable", true)
      assert.deepNestedInclude(quota, {
        "error.code": "quota_exhausted",
        "error.retryable": false,
        costUsd: 0
      })
    }).pipe(Effect.provide(guards))
  )

  it.effect("an object is its JSON without a schema, and decoded with one", () =>
    Effect.gen(function* () {
      const fixtures: Fixtures = {
        rules: [{ match: { includes: "" }, answer: { object: { b: 1, a: null } } }]
      }
      const [plain, decoded] = yield* ask(fixtures, ["x", { prompt: "x", schema: { type: "object" } }])
      assert.deepInclude(plain, { text: '{"a":null,"b":1}' })
      assert.notProperty(plain, "output")
      assert.deepInclude(decoded, { output: { a: null, b: 1 } })
    }).pipe(Effect.provide(guards))
  )

  it.effect("a wrong object is repaired by the next rule, and usage and cost add up", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 10, outputTokens: 2 }
      const fixtures: Fixtures = {
        rules: [
          { match: { includes: "n?" }, answer: { object: { n: "x" } }, times: 1, usage, costUsd: 0.25 },
          { match: { includes: "You answered before" }, answer: { object: { n: 1 } }, usage, costUsd: 0.5 }
        ]
      }
      const schema = { type: "object", properties: { n: { type: "integer" } } }
      const [result] = yield* ask(fixtures, [{ prompt: "n?", schema }])
      assert.deepInclude(result, {
        output: { n: 1 },
        repairs: 1,
        attempts: 2,
        costUsd: 0.75,
        usage: { inputTokens: 20, outputTokens: 4 }
      })
    }).pipe(Effect.provide(guards))
  )

  it.effect("usage is absent where a fixture names none, and a fixture's cost is what it says", () =>
    Effect.gen(function* () {
      const fixtures: Fixtures = { rules: [{ match: { includes: "" }, answer: { text: "x" }, costUsd: 1.5 }] }
      const [result] = yield* ask(fixtures, ["x"])
      assert.notProperty(result, "usage")
      assert.propertyVal(result, "costUsd", 1.5)
      const adapter = makeOfflineAdapter(fixtures)
      // An answer is not asked for again: what it costs is what is reserved for it.
      assert.strictEqual(adapter.reserveUsd?.({ prompt: "x", model: "m" }), 1.5)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a delay is waited for on the clock, a hang until the time limit", () =>
    Effect.gen(function* () {
      const fixtures: Fixtures = {
        rules: [
          { match: { exact: "slow" }, answer: { text: "there" }, delayMs: 1_500 },
          { match: { exact: "hang" }, answer: { hang: true } }
        ]
      }
      const [slow, hang] = yield* ask(fixtures, ["slow", { prompt: "hang", timeoutMs: 700 }])
      assert.deepInclude(slow, { text: "there", durationMs: 1_500 })
      assert.deepNestedInclude(hang, { "error.code": "timeout", durationMs: 700 })
    }).pipe(Effect.provide(guards))
  )

  it.effect("without a default, what no rule matches is made up", () =>
    Effect.gen(function* () {
      const [text] = yield* texts({ rules: [{ match: { exact: "x" }, answer: { text: "y" } }] }, ["other"])
      assert.match(text ?? "", /^offline answer/)
    }).pipe(Effect.provide(guards))
  )

  it.effect.prop(
    "concurrent calls with delays take the logical time of the longest, and give the same results again",
    [
      Schema.Array(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 5_000 })))).pipe(
        Schema.check(Schema.isMaxLength(12))
      )
    ],
    ([delays]) =>
      Effect.gen(function* () {
        const fixtures: Fixtures = {
          rules: delays.map((delayMs, index) => ({
            match: { exact: `q${index}` },
            answer: { text: `a${index}` },
            delayMs
          }))
        }
        const once = Effect.gen(function* () {
          const chain = [{ adapter: makeOfflineAdapter(fixtures), modelId: "offline" }]
          const from = yield* Clock.currentTimeMillis
          const fiber = yield* Effect.forkChild(
            Effect.forEach(
              delays,
              (_, index) =>
                runBound(chain, { model: "offline", prompt: `q${index}`, requestId: `r${index}` }),
              { concurrency: "unbounded" }
            )
          )
          yield* TestClock.adjust(5_000)
          const results = yield* Fiber.join(fiber)
          assert.strictEqual((yield* Clock.currentTimeMillis) - from, 5_000)
          return results
        })
        const results = yield* once
        assert.deepStrictEqual(
          results.map(({ durationMs }) => durationMs),
          delays
        )
        assert.deepStrictEqual(yield* once, results)
      }).pipe(Effect.provide(guards, { local: true })),
    { arbitrary: { runs: 50 } }
  )
})

describe("the offline registry", () => {
  it.effect("answers every reference, under its own name", () =>
    Effect.gen(function* () {
      const registry = yield* AdapterRegistry
      const identity = yield* registry.resolve({
        prompt: "x",
        model: "anthropic:claude",
        temperature: 0,
        label: "l"
      })
      assert.deepStrictEqual(identity, {
        verb: "agent",
        prompt: "x",
        model: "anthropic:claude",
        temperature: 0
      })
      assert.strictEqual((yield* registry.resolve({ prompt: "x" })).model, "offline")
      const [link] = yield* registry.bind("anthropic:claude")
      assert.isTrue(
        link?.adapter.id === "offline" && link.adapter.free && link.modelId === "anthropic:claude"
      )
    }).pipe(Effect.provide(layerOffline()))
  )

  it.effect("its identity holds the hash of the fixtures", () =>
    Effect.gen(function* () {
      const identityWith = (fixtures: Fixtures) =>
        AdapterRegistry.useSync(({ identity }) => JSON.stringify(identity)).pipe(
          Effect.provide(scripted(fixtures))
        )
      const one = yield* identityWith({ default: { text: "a" } })
      assert.strictEqual(one, yield* identityWith({ default: { text: "a" } }))
      assert.notStrictEqual(one, yield* identityWith({ default: { text: "b" } }))
    })
  )
})
