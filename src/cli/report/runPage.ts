// runPage: what a page shows of a run, out of what the journal tells of it. Pure.
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { CallKind, CallLine, CallText, RunPage, TextBlock } from "../../browser/RunPage.ts"
import { answerText, type CallDetail } from "../../engine/inspect/callDetails.ts"
import { hasFailed, wasCut, type CallRecord } from "../../engine/inspect/CallRecord.ts"
import type { Explanation } from "../../engine/inspect/explain.ts"
import type { Inspection } from "../../engine/inspect/inspectRun.ts"
import { countText, dollarsText, durationText, plural } from "../render/numbers.ts"
import { errorLine } from "../render/run/callText.ts"
import { cutText } from "../render/run/inspectionText.ts"

/** A gate as it was decided. */
export interface Decided {
  readonly name: string
  readonly pass: boolean
  readonly detail?: Json
}

export interface Reported {
  readonly inspection: Inspection
  readonly explanation: Explanation
  readonly gates: ReadonlyArray<Decided>
  /** Of each council: its question's name, and the verdict in Markdown. */
  readonly verdicts: ReadonlyArray<{ readonly call: number; readonly name: string; readonly text: string }>
  readonly result?: Json
  readonly durationMs: number
  /** When the page was made, in words. */
  readonly made: string
}

/** Characters of one text that stand in a page: the journal has the rest. */
const mostShown = 20_000

const shownText = (text: string): string =>
  text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown).toWellFormed()}\n… ${countText(text.length - mostShown)} more characters: alembic show`

const jsonText = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2)

const block = (head: string, text: string | undefined): ReadonlyArray<TextBlock> =>
  text === undefined || text === "" ? [] : [{ head, text: shownText(text) }]

const json = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : jsonText(value)

/** How a call is marked. */
export const kindOf = (call: Pick<CallRecord, "error" | "status">): CallKind =>
  hasFailed(call) ? "failed" : call.status === "completed" ? "completed" : "other"

const statusWord = (call: CallRecord): string =>
  wasCut(call) ? cutText : call.reused === true ? "reused" : (call.error ?? call.status)

const tokensOf = ({ usage }: Pick<CallRecord, "usage">): number =>
  (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)

/** When it was at work, where that was more than once. */
const spansOf = ({ endedAt, tries }: CallRecord): CallLine["attempts"] =>
  tries.length < 2
    ? undefined
    : tries.map((attempt) => [attempt.startedAt, attempt.endedAt ?? endedAt ?? attempt.startedAt])

export const callLine = (call: CallRecord): CallLine => {
  const { costUsd, endedAt, model, name, number, phase, scheduledAt } = call
  const tokens = tokensOf(call)
  return {
    number,
    name,
    kind: kindOf(call),
    status: statusWord(call),
    from: Math.min(scheduledAt, call.tries[0]?.startedAt ?? scheduledAt),
    ...defined({
      phase,
      model,
      to: endedAt,
      attempts: spansOf(call),
      tokens: tokens === 0 ? undefined : tokens,
      costUsd
    })
  }
}

const attemptText = (call: CallDetail): string | undefined =>
  call.tries.length < 2
    ? undefined
    : call.tries
        .map(({ adapterId, error, kind, modelId, said }, at) => {
          const failure = error ?? (at === call.tries.length - 1 ? call.failure : undefined)
          const who = adapterId === undefined ? "" : ` ${adapterId}:${modelId ?? ""}`
          const what =
            failure === undefined
              ? said === undefined
                ? "answered"
                : "not what was asked for"
              : errorLine(failure)
          return `${at + 1}. ${kind ?? "first"}${who}: ${what}${said === undefined ? "" : `\n   it said: ${said}`}`
        })
        .join("\n")

/** Who asked whom, where, and who used what it said. */
const factsOf = ({ answeredBy, model, parent, phase, site, usedIn }: CallDetail): string =>
  [
    phase === undefined ? [] : [`phase ${phase}`],
    model === undefined ? [] : [`asked ${model}`],
    answeredBy === undefined || answeredBy === model ? [] : [`answered by ${answeredBy}`],
    site === undefined ? [] : [`made at ${site.file}:${site.line}:${site.column}`],
    parent === undefined ? [] : [`by call ${parent}`],
    usedIn.length === 0 ? [] : [`used in calls ${usedIn.join(", ")}`]
  ]
    .flat()
    .join(" · ")

/** One call with all that was said. */
export const callTextOf = (call: CallDetail): CallText => {
  const { call: asked, failure, number, result } = call
  return {
    number,
    facts: factsOf(call),
    blocks: [
      block("System", asked?.system),
      block("Prompt", asked?.prompt),
      block("Spec", json(asked?.spec)),
      block("Schema", json(asked?.schema)),
      block("Attempts", attemptText(call)),
      failure === undefined ? block("Answer", answerText(result)) : block("Failure", errorLine(failure))
    ].flat()
  }
}

const overview = ({ durationMs, inspection: { calls, run } }: Reported): RunPage["facts"] => {
  const { coverage, heldUsd, modelCalls, spentUsd, status, unpricedCalls, usage } = run
  const failed = calls.filter(hasFailed).length
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  const facts: ReadonlyArray<readonly [string, string | undefined]> = [
    ["status", status],
    ["calls", countText(modelCalls)],
    ["failed", String(failed)],
    ["tokens", countText(tokens)],
    ["spent", dollarsText(spentUsd)],
    ["held", heldUsd === 0 ? undefined : dollarsText(heldUsd)],
    ["cost not known of", unpricedCalls === 0 ? undefined : plural(unpricedCalls, "call")],
    ["took", durationText(durationMs)],
    [
      "coverage",
      coverage === undefined || coverage.of === 0 ? undefined : `${coverage.done} of ${coverage.of}`
    ]
  ]
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

/** What is drawn first; the texts of its calls are apart. */
export const runPageOf = (reported: Reported): RunPage => {
  const { explanation, gates, inspection, made, result, verdicts } = reported
  const { calls, phases, run } = inspection
  const goal = run.goal.trim()
  return {
    runId: run.runId,
    title: goal === "" ? run.runId : (goal.split("\n")[0] ?? ""),
    status: run.status,
    events: run.events,
    made,
    facts: overview(reported),
    verdict: explanation.verdict,
    steps: explanation.steps,
    ...(result === undefined ? {} : { result: shownText(jsonText(result)) }),
    councils: verdicts.map(({ call, name, text }) => ({ call, head: name, text: shownText(text) })),
    gates: gates.map(({ detail, name, pass }) => ({
      name,
      pass,
      ...(detail === undefined ? {} : { detail: shownText(jsonText(detail)) })
    })),
    phases,
    calls: calls.map(callLine)
  }
}
