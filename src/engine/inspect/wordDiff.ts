// wordDiff: two texts word by word, by Myers' algorithm as Effect's TextDiff has it. Pure.
import { TextDiff } from "effect"

export interface WordEdit {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Words, runs of white space, and signs one by one. */
const words = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu

/** Beyond so many changed words a stretch is shown as replaced: the rest would take long and tell nobody anything. */
const mostEdits = 500

const kinds = { Equal: "same", Delete: "removed", Insert: "added" } as const

const sameWord = TextDiff.diffWith<string>((left, right) => left === right)

export const wordDiff = (before: string, after: string): ReadonlyArray<WordEdit> =>
  before === after
    ? [{ kind: "same", text: before }]
    : sameWord(before.match(words) ?? [], after.match(words) ?? [], { maxEdits: mostEdits }).map(
        ({ _tag, items }) => ({ kind: kinds[_tag], text: items.join("") })
      )
