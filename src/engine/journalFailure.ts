// What a broken run directory means for the run: its status, its error, and its summary where there is no other.
import type { RunErrorInfo } from "../domain/RunEvent.ts"
import type { RunStatus } from "../domain/RunStatus.ts"
import type { RunSummary } from "../domain/RunSummary.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { unrun } from "./summarize.ts"

export const journalErrorInfo = (error: JournalError): RunErrorInfo => ({
  code: error.code,
  message: error.message,
  path: error.path,
  ...(error.line === undefined ? {} : { line: error.line }),
  ...(error.cure === undefined ? {} : { cure: error.cure })
})

/** What a broken directory means for the run. */
export const statusOf = (error: JournalError): RunStatus => {
  switch (error.code) {
    case "run_locked":
      return "locked"
    case "bad_id":
    case "run_missing":
    case "not_a_plan":
    case "not_a_directory":
    case "read_only":
      return "invalid"
    case "no_space":
    case "io_error":
    case "too_large":
    case "not_canonical":
      return "failed"
    default:
      return "damaged"
  }
}

export const journalFailure = (error: JournalError, runId?: string, dir?: string): RunSummary =>
  unrun(statusOf(error), journalErrorInfo(error), {
    ...(runId === undefined ? {} : { runId }),
    ...(dir === undefined ? {} : { dir }),
    ...(error.changed === undefined ? {} : { changed: error.changed })
  })
