// A parsed pattern, as a tree. Reading one is parse.ts's, compiling it linearPattern.ts's, making texts that match it
// patternSample.ts's.
import { Schema } from "effect"

/** A pattern that is refused, and why. */
export class PatternError extends Schema.TaggedError<PatternError>()("PatternError", {
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

export type PatternNode =
  /** One character of a set. `source` is the set for RE2, `sample` are some members, best first. */
  | { readonly _tag: "char"; readonly source: string; readonly sample: string }
  /** A place, not a character: `^`, `$`, `\b`, and flags from here on. */
  | { readonly _tag: "place"; readonly source: string }
  | { readonly _tag: "sequence"; readonly parts: ReadonlyArray<PatternNode> }
  | { readonly _tag: "choice"; readonly options: ReadonlyArray<PatternNode> }
  | { readonly _tag: "group"; readonly open: string; readonly capture: boolean; readonly node: PatternNode }
  | {
      readonly _tag: "repeat"
      readonly node: PatternNode
      readonly min: number
      readonly max: number
      readonly lazy: boolean
    }

export interface Ahead {
  readonly negated: boolean
  readonly node: PatternNode
}

export interface ParsedPattern {
  readonly node: PatternNode
  /** Look-aheads behind the opening `^`. */
  readonly ahead: ReadonlyArray<Ahead>
  readonly groups: number
  /** The pattern speaks of a line's end itself: `\r`, `\x0d` and the like; `\n`. */
  readonly namesCarriageReturn: boolean
  readonly namesLineFeed: boolean
}
