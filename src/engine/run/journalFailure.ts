// The summary of a run whose directory is broken, where there is no other; and of one that its disk has no room for.
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { journalErrorInfo, journalStatus } from "../../journal/state/journalStatus.ts"
import { notStarted } from "./summarize.ts"

/** A run that has begun waits for room on its disk. */
export const diskIsFull = (
  runId: string,
  error: JournalError
): Pick<RunSummary, "status" | "suspended"> & { readonly error: RunErrorInfo } => ({
  status: "suspended",
  suspended: { reason: "disk", items: [] },
  error: { ...journalErrorInfo(error), cure: `free some space, then: alembic resume ${runId}` }
})

/** `known`: the run was there before. */
export const journalFailure = (error: JournalError, runId?: string, known = false): RunSummary => {
  const summary = notStarted(journalStatus(error), journalErrorInfo(error), {
    ...defined({ runId, changed: error.changed })
  })
  return known && runId !== undefined && error.code === "no_space"
    ? { ...summary, ...diskIsFull(runId, error) }
    : summary
}
