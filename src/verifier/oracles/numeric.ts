// numeric: a number compared in exact decimals, with its unit, and with a tolerance only where the claim states one.
import { Result, Schema } from "effect"
import {
  compareDecimal,
  compares,
  decimalFromNumber,
  decimalFromText,
  distance,
  magnitude,
  Ops,
  timesDecimal,
  type Decimal
} from "../../domain/decimal.ts"
import { holds, unproven } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { judged, quantityOf, select, selection, type Unproven } from "../select.ts"
import { inOneUnit } from "../units.ts"

const Num = Schema.Union([Schema.Finite, Schema.String])

/** `abs`: |found - value| <= abs. `rel`: |found - value| <= rel · |value|. One of the two; not negative. */
const Tolerance = Schema.Union([Schema.Struct({ abs: Num }), Schema.Struct({ rel: Num })])

const Args = Schema.Struct({
  op: Schema.Literals(Ops),
  value: Num,
  tolerance: Schema.optionalKey(Tolerance),
  unit: Schema.optionalKey(Schema.NonEmptyString),
  ...selection
})

const decimal = (value: number | string): Result.Result<Decimal, Unproven> => {
  const read = typeof value === "number" ? decimalFromNumber(value) : decimalFromText(value)
  return read === undefined
    ? Result.fail(unproven("bad_args", `${JSON.stringify(value)} is not a number`))
    : Result.succeed(read)
}

const within = (found: Decimal, value: Decimal, tolerance: typeof Tolerance.Type) =>
  Result.map(decimal("abs" in tolerance ? tolerance.abs : tolerance.rel), (bound) =>
    bound.m < 0n
      ? undefined
      : compareDecimal(
          distance(found, value),
          "abs" in tolerance ? bound : timesDecimal(bound, magnitude(value))
        ) <= 0
  )

export const numeric = oracle("numeric", Args, ({ op, tolerance, unit, value, ...where }, { evidence }) =>
  Result.gen(function* () {
    const claimed = yield* decimal(value)
    if (tolerance !== undefined && op !== "eq" && op !== "ne") {
      return unproven("bad_args", "a tolerance belongs to eq and ne only")
    }
    const selected = yield* select(evidence, where)
    const found = yield* quantityOf(selected, unit !== undefined)
    if (found.unit !== undefined && unit === undefined)
      return unproven("unit_missing", "the number has a unit")
    if (found.unit === undefined && unit !== undefined) {
      return unproven("unit_missing", "the number has no unit in the evidence")
    }
    const pair =
      found.unit === undefined || unit === undefined
        ? ([found.amount, claimed] as const)
        : inOneUnit(found.amount, found.unit, claimed, unit)
    if (pair === undefined)
      return unproven("unit_incomparable", `${found.unit} and ${unit} have no known factor`)
    const counter = found.unit === undefined ? selected.value : { value: selected.value, unit: found.unit }
    if (tolerance === undefined) {
      const outcome = holds(compares(op, ...pair), `the number is not ${op} the claimed one`, counter)
      return judged(selected, outcome, "proven")
    }
    if ("abs" in tolerance && found.unit !== unit) {
      return unproven("unit_incomparable", "an absolute tolerance needs the unit of the evidence")
    }
    const close = yield* within(pair[0], pair[1], tolerance)
    if (close === undefined) return unproven("bad_args", "a tolerance is not negative")
    const outcome = holds(close === (op === "eq"), "the number is outside what the tolerance allows", counter)
    return judged(selected, outcome, "proven")
  })
)
