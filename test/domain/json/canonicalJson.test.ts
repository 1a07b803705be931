// The vectors of RFC 8785 and of what JSON cannot carry, each by its id; then what no list can hold.
import { readFileSync } from "node:fs"
import { types } from "node:util"
import { runInNewContext, runInThisContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import {
  canonicalJson,
  type NotCanonicalError,
  isTooDeep,
  maxValueDepth
} from "../../../src/domain/json/canonicalJson.ts"
import { fingerprint, sha256, sha256Stream } from "../../../src/domain/fingerprint.ts"

const Vectors = Schema.fromJsonString(
  Schema.Struct({
    cases: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        name: Schema.String,
        inputJson: Schema.String,
        canonical: Schema.String,
        utf8Bytes: Schema.Int,
        sha256: Schema.String
      })
    ),
    jsValues: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        name: Schema.String,
        inputJs: Schema.String,
        expected: Schema.String
      })
    ),
    collisions: Schema.Array(
      Schema.Struct({ left: Schema.String, right: Schema.String, note: Schema.String })
    )
  })
)
const vectors = Schema.decodeUnknownSync(Vectors)(
  readFileSync(new URL("../../fixtures/cases/canonical-json.json", import.meta.url), "utf8")
)

/** Descriptions in the list that are not expressions by themselves. */
const described: Readonly<Record<string, string>> = {
  "o.self = o": "(() => { const o = {}; o.self = o; return o })()",
  "new P()": "new (class P { a = 1 })()",
  'defineProperty(o, "h", …)': 'Object.defineProperty({}, "h", { value: 1 })',
  '"\\ud800" escaped text vs lone surrogate': '"\\ud800"'
}
const evaluate = (source: string): unknown => {
  const code = described[source] ?? source
  return code.startsWith("Buffer") ? Buffer.from("a") : runInThisContext(`(${code})`)
}

const isProxy = (value: object) => types.isProxy(value)
const canonical = (value: unknown) => canonicalJson(value, { isProxy })
const refusal = (value: unknown): NotCanonicalError => Result.getOrThrow(Result.flip(canonical(value)))

describe("canonical JSON", () => {
  for (const { canonical: expected, id, inputJson, name, sha256: hash, utf8Bytes } of vectors.cases) {
    it(`${id} ${name}`, () => {
      const value: unknown = JSON.parse(inputJson)
      assert.strictEqual(Result.getOrThrow(canonical(value)), expected)
      assert.strictEqual(Buffer.byteLength(expected), utf8Bytes)
      assert.strictEqual(Result.getOrThrow(fingerprint(value)), hash)
      assert.strictEqual(Result.getOrThrow(canonical(JSON.parse(expected))), expected)
    })
  }

  for (const { expected, id, inputJs, name } of vectors.jsValues) {
    it(`${id} ${name}: ${expected}`, () => {
      const result = canonical(evaluate(inputJs))
      assert.strictEqual(Result.isSuccess(result), expected.startsWith("accept"))
      if (Result.isFailure(result)) assert.match(result.failure.path, /^\$/)
    })
  }

  for (const { left, note, right } of vectors.collisions) {
    it(`tells ${left} from ${right}: ${note}`, () => {
      const [a, b] = [canonical(evaluate(left)), canonical(evaluate(right))]
      // Either one has no canonical form, or both have and are told apart; -0 and 0 are the same number.
      if (Result.isSuccess(a) && Result.isSuccess(b) && evaluate(left) !== evaluate(right)) {
        assert.notStrictEqual(a.success, b.success)
      }
    })
  }

  it("keeps what it accepts: undefined members are absent, -0 is 0, __proto__ is a key", () => {
    const texts = [{ a: undefined, b: 1 }, [-0], JSON.parse('{"__proto__":1}'), Object.create(null)].map(
      (value) => Result.getOrThrow(canonical(value))
    )
    assert.deepStrictEqual(texts, ['{"b":1}', "[0]", '{"__proto__":1}', "{}"])
  })

  it("names the path of what it refuses", () => {
    const deep = { a: [0, 1, 2, { b: Number.NaN }] }
    assert.strictEqual(refusal(deep).path, "$.a[3].b")
    assert.strictEqual(refusal({ "not plain": [undefined] }).path, '$["not plain"][0]')
    assert.strictEqual(refusal({ a: { b: new Map() } }).path, "$.a.b")
    // oxlint-disable-next-line no-sparse-arrays
    assert.strictEqual(refusal([1, , 3]).path, "$[1]")
    assert.strictEqual(refusal(undefined).path, "$")
    assert.include(refusal({ when: new Date(0) }).message, "$.when: Date")
  })

  it("refuses symbol keys, arrays with more than elements, and setters", () => {
    assert.strictEqual(refusal({ [Symbol("s")]: 1 }).path, "$")
    assert.strictEqual(refusal(Object.assign([1], { extra: 1 })).path, "$")
    assert.strictEqual(refusal({ set a(_: number) {} }).path, "$.a")
  })

  it("accepts plain data of another realm, and refuses that realm's class instances", () => {
    assert.strictEqual(
      Result.getOrThrow(canonical(runInNewContext("({ b: [1], a: { c: null } })"))),
      '{"a":{"c":null},"b":[1]}'
    )
    assert.isTrue(Result.isFailure(canonical(runInNewContext("new Date(0)"))))
    assert.isTrue(Result.isFailure(canonical(runInNewContext("new (class {})()"))))
  })

  it("takes the same object twice, but not within itself", () => {
    const shared = { x: 1 }
    assert.strictEqual(Result.getOrThrow(canonical([shared, shared])), '[{"x":1},{"x":1}]')
    const cycle: Array<unknown> = []
    cycle.push({ cycle })
    assert.strictEqual(refusal(cycle).path, "$[0].cycle")
  })

  it("refuses what nests too deep instead of exhausting the stack", () => {
    let deep: unknown = 1
    for (let n = 0; n < 100_000; n++) deep = [deep]
    assert.include(refusal(deep).problem, "nested deeper")
  })

  it.prop(
    "orders members by UTF-16 code unit, few or many",
    [Schema.Array(Schema.String).pipe(Schema.check(Schema.isMaxLength(60)))],
    ([given]) => {
      const keys = [...new Set(given.filter((key) => key.isWellFormed()))]
      const value = Object.fromEntries(keys.map((key) => [key, 0]))
      const text = `{${keys
        .sort()
        .map((key) => `${JSON.stringify(key)}:0`)
        .join(",")}}`
      assert.strictEqual(Result.getOrThrow(canonicalJson(value)), text)
    }
  )

  it("knows what nests deeper than it would ever write, and has time for it", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    for (const levels of [1, 1000, 1024, 1025, 20_000, 1_000_000]) {
      const text = nested(levels)
      const value: unknown = JSON.parse(text)
      assert.strictEqual(isTooDeep(value, text.length), Result.isFailure(canonicalJson(value)), `${levels}`)
    }
    const wide = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => [{ n }]))
    assert.isFalse(isTooDeep(JSON.parse(wide), wide.length))
  })

  it("takes a value from outside only as deep as what is put around it leaves room for", () => {
    const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))
    const options = { maxDepth: maxValueDepth }
    assert.isTrue(Result.isSuccess(canonicalJson(nested(1000), options)))
    assert.isTrue(Result.isFailure(canonicalJson(nested(1001), options)))
    assert.isTrue(Result.isSuccess(canonicalJson({ a: { b: [nested(1000)] } })))
  })

  it("reads a value exactly once: a Proxy that cannot be known cannot change its mind", () => {
    const reads: Array<string> = []
    const shifty = new Proxy(
      { a: 1, b: 2 },
      {
        getOwnPropertyDescriptor: (_, key) => {
          reads.push(String(key))
          return { configurable: true, enumerable: true, value: reads.length }
        }
      }
    )
    assert.strictEqual(Result.getOrThrow(canonicalJson(shifty)), '{"a":1,"b":2}')
    assert.deepStrictEqual(reads, ["a", "b"])
    assert.include(refusal(shifty).problem, "Proxy")
  })

  it("a getter or trap that throws is a refusal, not a throw", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no")
        }
      }
    )
    assert.isTrue(Result.isFailure(canonicalJson(hostile)))
  })

  it.effect.prop("any JSON comes back equal, and its order does not matter", [Schema.Json], ([value]) =>
    Effect.sync(() => {
      const result = canonical(value)
      if (Result.isFailure(result)) return assert.match(JSON.stringify(value), /\\ud[89a-f]/)
      const text = result.success
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      const reversed = (json: unknown): unknown =>
        Array.isArray(json)
          ? json.map(reversed)
          : typeof json === "object" && json !== null
            ? Object.fromEntries(
                Object.entries(json)
                  .toReversed()
                  .map(([key, member]) => [key, reversed(member)])
              )
            : json
      assert.strictEqual(Result.getOrThrow(canonical(reversed(value))), text)
    })
  )
})

describe("fingerprint", () => {
  it("is SHA-256 of the UTF-8 bytes, in one piece or many", () => {
    const text = "ação 👩‍💻"
    const stream = sha256Stream()
    for (const byte of Buffer.from(text)) stream.update(Uint8Array.of(byte))
    assert.strictEqual(stream.digest(), sha256(text))
    assert.strictEqual(sha256(Buffer.from(text)), sha256(text))
    assert.strictEqual(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  })
})
