// Waiting items for people: what is asked, by which run, and what to type.
import type { ParkedRun, WaitingItem } from "../../running/waitingItems.ts"
import { cureText } from "../errorText.ts"
import { instantText } from "../numbers.ts"
import { schemaText } from "../schemaText.ts"
import { clip, type Style } from "../../terminal/style.ts"

/** A text of several lines, each marked, so that none reads as a line of ours. */
const quoted = (text: string): string => `  ${text.replaceAll(/\r?\n/g, "\n  │ ")}`

export const itemText = ({ choices, item, kind, runId, schema, text }: WaitingItem, style: Style): string => {
  const takes =
    choices !== undefined
      ? clip(choices.join(" | "), 200)
      : schema === undefined
        ? "text"
        : `JSON ${schemaText(schema)}`
  const answer = choices?.[0] ?? (schema === undefined ? "ANSWER" : "'JSON'")
  return [
    `${style.yellow("?")} ${style.bold(item)} of ${runId} ${style.dim(`(${kind})`)}`,
    quoted(text),
    `  ${style.dim("takes:")} ${takes}`,
    cureText(`alembic answer ${runId} ${item} ${answer}`, style)
  ].join("\n")
}

/** What to type for the first item that waits for a person. */
const nextFor = ({ approvals, items, reason, runId }: ParkedRun): string => {
  if (items.length === 0) return `alembic resume ${runId}`
  const [first] = approvals
  if (first !== undefined) return `alembic approve ${runId} ${first.item} (or alembic questions ${runId})`
  return reason === "question" || reason === "approval" || reason === "in_doubt"
    ? `alembic questions ${runId}`
    : `alembic resume ${runId}`
}

export const parkedText = (parked: ParkedRun, style: Style): string => {
  const { approvals, items, reason, runId, until } = parked
  const asked = new Map(approvals.map(({ item, text }) => [item, text]))
  const line = (item: string) => `  ${item}${asked.has(item) ? `  ${clip(asked.get(item) ?? "", 200)}` : ""}`
  return [
    `${style.yellow("‖")} ${style.bold(runId)} ${reason.replace("_", " ")}${until === undefined ? "" : ` until ${instantText(until)}`}`,
    ...items.slice(0, 10).map(line),
    ...(items.length > 10 ? [`  … and ${items.length - 10} more`] : []),
    cureText(nextFor(parked), style)
  ].join("\n")
}
