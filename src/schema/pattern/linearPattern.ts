// Patterns in time linear in the text: a parsed pattern (parse.ts) compiled for an engine with RE2's semantics. Nothing
// falls back to backtracking. What a pattern may cost is bounded beforehand: its program, and its program times the text.
import { Result } from "effect"
import { RE2JS } from "re2js"
import { parsePattern } from "./parse.ts"
import { PatternError, type PatternNode } from "./Pattern.ts"

const maxPatternLength = 1_000
/**
 * What may be spent on one text: instructions of the compiled pattern times characters read. The slowest pattern we
 * found takes 0.03 µs for each, so that an answer takes 3 s at worst, and mostly a few milliseconds.
 */
export const maxPatternSteps = 100_000_000
const maxMatches = 100_000
const maxProgram = 20_000
/** Longest text of a compiled pattern, its repetitions written out. */
const maxSource = 200_000
/** The engine counts no further than this, repetitions within repetitions multiplied. */
const engineRepeat = 1_000

export interface Match {
  readonly start: number
  readonly end: number
  /** The first group, where it took part in the match. */
  readonly group?: { readonly text: string; readonly start: number; readonly end: number }
}

export interface LinearPattern {
  readonly groups: number
  /** It speaks of a line's end itself: `\r`, `\n`. */
  readonly namesCarriageReturn: boolean
  readonly namesLineFeed: boolean
  /** It has look-aheads, so that it tells whether a text matches, but not where. */
  readonly placeless: boolean
  /** Steps that reading a text of so many characters takes at most; over `maxPatternSteps` is too much. */
  readonly steps: (characters: number) => number
  readonly test: (text: string) => boolean
  readonly full: (text: string) => boolean
  /**
   * The matches in these lines (`^` and `$` are a line's), from left to right, not overlapping; places count from the
   * start of the first line, a line end as one. Undefined where finding them takes more than `maxPatternSteps`, or
   * there are more than 100,000.
   */
  readonly matches: (lines: ReadonlyArray<string>) => ReadonlyArray<Match> | undefined
}

/** How often the innermost part of it may stand there at most, as the engine counts. */
const weight = (node: PatternNode): number => {
  switch (node._tag) {
    case "char":
    case "place":
      return 1
    case "sequence":
      return Math.max(1, ...node.parts.map(weight))
    case "choice":
      return Math.max(1, ...node.options.map(weight))
    case "group":
      return weight(node.node)
    case "repeat":
      return Math.max(1, Number.isFinite(node.max) ? node.max : node.min) * weight(node.node)
  }
}

const captures = (node: PatternNode): boolean => {
  switch (node._tag) {
    case "char":
    case "place":
      return false
    case "sequence":
      return node.parts.some(captures)
    case "choice":
      return node.options.some(captures)
    case "group":
      return node.capture || captures(node.node)
    case "repeat":
      return captures(node.node)
  }
}

const tooLong = (): never => {
  throw new PatternError({ problem: "the pattern's repetitions multiply to more than can be written out" })
}

/** The pattern in RE2's syntax. Repetitions that the engine would not count are written out. */
const re2 = (node: PatternNode): string => {
  switch (node._tag) {
    case "char":
    case "place":
      return node.source
    case "sequence":
      return node.parts.map(re2).join("")
    case "choice":
      return `(?:${node.options.map(re2).join("|")})`
    case "group":
      return `${node.open}${re2(node.node)})`
    case "repeat": {
      const { lazy, max, min } = node
      const one =
        node.node._tag === "char"
          ? re2(node.node)
          : node.node._tag === "group"
            ? re2(node.node)
            : `(?:${re2(node.node)})`
      const mark = lazy ? "?" : ""
      if (weight(node) <= engineRepeat) {
        return `${one}{${min},${Number.isFinite(max) ? max : ""}}${mark}`
      }
      if (captures(node.node)) return tooLong()
      const times = Number.isFinite(max) ? max : min + 1
      if (one.length * times > maxSource) return tooLong()
      return Number.isFinite(max)
        ? `(?:${one.repeat(min)}${`${one}?${mark}`.repeat(max - min)})`
        : `(?:${one.repeat(min)}${one}*${mark})`
    }
  }
}

const engine = (node: PatternNode, flags: string): RE2JS => {
  const source = re2(node)
  if (source.length > maxSource) return tooLong()
  const value =
    (flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes("m") ? RE2JS.MULTILINE : 0)
  return RE2JS.compile(source, value)
}

interface Engines {
  readonly main: RE2JS
  readonly ahead: ReadonlyArray<{ readonly negated: boolean; readonly engine: RE2JS }>
}

/** Compiles a pattern of the language of parse.ts. Flags: `i`, `m`, `s`. */
export const linearPattern = (pattern: string, flags = ""): Result.Result<LinearPattern, PatternError> =>
  Result.gen(function* () {
    if (pattern.length > maxPatternLength) {
      return yield* Result.fail(
        new PatternError({ problem: `a pattern of more than ${maxPatternLength} characters` })
      )
    }
    const parsed = yield* parsePattern(pattern, flags)
    const { main, ahead } = yield* Result.try({
      try: (): Engines => ({
        main: engine(parsed.node, flags),
        ahead: parsed.ahead.map(({ negated, node }) => ({
          negated,
          engine: engine(
            {
              _tag: "sequence",
              parts: [
                { _tag: "place", source: "^" },
                { _tag: "group", open: "(?:", capture: false, node }
              ]
            },
            flags
          )
        }))
      }),
      catch: (cause) =>
        new PatternError({ problem: cause instanceof Error ? cause.message : "the pattern does not compile" })
    })
    const size = ahead.reduce((sum, one) => sum + one.engine.programSize(), main.programSize())
    if (size > maxProgram) {
      return yield* Result.fail(
        new PatternError({ problem: `the pattern needs more than ${maxProgram} steps a character` })
      )
    }
    const held = (text: string) => ahead.every(({ engine: one, negated }) => one.test(text) !== negated)
    return {
      groups: parsed.groups,
      namesCarriageReturn: parsed.namesCarriageReturn,
      namesLineFeed: parsed.namesLineFeed,
      placeless: ahead.length > 0,
      steps: (characters: number) => size * (characters + 1),
      test: (text: string) => held(text) && main.test(text),
      full: (text: string) => held(text) && main.matches(text),
      matches: (lines: ReadonlyArray<string>) => allMatches(main, lines)
    }
  })

const allMatches = (compiled: RE2JS, lines: ReadonlyArray<string>): ReadonlyArray<Match> | undefined => {
  const found: Array<Match> = []
  let left = maxPatternSteps
  let from = 0
  for (const line of lines) {
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
