// How a run stands when a process is done with it, and the exit code that says so. Shared by the summary and by
// whatever fails before there is one.
import * as Schema from "effect/Schema"

export const RunStatus = Schema.Literals([
  "completed",
  "incomplete",
  "failed",
  "invalid",
  "refused",
  "suspended",
  "damaged",
  "locked",
  "interrupted"
])
export type RunStatus = typeof RunStatus.Type

/** Process exit code of a status. Signals: 128 + number. */
export const exitCodeOf = (status: RunStatus, signal?: string): number => {
  switch (status) {
    case "completed":
      return 0
    case "incomplete":
    case "failed":
      return 1
    case "invalid":
      return 2
    case "refused":
      return 3
    case "suspended":
      return 4
    case "damaged":
    case "locked":
      return 5
    case "interrupted":
      return signal === "SIGTERM" ? 143 : 130
  }
}
