// count: how many there are, exactly, compared with a whole number: items of an array, members of an object, lines,
// code points or bytes of a text, matches of a pattern (line by line), occurrences of a passage (not overlapping).
import { Result, Schema } from "effect"
import type { Json } from "../../domain/canonicalJson.ts"
import { compares, decimalFromNumber, Ops } from "../../domain/decimal.ts"
import { holds, unproven } from "../Finding.ts"
import { linearRegex } from "../linearRegex.ts"
import { oracle } from "../Oracle.ts"
import { isArray } from "../pointer.ts"
import { select, selection, type Unproven } from "../select.ts"

const Args = Schema.Struct({
  of: Schema.Literals(["items", "members", "lines", "code_points", "bytes", "matches", "occurrences"]),
  /** The pattern of `matches`, the passage of `occurrences`. */
  what: Schema.optionalKey(Schema.NonEmptyString),
  op: Schema.Literals(Ops),
  value: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))),
  ...selection
})

const matchesIn = (text: string, pattern: string): Result.Result<number, Unproven> =>
  Result.gen(function* () {
    const compiled = yield* Result.mapError(linearRegex(pattern), (error) =>
      unproven("pattern_unsupported", error.message)
    )
    const found = compiled.matches(text)
    return found === undefined
      ? yield* Result.fail(unproven("too_large", "counting the matches takes too long"))
      : found.length
  })

const lines = (text: string): number => {
  const parts = text.split("\n").length
  return text === "" ? 0 : text.endsWith("\n") ? parts - 1 : parts
}

const countIn = (value: Json, { of, what }: typeof Args.Type): Result.Result<number, Unproven> => {
  const needs = of === "matches" || of === "occurrences"
  if (needs !== (what !== undefined)) {
    return Result.fail(unproven("bad_args", "`what` belongs to matches and occurrences"))
  }
  if (of === "items" && isArray(value)) return Result.succeed(value.length)
  if (of === "members" && value !== null && typeof value === "object" && !isArray(value)) {
    return Result.succeed(Object.keys(value).length)
  }
  if (typeof value !== "string" || of === "items" || of === "members") {
    return Result.fail(unproven("wrong_kind", `what stands there has no ${of}`))
  }
  switch (of) {
    case "lines":
      return Result.succeed(lines(value))
    case "code_points":
      return Result.succeed(Array.from(value).length)
    case "bytes":
      return Result.succeed(new TextEncoder().encode(value).length)
    case "matches":
      return matchesIn(value, what ?? "")
    case "occurrences":
      return Result.succeed(value.split(what ?? "").length - 1)
  }
}

export const count = oracle("count", Args, (args, { evidence }) => {
  const { of: _of, op, value, what: _what, ...where } = args
  return Result.gen(function* () {
    const selected = yield* select(evidence, where)
    if (selected.unit !== undefined) return unproven("wrong_kind", "a number has no parts")
    const found = yield* countIn(selected.value, args)
    const pair = [decimalFromNumber(found), decimalFromNumber(value)] as const
    if (pair[0] === undefined || pair[1] === undefined) return unproven("bad_args", "not a whole number")
    return holds(compares(op, pair[0], pair[1]), `there are ${found}`, found)
  })
})
