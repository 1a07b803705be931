// The bound of a run's journal: how many bytes its log and its blobs may come to together. A plan that writes without
// end stops, and nothing is paid for that the bound leaves no room for.
//
// Invariants:
// N1  What a run has begun is written to its end, whatever the bound: answers, further attempts and what they cost, what
//     people say, how a process or the run ends.
// N2  Nothing new is appended that would pass the bound (`journal_full`): a note, a call.
// N3  No call is paid for while less than `roomBytes`, or an eighth of a smaller bound, is left.
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import { roomBytes } from "./ballast.ts"
import { JournalError } from "../JournalError.ts"

/** Where nobody says otherwise. More than any run of people's making has come to, and less than most disks have left. */
export const defaultMaxBytes = 4 * 1024 * 1024 * 1024

const begins: ReadonlySet<RunEvent["type"]> = new Set(["PhaseStarted", "Logged", "CallScheduled"])

export interface Bounded {
  /** The run's journal may come to so many bytes from now on. */
  readonly boundBytes: (maxBytes: number) => void
  /** Whether it has no room for what a paid call may bring (N3). */
  readonly isFull: () => boolean
}

export interface JournalBound extends Bounded {
  /** Why an event of so many bytes is not appended, if it is not (N2). */
  readonly refuses: (type: RunEvent["type"], bytes: number) => JournalError | undefined
}

/** `size`: what log and blobs come to now. `path`: the log. */
export const makeJournalBound = (path: string, size: () => number): JournalBound => {
  let max = defaultMaxBytes
  return {
    boundBytes: (maxBytes) => {
      max = maxBytes
    },
    isFull: () => size() + Math.min(roomBytes, max / 8) > max,
    refuses: (type, bytes) =>
      begins.has(type) && size() + bytes > max
        ? new JournalError({
            code: "journal_full",
            path,
            problem: `the run's journal may come to ${max} bytes, and has no room for a ${type} of ${bytes}`,
            cure: `raise "journal": { "maxBytes": … } in alembic.json, then resume the run with --config alembic.json`
          })
        : undefined
  }
}
