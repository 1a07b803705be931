// Made-up values: they fit their schema, and depend on schema and seed alone.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { patternSample } from "../../../src/adapters/providers/patternSample.ts"
import { sampleOf } from "../../../src/adapters/providers/schemaSample.ts"
import { compileSchema } from "../../../src/adapters/structuredOutput.ts"
import { canonicalJsonOf } from "../../../src/domain/canonicalJson.ts"
import { satisfiable } from "../../support/schemas.ts"

const seeds = Array.from({ length: 40 }, (_, n) => `seed ${n}`)

describe("sampleOf", () => {
  for (const [name, schema] of Object.entries(satisfiable)) {
    it(`fits, and is the same again: ${name}`, () => {
      const { issuesOf } = Result.getOrThrow(compileSchema(schema))
      const fits = (value: Parameters<typeof issuesOf>[0]) => issuesOf(value).length === 0
      const first = seeds.map((seed) => sampleOf(schema, seed, fits))
      for (const value of first) assert.deepStrictEqual(issuesOf(value), [], canonicalJsonOf(value))
      const again = seeds.map((seed) => sampleOf(schema, seed, fits))
      assert.deepStrictEqual(first.map(canonicalJsonOf), again.map(canonicalJsonOf))
    })
  }

  it("other seeds give other values where the schema leaves room", () => {
    const values = seeds.map((seed) => canonicalJsonOf(sampleOf({ type: "string" }, seed, () => true)))
    assert.isAbove(new Set(values).size, 20)
  })

  it("a schema without a small value ends all the same", () => {
    const endless = { type: "object", required: ["a"], properties: { a: { $ref: "#" } } }
    assert.isDefined(sampleOf(endless, "x", () => false))
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
      for (let n = 0; n < 50; n++) assert.match(patternSample(pattern, draw), new RegExp(pattern, "u"))
    })
  }
})
