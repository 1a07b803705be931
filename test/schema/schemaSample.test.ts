// Made-up values: they fit their schema, and depend on schema and seed alone.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { patternSample } from "../../src/schema/pattern/patternSample.ts"
import { sampleOf } from "../../src/schema/schemaSample.ts"
import { compileSchema } from "../../src/adapters/structured/structuredOutput.ts"
import type { JsonSchemaDocument } from "../../src/domain/ModelRun.ts"
import { Budget } from "../../src/schema/Budget.ts"
import { canonicalJsonOf } from "../../src/domain/json/canonicalJson.ts"
import { satisfiable } from "../support/schemas.ts"

const sampled = (...args: Parameters<typeof sampleOf>) => Result.getOrThrow(sampleOf(...args))
const seeds = Array.from({ length: 40 }, (_, n) => `seed ${n}`)

describe("sampleOf", () => {
  for (const [name, schema] of Object.entries(satisfiable)) {
    it(`fits, and is the same again: ${name}`, () => {
      const { issuesOf } = Result.getOrThrow(compileSchema(schema))
      const first = seeds.map((seed) => sampled(schema, seed))
      for (const value of first) assert.deepStrictEqual(issuesOf(value), [], canonicalJsonOf(value))
      const again = seeds.map((seed) => sampled(schema, seed))
      assert.deepStrictEqual(first.map(canonicalJsonOf), again.map(canonicalJsonOf))
    })
  }

  it("other seeds give other values where the schema leaves room", () => {
    const values = seeds.map((seed) => canonicalJsonOf(sampled({ type: "string" }, seed)))
    assert.isAbove(new Set(values).size, 20)
  })

  it("a schema that asks for more than is made up ends at once, with the limit's name", () => {
    const defs = (levels: number, of: (next: string) => JsonSchemaDocument) =>
      Object.fromEntries(Array.from({ length: levels }, (_, n) => [`a${n}`, of(`#/$defs/a${n + 1}`)]))
    const chained = (of: (next: string) => JsonSchemaDocument): JsonSchemaDocument => ({
      $ref: "#/$defs/a0",
      $defs: { ...defs(28, of), a28: { type: "string", minLength: 1 } }
    })
    const hostile: Readonly<Record<string, JsonSchemaDocument>> = {
      items: { type: "array", minItems: 1e9 },
      text: { type: "string", minLength: 1e9 },
      pattern: { type: "string", pattern: "^(?:a{1000}){1000}$" },
      "text by pattern": { type: "string", pattern: "^a+$", minLength: 1e9 },
      "items in items": { type: "array", minItems: 5e4, items: { type: "array", minItems: 5e4 } },
      references: chained(($ref) => ({ type: "array", minItems: 2, items: { $ref } })),
      members: chained(($ref) => ({
        type: "object",
        required: ["x", "y"],
        properties: { x: { $ref }, y: { $ref } }
      })),
      "all of": chained(($ref) => ({ allOf: [{ $ref }, { $ref }] })),
      contains: { type: "array", contains: {}, minContains: 1e9 }
    }
    for (const [name, schema] of Object.entries(hostile)) {
      const from = performance.now()
      const made = sampleOf(schema, "x")
      assert.isBelow(performance.now() - from, 3_000, name)
      assert.include(Result.isFailure(made) ? made.failure.message : "made", "schema_limit", name)
    }
    // 28 levels of anyOf ask for little: one way through them is a value.
    const from = performance.now()
    const any = chained(($ref) => ({ anyOf: [{ $ref }, { $ref }] }))
    assert.isTrue(Result.isSuccess(sampleOf(any, "x")))
    assert.isBelow(performance.now() - from, 3_000)
  })

  it("a schema without a small value ends all the same", () => {
    const endless = { type: "object", required: ["a"], properties: { a: { $ref: "#" } } }
    assert.isDefined(sampled(endless, "x"))
  })
})

describe("patternSample", () => {
  const patterns = [
    "^[A-Z]{2,4}$",
    "^\\d{3}-\\d{3,4}$",
    "^(?:red|green|blue)$",
    "^[^aeiou]+$",
    "^\\w+@\\w+\\.(com|org)$",
    "^#[0-9a-fA-F]{6}$",
    "^\\p{Lu}\\p{Ll}+$",
    "^a*b?c+$",
    "^(?<year>\\d{4})/(0[1-9]|1[0-2])$",
    "^\\u0041\\x42$",
    "^[\\w.-]{3}$",
    "^\\s\\S$",
    "^\\$\\{x\\}$",
    "^.{5}$"
  ]
  for (const pattern of patterns) {
    it(`matches ${pattern}`, () => {
      let state = 1
      const draw = () => {
        state = (state * 48271) % 2147483647
        return state / 2147483647
      }
      for (let n = 0; n < 50; n++)
        assert.match(patternSample(pattern, draw, new Budget("size", 1_000)), new RegExp(pattern, "u"))
    })
  }
})
