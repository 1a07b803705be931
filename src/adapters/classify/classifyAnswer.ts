// Reads a 2xx reply: whether it is an answer at all, and if so its text, finish reason, model and usage, in the
// wire formats of OpenAI (chat, Responses), Anthropic, Gemini and Ollama. A 200 is no proof of an answer.
import { Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { type BreakerOutcome, makeError, type ModelError, type TokenUsage } from "../../domain/ModelError.ts"
import type { AttemptSuccess } from "../Adapter.ts"
import { readError } from "./classifyBody.ts"
import { errorOfEvidence, isHtmlReply, type Reading, type WireReply } from "./classifyHttp.ts"
import { readStream } from "./classifyStream.ts"
import { asList, asObject, asString, at, isCutJson, type JsonObject, parseJson } from "./readJson.ts"
import { readAnthropicUsage, readCost, readGeminiUsage, readOllamaUsage, readOpenAiUsage } from "./usage.ts"

/** What the formats have in common, before it is judged. */
export interface Draft {
  readonly text: string
  /** `stop`, `length`, `tool_calls`, `content_filter`, `error`, or the provider's own word. */
  readonly finish: string
  readonly usage: TokenUsage | undefined
  readonly model: string | undefined
  readonly costUsd?: number | undefined
  /** Asked for a tool nobody offered. */
  readonly toolCalls: boolean
  readonly filtered: string | undefined
  /** An empty answer on a clean stop is a glitch worth another try; Anthropic's repeats itself. */
  readonly emptyRepeats?: boolean
  /** Ended in a way that is no answer, and whether another try may help. */
  readonly broken?: { readonly why: string; readonly retryable: boolean }
}

type Read = Result.Result<AttemptSuccess, ModelError>

/** Where an answer came from: `HTTP 200`, `claude`, … */
export interface Source {
  readonly label: string
  readonly httpStatus?: number
}

const sourceOf = (reply: WireReply): Source => ({ label: `HTTP ${reply.status}`, httpStatus: reply.status })

const invalid = (
  source: Source,
  why: string,
  retryable: boolean,
  breaker: BreakerOutcome,
  extra: { readonly usage?: TokenUsage | undefined; readonly finish?: string } = {}
): Read =>
  Result.fail(
    makeError("invalid_response", `${source.label}: ${why}`, {
      retryable,
      breaker,
      ...(source.httpStatus !== undefined && { httpStatus: source.httpStatus }),
      ...(extra.usage !== undefined && { usage: extra.usage }),
      ...(extra.finish !== undefined && { detail: { finishReason: extra.finish } })
    })
  )

const partsText = (parts: Json | undefined, take: (part: Json) => boolean): string =>
  typeof parts === "string"
    ? parts
    : asList(parts)
        .filter(take)
        .map((part) => asString(at(part, "text")) ?? "")
        .join("")

const isTextPart = (part: Json): boolean => {
  const type = at(part, "type")
  return type === "text" || type === "output_text" || type === undefined
}

const nonEmpty = (value: Json | undefined): string | undefined => {
  const text = asString(value)
  return text !== undefined && text.trim() !== "" ? text : undefined
}

const chatFinish = new Map([
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["function_call", "tool_calls"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["model_context_window_exceeded", "length"],
  // DeepSeek, vLLM and Zhipu when the server gave up in the middle of an answer.
  ["insufficient_system_resource", "error"],
  ["abort", "error"],
  ["network_error", "error"]
])

const readChat = (body: JsonObject): Draft => {
  const choice = asList(body["choices"])[0]
  const message = at(choice, "message")
  const finish = asString(at(choice, "finish_reason")) ?? "unknown"
  const refusal = nonEmpty(at(message, "refusal"))
  return {
    text: partsText(at(message, "content"), isTextPart) || (asString(at(choice, "text")) ?? ""),
    finish: chatFinish.get(finish) ?? finish,
    usage: readOpenAiUsage(body["usage"]),
    costUsd: readCost(at(body, "usage", "cost")),
    model: asString(body["model"]),
    toolCalls:
      asList(at(message, "tool_calls")).length > 0 || asObject(at(message, "function_call")) !== undefined,
    filtered: finish === "content_filter" ? "content_filter" : refusal === undefined ? undefined : "refusal"
  }
}

const readResponses = (body: JsonObject): Draft => {
  const output = asList(body["output"])
  const parts = output
    .filter((item) => at(item, "type") === "message")
    .flatMap((item) => asList(at(item, "content")))
  const text = partsText(parts, (part) => at(part, "type") === "output_text")
  const refused = parts.some((part) => at(part, "type") === "refusal")
  const status = asString(body["status"]) ?? "completed"
  const reason = asString(at(body, "incomplete_details", "reason"))
  const waiting = status === "in_progress" || status === "queued"
  return {
    text,
    finish:
      status === "completed"
        ? "stop"
        : reason === "max_output_tokens" || reason === "max_tokens"
          ? "length"
          : (reason ?? status),
    usage: readOpenAiUsage(body["usage"]),
    model: asString(body["model"]),
    toolCalls: output.some((item) => {
      const type = asString(at(item, "type")) ?? ""
      return type.endsWith("call") && /function|custom_tool|mcp|computer|shell/.test(type)
    }),
    filtered: reason === "content_filter" ? reason : refused ? "refusal" : undefined,
    ...(waiting && { broken: { why: `the response is still ${status}`, retryable: false } }),
    ...(status === "cancelled" && { broken: { why: "the response was cancelled upstream", retryable: true } })
  }
}

const anthropicFinish = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"]
])

const readAnthropic = (body: JsonObject): Draft => {
  const content = asList(body["content"])
  const stop = asString(body["stop_reason"]) ?? "unknown"
  // The SDK's way of asking a model without native schema mode for JSON is a tool named `json`.
  const asked = content.find((part) => at(part, "type") === "tool_use" && at(part, "name") === "json")
  const json = at(asked, "input")
  return {
    text:
      json === undefined ? partsText(content, (part) => at(part, "type") === "text") : JSON.stringify(json),
    finish: json !== undefined && stop === "tool_use" ? "stop" : (anthropicFinish.get(stop) ?? stop),
    usage: readAnthropicUsage(body["usage"]),
    model: asString(body["model"]),
    toolCalls: content.some((part) => at(part, "type") === "tool_use"),
    filtered: stop === "refusal" ? "refusal" : undefined,
    emptyRepeats: true,
    ...(stop === "pause_turn" && {
      broken: { why: "the turn was paused, not ended (pause_turn)", retryable: false }
    })
  }
}

const geminiFilter =
  /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION|MODEL_ARMOR)$/

const geminiFinish = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  // Cut at the cap of one request; the rest would have to be asked, and paid, in another one.
  ["CONTINUATION", "length"]
])

const readGemini = (body: JsonObject): Draft => {
  const candidate = asList(body["candidates"])[0]
  const parts = at(candidate, "content", "parts")
  const reason = asString(at(candidate, "finishReason")) ?? "unknown"
  const block = nonEmpty(at(body, "promptFeedback", "blockReason"))
  const blocked = block !== undefined && block !== "BLOCK_REASON_UNSPECIFIED" && candidate === undefined
  const filtered = blocked ? block : geminiFilter.test(reason) ? reason : undefined
  const malformed = reason.startsWith("MALFORMED_")
  const unusable =
    malformed ||
    /^(?:LANGUAGE|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE|NO_IMAGE)$/.test(reason)
  return {
    text: partsText(parts, (part) => at(part, "thought") !== true),
    finish: geminiFinish.get(reason) ?? reason.toLowerCase(),
    usage: readGeminiUsage(body["usageMetadata"]),
    model: asString(body["modelVersion"]),
    toolCalls: asList(parts).some((part) => asObject(at(part, "functionCall")) !== undefined),
    filtered,
    ...(unusable && { broken: { why: `the model ended with ${reason}`, retryable: malformed } })
  }
}

const readOllama = (body: JsonObject): Draft => ({
  text: asString(at(body, "message", "content")) ?? asString(body["response"]) ?? "",
  finish: body["done"] === true ? (asString(body["done_reason"]) ?? "stop") : "unknown",
  usage: readOllamaUsage(body),
  model: asString(body["model"]),
  toolCalls: asList(at(body, "message", "tool_calls")).length > 0,
  filtered: undefined,
  ...(body["done"] !== true && { broken: { why: "the answer was not finished", retryable: true } })
})

/** The format of a body, by its shape: a proxy may answer in another one than was asked. */
const readDraft = (body: JsonObject): Draft | undefined => {
  if (body["choices"] !== undefined) return readChat(body)
  if (body["object"] === "response" || (body["output"] !== undefined && body["status"] !== undefined))
    return readResponses(body)
  if (Array.isArray(body["content"]) && (body["type"] === "message" || body["stop_reason"] !== undefined))
    return readAnthropic(body)
  if (
    body["candidates"] !== undefined ||
    body["promptFeedback"] !== undefined ||
    body["usageMetadata"] !== undefined
  )
    return readGemini(body)
  if (typeof body["done"] === "boolean" && (body["message"] !== undefined || body["response"] !== undefined))
    return readOllama(body)
  return undefined
}

const isEmptyList = (value: Json | undefined): boolean =>
  value === null || (Array.isArray(value) && value.length === 0)

/** Whether a draft is an answer: withheld, broken, empty and tool-only ones are not. */
export const judge = (draft: Draft, source: Source): Read => {
  const { finish, usage } = draft
  if (draft.filtered !== undefined) {
    return Result.fail(
      makeError("content_filtered", `${source.label}: the provider withheld the answer (${draft.filtered})`, {
        ...(source.httpStatus !== undefined && { httpStatus: source.httpStatus }),
        ...(usage !== undefined && { usage }),
        detail: { finishReason: draft.filtered }
      })
    )
  }
  if (finish === "error") {
    return Result.fail(
      makeError("server_error", `${source.label}: the provider ended the answer with an error`, {
        ...(source.httpStatus !== undefined && { httpStatus: source.httpStatus }),
        ...(usage !== undefined && { usage })
      })
    )
  }
  if (draft.broken !== undefined) {
    return invalid(source, draft.broken.why, draft.broken.retryable, "neutral", { usage, finish })
  }
  if (draft.text.trim() === "") {
    if (draft.toolCalls)
      return invalid(source, "a tool call where text was asked for", false, "neutral", { usage, finish })
    if (finish === "length") {
      return invalid(source, "the output limit was reached before any text", false, "neutral", {
        usage,
        finish
      })
    }
    return invalid(source, "an empty answer", draft.emptyRepeats !== true, "neutral", { usage, finish })
  }
  return Result.succeed({
    text: draft.text,
    finishReason: finish,
    ...(draft.model !== undefined && draft.model !== "" && { modelVersionUsed: draft.model }),
    ...(usage !== undefined && { usage }),
    ...(draft.costUsd !== undefined && { costUsd: draft.costUsd })
  })
}

const usageOf = (body: JsonObject): TokenUsage | undefined =>
  readOpenAiUsage(body["usage"]) ??
  readAnthropicUsage(body["usage"]) ??
  readGeminiUsage(body["usageMetadata"])

const readBody = (body: Json, reply: WireReply, reading: Reading): Read => {
  const root = asObject(body)
  const choice = asList(root?.["choices"])[0]
  const error =
    readError(body) ??
    (asObject(at(choice, "error")) === undefined ? undefined : readError(choice ?? null)) ??
    (root?.["status"] === "failed"
      ? readError({ error: root["error"] ?? { message: "the response failed" } })
      : undefined)
  if (error !== undefined) {
    return Result.fail(
      errorOfEvidence(error, reply, reading, true, root === undefined ? undefined : usageOf(root))
    )
  }
  if (root === undefined)
    return invalid(sourceOf(reply), "JSON of another shape than the API's", false, "neutral")
  const draft = readDraft(root)
  if (draft === undefined)
    return invalid(sourceOf(reply), "JSON of another shape than the API's", false, "neutral")
  if (
    draft.filtered === undefined &&
    (isEmptyList(root["choices"]) ||
      (isEmptyList(root["candidates"]) && root["promptFeedback"] === undefined))
  ) {
    return invalid(sourceOf(reply), "an answer without a choice in it", true, "neutral", {
      usage: draft.usage
    })
  }
  return judge(draft, sourceOf(reply))
}

/** What a reply with a 2xx status brought: an answer, or the failure it hides. */
export const readReply = (reply: WireReply, reading: Reading): Read => {
  const { body } = reply
  if (body.trim() === "") return invalid(sourceOf(reply), "an empty body", true, "failure")
  if (isHtmlReply(reply))
    return invalid(sourceOf(reply), "an HTML page, not an answer of the API", false, "neutral")
  const json = parseJson(body)
  if (json !== undefined) {
    const chunks = asList(json)
    const streamed = chunks.some((chunk) => at(chunk, "candidates") !== undefined)
    if (!streamed) return readBody(json, reply, reading)
  }
  const stream = readStream(body, reply.headers["content-type"] ?? "")
  if (stream !== undefined) {
    return stream.ended
      ? readBody(stream.body, reply, reading)
      : Result.fail(
          makeError("network", `HTTP ${reply.status}: the stream ended before the answer did`, {
            httpStatus: reply.status
          })
        )
  }
  if (body.includes("\0") || body.startsWith("\uFFFD")) {
    return invalid(sourceOf(reply), "a body in an unknown encoding", false, "neutral")
  }
  return isCutJson(body)
    ? invalid(sourceOf(reply), "the JSON of the answer is cut off", true, "failure")
    : invalid(sourceOf(reply), "a body that is not JSON", false, "neutral")
}
