// Replies as they come over the wire, in the envelopes of the providers, and rows of what they mean.
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { readReply } from "../../src/adapters/classify/classifyAnswer.ts"
import { classifyFailedReply, type WireReply } from "../../src/adapters/classify/classifyHttp.ts"
import { breakerOutcome, type ModelError } from "../../src/domain/ModelError.ts"

/** Epoch ms at which every reply is read. */
export const now = Date.parse("2026-01-01T00:00:00Z")
const reading = { now, clean: (text: string) => text }

export const reply = (status: number, body: unknown, headers: Record<string, string> = {}): WireReply => ({
  status,
  headers: { "content-type": typeof body === "string" ? "text/plain" : "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

export const errorOf = (wire: WireReply): ModelError => {
  if (wire.status >= 300) return classifyFailedReply(wire, reading)
  const read = readReply(wire, reading)
  if (Result.isSuccess(read)) throw new Error(`an answer: ${read.success.text}`)
  return read.failure
}

export type Row = readonly [
  what: string,
  wire: WireReply,
  code: string,
  rest?: { readonly retryable?: boolean; readonly breaker?: string; readonly retryAfterMs?: number }
]

export const openai = (message: string, type: string | null = null, code: string | null = null) => ({
  error: { message, type, param: null, code }
})
export const anthropic = (type: string, message: string, extra: object = {}) => ({
  type: "error",
  error: { type, message, ...extra }
})
export const google = (code: number, status: string, message: string, details?: ReadonlyArray<object>) => ({
  error: { code, message, status, ...(details && { details }) }
})

/** Fails the test unless the exchange means what its row says. */
export const assertRow = (wire: WireReply, code: string, rest: NonNullable<Row[3]>): void => {
  const error = errorOf(wire)
  assert.strictEqual(error.code, code, error.message)
  if (rest.retryable !== undefined) assert.strictEqual(error.retryable, rest.retryable)
  if (rest.breaker !== undefined)
    assert.strictEqual(error.breaker ?? breakerOutcome(error.code), rest.breaker)
  if ("retryAfterMs" in rest || code !== "rate_limited")
    assert.strictEqual(error.retryAfterMs, rest.retryAfterMs)
}

/** The answer of a reply that is one. */
export const answerOf = (wire: WireReply) => Result.getOrThrow(readReply(wire, reading))
