// Waiting items for people: what is asked, by which run, and what to type.
import type { ParkedRun, WaitingItem } from "../waitingItems.ts"
import { cureText } from "./errorText.ts"
import { instantText } from "./numbers.ts"
import { harmless, type Style } from "./style.ts"

export const itemText = ({ choices, item, kind, runId, schema, text }: WaitingItem, style: Style): string => {
  const takes =
    choices !== undefined ? choices.join(" | ") : schema === undefined ? "text" : "JSON by a schema"
  const answer = choices?.[0] ?? "ANSWER"
  return [
    `${style.yellow("?")} ${style.bold(item)} of ${runId} ${style.dim(`(${kind}; takes ${takes})`)}`,
    `  ${harmless(text)}`,
    cureText(`alembic answer ${runId} ${item} ${answer}`, style)
  ].join("\n")
}

export const parkedText = ({ items, reason, runId, until }: ParkedRun, style: Style): string =>
  [
    `${style.yellow("‖")} ${style.bold(runId)} ${reason.replace("_", " ")}${until === undefined ? "" : ` until ${instantText(until)}`}`,
    ...items.slice(0, 10).map((item) => `  ${harmless(item)}`),
    ...(items.length > 10 ? [`  … and ${items.length - 10} more`] : []),
    cureText(
      reason === "question" || reason === "approval" || reason === "in_doubt"
        ? `alembic questions ${runId}`
        : `alembic resume ${runId}`,
      style
    )
  ].join("\n")
