// A report: one run as one file that stands alone. Nothing of it comes from elsewhere, and nothing that a model or a plan
// said is markup in it.
import type { Json } from "../../domain/json/canonicalJson.ts"
import { sha256Base64 } from "../../domain/fingerprint.ts"
import { answerText, type CallDetail } from "../../engine/inspect/callDetails.ts"
import { wasCut } from "../../engine/inspect/CallRecord.ts"
import type { Explanation } from "../../engine/inspect/explain.ts"
import type { Inspection } from "../../engine/inspect/inspectRun.ts"
import { countText, dollarsText, durationText, plural } from "../render/numbers.ts"
import { errorLine } from "../render/run/callText.ts"
import { cutText } from "../render/run/inspectionText.ts"
import { html, type Html, type Part } from "./html.ts"
import { script, style } from "./page.ts"
import { kindOf, plots, timeline } from "./plots.ts"

/** A gate as it was decided, a verdict as its council gave it. */
export interface Decided {
  readonly name: string
  readonly pass: boolean
  readonly detail?: Json
}

export interface Reported {
  readonly inspection: Inspection
  readonly calls: ReadonlyArray<CallDetail>
  readonly explanation: Explanation
  readonly gates: ReadonlyArray<Decided>
  /** Of each council: its question's name, and the verdict in Markdown. */
  readonly verdicts: ReadonlyArray<{ readonly call: number; readonly name: string; readonly text: string }>
  readonly result?: Json
  readonly durationMs: number
  /** When the report was made, in words. */
  readonly made: string
}

/** Characters of one text that stand in a report: the journal has the rest. */
const mostShown = 20_000

const shownText = (text: string): string =>
  text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown).toWellFormed()}\n… ${countText(text.length - mostShown)} more characters: alembic show`

const jsonText = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2)

const block = (head: string, text: string | undefined): Html =>
  text === undefined || text === ""
    ? html``
    : html`<h3>${head}</h3>
        <pre tabindex="0">${shownText(text)}</pre>`

const facts = (parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== "").join(" · ")

const took = ({ endedAt, scheduledAt }: CallDetail): string | undefined =>
  endedAt === undefined ? undefined : durationText(Math.max(0, endedAt - scheduledAt))

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

const statusWord = (call: CallDetail): string =>
  wasCut(call) ? cutText : call.reused === true ? "reused" : (call.error ?? call.status)

const callBlock = (call: CallDetail): Html => {
  const { answeredBy, call: asked, costUsd, failure, model, name, number, phase, result, site, usage } = call
  const kind = kindOf(call)
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  const summary = facts([
    took(call),
    tokens === 0 ? undefined : `${countText(tokens)} tokens`,
    costUsd === undefined ? undefined : dollarsText(costUsd)
  ])
  const more = facts([
    phase === undefined ? undefined : `phase ${phase}`,
    model === undefined ? undefined : `asked ${model}`,
    answeredBy === undefined || answeredBy === model ? undefined : `answered by ${answeredBy}`,
    site === undefined ? undefined : `made at ${site.file}:${site.line}:${site.column}`,
    call.parent === undefined ? undefined : `by call ${call.parent}`,
    call.usedIn.length === 0 ? undefined : `used in calls ${call.usedIn.join(", ")}`
  ])
  return html`<details class="call" id="call-${number}" data-status="${kind}">
    <summary>
      <span class="n">${number}</span><span class="name">${name}</span
      ><span class="${kind}">${statusWord(call)}</span><span class="facts">${summary}</span>
    </summary>
    <div>
      <p class="dim">${more}</p>
      ${block("System", asked?.system)}${block("Prompt", asked?.prompt)}${block("Spec", asked?.spec === undefined ? undefined : jsonText(asked.spec))}${block("Schema", asked?.schema === undefined ? undefined : jsonText(asked.schema))}${block("Attempts", attemptText(call))}${failure === undefined ? block("Answer", answerText(result)) : block("Failure", errorLine(failure))}
    </div>
  </details>`
}

const fact = (name: string, value: Part): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`

const overview = ({ calls, durationMs, inspection: { run } }: Reported): Html => {
  const { coverage, heldUsd, modelCalls, spentUsd, status, unpricedCalls, usage } = run
  const failed = calls.filter((call) => kindOf(call) === "failed").length
  return html`<dl>
    ${fact("status", status)}${fact("calls", countText(modelCalls))}${fact("failed", failed)}${fact("tokens", countText(usage.inputTokens + usage.outputTokens))}${fact("spent", dollarsText(spentUsd))}${heldUsd === 0 ? undefined : fact("held", dollarsText(heldUsd))}${unpricedCalls === 0 ? undefined : fact("cost not known of", plural(unpricedCalls, "call"))}${fact("took", durationText(durationMs))}${coverage === undefined || coverage.of === 0 ? undefined : fact("coverage", `${coverage.done} of ${coverage.of}`)}
  </dl>`
}

const section = (title: string, parts: ReadonlyArray<Html>): Html =>
  parts.length === 0
    ? html``
    : html`<section>
        <h2>${title}</h2>
        ${parts}
      </section>`

/** A style or script as a Content-Security-Policy names it. */
const hashOf = (text: string): string => `'sha256-${sha256Base64(text)}'`

const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`

/** The whole file. */
export const reportPage = (reported: Reported): string => {
  const { calls, explanation, gates, inspection, made, result, verdicts } = reported
  const { run } = inspection
  const decided = gates.map(
    ({ detail, name, pass }) =>
      html`<h3>
          ${name}: <span class="${pass ? "completed" : "failed"}">${pass ? "passed" : "did not pass"}</span>
        </h3>
        ${detail === undefined ? undefined : html`<pre tabindex="0">${shownText(jsonText(detail))}</pre>`}`
  )
  const councils = verdicts.map(
    ({ call, name, text }) =>
      html`<h3><a href="#call-${call}">${name}</a></h3>
        <pre tabindex="0">${shownText(text)}</pre>`
  )
  const body = html`<main>
    <header>
      <h1>${run.goal.trim() === "" ? run.runId : run.goal.trim().split("\n")[0]}</h1>
      <p class="dim">${`${run.runId} · ${made}`}</p>
    </header>
    ${overview(reported)}
    <section>
      <h2>How it went</h2>
      <p>${explanation.verdict}</p>
      ${
        explanation.steps.length === 0
          ? undefined
          : html`<ul>
              ${explanation.steps.map((step) => html`<li>${step}</li>`)}
            </ul>`
      }
    </section>
    ${result === undefined ? undefined : section("Result", [html`<pre tabindex="0">${shownText(jsonText(result))}</pre>`])}
    ${section("Councils", councils)}${section("Gates", decided)}
    ${
      calls.length === 0
        ? undefined
        : html`<section>
            <h2>Timeline</h2>
            ${timeline(calls)}
            <div class="plots">${plots(calls)}</div>
          </section>`
    }
    <section>
      <h2>Calls</h2>
      <form role="search">
        <label for="search">Search</label><input id="search" type="search" autocomplete="off" /><label
          for="status"
          >Status</label
        ><select id="status">
          <option value="">all</option>
          <option value="completed">completed</option>
          <option value="failed">failed</option>
          <option value="other">other</option></select
        ><span id="told" class="dim" role="status">${plural(calls.length, "call")}</span>
      </form>
      ${calls.map(callBlock)}
    </section>
  </main>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${html`${`${run.runId} ${run.status}`}`.markup}</title><style>${style}</style></head><body>${body.markup}<script>${script}</script></body></html>
`
}

const cell = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[|\\`*_<>[\]#]/g, (sign) => `\\${sign}`)
    .slice(0, 120)

/** A summary for a pull request or a step of CI. */
export const reportMarkdown = ({
  calls,
  durationMs,
  explanation,
  gates,
  inspection: { run },
  result
}: Reported): string => {
  const failed = calls.filter((call) => kindOf(call) === "failed")
  const lines = [
    `### Alembic: ${run.status}`,
    "",
    cell(explanation.verdict),
    "",
    "| run | calls | failed | tokens | spent | took |",
    "| --- | --- | --- | --- | --- | --- |",
    `| ${run.runId} | ${run.modelCalls} | ${failed.length} | ${countText(run.usage.inputTokens + run.usage.outputTokens)} | ${dollarsText(run.spentUsd)} | ${durationText(durationMs)} |`,
    ...(gates.length === 0
      ? []
      : [
          "",
          ...gates.map(({ name, pass }) => `- gate ${cell(name)}: ${pass ? "passed" : "**did not pass**"}`)
        ]),
    ...(failed.length === 0
      ? []
      : [
          "",
          "Failed calls:",
          "",
          ...failed
            .slice(0, 20)
            .map(({ error = "", name, number }) => `- ${number} ${cell(name)}: ${cell(error)}`)
        ]),
    ...(failed.length > 20 ? [`- and ${failed.length - 20} more`] : []),
    ...(result === undefined
      ? []
      : [
          "",
          "<details><summary>Result</summary>",
          "",
          ...jsonText(result)
            .slice(0, 10_000)
            .split("\n")
            .map((line) => `    ${line}`),
          "",
          "</details>"
        ])
  ]
  return `${lines.join("\n")}\n`
}
