// Any `LanguageModel` of effect/ai as an adapter, so that another Effect app's models plug in. Its errors are read
// again from the HTTP evidence they carry, where they carry any: the generic ones lose what the body says.
import { Clock, DateTime, Duration, Effect, Redacted, Result } from "effect"
import type { AiError, LanguageModel, Response } from "effect/ai"
import { makeError, type ModelError, type TokenUsage } from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { Adapter } from "../Adapter.ts"
import { type Draft, judge } from "../classify/classifyAnswer.ts"
import { classifyFailedReply, type Reading } from "../classify/classifyHttp.ts"
import { classifyTransport } from "../classify/classifyThrown.ts"
import { hidePrompt, redact } from "../redact/redact.ts"
import { makeRedactor } from "../redact/redactAnswer.ts"
import { promptWithSchema } from "../structured/schemaPrompt.ts"

export interface LanguageModelOptions {
  /** The adapter's id, as runs name it. */
  readonly id: string
  readonly model: LanguageModel.LanguageModel
  /** It costs nothing and acts on nothing (a local model, a fake). */
  readonly free?: boolean
}

const positive = (ms: number | undefined): number | undefined =>
  ms !== undefined && Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined

/** The reading of an `AiError` from its own tag, where it carries no HTTP evidence. */
const errorOfReason = (reason: AiError.AiErrorReason, { clean, now }: Reading): ModelError => {
  const message = clean(reason.message)
  switch (reason._tag) {
    case "RateLimitError": {
      const hint = positive(
        reason.retryAfter === undefined ? undefined : Duration.toMillis(reason.retryAfter)
      )
      return makeError("rate_limited", message, defined({ retryAfterMs: hint }))
    }
    case "QuotaExhaustedError": {
      const hint = positive(
        reason.resetAt === undefined ? undefined : DateTime.toEpochMillis(reason.resetAt) - now
      )
      return makeError("quota_exhausted", message, defined({ retryAfterMs: hint }))
    }
    case "AuthenticationError":
      return makeError("auth", message)
    case "ContentPolicyError":
      return makeError("content_filtered", message)
    case "InternalProviderError":
      return makeError("server_error", message)
    case "NetworkError":
      return reason.reason === "TransportError"
        ? (classifyTransport(reason.cause) ?? makeError("network", message))
        : makeError("invalid_input", message)
    case "InvalidRequestError":
      return makeError("client_error", message)
    case "InvalidOutputError":
    case "StructuredOutputError":
    case "InvalidResponseError":
      return makeError("invalid_response", message)
    case "UnknownError":
      return makeError("unknown", message)
    default:
      // Schemas, tools and prompts that the provider's package refuses before it sends anything.
      return makeError("invalid_input", message)
  }
}

const errorOf = (error: AiError.AiError, reading: Reading): ModelError => {
  const http = "http" in error.reason ? error.reason.http : undefined
  const response = http?.response
  if (response === undefined || response.status < 300) return errorOfReason(error.reason, reading)
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === "string" ? value : Redacted.value(value)
    ])
  )
  return classifyFailedReply({ status: response.status, headers, body: http?.body ?? "" }, reading)
}

const count = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const usageOf = ({ inputTokens, outputTokens }: Response.Usage): TokenUsage | undefined => {
  const input = count(inputTokens.total)
  const output = count(outputTokens.total)
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const cached = count(inputTokens.cacheRead)
  const written = count(inputTokens.cacheWrite)
  const reasoning = count(outputTokens.reasoning)
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached !== undefined && cached > 0 && { cachedInputTokens: cached }),
    ...(written !== undefined && written > 0 && { cacheWriteInputTokens: written }),
    ...(reasoning !== undefined && reasoning > 0 && { reasoningTokens: reasoning })
  }
}

const draftOf = (response: LanguageModel.GenerateTextResponse<{}>): Draft => {
  const reason = response.finishReason
  const metadata = response.content.find((part) => part.type === "response-metadata")
  return {
    text: response.text,
    finish: reason === "tool-calls" ? "tool_calls" : reason,
    usage: usageOf(response.usage),
    model: metadata?.modelId,
    toolCalls: reason === "tool-calls",
    filtered: reason === "content-filter" ? "content_filter" : undefined,
    ...(reason === "pause" && { broken: { why: "the turn was paused, not ended", retryable: false } })
  }
}

/** Its keys are the model layer's own: only what is shaped like one can be known here. */
const redactor = makeRedactor([])

/**
 * An adapter over a `LanguageModel`. It asks for text: what a schema asks for is decoded by the spine. Sampling
 * options are the model layer's own; `maxOutputTokens` and `temperature` of the input do not reach it.
 */
export const makeLanguageModelAdapter = ({ free, id, model }: LanguageModelOptions): Adapter => ({
  id,
  free: free ?? false,
  hasSideEffects: false,
  attempt: Effect.fnUntraced(function* (input: ModelRunInput) {
    const prompt = [
      ...(input.system === undefined ? [] : [{ role: "system" as const, content: input.system }]),
      { role: "user" as const, content: [{ type: "text" as const, text: promptWithSchema(input) }] }
    ]
    const outcome = yield* Effect.result(model.generateText({ prompt }))
    const now = yield* Clock.currentTimeMillis
    const clean = (text: string) =>
      hidePrompt(redact(text, []), [input.prompt, ...(input.system === undefined ? [] : [input.system])])
    const read = Result.isFailure(outcome)
      ? Result.fail(errorOf(outcome.failure, { now, clean }))
      : judge(draftOf(outcome.success), { label: id })
    return yield* Effect.fromResult(
      Result.mapBoth(read, { onSuccess: redactor.success, onFailure: redactor.failure })
    )
  })
})
