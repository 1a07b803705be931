// RunState: what is known of a run, as the projection makes it from the events. Types and questions to it; how it
// comes about, and its invariants, are projection.ts's.
import type { Json } from "../domain/canonicalJson.ts"
import type { RunEventOf, SuspendReason } from "../domain/RunEvent.ts"

/** Dollars are summed in whole 1e-9 dollars, so that a sum does not depend on its order. */
export const wholeNanos = (usd: number): number => Math.round(usd * 1e9) / 1e9

export type CallStatus = "scheduled" | "completed" | "cancelled" | "parked"

export interface CallState {
  /** `key#occurrence`. */
  readonly id: string
  /** Its place in the order the plan issued calls, from 1; of the last scheduling. */
  readonly n: number
  readonly status: CallStatus
  /** Place of its completion in journal order, from 0; -1 while it has none. Stays with it over a reopening. */
  readonly rank: number
  /** Where the line of its CallCompleted stands, in bytes. */
  readonly offset: number
  readonly length: number
  /** The answer says `ok: false`. */
  readonly failed: boolean
  /** Dispatches before the last that are in doubt. */
  readonly retry: number
  /** US dollars that are still held back for it. */
  readonly reservedUsd: number
}

/** The calls of a run. What it gives is current: it changes as events are folded in. */
export interface KnownCalls {
  readonly size: number
  readonly get: (id: string) => CallState | undefined
  /** In the order they became known. */
  readonly values: () => IterableIterator<CallState>
}

export interface Completed {
  readonly length: number
  readonly at: (rank: number) => CallState | undefined
}

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface Question {
  readonly event: RunEventOf<"QuestionAsked">
  readonly answer?: Json
}

export interface RunEnd {
  readonly status: "completed" | "incomplete" | "failed" | "refused" | "invalid"
  readonly offset: number
  readonly length: number
}

/** Read it; only `advance` writes it. */
export interface RunState {
  readonly lastSeq: number
  readonly startedAt: number | undefined
  readonly lastAt: number
  readonly concurrency: number | undefined
  readonly hermetic: boolean
  /** The rules the run began under; of a log that has no event yet, those that it will begin under. */
  readonly rules: number
  /** By `callId`. */
  readonly calls: KnownCalls
  /** The calls that have an answer, by rank; undefined where a reopening dropped it. */
  readonly completed: Completed
  /** Completions of a rank below this may belong to calls that the reopened plan no longer makes. */
  readonly reopenedRank: number
  /** Calls of models, those that rooms make included; not sleeps, rooms and their steps. */
  readonly modelCalls: number
  readonly counts: Readonly<Record<CallStatus, number>>
  readonly failed: number
  readonly usage: Usage
  readonly spentUsd: number
  readonly reservedUsd: number
  /** Live calls of models whose cost is not known. */
  readonly unpriced: number
  /** Calls that may have cost something, of which nothing is known: in flight, in doubt, or given up on in flight. */
  readonly openUnpriced: number
  readonly phases: ReadonlyArray<string>
  readonly coverage: { readonly done: number; readonly of: number } | undefined
  readonly questions: ReadonlyMap<string, Question>
  readonly suspended:
    | { readonly reason: SuspendReason; readonly until?: number; readonly items: ReadonlyArray<string> }
    | undefined
  readonly interrupted: string | undefined
  readonly end: RunEnd | undefined
  readonly reopened: number
}

/** In doubt: scheduled, and nobody knows what became of it. Right after a log was opened, these are all in flight. */
export const inDoubt = (state: RunState): ReadonlyArray<CallState> =>
  [...state.calls.values()].filter((call) => call.status === "scheduled")

/**
 * What the run has cost, as far as it is known: what may have been billed and is not settled counts at its reserve,
 * and without one the whole is not known. US dollars.
 */
export const knownCost = (
  state: Pick<RunState, "spentUsd" | "reservedUsd" | "unpriced" | "openUnpriced">
): { readonly costUsd?: number; readonly unpricedCalls: number } => {
  const unpricedCalls = state.unpriced + state.openUnpriced
  return unpricedCalls > 0 ? { unpricedCalls } : { costUsd: committedUsd(state), unpricedCalls }
}

/** Everything spent, and everything that may still be. Never more than the cap, if reserves were admitted by it. */
export const committedUsd = (state: Pick<RunState, "spentUsd" | "reservedUsd">): number =>
  wholeNanos(state.spentUsd + state.reservedUsd)
