// The paranoid sweep of the seeds: the forbidden calls as text, wherever they stand, comments and strings included.
// Only on request; the static layer needs no help. Pure.
import { instead } from "./catalogue.ts"

export interface SweepFinding {
  readonly construct: string
  readonly instead: string
  readonly offset: number
}

const patterns: ReadonlyArray<readonly [construct: string, instead: string, pattern: RegExp]> = [
  ["Date.now()", instead.clock, /\bDate\s*\??\.\s*now\b/g],
  ["new Date()", instead.clock, /\bnew\s+Date\s*(?:\(\s*\)|(?![\w$\s(]|\s*\())/g],
  ["Math.random()", instead.random, /\bMath\s*\??\.\s*random\b/g],
  ["performance.now()", instead.clock, /\bperformance\s*\??\.\s*now\b/g],
  ["crypto.randomUUID()", instead.ids, /\brandomUUID\b|\bgetRandomValues\b/g],
  ["process.hrtime()", instead.clock, /\bprocess\s*\??\.\s*hrtime\b/g]
]

/** Every mention, in the order of the text. */
export const sweep = (text: string): ReadonlyArray<SweepFinding> =>
  patterns
    .flatMap(([construct, advice, pattern]) =>
      [...text.matchAll(pattern)].map(({ index }) => ({ construct, instead: advice, offset: index }))
    )
    .toSorted((a, b) => a.offset - b.offset)
