// order: an array is sorted (as numbers, texts by code unit, or instants), or the given things stand in this
// sequence, each exactly once.
import { Result, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../../domain/canonicalJson.ts"
import { compareDecimal, decimalFromNumber } from "../../domain/decimal.ts"
import { proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { intervalOf } from "../instant.ts"
import { oracle } from "../Oracle.ts"
import { isArray, pointAt } from "../pointer.ts"
import { select, selection, type Unproven } from "../select.ts"

const Sorted = Schema.Struct({
  direction: Schema.Literals(["ascending", "descending"]),
  as: Schema.Literals(["number", "string", "instant"]),
  /** Equal neighbours are not in order. */
  strict: Schema.optionalKey(Schema.Boolean),
  /** A pointer into each element. */
  by: Schema.optionalKey(Schema.String),
  ...selection
})
const Sequence = Schema.Struct({
  sequence: Schema.Array(Schema.Json).pipe(Schema.check(Schema.isMinLength(2))),
  ...selection
})
const Args = Schema.Union([Sorted, Sequence])

type Compare = (a: Json, b: Json) => Result.Result<number, Unproven>

const sign = (a: string | bigint, b: string | bigint) => (a < b ? -1 : a > b ? 1 : 0)
const wrong = Result.fail(unproven("wrong_kind", "the elements are not of the kind they are compared as"))

const compareAs: Readonly<Record<(typeof Sorted.Type)["as"], Compare>> = {
  number: (a, b) => {
    const x = typeof a === "number" ? decimalFromNumber(a) : undefined
    const y = typeof b === "number" ? decimalFromNumber(b) : undefined
    return x === undefined || y === undefined ? wrong : Result.succeed(compareDecimal(x, y))
  },
  string: (a, b) => (typeof a === "string" && typeof b === "string" ? Result.succeed(sign(a, b)) : wrong),
  instant: (a, b) =>
    Result.gen(function* () {
      const x = yield* intervalOf(a)
      const y = yield* intervalOf(b)
      if (x.to < y.from || x.from > y.to) return sign(x.from, y.from)
      // Two that overlap are in no order, unless they are the same.
      return x.from === y.from && x.to === y.to
        ? 0
        : yield* Result.fail(unproven("imprecise_date", "two dates overlap: they are not precise enough"))
    })
}

const sorted = (items: ReadonlyArray<Json>, args: typeof Sorted.Type): Result.Result<Outcome, Unproven> =>
  Result.gen(function* () {
    if (items.length < 2) return unproven("vacuous", "fewer than two elements are always in order")
    const keys: Array<Json> = []
    for (const item of items) {
      const key = yield* pointAt(item, args.by ?? "")
      if (key === undefined) return unproven("pointer_missing", "an element has no such place")
      keys.push(key)
    }
    for (const [index, key] of keys.entries()) {
      const previous = index === 0 ? undefined : keys[index - 1]
      if (previous === undefined) continue
      const step = (yield* compareAs[args.as](previous, key)) * (args.direction === "ascending" ? 1 : -1)
      if (step > 0 || (step === 0 && args.strict === true)) {
        return refuted("differs", `element ${index} is not in order`, { index, previous, element: key })
      }
    }
    return proven
  })

const sequenceIn = (found: Json, sequence: ReadonlyArray<Json>): Outcome => {
  const places: Array<number> = []
  for (const wanted of sequence) {
    if (typeof found === "string") {
      if (typeof wanted !== "string" || wanted === "")
        return unproven("bad_args", "a text has texts in sequence")
      const at = found.indexOf(wanted)
      if (at === -1) return refuted("absent", "one of them does not stand there", wanted)
      if (found.indexOf(wanted, at + 1) !== -1) {
        return unproven("evidence_ambiguous", "one of them stands there more than once")
      }
      places.push(at)
    } else if (isArray(found)) {
      const key = canonicalJsonOf(wanted)
      const at = found.flatMap((element, index) => (canonicalJsonOf(element) === key ? [index] : []))
      if (at[0] === undefined) return refuted("absent", "one of them does not stand there", wanted)
      if (at.length > 1) return unproven("evidence_ambiguous", "one of them stands there more than once")
      places.push(at[0])
    } else return unproven("wrong_kind", "neither an array nor a text")
  }
  const broken = places.findIndex((place, index) => index > 0 && place <= (places[index - 1] ?? -1))
  return broken === -1 ? proven : refuted("differs", "they stand in another sequence", { places })
}

export const order = oracle("order", Args, (args, { evidence }) => {
  const { extract, pointer, stream } = args
  const where = {
    ...(extract === undefined ? {} : { extract }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(stream === undefined ? {} : { stream })
  }
  return Result.flatMap(select(evidence, where), ({ value }) => {
    if ("sequence" in args) return Result.succeed(sequenceIn(value, args.sequence))
    return isArray(value) ? sorted(value, args) : Result.fail(unproven("wrong_kind", "not an array"))
  })
})
