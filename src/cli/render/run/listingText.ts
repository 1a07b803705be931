// The list of runs for people: one line a run.
import type { RunListing } from "../../../journal/maintenance/listRuns.ts"
import { toldCost } from "../../../journal/state/RunState.ts"
import { costText } from "./costText.ts"
import { countText, durationText, instantText, plural } from "../numbers.ts"
import { clip, type Style } from "../../terminal/style.ts"

const marks = (style: Style): Readonly<Record<string, (text: string) => string>> => ({
  completed: style.green,
  running: style.cyan,
  open: style.cyan,
  suspended: style.yellow,
  interrupted: style.yellow,
  incomplete: style.yellow
})

/** A table: columns as wide as what stands in them, the last one open. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)))
  return rows.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
  )
}

const heads = ["RUN", "STATUS", "WRITTEN", "TOOK", "CALLS", "COST", "PLAN", "GOAL"]
const statusColumn = 1

const rowOf = (run: RunListing, foreign: ReadonlySet<string>): ReadonlyArray<string> => {
  const { args, calls, cost, durationMs, error, goal, name, plan, runId, status, tags = [], writtenAt } = run
  const named = [
    ...(name === undefined ? [] : [name]),
    ...tags.map((tag) => `#${tag}`),
    error === undefined ? clip(goal, 48) : clip(error.message, 72),
    ...(args === undefined ? [] : [clip(args, 32)]),
    ...(foreign.has(runId) ? ["made elsewhere"] : [])
  ]
  return [
    runId,
    status,
    instantText(writtenAt),
    durationMs === undefined ? "–" : durationText(durationMs),
    countText(calls),
    cost === undefined
      ? "unknown"
      : costText(toldCost(cost), status === "running" ? "in flight" : "in doubt"),
    plan === undefined ? "–" : clip(plan, 32),
    named.join("  ")
  ]
}

/** `foreign`: ids of runs that nothing proves this machine to have made. `hidden`: how many more there are. */
export const listingText = (
  runs: ReadonlyArray<RunListing>,
  style: Style,
  foreign: ReadonlySet<string> = new Set(),
  hidden = 0
): string => {
  if (runs.length === 0)
    return hidden === 0 ? "no runs yet\n  next: alembic run" : `no such run among ${plural(hidden, "run")}`
  const [head = [], ...rows] = table([heads, ...runs.map((run) => rowOf(run, foreign))])
  const colored = rows.map((row, at) => {
    const mark = marks(style)[runs[at]?.status ?? ""] ?? style.red
    return row.map((cell, column) => (column === statusColumn ? mark(cell) : cell)).join("  ")
  })
  return [
    style.dim(head.join("  ")),
    ...colored,
    ...(hidden === 0
      ? []
      : [style.dim(`… and ${plural(hidden, "more run")}: --limit, --search, --status, --since, --plan`)])
  ].join("\n")
}
