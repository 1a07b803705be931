// The summary of a run for people: how it ended, what came of it, what it cost, and what to type next.
import type { Json } from "../../../domain/json/canonicalJson.ts"
import type { RunSummary } from "../../../domain/run/RunSummary.ts"
import { costText } from "./costText.ts"
import { cureText } from "../errorText.ts"
import { countText, dollarsText, durationText, instantText, plural } from "../numbers.ts"
import { type Style } from "../../terminal/style.ts"

const mark = ({ status }: RunSummary, style: Style): string => {
  switch (status) {
    case "completed":
      return style.green("completed")
    case "incomplete":
    case "suspended":
    case "interrupted":
      return style.yellow(status)
    default:
      return style.red(status)
  }
}

const costs = (summary: RunSummary): string => {
  const { costUsd, costUsdNow } = summary
  const now = costUsdNow === undefined || costUsdNow === costUsd ? "" : ` (${dollarsText(costUsdNow)} now)`
  return `${costText(summary, "in doubt")}${now}`
}

const callsText = ({ calls }: RunSummary): string => {
  const parts = [
    [calls.live, "live"],
    [calls.cached, "from a cache"],
    [calls.replayed, "from the journal"],
    [calls.failed, "failed"],
    [calls.inDoubt, "in doubt"]
  ] as const
  const said = parts.flatMap(([n, what]) => (n === 0 ? [] : [`${countText(n)} ${what}`]))
  return `${plural(calls.total, "call")}${said.length === 0 ? "" : ` (${said.join(", ")})`}`
}

export const resultText = (result: Json): string =>
  typeof result === "string" ? result : JSON.stringify(result, undefined, 2)

/** What a run waits for that waits for room. */
const roomOf: Readonly<Record<string, string>> = {
  disk: "room on the disk that holds the run",
  journal_full: "room in its journal, which has come to what it may"
}

/** What to type for a run that waits. */
export const suspendedCure = (
  runId: string,
  { items, reason }: Pick<NonNullable<RunSummary["suspended"]>, "items" | "reason">
): string => {
  const asked = reason === "question" || reason === "in_doubt"
  return reason === "approval"
    ? `alembic approve ${runId} ${items[0] ?? "ITEM"} (alembic parked says what it is; then alembic resume ${runId})`
    : asked
      ? `alembic questions (then alembic answer ${runId} ${items[0] ?? "ITEM"} ANSWER, and alembic resume ${runId})`
      : reason === "disk"
        ? `free some space, then: alembic resume ${runId}`
        : reason === "journal_full"
          ? `raise "journal": { "maxBytes": … } in alembic.json, then: alembic resume ${runId} --config alembic.json`
          : `alembic resume ${runId}`
}

const waiting = ({ runId = "@last", suspended }: RunSummary, style: Style): ReadonlyArray<string> => {
  if (suspended === undefined) return []
  const { error, items, reason, until } = suspended
  const what = roomOf[reason] ?? reason.replace("_", " ")
  const why = `waits: ${what}${until === undefined ? "" : ` until ${instantText(until)}`}`
  const shown = items.slice(0, 5).map((item) => `  ${item}`)
  const more = items.length > shown.length ? [`  … and ${items.length - shown.length} more`] : []
  return [
    why,
    ...(error === undefined ? [] : [`  ${error.message} [${error.code}]`]),
    ...shown,
    ...more,
    cureText(suspendedCure(runId, suspended), style)
  ]
}

const findings = ({ findings: found = [] }: RunSummary): ReadonlyArray<string> =>
  found.map(
    ({ column, construct, file, instead, line }) => `  ${file}:${line}:${column} ${construct}: ${instead}`
  )

/** What a finding says to do stands beside it; the command to type next is another thing. */
const cureOf = ({ error, findings: [finding] = [] }: RunSummary): string | undefined =>
  finding === undefined || finding.instead !== error?.cure
    ? error?.cure
    : /(?:^|\/)node_modules\//.test(finding.file)
      ? "take another package in the plan, then alembic check the plan"
      : `correct ${finding.file}, then alembic check ${finding.file}`

const neverStarted: ReadonlySet<RunSummary["status"]> = new Set(["damaged", "locked", "invalid"])

/** For stderr: everything but the result. */
export const summaryText = (summary: RunSummary, style: Style): string => {
  const { coverage, durationMs, error, runId, status } = summary
  const tokens = summary.usage.inputTokens + summary.usage.outputTokens
  const facts = [
    callsText(summary),
    ...(coverage.of === 0 ? [] : [`coverage ${coverage.done} of ${coverage.of}`]),
    `${countText(tokens)} tokens`,
    costs(summary),
    durationText(durationMs)
  ]
  // A run that could not be opened has no calls to count: zeros and an unknown cost would say that it had run.
  const ran = !neverStarted.has(status) || summary.calls.total > 0
  const head = runId === undefined ? [] : [`${mark(summary, style)} ${style.bold(runId)}`]
  const lines = head.map((named) => (ran ? `${named}  ${facts.join(" · ")}` : named))
  if (error !== undefined) {
    const where =
      error.file === undefined
        ? ""
        : ` (${error.file}${error.line === undefined ? "" : `:${error.line}:${error.column ?? 1}`})`
    const named = status === "refused" ? "" : where
    lines.push(
      `${style.red("error")} ${style.dim(`[${error.code}]`)} ${error.message}${error.message.includes(where.slice(2, -1)) ? "" : named}`
    )
  }
  for (const notice of summary.notices ?? []) lines.push(`  ${style.yellow("!")} ${notice}`)
  if (summary.changed !== undefined) lines.push(`  changed: ${summary.changed.join(", ")}`)
  lines.push(...findings(summary), ...waiting(summary, style))
  const cure = cureOf(summary)
  if (cure !== undefined) lines.push(cureText(cure, style))
  else if (status === "interrupted" && runId !== undefined)
    lines.push(cureText(`alembic resume ${runId}`, style))
  else if (status === "completed" && runId !== undefined) lines.push(style.dim(`  ${summary.dir}`))
  return lines.join("\n")
}
