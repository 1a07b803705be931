// RunPage: what a page shows of one run. The command makes it out of the journal (cli/report/runPage.ts); the page draws
// it and knows nothing else. All texts are made harmless where it is written down.

export type CallKind = "completed" | "failed" | "other"

/** One call in the list and in the plots. */
export interface CallLine {
  /** Its place among all calls of the run, from 1. */
  readonly number: number
  readonly name: string
  readonly kind: CallKind
  /** What became of it, in a word: `completed`, `cut`, a code of a failure. */
  readonly status: string
  readonly phase?: string
  readonly model?: string
  /** Milliseconds of the run's clock. */
  readonly from: number
  readonly to?: number
  /** When it was at work, where that is more than one attempt. */
  readonly attempts?: ReadonlyArray<readonly [from: number, to: number]>
  readonly tokens?: number
  /** US dollars. */
  readonly costUsd?: number
}

/** A headed text: a prompt, an answer, a verdict. */
export interface TextBlock {
  readonly head: string
  readonly text: string
}

/** One call whole. */
export interface CallText {
  readonly number: number
  /** Who asked whom, and where, in a line. */
  readonly facts: string
  readonly blocks: ReadonlyArray<TextBlock>
}

/** What a person is asked. */
export interface WaitingItem {
  readonly item: string
  readonly kind: "question" | "approval"
  readonly text: string
  readonly choices?: ReadonlyArray<string>
  /** Whether the answer is JSON of a schema, and not any text. */
  readonly hasSchema: boolean
}

export interface RunPage {
  readonly runId: string
  readonly title: string
  readonly status: string
  /** The `seq` of the last event that it tells of. */
  readonly events: number
  /** When the page was made, in words. */
  readonly made: string
  readonly facts: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly verdict: string
  readonly steps: ReadonlyArray<string>
  readonly result?: string
  readonly councils: ReadonlyArray<{ readonly call: number } & TextBlock>
  readonly gates: ReadonlyArray<{ readonly name: string; readonly pass: boolean; readonly detail?: string }>
  /** In the order in which the run entered them. */
  readonly phases: ReadonlyArray<string>
  readonly calls: ReadonlyArray<CallLine>
  /** Of a page that is served: what the run waits for. */
  readonly waiting?: ReadonlyArray<WaitingItem>
}

/** One run in the list of runs. */
export interface RunLine {
  readonly runId: string
  readonly name?: string
  readonly status: string
  readonly goal: string
  readonly plan?: string
  readonly calls: number
  readonly cost?: string
  /** When it was written last, in words. */
  readonly written: string
}

/** Where a page has the texts of calls from: the file itself, or the server. */
export interface CallTexts {
  readonly one: (number: number) => Promise<CallText | undefined>
  readonly all: () => Promise<ReadonlyArray<CallText>>
}
