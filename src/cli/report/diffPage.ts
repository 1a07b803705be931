// diffPage: the difference of two runs as a page shows it. Pure.
import type { DiffPage, DiffWords } from "../../browser/DiffPage.ts"
import { differs, type CallPair, type ComparedRun, type RunDiff } from "../../engine/inspect/diffRuns.ts"
import type { WordEdit } from "../../engine/inspect/wordDiff.ts"
import { dollarsText, durationText } from "../render/numbers.ts"

const wordsOf = (words: ReadonlyArray<WordEdit>): DiffWords => words.map(({ kind, text }) => ({ kind, text }))

const sideOf = ({ calls, costUsd, durationMs, runId, status, supposed }: ComparedRun): DiffPage["a"] =>
  supposed === undefined
    ? {
        name: runId,
        facts: [
          status,
          `${calls.length} calls`,
          costUsd === undefined ? "cost not known" : dollarsText(costUsd),
          durationText(durationMs)
        ]
      }
    : {
        name: "the plan of today",
        facts: [`${calls.length} calls`, `${supposed.size} of them would be asked`]
      }

const placeOf = ({ a, b }: CallPair): string => (a === b ? String(a) : `${a ?? "–"} → ${b ?? "–"}`)

const wordOf = ({ a, b, supposed }: CallPair): DiffPage["pairs"][number]["kind"] =>
  b === undefined ? "removed" : a === undefined ? "added" : supposed === true ? "asked" : "changed"

export const diffPageOf = (a: ComparedRun, b: ComparedRun, diff: RunDiff): DiffPage => ({
  a: sideOf(a),
  b: sideOf(b),
  same: diff.same,
  pairs: diff.pairs.filter(differs).map((pair) => ({
    place: placeOf(pair),
    name: pair.name,
    kind: wordOf(pair),
    parts: pair.changes.map(({ part, words }) => ({ head: part, words: wordsOf(words) }))
  })),
  ...(diff.result === undefined ? {} : { result: wordsOf(diff.result) })
})
