// MissionPorts: all that a mission may do, given by whoever runs it, who so journals, bounds and replays it.
import type { Effect } from "effect"
import type { AgentOptions } from "../domain/Call.ts"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { ModelRunResult } from "../domain/ModelRun.ts"
import type { Proof, ProofResult } from "./Mission.ts"
import type { ReadFile } from "./proofs/gatherEvidence.ts"
import type { Inputs, Observe } from "./proofs/observations.ts"

/**
 * A proof to run, and all that its result hangs on: a result that is kept for the same request may be used again.
 * `inputs`: hashes of the files that the unit handed over.
 */
export interface ProofRequest {
  readonly proof: Proof
  readonly task: string
  readonly round: number
  readonly inputs: Inputs
}

/**
 * What a person is asked. `item` is `<mission>/<unit>` or `publish`; `content` all that the answer is for, so that it
 * holds for nothing else. `before`: how it was asked when an approval named no content, where an answer still holds.
 */
export interface ApprovalWanted {
  readonly item: string
  readonly why: string
  readonly content: Json
  readonly before?: string
}

/** What a person, or `--approve`, said. `parked`: nobody can be asked now. */
export type Approval = "approved" | "refused" | "parked"

/** What is used of a council's verdict. */
export interface CouncilVerdict {
  readonly decision?: string
  readonly conclusive?: boolean
}

export interface MissionPorts<R = never> {
  readonly ask: (call: AgentOptions) => Effect.Effect<ModelRunResult, never, R>
  readonly prove: (request: ProofRequest) => Effect.Effect<ProofResult, never, R>
  readonly readFile: ReadFile<R>
  /**
   * What is seen of the working directory, at one moment of the mission (`at`). Whoever resumes a mission answers with
   * what was seen then, so that its past does not change with the files. Absent: it is looked at.
   */
  readonly observe?: Observe<R>
  /** The rules the run began under; absent: those of now. */
  readonly rules?: number
  /** All that stands in the working directory. Absent: only files that somebody names can be looked at. */
  readonly folder?: Effect.Effect<Inputs, never, R>
  /** Written down for auditors, before what follows from it is done. */
  readonly record: (kind: string, data: Json) => Effect.Effect<void, never, R>
  readonly approve: (wanted: ApprovalWanted) => Effect.Effect<Approval, never, R>
  /** Whether a council's GO lets through what a person would be asked: not where they have refused it. Absent: it does. */
  readonly waive?: (wanted: ApprovalWanted) => Effect.Effect<boolean, never, R>
  /** Holds the contract's council. `conclusive: false` counts as NO_GO. */
  readonly council?: Effect.Effect<CouncilVerdict, never, R>
  /** Whether the fingerprints of what the run was resumed with are those of the run. Absent: nothing to compare. */
  readonly scope?: Effect.Effect<{ readonly ok: boolean; readonly detail: string }, never, R>
  /**
   * It is a forecast: nothing acts, so nothing can be proven. Every round of fixes is counted that there may be, and
   * after the last one all is taken as proven.
   */
  readonly isForecast?: boolean
  /** Whether a model runs here, for free. Absent: none does. */
  readonly isLocal?: (model: string | undefined) => Effect.Effect<boolean, never, R>
}
