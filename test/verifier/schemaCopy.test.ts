// A schema made safe: copied, counted, and refused where a validator would pass over something in silence.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "../../src/domain/canonicalJson.ts"
import { schemaCopy } from "../../src/verifier/schemaCopy.ts"

const copy = (schema: Json) => schemaCopy(schema, new Set(["email"]), () => undefined)
const refusal = (schema: Json): string =>
  Result.match(copy(schema), { onFailure: (error) => error.pointer, onSuccess: () => "none" })

describe("schemaCopy", () => {
  it("leaves the author's schema as it was", () => {
    const schema = Object.freeze({ type: "string", pattern: "^a" })
    assert.isTrue(Result.isSuccess(copy(schema)))
    assert.deepStrictEqual(schema, { type: "string", pattern: "^a" })
  })

  it("says at which pointer it refuses", () => {
    assert.strictEqual(refusal({ properties: { a: { requried: [] } } }), "/properties/a/requried")
    assert.strictEqual(refusal({ allOf: [true, { maximum: "1" }] }), "/allOf/1/maximum")
    assert.strictEqual(refusal({ items: 5 }), "/items")
    assert.strictEqual(refusal({ pattern: "(?=a)" }), "/pattern")
    assert.strictEqual(refusal({ pattern: 5 }), "/pattern")
    assert.strictEqual(refusal({ format: "colour" }), "/format")
    assert.strictEqual(refusal({ format: "email" }), "none")
    assert.strictEqual(refusal({ anyOf: [] }), "/anyOf")
    assert.strictEqual(refusal({ dependentRequired: { a: "b" } }), "/dependentRequired")
    assert.strictEqual(refusal([]), "")
  })

  it("keywords that only look like schemas are left alone", () => {
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

  it("every look at a schema is counted, the more the more it holds", () => {
    let spent = 0
    const safe = Result.getOrThrow(schemaCopy({ enum: [1, 2, 3, 4] }, new Set(), (cost) => (spent += cost)))
    assert.strictEqual(Object(safe.schema)["$recursiveAnchor"], undefined)
    assert.strictEqual(spent, 5)
  })
})
