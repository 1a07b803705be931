// Equality of JSON: by value, members in any order, types apart.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { sameJson } from "../../src/verifier/Oracle.ts"

describe("sameJson", () => {
  it.prop(
    "is reflexive, and holds for a copy with its members turned round",
    [Schema.Record(Schema.String, Schema.Int)],
    ([value]) => {
      const turned = Object.fromEntries(Object.entries(value).toReversed())
      if (Object.keys(value).every((key) => key.isWellFormed())) assert.isTrue(sameJson(value, turned))
    }
  )

  it("keeps types and orders of elements apart", () => {
    assert.isFalse(sameJson([1, 2], [2, 1]))
    assert.isFalse(sameJson(1, "1"))
    assert.isFalse(sameJson(null, {}))
    assert.isFalse(sameJson([], {}))
    assert.isTrue(sameJson(-0, 0))
  })
})
