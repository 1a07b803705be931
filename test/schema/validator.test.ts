// The validator answers as the kept one does, on random schemas and values, and stops where that one would not.
import { assert, describe, it } from "@effect/vitest"
import { validate } from "@cfworker/json-schema"
import { Result } from "effect"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import { compileSchema } from "../../src/adapters/structured/structuredOutput.ts"
import { formats } from "../../src/schema/formats.ts"
import { isMultipleOf } from "../../src/schema/assertions.ts"
import { Validator } from "../../src/schema/validator.ts"
import { dice } from "../support/dice.ts"

type Doc = { readonly [key: string]: Json }

const names = ["a", "b", "c", "ab", "x/y", "~z"]
const scalars: ReadonlyArray<Json> = [
  null,
  true,
  false,
  0,
  1,
  -1,
  2.5,
  3,
  "",
  "a",
  "b",
  "ab",
  "a1",
  "2024-02-30"
]

/** A random value, and a random schema that has something to say about such values. */
const random = (seed: number) => {
  const { below, pick } = dice(seed)
  const value = (depth: number): Json => {
    const kind = depth > 2 ? 0 : below(3)
    if (kind === 0) return pick(scalars)
    if (kind === 1) return Array.from({ length: below(4) }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length: below(4) }, () => [pick(names), value(depth + 1)]))
  }
  const list = (depth: number) => Array.from({ length: 1 + below(3) }, () => schema(depth + 1))
  const named = (depth: number, from: ReadonlyArray<string>) =>
    Object.fromEntries(Array.from({ length: 1 + below(3) }, () => [pick(from), schema(depth + 1)]))
  const keywords: ReadonlyArray<(depth: number) => Doc> = [
    () => ({ type: pick(["null", "boolean", "integer", "number", "string", "array", "object"]) }),
    () => ({ type: ["string", "array", "object", "null"] }),
    () => ({ const: value(2) }),
    () => ({ enum: [value(1), value(2), value(2)] }),
    () => ({ minimum: below(3), maximum: 2 }),
    () => ({ exclusiveMinimum: 0, multipleOf: pick([0.5, 1, 2]) }),
    () => ({ minLength: below(2), maxLength: 1 + below(2) }),
    () => ({ pattern: pick(["^a", "b$", "\\d"]) }),
    () => ({ format: pick(["date", "email", "uuid"]) }),
    () => ({ minItems: below(2), maxItems: 1 + below(3) }),
    () => ({ uniqueItems: true }),
    () => ({ required: [pick(names)] }),
    () => ({ minProperties: below(2), maxProperties: 1 + below(3) }),
    () => ({ dependentRequired: { [pick(names)]: [pick(names)] } }),
    (depth) => ({ dependentSchemas: named(depth, names) }),
    (depth) => ({ properties: named(depth, names), additionalProperties: schema(depth + 1) }),
    (depth) => ({ properties: named(depth, names), patternProperties: named(depth, ["^a", "b$", "/"]) }),
    (depth) => ({ propertyNames: schema(depth + 1) }),
    (depth) => ({ items: schema(depth + 1) }),
    (depth) => ({ prefixItems: list(depth), items: schema(depth + 1) }),
    (depth) => ({ contains: schema(depth + 1), ...(below(2) === 0 ? {} : { maxContains: 1 }) }),
    (depth) => ({ allOf: list(depth) }),
    (depth) => ({ anyOf: list(depth) }),
    (depth) => ({ oneOf: list(depth) }),
    (depth) => ({ not: schema(depth + 1) }),
    (depth) => Object.fromEntries(["if", "then", "else"].map((key) => [key, schema(depth + 1)])),
    () => ({ $ref: pick(["#", "#/$defs/one", "#/$defs/x~1y", "#named"]) })
  ]
  const schema = (depth: number): Doc | boolean => {
    if (depth > 3 || below(8) === 0) return below(4) > 0
    return Object.assign({}, ...Array.from({ length: 1 + below(2) }, () => pick(keywords)(depth)))
  }
  const $defs = {
    one: { type: pick(["string", "array"]) },
    "x/y": { minItems: 1 },
    three: { $anchor: "named", maxLength: 1 }
  }
  return { schema: { ...Object(schema(0)), $defs }, values: Array.from({ length: 20 }, () => value(0)) }
}

describe("Validator", () => {
  it("accepts and refuses what the kept validator does: 3,000 random schemas, 20 values each", () => {
    let accepted = 0
    let refused = 0
    for (let seed = 1; seed <= 3_000; seed++) {
      const { schema, values } = random(seed)
      const validator = new Validator(schema)
      for (const value of values) {
        const found = validator.issuesOf(value, 20_000)
        // A reference that leads back to itself on the spot asks for steps without end.
        if (Result.isFailure(found)) continue
        const wanted = validate(value, structuredClone(schema), "2020-12").valid
        assert.strictEqual(found.success.length === 0, wanted, JSON.stringify({ seed, schema, value }))
        if (wanted) accepted++
        else refused++
      }
    }
    assert.isAbove(accepted, 10_000)
    assert.isAbove(refused, 10_000)
  })

  it("what no schema has looked at is unevaluated, as the draft says", () => {
    const cases: ReadonlyArray<readonly [Doc, Json, boolean]> = [
      [{ properties: { a: {} }, unevaluatedProperties: false }, { a: 1 }, true],
      [{ properties: { a: {} }, unevaluatedProperties: false }, { a: 1, b: 1 }, false],
      [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, true],
      [
        { anyOf: [{ properties: { a: { type: "string" } } }, {}], unevaluatedProperties: false },
        { a: 1 },
        false
      ],
      [{ not: { not: { properties: { a: {} } } }, unevaluatedProperties: false }, { a: 1 }, false],
      [{ if: { required: ["a"], properties: { a: {} } }, unevaluatedProperties: false }, { a: 1 }, true],
      [
        { $ref: "#/$defs/a", unevaluatedProperties: false, $defs: { a: { properties: { a: {} } } } },
        { a: 1 },
        true
      ],
      [{ properties: { a: {} }, allOf: [{ unevaluatedProperties: false }] }, { a: 1 }, false],
      [
        { dependentSchemas: { a: { properties: { b: {} } } }, unevaluatedProperties: { type: "null" } },
        { a: null, b: 1 },
        true
      ],
      [{ prefixItems: [true], unevaluatedItems: false }, [1], true],
      [{ prefixItems: [true], unevaluatedItems: false }, [1, 2], false],
      [{ contains: { type: "string" }, unevaluatedItems: { type: "number" } }, ["a", 2], true],
      [{ contains: { type: "string" }, unevaluatedItems: { type: "number" } }, ["a", null], false],
      [{ items: { unevaluatedProperties: false, properties: { a: true } } }, [{ a: 1 }, { b: 1 }], false]
    ]
    for (const [schema, value, wanted] of cases) {
      const found = Result.getOrThrow(new Validator(schema).issuesOf(value))
      assert.strictEqual(found.length === 0, wanted, JSON.stringify([schema, value]))
    }
  })

  it("multiples are exact in decimals", () => {
    assert.isTrue(isMultipleOf(0.3, 0.1))
    assert.isTrue(isMultipleOf(1e300, 1e-5))
    assert.isFalse(isMultipleOf(0.35, 0.1))
    assert.isTrue(isMultipleOf(0, 7))
  })

  it("formats keep to the letter of their RFC", () => {
    const cases: ReadonlyArray<readonly [string, string, boolean]> = [
      ["ipv4", "192.0.2.1", true],
      ["ipv4", "192.0.02.1", false],
      ["ipv4", "01.2.3.4", false],
      ["ipv4", "0.0.0.0", true],
      ["ipv4", "256.1.1.1", false],
      ["ipv4", "1.2.3", false],
      ["ipv4", "1.2.3.4\n", false],
      ["ipv6", "::ffff:01.2.3.4", false],
      ["email", "a@[01.2.3.4]", false],
      ["email", "a@[1.2.3.4]", true],
      ["date-time", "2024-01-01T10:00:00Z", true],
      ["date-time", "2024-01-01t10:00:00z", true],
      ["date-time", "2024-01-01 10:00:00Z", false],
      ["date-time", "2024-01-01\u00a010:00:00Z", false],
      ["date-time", "2024-02-30T10:00:00Z", false],
      ["date", "2024-02-30", false],
      ["uri", "https://user@example.org:8042/over/there?name=ferret#nose", true],
      ["uri", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", true],
      ["uri", "http://[2001:db8::7]:80/a%20b", true],
      ["uri", "file:///etc/hosts", true],
      ["uri", "http://example.org/a b", false],
      ["uri", "http://example.org/é", false],
      ["uri", "http://example.org/a%2", false],
      ["uri", "http://example.org/<a>", false],
      ["uri", "http://[::1", false],
      ["uri", "http://[example.org]/", false],
      ["uri", "http://example.org:80a/", false],
      ["uri", "http://a@b@example.org/", false],
      ["uri", "http://example.org/#a#b", false],
      ["uri", "//example.org/a", false],
      ["uri", "1http://example.org", false],
      ["uri", "http://example.org/\n", false],
      ["uri-reference", "//example.org/a", true],
      ["uri-reference", "../a?b#c", true],
      ["uri-reference", "", true],
      ["uri-reference", "a\\b", false],
      ["uri-reference", "1:b", false],
      ["uuid", "123e4567-e89b-12d3-a456-426614174000", true]
    ]
    for (const [name, text, wanted] of cases)
      assert.strictEqual(formats.get(name)?.(text), wanted, `${name} ${JSON.stringify(text)}`)
  })

  it("every format answers soon on a megabyte", () => {
    for (const name of formats.keys()) {
      for (const part of ["a", "1", "a.", "a-", ":", "%41", "1:", "/", "{a}", "a@", "2024-01-01T"]) {
        const from = performance.now()
        const long = new Validator({ format: name }).issuesOf(part.repeat(1_000_000 / part.length))
        assert.isTrue(Result.isFailure(long))
        Result.getOrThrow(
          new Validator({ format: name }).issuesOf(`${part.repeat(9_000 / part.length)}\u0000`)
        )
        assert.isBelow(performance.now() - from, 500, `${name} on ${part}`)
      }
    }
  })

  it("levels of anyOf are told in few steps; a limit that is met is named", () => {
    const $defs: Record<string, Doc> = { a28: { type: "null" } }
    for (let n = 0; n < 28; n++) {
      const $ref = `#/$defs/a${n + 1}`
      $defs[`a${n}`] = { anyOf: [{ $ref }, { $ref }] }
    }
    const from = performance.now()
    const levels = Result.getOrThrow(compileSchema({ $ref: "#/$defs/a0", $defs })).issuesOf(1)
    assert.include(levels[0]?.problem, 'Expected "null"')
    assert.isBelow(performance.now() - from, 3_000)
    const many = Array.from({ length: 300_000 }, (_, n) => n)
    const wide = new Validator({ items: { anyOf: [{ type: "null" }, { minimum: 0 }, { maximum: 0 }] } })
    const counted = wide.issuesOf(many)
    assert.include(Result.isFailure(counted) ? counted.failure.message : "", "schema_limit")
    const itself = new Validator({ allOf: [{ $ref: "#" }] }).issuesOf(1)
    assert.include(Result.isFailure(itself) ? itself.failure.message : "", "schema_limit")
  })

  it("a deep value is checked; one too deep says so", () => {
    let deep: Json = 1
    for (let n = 0; n < 300; n++) deep = [deep]
    const found = Result.getOrThrow(new Validator({ items: { $ref: "#" } }).issuesOf(deep))
    assert.deepStrictEqual(found, [])
    for (let n = 0; n < 3_000; n++) deep = [deep]
    const tooDeep = new Validator({ items: { $ref: "#" } }).issuesOf(deep)
    assert.include(Result.isFailure(tooDeep) ? tooDeep.failure.message : "", "schema_limit")
  })
})
