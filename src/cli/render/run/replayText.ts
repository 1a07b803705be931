// The end of a replay for people: identical, or where it parts from the journal and how.
import type { ReplaySummary } from "../../../engine/Engine.ts"
import { cureText } from "../errorText.ts"
import { plural } from "../numbers.ts"
import { clip, type Style } from "../../terminal/style.ts"

const valueText = (value: unknown): string =>
  value === undefined ? "nothing" : clip(JSON.stringify(value), 200)

const comparedHow = {
  content:
    "the run was reopened: compared by the content of its calls and its result, not by order, names or log lines",
  calls:
    "it ended in the midst of a turn, for want of time or memory or since what it gave could not be written: compared up to its last turn; its end is the journal's"
} as const

export const replayText = (
  { compared, divergence, error, events, identical, rule, runId }: ReplaySummary,
  style: Style,
  /** What was typed after `alembic` when the run was begun, with the plan that was replayed. */
  typed: string
): string => {
  if (identical) {
    const changed =
      rule === undefined ? "" : `\n  the run keeps the end it had; the rule has changed since: ${rule}`
    const line = `${style.green("identical")} ${style.bold(runId)}  ${plural(events, "event")}`
    return `${line}${changed}${compared === undefined ? "" : `\n  ${comparedHow[compared]}`}`
  }
  if (error !== undefined) {
    const head = `${style.red("error")} ${style.dim(`[${error.code}]`)} ${error.message}`
    return error.cure === undefined ? head : `${head}\n${cureText(error.cure, style)}`
  }
  if (rule !== undefined) {
    return [
      `${style.yellow("not comparable")} ${style.bold(runId)}  ${plural(events, "event")}`,
      `  the run keeps the end it had; the rule has changed since: ${rule}`
    ].join("\n")
  }
  const lines = [`${style.red("diverged")} ${style.bold(runId)}`]
  if (divergence !== undefined) {
    lines.push(`  ${divergence.message}`)
    if (divergence.site !== undefined) {
      lines.push(`  at ${divergence.site.file}:${divergence.site.line}:${divergence.site.column}`)
    }
    if (divergence.pointer !== undefined) {
      lines.push(`  differs at ${divergence.pointer === "" ? "the whole" : divergence.pointer}`)
      lines.push(
        `    journal: ${valueText(divergence.journaled)}`,
        `    now:     ${valueText(divergence.now)}`
      )
    }
  }
  lines.push(cureText(`alembic ${typed} --reuse ${runId} (pays only for what changed)`, style))
  return lines.join("\n")
}
