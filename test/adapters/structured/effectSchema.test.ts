// Effect Schemas as the schema of a structured answer: asked for, decoded, and repaired by their own word.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { runDecoded } from "../../../src/adapters/structured/effectSchema.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))
const Review = Schema.Struct({
  title: Schema.String,
  score: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 10 }))),
  at: Schema.Literals(["file", "line"]),
  note: Schema.optionalKey(Schema.String)
})
const even = Schema.Int.pipe(
  Schema.check(Schema.makeFilter((n) => (n % 2 === 0 ? undefined : "an even number")))
)

describe("runDecoded", () => {
  it.effect("an offline answer is made for the Schema, and decoded by it", () =>
    Effect.gen(function* () {
      const chain = [{ adapter: makeOfflineAdapter(), modelId: "offline" }]
      for (const prompt of ["a", "b", "c", "d"]) {
        const { decoded, result } = yield* runDecoded(chain, { prompt }, Review)
        assert.isTrue(
          result.ok && decoded !== undefined && Number.isInteger(decoded.score),
          JSON.stringify(result)
        )
      }
    }).pipe(Effect.provide(guards))
  )

  it.effect("what JSON Schema cannot say is repaired all the same", () =>
    Effect.gen(function* () {
      const adapter = makeOfflineAdapter({
        rules: [
          { match: { regex: "\\$: an even number" }, answer: { object: 4 } },
          { match: { includes: "" }, answer: { object: 3 } }
        ]
      })
      const { decoded, result } = yield* runDecoded([{ adapter, modelId: "offline" }], { prompt: "n" }, even)
      assert.strictEqual(decoded, 4)
      assert.propertyVal(result, "repairs", 1)
    }).pipe(Effect.provide(guards))
  )

  it.effect("what is transformed stays JSON in the result", () =>
    Effect.gen(function* () {
      const adapter = makeOfflineAdapter({ default: { text: '"12"' } })
      const { decoded, result } = yield* runDecoded(
        [{ adapter, modelId: "offline" }],
        { prompt: "n" },
        Schema.FiniteFromString
      )
      assert.strictEqual(decoded, 12)
      assert.propertyVal(result, "output", "12")
    }).pipe(Effect.provide(guards))
  )
})
