// What the engine offers to commands and library alike, and what they hand in. Types only; the work is in
// runPlanFile.ts, resumeRun.ts, replayRun.ts.
import { Schema, type Deferred, type Effect } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { Divergence } from "./replay/Divergence.ts"
import type { RunErrorInfo, RunEvent } from "../domain/run/RunEvent.ts"
import type { AdapterRegistry } from "../adapters/registry/AdapterRegistry.ts"
import type { Guards } from "../adapters/guard/Guards.ts"
import type { Journal } from "../journal/Journal.ts"
import type { PlanBundle } from "../plan/bundler/PlanBundle.ts"
import type { PlanBundler } from "../plan/bundler/PlanBundler.ts"
import type { PlanVm } from "../plan/host/PlanVm.ts"
import type { Prelude } from "../plan/prelude/Prelude.ts"
import type { EngineVersions } from "./EngineVersions.ts"
import type { Approved } from "./run/RunContext.ts"
import type { PlanInputs } from "./launch/planSpec.ts"

/** What the engine works with: the journal, models and their guards, and what plans are loaded and run by. */
export type EngineServices =
  | Journal
  | AdapterRegistry
  | Guards
  | PlanBundler
  | PlanVm
  | Prelude
  | EngineVersions

/** How a run is run: none of it is part of what the run is. */
export interface RunOptions {
  /** Model calls in flight at once; 8 unless said otherwise. */
  readonly concurrency?: number
  /** US dollars the run may cost at most; with a contract's `budget.usd`, the lower of the two. */
  readonly maxUsd?: number
  /**
   * Bytes that the run's log and blobs may come to; 4 GiB unless said otherwise. A run that has no room left is
   * suspended (`journal_full`), and goes on once it may have more.
   */
  readonly maxJournalBytes?: number
  /** No provider's failures stop the run: each is an answer. */
  readonly brake?: "off"
  /** Lost items do not make the run `incomplete`. */
  readonly acceptLoss?: boolean
  /** Drop the failed answers of an ended run, and make those calls and what followed from them again. */
  readonly retryFailed?: boolean
  /** Write no call cache. What another run lends (`reuse`) is taken all the same. */
  readonly noCache?: boolean
  /** Council boards by name. Part of what the run is, unlike the rest; a run that is resumed has kept its own. */
  readonly boards?: Readonly<Record<string, Json>>
  /** Pending approvals that are given beforehand, such as `publish`. */
  readonly approve?: Approved
  /**
   * Events of the log up to this `seq` were not written by whoever runs it: what was approved in them does not count
   * any more, and is asked again where its act is not done. Absent: all count.
   */
  readonly foreignUntil?: number
  /**
   * Texts to keep in the run's directory, by role, such as the configuration. A run that is gone on with keeps these
   * from now on, over those it has.
   */
  readonly extra?: Readonly<Record<string, string>>
  /** Sees every event this process appends, at once: also what a crash may still take away. */
  readonly observe?: (event: RunEvent) => Effect.Effect<void>
  /** Hears of a call when the plan has issued it, which may be long before it is dispatched and journaled. */
  readonly issued?: (call: { readonly phase?: string | undefined }) => void
  /** Sees every event this process appends once it is durable: what it was told of is in the log, come what may. */
  readonly observeDurable?: (event: RunEvent) => Effect.Effect<void>
  /** Complete it with a signal's name to stop the run, resumable. */
  readonly stop?: Deferred.Deferred<string>
  /**
   * Looks at a loaded plan before its run is made, or gone on with; what it gives is why that shall not be. Not asked
   * where nothing will be executed, as for a run that has ended.
   */
  readonly preflight?: (bundle: PlanBundle) => Effect.Effect<RunErrorInfo | undefined>
}

export interface RunPlanRequest extends RunOptions {
  /** The plan's file. */
  readonly plan: string
  /** What messages call it, where that is not its path: as the user named it. */
  readonly planName?: string
  readonly inputs: PlanInputs
  readonly hermetic?: boolean
  /** Another run of the same spec: the next free nonce. */
  readonly fresh?: boolean
  /** The inputs must be those of this run, else `spec_mismatch`. */
  readonly expectRun?: string
  /** Answers of this run's calls are taken for the same calls of the new one. */
  readonly reuse?: string
  /** Also refuse what only looks non-deterministic (textual sweep). */
  readonly sweep?: boolean
}

/** The last line of `replay`. `events`: how many the journal holds. */
export const ReplaySummary = Schema.Struct({
  type: Schema.Literal("ReplaySummary"),
  ok: Schema.Boolean,
  runId: Schema.String,
  identical: Schema.Boolean,
  events: Schema.Int,
  /**
   * `content`, of a program in process, whose other awaits reorder its calls, and of a run that was reopened, which
   * cannot tell what the plan did again: calls are compared by content, and not by order, label, phase or log line, nor
   * is one missed that was answered before the reopening. `calls`, of a
   * run that the machine ended for want of time or memory: calls are compared up to its last journaled turn, and its
   * end is the journal's.
   */
  compared: Schema.optionalKey(Schema.Literals(["content", "calls"])),
  /**
   * Of a run that ended by an earlier rule of the engine's: what the rule is now. The run keeps the end that its
   * journal says. `identical`: the plan did the same again; else nothing could be compared from there on.
   */
  rule: Schema.optionalKey(Schema.String),
  divergence: Schema.optionalKey(Divergence),
  error: Schema.optionalKey(
    Schema.Struct({ code: Schema.String, message: Schema.String, cure: Schema.optionalKey(Schema.String) })
  )
})
export type ReplaySummary = typeof ReplaySummary.Type
