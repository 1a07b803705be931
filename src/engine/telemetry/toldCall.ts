// toldCall: what a model's answer says of its call, for spans and metrics: never what was asked or answered.
import { Schema } from "effect"
import { guardOf } from "../../domain/guardOf.ts"
import { TokenUsage } from "../../domain/ModelError.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"

export interface ToldCall {
  readonly adapterId: string
  readonly modelId: string
  readonly status: string
  readonly seconds: number
  readonly attempts: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly costUsd: number | undefined
  readonly finishReason: string | undefined
  readonly version: string | undefined
  readonly code: string | undefined
  readonly text: string | undefined
}

const isTelling = guardOf(
  Schema.Struct({
    ok: Schema.Boolean,
    adapterId: Schema.String,
    modelId: Schema.String,
    modelVersionUsed: Schema.optionalKey(Schema.String),
    durationMs: Schema.Number,
    attempts: Schema.Int,
    usage: Schema.optionalKey(TokenUsage),
    costUsd: Schema.optionalKey(Schema.Number),
    finishReason: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.String),
    text: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.String }))
  })
)

/** Undefined for an answer that is no model's, or that lies in a blob. */
export const toldBy = ({ result, reused }: RunEventOf<"CallCompleted">): ToldCall | undefined => {
  if (!isTelling(result)) return undefined
  const { adapterId, attempts, costUsd, durationMs, error, finishReason, modelId, ok, text, usage } = result
  return {
    adapterId,
    modelId,
    attempts,
    status: reused === true ? "reused" : ok ? "completed" : (result.status ?? "failed"),
    seconds: durationMs / 1000,
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    costUsd,
    finishReason,
    version: result.modelVersionUsed,
    code: error?.code,
    text
  }
}
