// The summary of a run whose directory is broken, where there is no other.
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { journalErrorInfo, journalStatus } from "../../journal/state/journalStatus.ts"
import { notStarted } from "./summarize.ts"

export const journalFailure = (error: JournalError, runId?: string, dir?: string): RunSummary =>
  notStarted(journalStatus(error), journalErrorInfo(error), {
    ...(runId === undefined ? {} : { runId }),
    ...(dir === undefined ? {} : { dir }),
    ...(error.changed === undefined ? {} : { changed: error.changed })
  })
