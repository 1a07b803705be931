// The output formats of agent tools: claude (`--output-format json`), codex (`exec --json`), gemini
// (`--output-format json`), a plain JSON document, plain text. It finds the answer or the failure that a tool
// reports of itself; what that failure means is classifyProcess.ts's.
import type { Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { repeatedKeyIn } from "../../domain/json/strictJson.ts"
import type { ModelError, TokenUsage } from "../../domain/ModelError.ts"
import type { AttemptSuccess } from "../Adapter.ts"
import { judge } from "./classifyAnswer.ts"
import type { Verdict } from "./classifyCodes.ts"
import type { ProcessEnd } from "../../kernel/subprocess/Subprocess.ts"
import { asList, asObject, asString, at, isCutJson, type JsonObject, parseJson } from "./readJson.ts"
import { readAnthropicUsage, readCost, readCount, readOpenAiUsage } from "./usage.ts"

export type CliFormat = "claude" | "codex" | "gemini" | "text"

export interface CliReading {
  /** The tool's answer, already judged. */
  readonly answer?: Result.Result<AttemptSuccess, ModelError>
  /** The failure it reports: its text, the status of the API behind it, or a verdict that is plain. */
  readonly error?: { readonly text: string; readonly status?: number | undefined; readonly verdict?: Verdict }
  readonly usage?: TokenUsage | undefined
  /** Why there is neither, and whether another try may help. */
  readonly why?: string
  readonly retryable?: boolean
}

/** A value with one reading: an object in which a key stands twice is not in a format that anybody asked for. */
const parseOne = (text: string): Json | undefined =>
  repeatedKeyIn(text) === undefined ? parseJson(text) : undefined

/** Where the first line starts that opens an object; -1 where none does. */
const lineThatOpens = (text: string): number => {
  let from = 0
  for (const line of text.split("\n")) {
    if (line.trimStart().startsWith("{")) return from
    from += line.length + 1
  }
  return -1
}

/** The JSON values of an output with noise around them: the whole, or those of its lines that are JSON. */
const jsonValues = (text: string): ReadonlyArray<Json> => {
  const whole = parseOne(text)
  if (whole !== undefined) return Array.isArray(whole) ? asList(whole) : [whole]
  const values = text.split("\n").flatMap((line) => {
    const value = /^\s*[{[]/.test(line) ? parseOne(line) : undefined
    return value === undefined ? [] : Array.isArray(value) ? asList(value) : [value]
  })
  if (values.length > 0) return values
  const open = lineThatOpens(text)
  const rest = open === -1 ? undefined : parseOne(text.slice(open, text.lastIndexOf("}") + 1))
  return rest === undefined ? [] : [rest]
}

const none = (stdout: string): CliReading => {
  if (stdout.trim() === "") return { why: "it ended well and printed nothing", retryable: true }
  const cut = isCutJson(stdout) || isCutJson(stdout.trim().split("\n").at(-1) ?? "")
  return cut
    ? { why: "its output is cut off", retryable: true }
    : { why: "its output is not in the format that was asked for", retryable: false }
}

const claudeVerdicts = new Map<string, Verdict>([
  ["error_max_turns", { code: "invalid_response" }],
  ["error_max_structured_output_retries", { code: "invalid_response" }],
  ["error_max_budget_usd", { code: "budget_exceeded" }]
])

const onlyKey = (value: Json | undefined): string | undefined => {
  const keys = Object.keys(asObject(value) ?? {})
  return keys.length === 1 ? keys[0] : undefined
}

const readClaude = (label: string, stdout: string): CliReading => {
  const events = jsonValues(stdout)
  const result = events.findLast((event) => at(event, "type") === "result")
  if (result === undefined) return none(stdout)
  const usage = readAnthropicUsage(at(result, "usage"))
  const subtype = asString(at(result, "subtype")) ?? ""
  const errors = asList(at(result, "errors")).filter((error) => typeof error === "string")
  const answer = asString(at(result, "result"))
  const text = answer ?? (errors.length > 0 ? errors.join("; ") : subtype)
  const verdict = claudeVerdicts.get(subtype)
  if (at(result, "is_error") === true || subtype !== "success") {
    const status = readCount(at(result, "api_error_status"))
    return { error: { text, status, ...(verdict !== undefined && { verdict }) }, usage }
  }
  const stop = asString(at(result, "stop_reason"))
  const structured = at(result, "structured_output")
  const costUsd = readCost(at(result, "total_cost_usd"))
  const draft = {
    text: structured === undefined || structured === null ? (answer ?? "") : JSON.stringify(structured),
    finish: stop === "max_tokens" ? "length" : "stop",
    usage,
    costUsd,
    model: onlyKey(at(result, "modelUsage")),
    toolCalls: false,
    filtered: stop === "refusal" ? "refusal" : undefined
  }
  // With a stream of events the text that the result lost is still in the last message.
  const recovered = draft.text.trim() === "" ? lastAssistantText(events) : draft.text
  return { answer: judge({ ...draft, text: recovered }, { label }), usage }
}

const lastAssistantText = (events: ReadonlyArray<Json>): string => {
  const last = events.findLast((event) => at(event, "type") === "assistant")
  return asList(at(last, "message", "content"))
    .map((part) => (at(part, "type") === "text" ? (asString(at(part, "text")) ?? "") : ""))
    .join("")
}

/** Notices that a tool prints while it still tries. */
const isReconnecting = (text: string): boolean => /^(?:reconnecting|retrying)\b/i.test(text)

const readCodex = (label: string, stdout: string): CliReading => {
  // Before `exec --json` had items, events stood in `msg`.
  const events = jsonValues(stdout).map((event) => at(event, "msg") ?? event)
  const isType = (type: string) => (event: Json) => at(event, "type") === type
  const failed = events.findLast(isType("turn.failed"))
  const usage = readOpenAiUsage(at(events.findLast(isType("turn.completed")), "usage"))
  if (failed !== undefined)
    return { error: { text: asString(at(failed, "error", "message")) ?? "the turn failed" }, usage }
  const message = events.findLast(
    (event) => at(event, "item", "type") === "agent_message" && at(event, "type") === "item.completed"
  )
  const older = events.findLast(isType("agent_message"))
  const text =
    asString(at(message, "item", "text")) ??
    asString(at(older, "message")) ??
    asString(at(events.findLast(isType("task_complete")), "last_agent_message"))
  const ended = events.some(isType("turn.completed")) || events.some(isType("task_complete"))
  const error = events.findLast(
    (event) => isType("error")(event) && !isReconnecting(asString(at(event, "message")) ?? "")
  )
  if (error !== undefined && !ended)
    return { error: { text: asString(at(error, "message")) ?? "an error" }, usage }
  if (events.length === 0) return none(stdout)
  // Its tools may have acted, so that nothing without an answer is tried again by itself.
  if (!ended) return { why: "its output ends before its turn does", retryable: false, usage }
  if (text === undefined || text.trim() === "")
    return { why: "its turn ended without an answer", retryable: false, usage }
  const draft = { text, finish: "stop", usage, model: undefined, toolCalls: false, filtered: undefined }
  return { answer: judge(draft, { label }), usage }
}

const geminiVerdicts = new Map<string, Verdict>([
  ["FatalAuthenticationError", { code: "auth" }],
  ["FatalInputError", { code: "invalid_input" }],
  ["FatalTurnLimitedError", { code: "invalid_response" }],
  ["FatalSandboxError", { code: "client_error" }],
  ["FatalConfigError", { code: "client_error" }],
  ["FatalToolExecutionError", { code: "unknown" }]
])

/** Tokens over all models of a session; absent where any of them is garbage. */
const geminiUsage = (stats: Json | undefined): TokenUsage | undefined => {
  const models = Object.values(asObject(at(stats, "models")) ?? {}).map((model) => at(model, "tokens"))
  if (models.length === 0) return undefined
  let input = 0
  let output = 0
  let cached = 0
  let reasoning = 0
  for (const tokens of models) {
    const prompt = readCount(at(tokens, "prompt"))
    const candidates = readCount(at(tokens, "candidates"))
    if (prompt === undefined || candidates === undefined) return undefined
    const thoughts = readCount(at(tokens, "thoughts")) ?? 0
    input += prompt
    output += candidates + thoughts
    cached += readCount(at(tokens, "cached")) ?? 0
    reasoning += thoughts
  }
  return readOpenAiUsage({
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning }
  })
}

const readGemini = (label: string, { stderr, stdout }: ProcessEnd): CliReading => {
  const reports = [...jsonValues(stderr), ...jsonValues(stdout)]
  const failure = asObject(
    at(
      reports.find((value) => asObject(at(value, "error")) !== undefined),
      "error"
    )
  )
  if (failure !== undefined) {
    const type = asString(failure["type"]) ?? ""
    const status = readCount(failure["code"])
    const verdict = geminiVerdicts.get(type)
    return {
      error: {
        text: asString(failure["message"]) ?? type,
        status: status !== undefined && status >= 400 ? status : undefined,
        ...(verdict !== undefined && { verdict })
      }
    }
  }
  const document: JsonObject | undefined = asObject(
    jsonValues(stdout).findLast((value) => at(value, "response") !== undefined)
  )
  if (document === undefined) return none(stdout)
  const usage = geminiUsage(document["stats"])
  const draft = {
    text: asString(document["response"]) ?? "",
    finish: "stop",
    usage,
    model: onlyKey(at(document, "stats", "models")),
    toolCalls: false,
    filtered: undefined
  }
  return { answer: judge(draft, { label }), usage }
}

const readText = (label: string, stdout: string): CliReading =>
  stdout.trim() === ""
    ? { why: "it ended well and printed nothing", retryable: true }
    : {
        answer: judge(
          {
            text: stdout.replace(/\r?\n$/, ""),
            finish: "stop",
            usage: undefined,
            model: undefined,
            toolCalls: false,
            filtered: undefined
          },
          { label }
        )
      }

/** What a tool's output says in its own format. `label` names it in messages. */
export const readCli = (label: string, format: CliFormat, end: ProcessEnd): CliReading => {
  switch (format) {
    case "claude":
      return readClaude(label, end.stdout)
    case "codex":
      return readCodex(label, end.stdout)
    case "gemini":
      return readGemini(label, end)
    case "text":
      return readText(label, end.stdout)
  }
}
