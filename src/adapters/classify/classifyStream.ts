// A stream where one body was asked for (SSE, NDJSON, Gemini's array of chunks): gathers it into the body that
// would have come unstreamed, and says whether its end was reached. Judging that body is classifyAnswer.ts's.
import type { Json } from "../../domain/json/canonicalJson.ts"
import { asList, asObject, asString, at, type JsonObject, parseJson } from "./readJson.ts"

export interface Gathered {
  readonly body: Json
  /** The stream's own end was seen; without it the answer is cut. An error in the stream is an end. */
  readonly ended: boolean
}

const joined = (parts: ReadonlyArray<Json | undefined>): string =>
  parts.map((part) => asString(part) ?? "").join("")

const last = (chunks: ReadonlyArray<Json>, ...path: ReadonlyArray<string>): Json | undefined => {
  for (let index = chunks.length - 1; index >= 0; index--) {
    const value = at(chunks[index], ...path)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

const given = (object: Readonly<Record<string, Json | undefined>>): JsonObject => {
  const out: Record<string, Json> = {}
  for (const [key, value] of Object.entries(object)) if (value !== undefined) out[key] = value
  return out
}

const gatherChat = (chunks: ReadonlyArray<Json>, done: boolean): Gathered => {
  const choices = chunks.flatMap((chunk) => asList(at(chunk, "choices")).slice(0, 1))
  const finish = last(choices, "finish_reason")
  const message = given({
    role: "assistant",
    content: joined(
      choices.map((choice) => at(choice, "delta", "content") ?? at(choice, "message", "content"))
    ),
    refusal: joined(choices.map((choice) => at(choice, "delta", "refusal"))),
    tool_calls: choices.flatMap((choice) => asList(at(choice, "delta", "tool_calls")))
  })
  const choice = given({ index: 0, message, finish_reason: finish, error: last(choices, "error") })
  const body = given({ model: last(chunks, "model"), choices: [choice], usage: last(chunks, "usage") })
  return { body, ended: done || finish !== undefined }
}

const gatherAnthropic = (events: ReadonlyArray<Json>): Gathered => {
  const started = at(
    events.find((event) => at(event, "type") === "message_start"),
    "message"
  )
  const blocks = new Map<number, JsonObject>()
  for (const event of events) {
    const index = at(event, "index")
    if (typeof index !== "number") continue
    const block = asObject(at(event, "content_block"))
    if (block !== undefined) blocks.set(index, block)
    const text = asString(at(event, "delta", "text"))
    const known = blocks.get(index)
    if (text !== undefined)
      blocks.set(index, { ...known, type: "text", text: `${asString(known?.["text"]) ?? ""}${text}` })
  }
  const deltas = events.filter((event) => at(event, "type") === "message_delta")
  const body = {
    ...asObject(started),
    ...given({
      type: "message",
      content: Array.from(blocks.values()),
      stop_reason: last(deltas, "delta", "stop_reason"),
      usage: { ...asObject(at(started, "usage")), ...asObject(last(deltas, "usage")) }
    })
  }
  return { body, ended: events.some((event) => at(event, "type") === "message_stop") }
}

const gatherGemini = (chunks: ReadonlyArray<Json>): Gathered => {
  const candidates = chunks.flatMap((chunk) => asList(at(chunk, "candidates")).slice(0, 1))
  const finish = last(candidates, "finishReason")
  const feedback = last(chunks, "promptFeedback")
  const parts = candidates.flatMap((candidate) => asList(at(candidate, "content", "parts")))
  const body = given({
    candidates: candidates.length > 0 ? [given({ content: { parts }, finishReason: finish })] : undefined,
    promptFeedback: feedback,
    modelVersion: last(chunks, "modelVersion"),
    usageMetadata: last(chunks, "usageMetadata")
  })
  return { body, ended: finish !== undefined || feedback !== undefined }
}

const gatherResponses = (events: ReadonlyArray<Json>): Gathered => {
  const terminal = events.findLast((event) =>
    /^response\.(?:completed|incomplete|failed|cancelled)$/.test(asString(at(event, "type")) ?? "")
  )
  return { body: at(terminal, "response") ?? null, ended: terminal !== undefined }
}

const gatherOllama = (lines: ReadonlyArray<Json>): Gathered => {
  const end = lines.findLast((line) => at(line, "done") === true)
  const content = joined(lines.map((line) => at(line, "message", "content") ?? at(line, "response")))
  return { body: { ...asObject(end), message: { role: "assistant", content } }, ended: end !== undefined }
}

const gather = (chunks: ReadonlyArray<Json>, done: boolean): Gathered | undefined => {
  const failed = chunks.find((chunk) => {
    const error = at(chunk, "error")
    return at(chunk, "type") === "error" || (error !== undefined && error !== null && error !== false)
  })
  if (failed !== undefined) return { body: failed, ended: true }
  const types = chunks.map((chunk) => asString(at(chunk, "type")) ?? "")
  if (types.some((type) => type.startsWith("response."))) return gatherResponses(chunks)
  if (types.some((type) => /^(?:message_|content_block)/.test(type))) return gatherAnthropic(chunks)
  if (chunks.some((chunk) => at(chunk, "choices") !== undefined)) return gatherChat(chunks, done)
  if (
    chunks.some((chunk) => at(chunk, "candidates") !== undefined || at(chunk, "promptFeedback") !== undefined)
  ) {
    return gatherGemini(chunks)
  }
  if (chunks.some((chunk) => typeof at(chunk, "done") === "boolean")) return gatherOllama(chunks)
  return undefined
}

/** The gathered body of a stream, or undefined where the text is no stream that we know. */
export const readStream = (text: string, contentType: string): Gathered | undefined => {
  const whole = parseJson(text)
  if (whole !== undefined) return gather(asList(whole), false)
  const lines = text.split(/\r\n|\r|\n/)
  const sse = /text\/event-stream/i.test(contentType) || lines.some((line) => /^(?:data|event):/.test(line))
  if (sse) {
    const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim())
    const chunks = data.flatMap((item) => parseJson(item) ?? [])
    const done = data.includes("[DONE]")
    return gather(chunks, done) ?? { body: null, ended: false }
  }
  const filled = lines.filter((line) => line.trim() !== "")
  if (filled.length < 2) return undefined
  const parsed = filled.map(parseJson)
  // All lines but a cut last one must be JSON for this to be NDJSON.
  if (parsed.slice(0, -1).some((line) => asObject(line) === undefined)) return undefined
  return gather(
    parsed.flatMap((line) => line ?? []),
    false
  )
}
