// The one catalogue of model-call errors. Every code is born retryable or not, and each says what it means for
// the circuit breaker; an adapter that knows better overrides. Reading provider answers is adapters/'s.
import { Schema } from "effect"

/** What can go wrong in a model call. */
export const ErrorCode = Schema.Literals([
  "rate_limited",
  "server_error",
  "timeout",
  "network",
  "invalid_response",
  "auth",
  "quota_exhausted",
  "context_length",
  "content_filtered",
  "client_error",
  "invalid_input",
  "cancelled",
  "circuit_open",
  "budget_exceeded",
  "not_available",
  "awaiting_answer",
  "unknown"
])
export type ErrorCode = typeof ErrorCode.Type

/** The codes that are worth another attempt, unless an adapter says otherwise. */
export const RETRYABLE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "rate_limited",
  "server_error",
  "timeout",
  "network",
  "circuit_open"
])

/** What an attempt's end says about the upstream's health. */
export type BreakerOutcome = "success" | "failure" | "neutral"

const sick: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["server_error", "timeout", "network"])

/** The breaker's reading of a code, unless an adapter says otherwise. */
export const breakerOutcome = (code: ErrorCode): BreakerOutcome => (sick.has(code) ? "failure" : "neutral")

/** The error of a `ModelRunFailure`. `retryAfterMs` in milliseconds, finite and positive, or absent. */
export const ModelErrorInfo = Schema.Struct({
  code: ErrorCode,
  message: Schema.String,
  retryable: Schema.Boolean,
  retryAfterMs: Schema.optionalKey(Schema.Number),
  httpStatus: Schema.optionalKey(Schema.Int),
  detail: Schema.optionalKey(Schema.Json)
})
export type ModelErrorInfo = typeof ModelErrorInfo.Type

/** Tokens as billed. Absent means unknown, never 0. `inputTokens` includes cached ones. */
export const TokenUsage = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Int),
  outputTokens: Schema.optionalKey(Schema.Int),
  totalTokens: Schema.optionalKey(Schema.Int),
  cachedInputTokens: Schema.optionalKey(Schema.Int),
  /** Written to the cache, priced apart (Anthropic). */
  cacheWriteInputTokens: Schema.optionalKey(Schema.Int),
  reasoningTokens: Schema.optionalKey(Schema.Int)
})
export type TokenUsage = typeof TokenUsage.Type

/** The typed failure of one attempt, inside the waist. At the boundary it is folded into a `ModelRunFailure`. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  ...ModelErrorInfo.fields,
  /** Overrides the code's reading where the wire says more. */
  breaker: Schema.optionalKey(Schema.Literals(["success", "failure", "neutral"])),
  /** False: not a byte of the request left, so that nothing was billed. Absent: it may have. */
  sent: Schema.optionalKey(Schema.Boolean),
  /** Billed all the same. */
  usage: Schema.optionalKey(TokenUsage),
  /** What the provider itself says that it billed. US dollars. */
  costUsd: Schema.optionalKey(Schema.Number)
}) {}

type Overrides = Partial<Omit<ConstructorParameters<typeof ModelError>[0], "code" | "message">>

/** Longest message that leaves the waist, in UTF-16 code units. */
export const maxMessageLength = 500

/** Bounds a message. Redaction and HTML stripping have happened before. */
export const boundMessage = (message: string): string => {
  const flat = message.toWellFormed()
  return flat.length <= maxMessageLength ? flat : `${flat.slice(0, maxMessageLength - 1).toWellFormed()}…`
}

/** An error of the catalogue; `retryable` follows the code unless overridden. */
export const makeError = (code: ErrorCode, message: string, overrides: Overrides = {}): ModelError =>
  new ModelError({ code, message: boundMessage(message), retryable: RETRYABLE_CODES.has(code), ...overrides })

/** What a status alone says: 429 is a rate limit, 5xx the server, other 4xx (and 3xx) the request. */
export const classifyHttpStatus = (status: number): ErrorCode => {
  if (status === 429) return "rate_limited"
  if (status >= 500) return "server_error"
  return "client_error"
}
