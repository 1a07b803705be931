// Regular expressions in time linear in the text (RE2 semantics, re2js). What RE2 has no linear answer for
// (back-references, look-around) does not compile and leaves a claim unproven; nothing falls back to backtracking.
import { Result, Schema } from "effect"
import { RE2JS } from "re2js"

export const maxPatternLength = 1_000
export const maxRegexText = 2_000_000
const maxProgram = 20_000

/** A pattern that is refused, and why. */
export class PatternError extends Schema.TaggedError<PatternError>()("PatternError", {
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

export interface Match {
  readonly start: number
  readonly end: number
  /** The first group, where it took part in the match. */
  readonly group?: { readonly text: string; readonly start: number; readonly end: number }
}

export interface LinearRegex {
  readonly groups: number
  readonly test: (text: string) => boolean
  readonly full: (text: string) => boolean
  /** The matches from left to right, not overlapping, at most `limit` of them. */
  readonly matches: (text: string, limit: number) => ReadonlyArray<Match>
}

const flagValue: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL
}

/** Compiles a pattern in RE2 syntax. Flags: `i`, `m`, `s`. */
export const linearRegex = (pattern: string, flags = ""): Result.Result<LinearRegex, PatternError> => {
  if (pattern.length > maxPatternLength) {
    return Result.fail(new PatternError({ problem: `a pattern of more than ${maxPatternLength} characters` }))
  }
  return Result.flatMap(
    Result.try({
      try: () =>
        RE2JS.compile(
          pattern,
          Array.from(flags).reduce((all, flag) => all | (flagValue[flag] ?? 0), 0)
        ),
      catch: (cause) =>
        new PatternError({ problem: cause instanceof Error ? cause.message : "the pattern does not compile" })
    }),
    (compiled) =>
      compiled.programSize() > maxProgram
        ? Result.fail(
            new PatternError({ problem: `the pattern needs more than ${maxProgram} steps a character` })
          )
        : Result.succeed({
            groups: compiled.groupCount(),
            test: (text: string) => compiled.matcher(text).find(),
            full: (text: string) => compiled.matches(text),
            matches: (text: string, limit: number) => allMatches(compiled, text, limit)
          })
  )
}

const allMatches = (compiled: RE2JS, text: string, limit: number): ReadonlyArray<Match> => {
  const matcher = compiled.matcher(text)
  const found: Array<Match> = []
  while (found.length < limit && matcher.find()) {
    const match = { start: matcher.start(), end: matcher.end() }
    const group = compiled.groupCount() > 0 ? matcher.group(1) : null
    found.push(
      typeof group === "string"
        ? { ...match, group: { text: group, start: matcher.start(1), end: matcher.end(1) } }
        : match
    )
  }
  return found
}
