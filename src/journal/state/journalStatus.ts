// What a broken run directory means, in the words of a run: for the engine's summaries and the commands' errors alike.
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { RunStatus } from "../../domain/run/RunStatus.ts"
import type { JournalError } from "../JournalError.ts"

/** Its status, which decides the exit code. */
export const journalStatus = (error: JournalError): RunStatus => {
  switch (error.code) {
    case "run_locked":
      return "locked"
    case "bad_id":
    case "still_sound":
    case "run_missing":
    case "not_a_plan":
    case "run_exists":
    case "file_exists":
    case "not_a_directory":
    case "read_only":
      return "invalid"
    case "no_space":
    case "journal_full":
    case "io_error":
    case "too_large":
    case "not_canonical":
      return "failed"
    default:
      return "damaged"
  }
}

/** The part of it that a summary carries. */
export const journalErrorInfo = (error: JournalError): RunErrorInfo => ({
  code: error.code,
  message: error.message,
  path: error.path,
  ...defined({ line: error.line, cure: error.cure })
})
