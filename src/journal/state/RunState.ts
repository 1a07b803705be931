// RunState: what is known of a run, as the projection makes it from the events. Types and questions to it; how it
// comes about, and its invariants, are projection.ts's.
import { Schema } from "effect"
import { committedOf, type Spending } from "../../domain/budget/Spending.ts"
import { wholeNanos } from "../../domain/budget/nanos.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunEventOf, SuspendReason } from "../../domain/run/RunEvent.ts"

export { wholeNanos }

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
  /** The answer is a model's, or a person's in its place; not a room's. */
  readonly model: boolean
  /** Dispatches before the last that are in doubt. */
  readonly retry: number
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
  readonly mac?: string
}

export interface RunEnd {
  readonly status: "completed" | "incomplete" | "failed" | "refused" | "invalid"
  readonly offset: number
  readonly length: number
}

/** What a run has cost: known, held for what is in flight or in doubt, and not known. US dollars. */
export const RunCost = Schema.Struct({
  spentUsd: Schema.Number,
  heldUsd: Schema.Number,
  heldCalls: Schema.Int,
  /** Of `heldCalls`, those whose worst case is not known. */
  heldUnbounded: Schema.Int,
  /** The most that calls of unknown cost came to, as far as a worst case was held for them. */
  unknownUsd: Schema.Number,
  unknownCalls: Schema.Int,
  /** Of `unknownCalls`, those that had no worst case. */
  unboundedCalls: Schema.Int,
  /** Calls without which the cost of the whole is not known. */
  unpricedCalls: Schema.Int
})
export type RunCost = typeof RunCost.Type

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
  /** Of these, those that have an answer, and those whose answer says `ok: false`. */
  readonly modelCompleted: number
  readonly modelFailed: number
  readonly counts: Readonly<Record<CallStatus, number>>
  readonly failed: number
  readonly usage: Usage
  /** What was spent and what is held, in the run and in each part of it that has a budget. */
  readonly spending: Spending
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

/** What the run has cost, in the parts that are told apart. US dollars. */
export const costOfRun = ({ spending }: Pick<RunState, "spending">): RunCost => {
  const { heldCalls, heldUnbounded, heldUsd, spentUsd, unboundedCalls, unknownCalls, unknownUsd, unpriced } =
    spending.of()
  return {
    spentUsd,
    heldUsd,
    heldCalls,
    heldUnbounded,
    unknownUsd,
    unknownCalls,
    unboundedCalls,
    unpricedCalls: unpriced + heldUnbounded
  }
}

/**
 * The whole, as far as it is known: what may have been billed and is not settled counts at its reserve, and without
 * one, or after an answer that does not say what it cost, the whole is not known.
 */
export const knownCost = (cost: RunCost): { readonly costUsd?: number; readonly unpricedCalls: number } => {
  const { unpricedCalls } = cost
  return unpricedCalls > 0 ? { unpricedCalls } : { costUsd: committedOf(cost), unpricedCalls }
}

/** The parts of a cost, as machines are told. */
export const toldCost = (cost: RunCost) => ({
  spentUsd: cost.spentUsd,
  heldUsd: cost.heldUsd,
  heldCalls: cost.heldCalls,
  unknownCostCalls: cost.unknownCalls,
  ...(cost.unknownCalls === 0 || cost.unboundedCalls > 0 ? {} : { unknownCostUsd: cost.unknownUsd }),
  unpricedCalls: cost.unpricedCalls
})
export type ToldCost = ReturnType<typeof toldCost>

/** Everything spent, and everything that may still be. Never more than the cap, if reserves were admitted by it. */
export const committedUsd = ({ spending }: Pick<RunState, "spending">): number => committedOf(spending.of())
