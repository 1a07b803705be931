// guardOf says of every value what `Schema.is` says: of events, of events in which one member is another value, is
// missing or is too much, and of forms it hands over.
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { exactGuardOf, guardOf } from "../../src/domain/guardOf.ts"
import { RunEvent } from "../../src/domain/run/RunEvent.ts"

const isEvent = guardOf(RunEvent)
const isEventToSchema = Schema.is(RunEvent)

const plain: ReadonlyArray<unknown> = [null, undefined, true, 0, -0, 1.5, NaN, Infinity, 2 ** 60, "", "agent"]
const held: ReadonlyArray<unknown> = [
  [],
  [1],
  {},
  { a: 1 },
  { toString: 1 },
  Object.create(null),
  new Date(0)
]
const others: ReadonlyArray<unknown> = [...plain, ...held, "completed", new Map(), () => 1]

/** The value with one member, wherever it is, replaced or taken away: the `nth` one in the order they are met. */
const changed = (value: unknown, nth: number, change: (holder: object, key: PropertyKey) => void) => {
  const copy: unknown = structuredClone(value)
  let left = nth
  const walk = (holder: unknown): boolean => {
    if (typeof holder !== "object" || holder === null) return false
    for (const [key, member] of Object.entries(holder)) {
      if (left-- === 0) {
        change(holder, key)
        return true
      }
      if (walk(member)) return true
    }
    return false
  }
  return walk(copy) ? copy : undefined
}

const Changes = Schema.Struct({
  nth: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 40 }))),
  other: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: others.length - 1 })))
})

describe("exactGuardOf", () => {
  const schema = Schema.Struct({ a: Schema.Int, b: Schema.optionalKey(Schema.String) })
  const decode = Schema.decodeUnknownOption(schema, { onExcessProperty: "error" })
  const isExact = exactGuardOf(schema)
  const given: ReadonlyArray<unknown> = [
    { a: 1 },
    { a: 1, b: "x" },
    { a: 1, c: 1 },
    { a: 1, toString: 1 },
    { b: "x" }
  ]
  for (const value of [...given, JSON.parse('{"a":1,"__proto__":1}'), null, []]) {
    it(`says of ${JSON.stringify(value)} whether decoding gives it back`, () => {
      assert.strictEqual(isExact(value), Option.isSome(decode(value)))
    })
  }
})

describe("guardOf", () => {
  let refused = 0
  it.prop(
    "says of events and of damaged events what the schema says",
    [RunEvent, Changes],
    ([event, { nth, other }]) => {
      assert.isTrue(isEvent(event))
      const damaged = [
        changed(event, nth, (holder, key) => Reflect.set(holder, key, others[other])),
        changed(event, nth, (holder, key) => Reflect.deleteProperty(holder, key)),
        changed(event, nth, (holder) => Reflect.set(holder, "more", others[other]))
      ]
      for (const value of damaged) {
        assert.strictEqual(isEvent(value), isEventToSchema(value))
        if (!isEvent(value)) refused++
      }
    },
    { arbitrary: { runs: 2000 } }
  )

  it("has refused some of them", () => assert.isAbove(refused, 100))

  it("says of no event at all what the schema says", () => {
    for (const value of others) assert.strictEqual(isEvent(value), isEventToSchema(value))
  })

  const Tagged = Schema.Union([
    Schema.Struct({ t: Schema.Literal("a"), n: Schema.Int }),
    Schema.Struct({ t: Schema.Literal("a"), s: Schema.String })
  ])
  const positive = Schema.check<typeof Schema.Number>(Schema.isGreaterThan(0))
  const handedOver: Readonly<Record<string, Schema.Codec<unknown>>> = {
    "a union with one tag twice": Tagged,
    "a union without tags": Schema.Union([Schema.String, Schema.Number]),
    "a union of structs of which one has no tag": Schema.Union([
      Schema.Struct({ t: Schema.Literal("a") }),
      Schema.Struct({ a: Schema.Number })
    ]),
    "a union with a tag that may be absent": Schema.Union([
      Schema.Struct({ t: Schema.optionalKey(Schema.Literal("a")), a: Schema.Int }),
      Schema.Struct({ t: Schema.Literal("b") })
    ]),
    "a struct without members": Schema.Struct({}),
    "a record": Schema.Record(Schema.String, Schema.Int),
    "an array": Schema.Array(Schema.Literals(["agent", "completed"])),
    "a group of checks": Schema.Number.pipe(Schema.check(Schema.isInt().and(Schema.isGreaterThan(0)))),
    "a check on a struct": Schema.Struct({ a: Schema.Number }).pipe(
      Schema.check(Schema.makeFilter(({ a }) => a > 1))
    ),
    "two checks": Schema.Int.pipe(positive),
    "an optional member of any kind": Schema.Struct({ a: Schema.optionalKey(Schema.Unknown) }),
    "a member that may be undefined": Schema.Struct({ a: Schema.UndefinedOr(Schema.Int) })
  }
  const tagged = [{ t: "a", n: 1 }, { t: "a", s: "x" }, { t: "a", n: "x" }, { t: "b" }]
  const records = [{ a: 2 }, { a: undefined }, { x: 1, y: 2 }, { x: 1.5 }, Object.create({ a: 2 })]
  const values = [...others, ...tagged, ...records, 3, "x", ["agent"], ["agent", 1], [undefined]]
  for (const [name, schema] of Object.entries(handedOver)) {
    it(`says of ${name} what the schema says`, () => {
      const guard = guardOf(schema)
      const is = Schema.is(schema)
      for (const [index, value] of values.entries()) {
        assert.strictEqual(guard(value), is(value), `value ${index}`)
      }
      assert.isTrue(values.some((value) => guard(value)) && values.some((value) => !guard(value)))
    })
  }
})
