// Regular expressions in time linear in the text (RE2 semantics, re2js). What RE2 has no linear answer for
// (back-references, look-around) does not compile and leaves a claim unproven; nothing falls back to backtracking.
import { Result, Schema } from "effect"
import { RE2JS } from "re2js"

const maxPatternLength = 1_000
/**
 * What may be spent on one text: instructions of the compiled pattern times characters read. The slowest pattern we
 * found takes 0.1 µs for each, so that an answer takes 10 s at worst, and mostly a few milliseconds.
 */
export const maxRegexSteps = 100_000_000
const maxMatches = 100_000
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
  /** Steps that reading a text of so many characters takes at most; over `maxRegexSteps` is too much. */
  readonly steps: (characters: number) => number
  readonly test: (text: string) => boolean
  readonly full: (text: string) => boolean
  /**
   * The matches, line by line (`^` and `$` are a line's), from left to right, not overlapping. Undefined where
   * finding them takes more than `maxRegexSteps`, or there are more than 100,000.
   */
  readonly matches: (text: string) => ReadonlyArray<Match> | undefined
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
            steps: (characters: number) => compiled.programSize() * characters,
            test: (text: string) => compiled.matcher(text).find(),
            full: (text: string) => compiled.matches(text),
            matches: (text: string) => allMatches(compiled, text)
          })
  )
}

const allMatches = (compiled: RE2JS, text: string): ReadonlyArray<Match> | undefined => {
  const found: Array<Match> = []
  let left = maxRegexSteps
  let from = 0
  for (const line of text.split("\n")) {
    const matcher = compiled.matcher(line)
    for (let at = 0; ; at = matcher.end()) {
      // Looking for the next match may read the rest of the line, whether there is one or not.
      left -= compiled.programSize() * (line.length - at + 1)
      if (left < 0 || found.length > maxMatches) return undefined
      if (!matcher.find()) break
      const group = compiled.groupCount() > 0 ? matcher.group(1) : null
      found.push({
        start: from + matcher.start(),
        end: from + matcher.end(),
        ...(typeof group === "string"
          ? { group: { text: group, start: from + matcher.start(1), end: from + matcher.end(1) } }
          : {})
      })
    }
    from += line.length + 1
  }
  return found
}
