// A schema to prove something with: refused where a validator would pass over something in silence.
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import { schemaProblems } from "../../src/schema/schemaProblems.ts"

const refusal = (schema: Json): string => {
  const [problem] = schemaProblems(Object(schema), { strict: true })
  return problem?.path ?? "none"
}

describe("schemaProblems, strict", () => {
  it("says at which place it refuses", () => {
    assert.strictEqual(refusal({ properties: { a: { requried: [] } } }), "$.properties.a.requried")
    assert.strictEqual(refusal({ allOf: [true, { maximum: "1" }] }), "$.allOf[1].maximum")
    assert.strictEqual(refusal({ items: 5 }), "$.items")
    assert.strictEqual(refusal({ pattern: "(?=a)" }), "$.pattern")
    assert.strictEqual(refusal({ pattern: 5 }), "$.pattern")
    assert.strictEqual(refusal({ format: "colour" }), "$.format")
    assert.strictEqual(refusal({ format: "url" }), "$.format")
    assert.strictEqual(refusal({ format: "email" }), "none")
    assert.strictEqual(refusal({ anyOf: [] }), "$.anyOf")
    assert.strictEqual(refusal({ dependentRequired: { a: "b" } }), "$.dependentRequired")
    assert.strictEqual(refusal({ patternProperties: { "^(a)\\1$": true } }), "$.patternProperties")
    assert.strictEqual(refusal({ dependencies: {} }), "$.dependencies")
    assert.strictEqual(refusal({ properties: { a: { $id: "x", type: "string" } } }), "$.properties.a.$id")
  })

  it("values that only look like schemas are left alone", () => {
    assert.strictEqual(
      refusal({
        const: { requried: 1 },
        default: { pattern: 1 },
        examples: [{ type: 3 }],
        properties: { pattern: true }
      }),
      "none"
    )
  })
})
