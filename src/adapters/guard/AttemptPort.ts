// AttemptPort: what the waist tells of each attempt of a call, and asks before it: whoever bounds and journals calls
// stands behind it. Without one, calls are bounded by their policy alone.
import type { Effect } from "effect"
import {
  maxMessageLength,
  makeError,
  type ModelError,
  type ModelErrorInfo,
  type TokenUsage
} from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { Binding } from "../registry/AdapterRegistry.ts"

/** An attempt that is about to be sent. */
export interface StartingAttempt {
  /** From 1, over all links of the call. */
  readonly number: number
  readonly kind: "first" | "retry" | "repair" | "fallback"
  readonly binding: Binding
  /** What is really sent. */
  readonly input: ModelRunInput
}

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly number: number
  readonly adapterId: string
  readonly modelId: string
  readonly durationMs: number
  readonly error?: ModelErrorInfo
  readonly finishReason?: string
  readonly usage?: TokenUsage
  /** Undefined: it may have been billed, nobody knows how much. */
  readonly costUsd?: number
  /** What the model said, where that is not the call's answer. */
  readonly raw?: string
}

export interface AttemptPort {
  /** Before an attempt is sent. Waits as long as others may free what it needs; fails where nothing can. */
  readonly admit: (attempt: StartingAttempt) => Effect.Effect<void, ModelError>
  /**
   * After an attempt that is not the call's answer as it stands. `last`: no other follows it, so that the call ends
   * with it; also told of an answer where what the whole call cost is not known.
   */
  readonly ended: (attempt: EndedAttempt, last: boolean) => Effect.Effect<void>
}

/** Longest answer that is kept beside a call, in UTF-16 code units. */
export const maxRawLength = 64 * 1024

/** At most `maxRawLength` of what a model said, its end left out. */
export const boundRaw = (text: string): string =>
  text.length <= maxRawLength ? text : `${text.slice(0, maxRawLength - 1).toWellFormed()}…`

/** The failure that a call had, when the budget did not allow it another attempt. */
export const withoutAnother = (error: ModelError, refusal: ModelError): ModelError => {
  const why = `; no other attempt was made: ${refusal.message}`
  const room = Math.max(0, maxMessageLength - why.length)
  const said =
    error.message.length <= room ? error.message : `${error.message.slice(0, Math.max(0, room - 1))}…`
  const { breaker, code, detail, httpStatus, retryAfterMs, retryable } = error
  return makeError(code, `${said}${why}`, {
    retryable,
    ...defined({ breaker, detail, httpStatus, retryAfterMs })
  })
}
