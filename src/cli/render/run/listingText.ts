// The list of runs for people: one line a run.
import type { DatedRun } from "../../inputs/runReference.ts"
import { toldCost } from "../../../journal/state/RunState.ts"
import { costText } from "./costText.ts"
import { instantText, plural } from "../numbers.ts"
import { clip, type Style } from "../../terminal/style.ts"

const marks = (style: Style): Readonly<Record<string, (text: string) => string>> => ({
  completed: style.green,
  running: style.cyan,
  open: style.cyan,
  suspended: style.yellow,
  interrupted: style.yellow,
  incomplete: style.yellow
})

/** `foreign`: ids of runs that nothing proves this machine to have made. */
export const listingText = (
  runs: ReadonlyArray<DatedRun>,
  style: Style,
  foreign: ReadonlySet<string> = new Set()
): string => {
  if (runs.length === 0) return "no runs yet\n  next: alembic run"
  return runs
    .map(({ calls, cost: told, error, goal, runId, status, writtenAt }) => {
      const mark = marks(style)[status] ?? style.red
      const cost =
        told === undefined
          ? "cost unknown"
          : costText(toldCost(told), status === "running" ? "in flight" : "in doubt")
      const said = error === undefined ? clip(goal, 48) : clip(error.message, 72)
      const elsewhere = foreign.has(runId) ? `  ${style.yellow("made elsewhere")}` : ""
      return `${runId}  ${mark(status.padEnd(11))}  ${instantText(writtenAt)}  ${plural(calls, "call").padEnd(9)}  ${cost.padEnd(8)}  ${said}${elsewhere}`
    })
    .join("\n")
}
