// What goes into the waist and what comes out: ModelRunInput and ModelRunResult, both Schemas. A result is told
// apart by `ok`; there is no throw in the type.
import { Schema } from "effect"
import { ModelErrorInfo, TokenUsage } from "./ModelError.ts"

const PositiveInt = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))

/** JSON Schema of a structured answer, as plain JSON. */
export const JsonSchemaDocument = Schema.Record(Schema.String, Schema.Json)
export type JsonSchemaDocument = typeof JsonSchemaDocument.Type

/**
 * One guarded call. `model` is the adapter's own model id (references, aliases and chains are resolved before).
 * Times in milliseconds, of one attempt (`timeoutMs`) and of the whole call with its waits (`totalTimeoutMs`).
 */
export const ModelRunInput = Schema.Struct({
  prompt: Schema.NonEmptyString,
  model: Schema.String,
  system: Schema.optionalKey(Schema.String),
  schema: Schema.optionalKey(JsonSchemaDocument),
  maxOutputTokens: Schema.optionalKey(PositiveInt),
  temperature: Schema.optionalKey(
    Schema.Number.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 })))
  ),
  timeoutMs: Schema.optionalKey(PositiveInt),
  totalTimeoutMs: Schema.optionalKey(PositiveInt),
  providerOptions: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  requestId: Schema.optionalKey(Schema.String),
  idempotencyKey: Schema.optionalKey(Schema.String),
  /** The call's cache key, for adapters that answer by it (offline fixtures). */
  cacheKey: Schema.optionalKey(Schema.String)
})
export type ModelRunInput = typeof ModelRunInput.Type

/** One model that was tried before the one that answered, and why it did not. */
export const FellBack = Schema.Struct({
  adapterId: Schema.String,
  modelId: Schema.String,
  error: ModelErrorInfo
})
export type FellBack = typeof FellBack.Type

/** Exactly 0 offline, absent when unknown, never 0 by default. US dollars. */
const CostUsd = Schema.optionalKey(Schema.Number.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))))

export const ModelRunSuccess = Schema.Struct({
  ok: Schema.Literal(true),
  adapterId: Schema.String,
  modelId: Schema.String,
  modelVersionUsed: Schema.optionalKey(Schema.String),
  requestId: Schema.String,
  durationMs: Schema.Number,
  text: Schema.String,
  output: Schema.optionalKey(Schema.Json),
  finishReason: Schema.String,
  usage: Schema.optionalKey(TokenUsage),
  costUsd: CostUsd,
  attempts: Schema.Int,
  repairs: Schema.optionalKey(Schema.Int),
  fellBackFrom: Schema.optionalKey(Schema.Array(FellBack)),
  raw: Schema.optionalKey(Schema.Json)
})
export type ModelRunSuccess = typeof ModelRunSuccess.Type

export const ModelRunFailure = Schema.Struct({
  ok: Schema.Literal(false),
  status: Schema.Literals(["failed", "skipped", "parked", "cancelled"]),
  adapterId: Schema.String,
  modelId: Schema.String,
  requestId: Schema.String,
  durationMs: Schema.Number,
  attempts: Schema.Int,
  repairs: Schema.optionalKey(Schema.Int),
  usage: Schema.optionalKey(TokenUsage),
  costUsd: CostUsd,
  fellBackFrom: Schema.optionalKey(Schema.Array(FellBack)),
  error: ModelErrorInfo
})
export type ModelRunFailure = typeof ModelRunFailure.Type

export const ModelRunResult = Schema.Union([ModelRunSuccess, ModelRunFailure])
export type ModelRunResult = typeof ModelRunResult.Type
