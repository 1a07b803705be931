// order: an array is sorted (as numbers, texts by code unit, or instants), or the given things stand in this
// sequence, each exactly once: in a text as whole words and numbers, none of which shares a character with the next.
import { Result, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../../domain/json/canonicalJson.ts"
import { cutsWord } from "../boundary.ts"
import { compareDecimal, decimalFromNumber } from "../../domain/decimal.ts"
import { defined } from "../../domain/defined.ts"
import { textFor, type Reading } from "../evidence/reading.ts"
import { proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { intervalOf } from "../instant.ts"
import { oracle } from "../Oracle.ts"
import { isArray, pointAt } from "../pointer.ts"
import { judged, select, selection, type Selected, type Unproven } from "../select.ts"

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

interface Place {
  readonly start: number
  readonly end: number
}

/** More places than this in a text are not looked at. */
const maxPlaces = 100_000

/** Where a passage stands in a text as whole words and numbers; at most two places, for one is wanted. */
const wholePlaces = (text: string, passage: string): Result.Result<ReadonlyArray<Place>, Unproven> => {
  const places: Array<Place> = []
  let seen = 0
  for (let at = text.indexOf(passage); at !== -1 && places.length < 2; at = text.indexOf(passage, at + 1)) {
    if (++seen > maxPlaces) return Result.fail(unproven("too_complex", "a text stands in too many places"))
    const end = at + passage.length
    if (!cutsWord(text, at, end)) places.push({ start: at, end })
  }
  return Result.succeed(places)
}

const placesIn = (
  found: Json,
  reading: Reading | undefined,
  wanted: Json
): Result.Result<ReadonlyArray<Place>, Unproven> => {
  if (isArray(found)) {
    const key = canonicalJsonOf(wanted)
    return Result.succeed(
      found.flatMap((element, start) => (canonicalJsonOf(element) === key ? [{ start, end: start + 1 }] : []))
    )
  }
  if (reading === undefined) return Result.fail(unproven("wrong_kind", "neither an array nor a text"))
  if (typeof wanted !== "string" || wanted === "")
    return Result.fail(unproven("bad_args", "a text has texts in sequence"))
  return Result.gen(function* () {
    const text = yield* textFor(reading, wanted)
    const places = yield* wholePlaces(text, wanted)
    return places.length === 0 && text.includes(wanted)
      ? yield* Result.fail(
          unproven(
            "evidence_ambiguous",
            `${JSON.stringify(wanted)} stands there only within longer words or numbers`
          )
        )
      : places
  })
}

const sequenceIn = (
  { reading, value }: Selected,
  sequence: ReadonlyArray<Json>
): Result.Result<Outcome, Unproven> =>
  Result.gen(function* () {
    // Places in a text with carriage returns and in one without are not the same.
    const texts = sequence.filter((wanted) => typeof wanted === "string" && wanted.includes("\r"))
    if (!isArray(value) && texts.length > 0 && texts.length < sequence.length)
      return unproven("bad_args", "some of the texts have carriage returns, others have none")
    const places: Array<Place> = []
    for (const wanted of sequence) {
      const [place, further] = yield* placesIn(value, reading, wanted)
      if (place === undefined) return refuted("absent", "one of them does not stand there", wanted)
      if (further !== undefined)
        return unproven("evidence_ambiguous", "one of them stands there more than once")
      places.push(place)
    }
    const broken = places.findIndex(({ start }, index) => index > 0 && start < (places[index - 1]?.end ?? 0))
    return broken === -1
      ? proven
      : refuted("differs", "they stand in another sequence", { places: places.map(({ start }) => start) })
  })

export const order = oracle("order", Args, (args, { evidence }) => {
  const { extract, pointer, stream } = args
  const where = {
    ...defined({ extract, pointer, stream })
  }
  return Result.flatMap(select(evidence, where), (selected) => {
    const { value } = selected
    if ("sequence" in args)
      return Result.map(sequenceIn(selected, args.sequence), (outcome) => judged(selected, outcome, "none"))
    return isArray(value) ? sorted(value, args) : Result.fail(unproven("wrong_kind", "not an array"))
  })
})
