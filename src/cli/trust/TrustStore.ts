// TrustStore: what the person at this machine has agreed to, and which runs this machine wrote. Kept in the user's
// state directory, outside every project. Live: app/trustStore.ts.
import type { Effect } from "effect"
import type { Proving } from "../../engine/people/Witness.ts"
import type { LogHead } from "../../journal/state/logHead.ts"

/** Where the events of a run come from, as this machine can prove it. */
export interface Origin {
  /** The run was begun here: its commands and addresses were agreed to then. */
  readonly own: boolean
  /** Events up to this `seq` were not written here; 0: all were. */
  readonly foreignUntil: number
  /**
   * Where the log ended when a process of this machine last left the run in order. Absent: none has, or by a version
   * that did not say. What follows it was written by a process that was killed, or by anybody.
   */
  readonly head?: LogHead
  /** Only events after this `seq`, up to the head, are known to be of this machine's processes. Absent: 0. */
  readonly knownFrom?: number
}

export interface TrustStore {
  /** Whether a person has agreed to the content of that hash. */
  readonly isTrusted: (hash: string) => Effect.Effect<boolean>
  readonly trust: (hash: string) => Effect.Effect<void>
  /**
   * The origin of the run in that directory; undefined where nothing proves that this machine ever wrote it. Whether its
   * log still has the head is for the caller to see (`originOf` in origin.ts).
   */
  readonly originOf: (dir: string, runId: string) => Effect.Effect<Origin | undefined>
  /** Writes the origin down, signed by a key that only this user has. To be renewed when `meta.json` changes. */
  readonly claim: (dir: string, runId: string, origin: Origin) => Effect.Effect<void>
  /** Signs what a person says, and tells it from what others wrote. Undefined where this user has no key. */
  readonly witness: Effect.Effect<Proving | undefined>
}

/** Of a run that nothing is known of: what was approved in it does not count here. */
export const foreign: Origin = { own: false, foreignUntil: Number.MAX_SAFE_INTEGER }
