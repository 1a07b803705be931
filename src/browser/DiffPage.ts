// DiffPage: what a page shows of the difference between two runs.

export type DiffWords = ReadonlyArray<{
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}>

interface Side {
  readonly name: string
  readonly facts: ReadonlyArray<string>
}

export interface DiffPage {
  readonly a: Side
  readonly b: Side
  /** Calls that differ in nothing. */
  readonly same: number
  /** Those that differ, in order. `asked`: of a plan that has not run, what it would ask. */
  readonly pairs: ReadonlyArray<{
    readonly place: string
    readonly name: string
    readonly kind: "removed" | "added" | "changed" | "asked"
    readonly parts: ReadonlyArray<{ readonly head: string; readonly words: DiffWords }>
  }>
  readonly result?: DiffWords
}
