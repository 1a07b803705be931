// One run for people: its state, then its calls by phase.
import type { InspectedCall, Inspection } from "../../running/inspectRun.ts"
import { provenanceText } from "../../trust/origin.ts"
import { costText } from "./costText.ts"
import { countText, dollarsText, instantText, plural } from "../numbers.ts"
import { clip, type Style } from "../../terminal/style.ts"

const marks: Readonly<Record<InspectedCall["status"], string>> = {
  scheduled: "…",
  completed: "✓",
  failed: "✗",
  cancelled: "–",
  parked: "‖"
}

/** One call on one line. */
export const callText = (call: InspectedCall, style: Style): string => {
  const { attempts, costUsd, error, lostToMoney = [], model, name, status, until, usage } = call
  // An answer that says that something was not done (a gate, a proof) is no success, although it is an answer.
  const shown = status === "completed" && error !== undefined ? "failed" : status
  const color = shown === "completed" ? style.green : shown === "failed" ? style.red : style.yellow
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  const facts = [
    model ?? "",
    attempts > 1 ? `${attempts} attempts` : "",
    usage === undefined ? "" : `${countText(tokens)} tokens`,
    costUsd === undefined ? "" : dollarsText(costUsd),
    until === undefined ? "" : `sleeps until ${instantText(until)}`,
    error ?? "",
    lostToMoney.length === 0 ? "" : `the money was used up for ${lostToMoney.join(", ")} (budget_exceeded)`
  ].filter((fact) => fact !== "")
  return `  ${color(marks[shown])} ${clip(name, 60)}  ${style.dim(facts.join(" · "))}`
}

export const inspectionText = ({ calls, phases, run }: Inspection, style: Style): string => {
  const cost = costText(run, run.status === "running" ? "in flight" : "in doubt")
  const coverage =
    run.coverage === undefined || run.coverage.of === 0
      ? []
      : [`coverage ${run.coverage.done} of ${run.coverage.of}`]
  const started = run.hermetic
    ? ["hermetic"]
    : run.startedAt === undefined
      ? []
      : [`begun ${instantText(run.startedAt)}`]
  const lines = [
    `${style.bold(run.runId)}  ${run.status}`,
    `  ${clip(run.goal, 100)}`,
    `  ${[`written ${instantText(run.writtenAt)}`, ...started, plural(run.events, "event"), plural(run.modelCalls, "call"), ...coverage, `${countText(run.usage.inputTokens + run.usage.outputTokens)} tokens`, cost].join(" · ")}`,
    `  ${style.dim(run.dir)}`
  ]
  lines.push(...provenanceText(run).map((line) => `  ${style.yellow(line)}`))
  if (run.suspended !== undefined)
    lines.push(
      `  ${style.yellow(`waits: ${run.suspended.reason}`)} ${clip(run.suspended.items.join(", "), 100)}`
    )
  const groups = new Set<string | undefined>([...phases, ...calls.map(({ phase }) => phase)])
  for (const phase of groups) {
    const own = calls.filter((call) => call.phase === phase)
    if (phase !== undefined) lines.push(style.bold(`▸ ${clip(phase, 100)}`))
    lines.push(...own.map((call) => callText(call, style)))
  }
  return lines.join("\n")
}
