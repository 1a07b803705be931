// Tally: what a call has used so far, over all its attempts, and what is told of them to whoever bounds the call.
import { Effect } from "effect"
import type { ModelError, ModelErrorInfo, TokenUsage } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import { type AttemptPort, boundRaw, type EndedAttempt } from "./AttemptPort.ts"

export const errorInfo = (error: ModelError): ModelErrorInfo => ({
  code: error.code,
  message: error.message,
  retryable: error.retryable,
  ...defined({ retryAfterMs: error.retryAfterMs, httpStatus: error.httpStatus, detail: error.detail })
})

/** What a call has used so far, over all its attempts. */
export interface Tally {
  attempts: number
  usage: TokenUsage | undefined
  /** Undefined once an attempt may have been billed an amount that is not known. */
  costUsd: number | undefined
  /** Attempts that were admitted, also those that a circuit kept from being made. */
  admitted: number
  /** The last attempt that ended, until it is told. */
  last: EndedAttempt | undefined
}

export const emptyTally = (): Tally => ({
  attempts: 0,
  usage: undefined,
  costUsd: 0,
  admitted: 0,
  last: undefined
})

const add = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b

const usageKeys = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cachedInputTokens",
  "cacheWriteInputTokens",
  "reasoningTokens"
] as const

export const addUsage = (a: TokenUsage | undefined, b: TokenUsage | undefined): TokenUsage | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  const sum: { -readonly [Key in keyof TokenUsage]: TokenUsage[Key] } = {}
  for (const key of usageKeys) {
    const value = add(a[key], b[key])
    if (value !== undefined) sum[key] = value
  }
  return sum
}

/** Tells of the attempt that ended last, once. `raw`: what the model said in it, which is not the call's answer. */
export const tellLast = (
  port: AttemptPort | undefined,
  tally: Tally,
  last: boolean,
  raw?: string
): Effect.Effect<void> => {
  const { last: ended } = tally
  if (port === undefined || ended === undefined) return Effect.void
  tally.last = undefined
  return port.ended(raw === undefined ? ended : { ...ended, raw: boundRaw(raw) }, last)
}

/** Tells of the last attempt of an answer whose cost is not known as a whole: its own may be. */
export const tellAnswer = (port: AttemptPort | undefined, tally: Tally): Effect.Effect<void> =>
  tally.costUsd === undefined && tally.last?.costUsd !== undefined ? tellLast(port, tally, true) : Effect.void

export const count = (tally: Tally, usage: TokenUsage | undefined, costUsd: number | undefined): void => {
  tally.usage = addUsage(tally.usage, usage)
  tally.costUsd = tally.costUsd === undefined || costUsd === undefined ? undefined : tally.costUsd + costUsd
}

export const spent = (tally: Tally) => ({
  attempts: tally.attempts,
  ...defined({ usage: tally.usage, costUsd: tally.costUsd })
})

export const told = (usage: TokenUsage | undefined, costUsd: number | undefined) => ({
  ...defined({ usage, costUsd })
})
