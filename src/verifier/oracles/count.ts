// count: how many there are, exactly, compared with a whole number: items of an array, members of an object, lines,
// code points or bytes of a text, matches of a pattern (line by line), occurrences of a passage (not overlapping).
import { Result, Schema } from "effect"
import { compares, decimalFromNumber, Ops } from "../../domain/decimal.ts"
import type { Evidence } from "../Evidence.ts"
import { holds, unproven } from "../Finding.ts"
import { linearPattern } from "../../schema/pattern/linearPattern.ts"
import { linesOf, textFor, type Reading } from "../evidence/reading.ts"
import { oracle } from "../Oracle.ts"
import { isArray } from "../pointer.ts"
import { judged, select, selection, type Selected, type Selection, type Unproven } from "../select.ts"

const Args = Schema.Struct({
  of: Schema.Literals(["items", "members", "lines", "code_points", "bytes", "matches", "occurrences"]),
  /** The pattern of `matches`, the passage of `occurrences`. */
  what: Schema.optionalKey(Schema.NonEmptyString),
  op: Schema.Literals(Ops),
  value: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))),
  ...selection
})

const matchesIn = (reading: Reading, pattern: string): Result.Result<number, Unproven> =>
  Result.gen(function* () {
    const compiled = yield* Result.mapError(linearPattern(pattern), (error) =>
      unproven("pattern_unsupported", error.message)
    )
    if (compiled.placeless)
      return yield* Result.fail(unproven("pattern_unsupported", "a look-ahead has no place to be counted at"))
    const found = compiled.matches(linesOf(reading))
    return found === undefined
      ? yield* Result.fail(unproven("too_large", "counting the matches takes too long"))
      : found.length
  })

/** The bytes of a text: a whole file's are those of the file, in its own encoding. */
const bytesOf = (reading: Reading, evidence: Evidence | undefined, where: Selection): number =>
  evidence?.kind === "file" && where.pointer === undefined && where.extract === undefined
    ? evidence.bytes
    : new TextEncoder().encode(reading.exact).length

const countIn = (
  { reading, value }: Selected,
  { of, what, ...where }: typeof Args.Type,
  evidence: Evidence | undefined
): Result.Result<number, Unproven> => {
  const needs = of === "matches" || of === "occurrences"
  if (needs !== (what !== undefined)) {
    return Result.fail(unproven("bad_args", "`what` belongs to matches and occurrences"))
  }
  if (of === "items" && isArray(value)) return Result.succeed(value.length)
  if (of === "members" && value !== null && typeof value === "object" && !isArray(value)) {
    return Result.succeed(Object.keys(value).length)
  }
  if (reading === undefined || of === "items" || of === "members") {
    return Result.fail(unproven("wrong_kind", `what stands there has no ${of}`))
  }
  switch (of) {
    case "lines":
      return Result.succeed(linesOf(reading).length)
    case "code_points":
      // Whether a CRLF is one or two is not for us to say.
      return reading.exact === reading.text
        ? Result.succeed(Array.from(reading.text).length)
        : Result.fail(unproven("evidence_ambiguous", "the text has CRLF line ends: count its lines or bytes"))
    case "bytes":
      return Result.succeed(bytesOf(reading, evidence, where))
    case "matches":
      return matchesIn(reading, what ?? "")
    case "occurrences":
      return Result.map(textFor(reading, what ?? ""), (text) => text.split(what ?? "").length - 1)
  }
}

export const count = oracle("count", Args, (args, { evidence }) => {
  const { of, op, value, what: _what, ...where } = args
  return Result.gen(function* () {
    const selected = yield* select(evidence, where)
    if (selected.unit !== undefined) return unproven("wrong_kind", "a number has no parts")
    const found = yield* countIn(selected, args, evidence)
    const pair = [decimalFromNumber(found), decimalFromNumber(value)] as const
    if (pair[0] === undefined || pair[1] === undefined) return unproven("bad_args", "not a whole number")
    const outcome = holds(compares(op, pair[0], pair[1]), `there are ${found}`, found)
    // What was found is there; there may be more.
    const least = op === "ge" || op === "gt"
    const over = !least && found > value && (op === "eq" || op === "le" || op === "lt")
    return of === "bytes" ? outcome : judged(selected, outcome, least ? "proven" : over ? "refuted" : "none")
  })
})
