// One run for people: its state, then its calls by phase.
import { hasFailed, wasCut, type CallRecord } from "../../../engine/inspect/CallRecord.ts"
import type { Inspection } from "../../../engine/inspect/inspectRun.ts"
import { provenanceText, type Provenance } from "../../trust/origin.ts"
import { costText } from "./costText.ts"
import { countText, dollarsText, instantText, plural } from "../numbers.ts"
import { clip, type Style } from "../../terminal/style.ts"

/** Said of an answer that its model was not done with. */
export const cutText = "cut at the output limit"

const marks: Readonly<Record<CallRecord["status"], string>> = {
  scheduled: "…",
  completed: "✓",
  failed: "✗",
  cancelled: "–",
  parked: "‖"
}

/** What a line tells of a call. */
type ShownCall = Pick<CallRecord, "attempts" | "name" | "status"> & Partial<CallRecord>

/** One call on one line. */
export const callText = (call: ShownCall, style: Style): string => {
  const {
    attempts,
    costUsd,
    error,
    lostToMoney = [],
    model,
    name,
    number,
    reused,
    status,
    until,
    usage
  } = call
  const cut = wasCut(call)
  const mark = hasFailed(call)
    ? style.red(marks.failed)
    : cut
      ? style.yellow("✂")
      : status === "completed"
        ? style.green(marks.completed)
        : style.yellow(marks[status])
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  const facts = [
    model ?? "",
    attempts > 1 ? `${attempts} attempts` : "",
    usage === undefined ? "" : `${countText(tokens)} tokens`,
    costUsd === undefined ? "" : dollarsText(costUsd),
    until === undefined ? "" : `sleeps until ${instantText(until)}`,
    cut ? cutText : "",
    reused === true ? "reused" : "",
    error ?? "",
    lostToMoney.length === 0 ? "" : `the money was used up for ${lostToMoney.join(", ")} (budget_exceeded)`
  ].filter((fact) => fact !== "")
  const place = number === undefined ? "" : style.dim(String(number).padStart(3))
  return `${place}  ${mark} ${clip(name, 60)}  ${style.dim(facts.join(" · "))}`
}

/** So many calls that failed alike are one line. */
const groupedFrom = 4
const namedInGroup = 3

/** Calls line by line; those of one phase that failed alike are one line: `✗ 430 × budget_exceeded: a, b, c, …`. */
export const callLines = (calls: ReadonlyArray<CallRecord>, style: Style): ReadonlyArray<string> => {
  const alike = Map.groupBy(calls.filter(hasFailed), ({ error }) => error ?? "failed")
  const told = new Set<string>()
  return calls.flatMap((call) => {
    const kind = call.error ?? "failed"
    const group = hasFailed(call) ? (alike.get(kind) ?? []) : []
    if (group.length < groupedFrom) return [callText(call, style)]
    if (told.has(kind)) return []
    told.add(kind)
    const names = group.slice(0, namedInGroup).map(({ name }) => clip(name, 30))
    const more = group.length > namedInGroup ? ", …" : ""
    return [
      `  ${style.red(marks.failed)} ${group.length} × ${kind}  ${style.dim(`${names.join(", ")}${more}`)}`
    ]
  })
}

/** An inspection, and what a command knows besides: when the log was written, and what is proven of it. */
type Told = Inspection & { readonly run: Provenance & { readonly writtenAt?: number } }

export const inspectionText = ({ calls, phases, run }: Told, style: Style): string => {
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
  const written = run.writtenAt === undefined ? [] : [`written ${instantText(run.writtenAt)}`]
  const lines = [
    `${style.bold(run.runId)}  ${run.status}`,
    `  ${clip(run.goal, 100)}`,
    `  ${[...written, ...started, plural(run.events, "event"), plural(run.modelCalls, "call"), ...coverage, `${countText(run.usage.inputTokens + run.usage.outputTokens)} tokens`, cost].join(" · ")}`,
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
    lines.push(...callLines(own, style))
  }
  return lines.join("\n")
}
