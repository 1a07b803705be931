// RunContext: what one run in this process works with. Made when the run is opened, read by catch-up and live alike.
import { type Deferred, Effect, type Clock } from "effect"
import type { Budget, Contract } from "../../domain/Contract.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunEvent, RunEventBody } from "../../domain/run/RunEvent.ts"
import type { CallAnswer } from "../../journal/log/resultText.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { LogicalClock } from "../../kernel/LogicalClock.ts"
import type { TurnScheduler } from "../../kernel/TurnScheduler.ts"
import type { CallBook } from "../calls/CallBook.ts"
import type { CouncilSaid, RunDriver } from "../gates/gatedPlan.ts"
import type { Lent } from "../reuse/lentCopy.ts"
import type { RunTelemetry } from "../telemetry/RunTelemetry.ts"
import type { SubflowsByVerb } from "../subflows/Subflow.ts"

export interface RunContext {
  readonly journal: RunJournal
  /** The plan, between its gates where its contract asks for any. */
  readonly driver: RunDriver
  /** What the council of the contract said, where it was held before the plan. */
  readonly council: () => CouncilSaid | undefined
  readonly book: CallBook
  /** How many model calls may be in flight. */
  readonly concurrency: number
  readonly budget: Budget
  /** `off`: no provider's failures stop the run. Undefined: as the guards say. */
  readonly brake: "off" | undefined
  readonly acceptLoss: boolean
  /** Least share of slots that must hold an answer, 0 to 1; absent: all. */
  readonly minCoverage: number | undefined
  /** What an earlier run lends. */
  readonly reuse: Lent
  readonly contract: Contract | undefined
  /** The verbs that are more than a call. */
  readonly subflows: SubflowsByVerb
  readonly boards: Readonly<Record<string, Json>>
  readonly approve: Approved
  /** Set for a hermetic run: time is logical, and calls run until quiet before it moves. */
  readonly hermetic: { readonly clock: LogicalClock; readonly turns: TurnScheduler } | undefined
  /** Time for what is not part of the run: the guards of the plan's process. */
  readonly hostClock: Clock.Clock
  /** Sees every event this process appends, after it is in the log's buffer. */
  readonly observe: (event: RunEvent) => Effect.Effect<void>
  /** Hears of each call that the plan issues anew, before it is dispatched. */
  readonly issued?: ((call: { readonly phase?: string | undefined }) => void) | undefined
  /** The span of a call in flight, where the run is traced. */
  readonly spanOf: RunTelemetry["spanOf"]
  /** Completed with a signal's name when the run shall stop. */
  readonly stop: Deferred.Deferred<string>
}

/** What was approved of beforehand, one decision an entry. All of it is for forecasts, where nothing acts. */
export type Approved = ReadonlyArray<string> | "all"

/** Appends an event and shows it to whoever watches. Durable only after `journal.commit`. */
export const append = (
  run: Pick<RunContext, "journal" | "observe">,
  body: RunEventBody
): Effect.Effect<RunEvent, JournalError> => Effect.tap(run.journal.append(body), run.observe)

/** The same for an answer; gives the text of its result as the log holds it. */
export const appendAnswer = (run: RunContext, answer: CallAnswer) =>
  Effect.tap(run.journal.appendAnswer(answer), ({ event }) => run.observe(event))
