// toldCall: what a model's answer says of its call, for spans and metrics: never what was asked or answered.
import { Option, Schema } from "effect"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"
import { TokenUsage } from "../../domain/ModelError.ts"

export interface ToldCall {
  readonly adapterId: string
  readonly modelId: string
  readonly status: string
  readonly seconds: number
  readonly attempts: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costUsd?: number
  readonly finishReason?: string
  readonly version?: string
  readonly code?: string
  readonly text?: string
}

const decode = Schema.decodeUnknownOption(
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
export const toldBy = (event: RunEventOf<"CallCompleted">): ToldCall | undefined =>
  Option.getOrUndefined(
    Option.map(decode(event.result), (result) => {
      const { adapterId, attempts, costUsd, durationMs, error, finishReason, modelId, ok, text, usage } =
        result
      return {
        adapterId,
        modelId,
        attempts,
        status: event.reused === true ? "reused" : ok ? "completed" : (result.status ?? "failed"),
        seconds: durationMs / 1000,
        ...(usage?.inputTokens === undefined ? {} : { inputTokens: usage.inputTokens }),
        ...(usage?.outputTokens === undefined ? {} : { outputTokens: usage.outputTokens }),
        ...(costUsd === undefined ? {} : { costUsd }),
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(result.modelVersionUsed === undefined ? {} : { version: result.modelVersionUsed }),
        ...(error === undefined ? {} : { code: error.code }),
        ...(text === undefined ? {} : { text })
      }
    })
  )
