// One call whole, for people: what was asked, every attempt, what came, and what it was used for.
import type { CallDetail, AttemptDetail } from "../../../engine/inspect/callDetails.ts"
import { answerText } from "../../../engine/inspect/callDetails.ts"
import { againWords, wasCut, type CallRecord } from "../../../engine/inspect/CallRecord.ts"
import type { ModelErrorInfo, TokenUsage } from "../../../domain/ModelError.ts"
import { clip, type Style } from "../../terminal/style.ts"
import { countText, dollarsText, durationText, plural } from "../numbers.ts"
import { cutText } from "./inspectionText.ts"

const tokensText = (usage: TokenUsage | undefined): string => {
  if (usage === undefined) return ""
  const { inputTokens, outputTokens } = usage
  const parts = [
    inputTokens === undefined ? [] : [`${countText(inputTokens)} in`],
    outputTokens === undefined ? [] : [`${countText(outputTokens)} out`]
  ].flat()
  return parts.length === 0 ? "" : `tokens ${parts.join(", ")}`
}

/** `rate_limited (429): slow down`. */
export const errorLine = ({ code, httpStatus, message }: ModelErrorInfo): string =>
  `${code}${httpStatus === undefined ? "" : ` (${httpStatus})`}: ${clip(message, 200)}`

const facts = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" · ")

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")

const headed = (head: string, text: string | undefined, style: Style): ReadonlyArray<string> =>
  text === undefined || text === "" ? [] : [style.bold(`── ${head}`), indented(text)]

/** How long after an attempt had ended the next one was sent. */
const waited = (before: AttemptDetail | undefined, attempt: AttemptDetail): string =>
  before?.endedAt === undefined || attempt.again !== undefined || attempt.startedAt <= before.endedAt
    ? ""
    : `after a wait of ${durationText(attempt.startedAt - before.endedAt)}`

const kinds = { retry: "tried again", repair: "shown its mistake", fallback: "another model" } as const

const attemptLines = (call: CallDetail, style: Style): ReadonlyArray<string> =>
  call.tries.flatMap((attempt, at) => {
    const { adapterId, costUsd, endedAt, error, finishReason, kind, modelId, said, startedAt, usage } =
      attempt
    const isLast = at === call.tries.length - 1
    const failure = error ?? (isLast ? call.failure : undefined)
    const outcome =
      failure !== undefined
        ? style.red(errorLine(failure))
        : said !== undefined
          ? style.yellow(`not what was asked for${finishReason === "length" ? `: ${cutText}` : ""}`)
          : endedAt === undefined
            ? style.yellow(call.status === "scheduled" ? "in flight" : "not known how it ended")
            : style.green("answered")
    const line = facts([
      kind === undefined ? "" : kinds[kind],
      attempt.again === undefined ? "" : againWords[attempt.again],
      adapterId === undefined ? "" : `${adapterId}:${modelId ?? ""}`,
      waited(call.tries[at - 1], attempt),
      endedAt === undefined ? "" : durationText(Math.max(0, endedAt - startedAt)),
      tokensText(usage),
      costUsd === undefined ? "" : dollarsText(costUsd)
    ])
    const raw = said === undefined ? [] : [style.dim("     it said:"), indented(indented(said))]
    return [`  ${at + 1}. ${outcome}  ${style.dim(line)}`, ...raw]
  })

const statusText = (call: CallRecord, style: Style): string => {
  if (wasCut(call)) return style.yellow(`completed, ${cutText}`)
  if (call.status === "completed" && call.error === undefined)
    return style.green(call.reused === true ? "reused" : "completed")
  return style.red(call.status === "completed" ? `completed: ${call.error}` : call.status)
}

const numbered = (numbers: ReadonlyArray<number>): string =>
  numbers.length <= 12 ? numbers.join(", ") : `${numbers.slice(0, 12).join(", ")}, … (${numbers.length})`

const optionsOf = ({ call }: CallDetail): string => {
  if (call === undefined) return ""
  const { maxOutputTokens, providerOptions, temperature } = call
  return facts([
    maxOutputTokens === undefined ? "" : `maxOutputTokens ${maxOutputTokens}`,
    temperature === undefined ? "" : `temperature ${temperature}`,
    providerOptions === undefined ? "" : `providerOptions ${JSON.stringify(providerOptions)}`
  ])
}

const answerHead = ({ repairs }: CallDetail): string =>
  repairs === undefined || repairs === 0 ? "answer" : `answer, after ${plural(repairs, "repair")}`

/** A call as `alembic show` tells it. */
export const callDetailText = (call: CallDetail, style: Style): string => {
  const { answeredBy, attempts, call: asked, costUsd, failure, key, model, modelVersion, name, number } = call
  const { occurrence, phase, result, site, usage, verb } = call
  const took = call.endedAt === undefined ? undefined : call.endedAt - call.scheduledAt
  const by = facts([
    model === undefined ? "" : `asked ${model}`,
    answeredBy === undefined || answeredBy === model ? "" : `answered by ${answeredBy}`,
    modelVersion === undefined || answeredBy?.endsWith(`:${modelVersion}`) === true ? "" : modelVersion
  ])
  const from = facts([
    phase === undefined ? "" : `phase ${phase}`,
    site === undefined ? "" : `made at ${site.file}:${site.line}:${site.column}`,
    call.parent === undefined ? "" : `by call ${call.parent}`
  ])
  const cost = facts([
    took === undefined ? "" : durationText(Math.max(0, took)),
    attempts > 1 ? plural(attempts, "attempt") : "",
    tokensText(usage),
    costUsd === undefined ? "" : dollarsText(costUsd)
  ])
  const lines = [
    `${style.bold(`call ${number}`)}  ${clip(name, 80)}  ${statusText(call, style)}`,
    ...[by, from, cost, optionsOf(call), `key ${key.slice(0, 16)} #${occurrence}`]
      .filter((line) => line !== "")
      .map((line) => `  ${style.dim(line)}`),
    ...headed("system", asked?.system, style),
    ...headed("prompt", asked?.prompt, style),
    ...headed(
      verb ?? "spec",
      asked?.spec === undefined ? undefined : JSON.stringify(asked.spec, undefined, 2),
      style
    ),
    ...headed(
      "schema",
      asked?.schema === undefined ? undefined : JSON.stringify(asked.schema, undefined, 2),
      style
    ),
    ...(call.tries.length === 0 ? [] : [style.bold("── attempts"), ...attemptLines(call, style)]),
    ...(failure !== undefined
      ? headed("failure", errorLine(failure), style)
      : headed(answerHead(call), answerText(result), style)),
    ...(call.usedIn.length === 0
      ? []
      : [style.dim(`  its answer stands in the prompts of ${numbered(call.usedIn)}`)]),
    ...(call.made.length === 0 ? [] : [style.dim(`  it made calls ${numbered(call.made)}`)])
  ]
  return lines.join("\n")
}
