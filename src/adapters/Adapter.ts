// An adapter: one way to reach models. It writes only `attempt`, one network or subprocess try; everything
// across (checks, breaker, time limits, retries, repair, cost) is runWithGuards's, the only way to reach it.
import type { Effect } from "effect"
import type { ModelError, TokenUsage } from "../domain/ModelError.ts"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { ModelRunInput } from "../domain/ModelRun.ts"

/** What one attempt brought back. `costUsd` only where the provider itself says what it billed, or it is free. */
export interface AttemptSuccess {
  readonly text: string
  /** A decoded structured answer, where the provider gave one natively; else the spine decodes `text`. */
  readonly output?: Json
  readonly finishReason: string
  readonly modelVersionUsed?: string
  readonly usage?: TokenUsage
  readonly costUsd?: number
  readonly raw?: Json
}

export interface Adapter {
  /** `offline`, `openai`, `command:claude`, … */
  readonly id: string
  /** Nothing it does costs money or acts on the world: its intent need not be durable before dispatch. */
  readonly free: boolean
  /** A call that may have run must not run again unasked (subprocess agents): an in-doubt one suspends the run. */
  readonly hasSideEffects: boolean
  /** The most one attempt can cost, in US dollars, where the adapter knows better than price times tokens. */
  readonly reserveUsd?: (input: ModelRunInput) => number
  /** One try. Interruption reaches the wire and the child. It may fail, throw, die or hang: the spine copes. */
  readonly attempt: (input: ModelRunInput) => Effect.Effect<AttemptSuccess, ModelError>
}
