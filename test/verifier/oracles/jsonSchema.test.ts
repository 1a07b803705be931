// jsonSchema: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { ask, file, json } from "../ask.ts"

/** Each of `n` definitions asks for the next one twice: 2^n steps, if nobody counts. */
const doubling = (n: number): Json => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: n + 1 }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` }
      return [`d${i}`, i === n ? true : { allOf: [next, next] }] as const
    })
  )
})

describe("jsonSchema", () => {
  it("a document satisfies its schema or says where not", () => {
    assert.strictEqual(
      ask("json_schema", { schema: { type: "array", items: { type: "integer" } } }, json([1, 2])),
      "proven"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { type: "array", items: { type: "integer" } } }, json([1, 2.5])),
      "refuted:invalid"
    )
    assert.strictEqual(
      ask(
        "json_schema",
        { schema: { $defs: { n: { minimum: 3 } }, items: { $ref: "#/$defs/n" } } },
        json([2])
      ),
      "refuted:invalid"
    )
    assert.strictEqual(ask("json_schema", { schema: false }, json(1)), "refuted:invalid")
  })

  it("patterns run in linear time", () => {
    assert.strictEqual(
      ask("json_schema", { schema: { pattern: "^(a+)+$" } }, json(`${"a".repeat(5_000)}!`)),
      "refuted:invalid"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { pattern: "^(a+)+$", allOf: [{ minLength: 2 }] } }, json("aaa")),
      "proven"
    )
    assert.strictEqual(
      ask(
        "json_schema",
        { schema: { patternProperties: { "^x-": { type: "string" } } } },
        json({ "x-a": 1 })
      ),
      "refuted:invalid"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { patternProperties: { "^(a+)+$": true } } }, json({ a: 1 })),
      "proven"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { patternProperties: { "^(a+)\\1$": true } } }, json({ a: 1 })),
      "unproven:schema_unsupported"
    )
  })

  it("what the validator would pass over in silence is unproven", () => {
    assert.strictEqual(
      ask("json_schema", { schema: { requried: ["a"] } }, json({})),
      "unproven:schema_unsupported"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { minimum: "5" } }, json(1)),
      "unproven:schema_unsupported"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { format: "color" } }, json("x")),
      "unproven:schema_unsupported"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { $dynamicRef: "#a" } }, json("x")),
      "unproven:schema_unsupported"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { properties: { a: { type: "strnig" } } } }, json({ a: 1 })),
      "unproven:schema_unsupported"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { $ref: "https://example.org/s" } }, json("x")),
      "unproven:schema_unsupported"
    )
  })

  it("a schema that never ends, or that doubles at every level, ends over budget", () => {
    assert.strictEqual(ask("json_schema", { schema: { $ref: "#" } }, json(1)), "unproven:too_complex")
    assert.strictEqual(
      ask("json_schema", { schema: { pattern: "(?:[ab]?){400}[ab]{400}[xy]" } }, json("a".repeat(200_000))),
      "unproven:too_complex"
    )
    assert.strictEqual(ask("json_schema", { schema: doubling(40) }, json("x")), "proven")
  })

  it("a keyword that is not linear holds large documents to its limit", () => {
    assert.strictEqual(
      ask("json_schema", { schema: { uniqueItems: true } }, json(Array.from({ length: 6_000 }, (_, n) => n))),
      "proven"
    )
    assert.strictEqual(
      ask(
        "json_schema",
        { schema: { patternProperties: { "a+$": true } } },
        json({ [`${"a".repeat(20_000)}b`]: 1 })
      ),
      "proven"
    )
    assert.strictEqual(
      ask("json_schema", { schema: { format: "email" } }, json("a".repeat(20_000))),
      "unproven:too_complex"
    )
  })

  it("a place in a document, which has to be there", () => {
    assert.strictEqual(ask("json_schema", { schema: { const: 1 }, pointer: "/a" }, file(`{"a":1}`)), "proven")
    assert.strictEqual(
      ask("json_schema", { schema: true, pointer: "/b" }, file(`{"a":1}`)),
      "unproven:pointer_missing"
    )
    assert.strictEqual(ask("json_schema", { schema: true }, file("{")), "unproven:not_json")
  })
})
