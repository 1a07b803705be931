// Reads what an error body says, whatever envelope it comes in: which error objects it holds, their codes, numeric
// status, message. Evidence only; weighing it is classifyHttp.ts's.
import type { Json } from "../../domain/json/canonicalJson.ts"
import { isCode } from "./classifyCodes.ts"
import { asList, asObject, asString, at, parseJson, type JsonObject } from "./readJson.ts"

export interface ErrorEvidence {
  /** String codes, the most specific first. */
  readonly codes: ReadonlyArray<string>
  /** A numeric code in the range of HTTP statuses. */
  readonly status: number | undefined
  /** As the provider wrote it: not redacted, not bounded. */
  readonly message: string | undefined
  /** Every error object and the body around it, the innermost first: where hints are looked for. */
  readonly errors: ReadonlyArray<JsonObject>
  /** A daily quota, or one of 0: waiting for the hint beside it would not help. */
  readonly spent: boolean
  /** OpenRouter's `metadata.limit_source`. */
  readonly limitSource: string | undefined
  /** The body names what was flagged. */
  readonly flagged: boolean
}

const deepest = 4
const longestInner = 65_536

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= 300 && value <= 599

const statusOf = (value: Json | undefined): number | undefined => {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof number === "number" && isStatus(number) ? number : undefined
}

class Reader {
  readonly codes: Array<string> = []
  readonly errors: Array<JsonObject> = []
  status: number | undefined
  message: string | undefined
  spent = false
  limitSource: string | undefined
  flagged = false

  private code(value: Json | undefined): void {
    const text = asString(value)
    if (text === undefined) return
    // AWS: "com.amazon.coral.service#UnknownOperationException", "ThrottlingException:http://…".
    const bare = (text.split("#").at(-1) ?? "").split(":")[0] ?? ""
    if (isCode(bare)) this.codes.push(bare)
  }

  /** A JSON text inside a message or `metadata.raw`: often the upstream's own error. */
  private inner(value: Json | undefined, depth: number): boolean {
    const text = asString(value)
    if (text === undefined || depth >= deepest || text.length > longestInner) return false
    const start = text.search(/[[{]/)
    if (start === -1 || start > 80) return false
    const parsed = parseJson(text.slice(start).trim())
    return parsed !== undefined && this.body(parsed, depth + 1)
  }

  /** Takes the errors of a body; false where it holds none. */
  body(body: Json, depth = 0): boolean {
    if (depth > deepest) return false
    const list = asList(body)
    if (list.length > 0) return list.some((item) => this.body(item, depth + 1))
    const root = asObject(body)
    if (root === undefined) return false
    const { error } = root
    const nested = asObject(error)
    if (nested !== undefined && Object.keys(nested).length > 0) {
      const known = this.body(nested, depth + 1) || this.node(nested, depth)
      this.around(root)
      return known
    }
    if (asList(error).length > 0) {
      if (!this.body(asList(error), depth + 1)) this.say(textOf(error))
      this.around(root)
      return true
    }
    const text = asString(error)
    if (text !== undefined && text.trim() !== "") {
      if (!this.inner(text, depth)) {
        if (isCode(text)) this.codes.push(text)
        this.say(isCode(text) ? (asString(root["message"]) ?? text) : text)
      }
      this.around(root)
      return true
    }
    const flat =
      error === true ||
      root["object"] === "error" ||
      root["type"] === "error" ||
      root["success"] === false ||
      root["__type"] !== undefined
    if (flat) return this.node(root, depth)
    return false
  }

  /** A body that is an error only because its status says so: `{ detail }`, `{ message }`, `{ code, msg }`. */
  loose(body: Json): void {
    const root = asObject(asList(body)[0] ?? body)
    if (root === undefined) return
    this.node(root, 0)
  }

  private node(node: JsonObject, depth: number): boolean {
    const metadata = node["metadata"]
    const innermost = this.inner(node["message"], depth) || this.inner(at(metadata, "raw"), depth)
    this.details(node["details"])
    this.code(at(node, "error_code") ?? at(node, "errorCode"))
    this.code(node["code"])
    this.code(at(node, "innererror", "code") ?? at(node, "inner_error", "code"))
    this.code(node["type"] === "error" ? undefined : node["type"])
    this.code(node["status"])
    this.code(node["__type"])
    this.status ??=
      statusOf(node["code"]) ??
      statusOf(node["status"]) ??
      statusOf(node["status_code"]) ??
      statusOf(node["statusCode"])
    this.limitSource ??= asString(at(metadata, "limit_source"))
    if (at(metadata, "flagged_input") !== undefined || asList(at(metadata, "reasons")).length > 0)
      this.flagged = true
    if (!innermost)
      this.say(
        textOf(node["message"]) ??
          textOf(node["msg"]) ??
          textOf(node["detail"]) ??
          textOf(node["error"]) ??
          textOf(node["errors"])
      )
    this.errors.push(node)
    return true
  }

  private around(root: JsonObject): void {
    this.code(root["code"])
    this.code(at(root, "error_code"))
    if (root["type"] !== "error") this.code(root["type"])
    this.code(root["__type"])
    this.status ??= statusOf(root["code"]) ?? statusOf(root["status_code"])
    this.say(asString(root["message"]) ?? textOf(root["detail"]))
    this.errors.push(root)
  }

  private say(message: string | undefined): void {
    if (message !== undefined && message.trim() !== "") this.message ??= message
  }

  /** Google's list of typed details, or Anthropic's object with an `error_code`. */
  private details(details: Json | undefined): void {
    this.code(at(details, "error_code"))
    for (const detail of asList(details)) {
      this.code(at(detail, "reason"))
      if (at(detail, "metadata", "quota_limit_value") === "0") this.spent = true
      for (const violation of asList(at(detail, "violations"))) {
        const id = `${asString(at(violation, "quotaId")) ?? ""} ${asString(at(violation, "quotaMetric")) ?? ""}`
        const value = at(violation, "quotaValue")
        if (/per_?day|daily/i.test(id) || value === "0" || value === 0) this.spent = true
      }
    }
  }
}

/** A message where it is text, a list of FastAPI's `{ loc, msg }`, or an object around one. */
const textOf = (value: Json | undefined): string | undefined => {
  if (typeof value === "string") return value
  const parts = asList(value).flatMap((item) => {
    const text = typeof item === "string" ? item : asString(at(item, "msg") ?? at(item, "message"))
    if (text === undefined) return []
    const where = asList(at(item, "loc")).filter(
      (part) => typeof part === "string" || typeof part === "number"
    )
    return [where.length > 0 ? `${where.join(".")}: ${text}` : text]
  })
  if (parts.length > 0) return parts.join("; ")
  return asObject(value) === undefined
    ? undefined
    : (textOf(at(value, "message")) ?? textOf(at(value, "detail")))
}

const evidence = (reader: Reader): ErrorEvidence => ({
  codes: reader.codes,
  status: reader.status,
  message: reader.message,
  errors: reader.errors,
  spent: reader.spent || /\blimit: 0\b(?!\.\d)/.test(reader.message ?? ""),
  limitSource: reader.limitSource,
  flagged: reader.flagged
})

/** The error a body carries whatever its status, or undefined where it carries none. */
export const readError = (body: Json): ErrorEvidence | undefined => {
  const reader = new Reader()
  return reader.body(body) ? evidence(reader) : undefined
}

/** The error in a body whose status already says that it is one. */
export const readFailedBody = (body: Json | undefined): ErrorEvidence => {
  const reader = new Reader()
  if (body !== undefined && !reader.body(body)) reader.loose(body)
  return evidence(reader)
}
