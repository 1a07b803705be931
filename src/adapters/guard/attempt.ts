// One attempt, made safe: whatever an adapter does (fail, throw, die, reject, hang, be interrupted from inside,
// answer garbage) comes out as an AttemptSuccess or a ModelError. Admission, retries and cost are runWithGuards's.
import { Cause, Context, Effect, Exit, Fiber, Option, Result, Schema } from "effect"
import { canonicalJson, maxValueDepth, type Json } from "../../domain/json/canonicalJson.ts"
import {
  boundMessage,
  ErrorCode,
  makeError,
  ModelError,
  RETRYABLE_CODES,
  TokenUsage
} from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { Adapter, AttemptSuccess } from "../Adapter.ts"
import { describeThrown } from "../classify/describeThrown.ts"

/** Which attempt of its call this is, from 1. For adapters that put it on the wire. */
export const CurrentAttempt = Context.Reference<number>("alembic/adapters/CurrentAttempt", {
  defaultValue: () => 1
})

const isErrorCode = Schema.is(ErrorCode)
const isJson = Schema.is(Schema.Json)
const decodeUsage = Schema.decodeUnknownOption(TokenUsage)

/** JSON that the journal can carry, or nothing. */
const carriable = (value: unknown): Json | undefined =>
  isJson(value) && Result.isSuccess(canonicalJson(value, { maxDepth: maxValueDepth })) ? value : undefined

const nonNegative = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

/** Usage without what cannot be a count; absent when nothing is left of it. Garbage is never read as 0. */
export const cleanUsage = (value: unknown): TokenUsage | undefined => {
  if (value === undefined) return undefined
  const usage = Option.getOrUndefined(decodeUsage(value))
  if (usage === undefined) return undefined
  const counts = Object.entries(usage).filter(([, count]) => count !== undefined && count >= 0)
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}

/** The parts of a success that are there. Reading may run an adapter's getters: the caller has a net. */
const readSuccess = (value: unknown): AttemptSuccess | ModelError => {
  if (typeof value !== "object" || value === null) {
    return makeError("invalid_response", "the adapter's answer is not an object")
  }
  const read = (key: string): unknown => Reflect.get(value, key)
  const [text, finishReason, output] = [read("text"), read("finishReason"), read("output")]
  if (typeof text !== "string") {
    return makeError("invalid_response", "the adapter's answer has no text: $.text is not a string")
  }
  if (typeof finishReason !== "string") {
    return makeError("invalid_response", "the adapter's answer is broken: $.finishReason is not a string")
  }
  const usage = cleanUsage(read("usage"))
  if (text.trim() === "" && output === undefined) {
    return makeError("invalid_response", `an empty answer (finish reason: ${finishReason})`, {
      // Cut at the limit before any text: the same request would be cut, and billed, again.
      retryable: finishReason !== "length",
      ...defined({ usage })
    })
  }
  const modelVersionUsed = read("modelVersionUsed")
  const costUsd = nonNegative(read("costUsd"))
  const raw = carriable(read("raw"))
  const decoded = isJson(output) ? output : undefined
  return {
    text: text.toWellFormed(),
    finishReason: finishReason.toWellFormed(),
    ...defined({ output: decoded }),
    ...(typeof modelVersionUsed === "string" ? { modelVersionUsed: modelVersionUsed.toWellFormed() } : {}),
    ...defined({ usage, costUsd, raw })
  }
}

/** A typed failure with every field made sound. */
const readError = (error: unknown, input: ModelRunInput): ModelError => {
  if (!(error instanceof ModelError)) {
    return makeError("unknown", `the adapter failed: ${describeThrown(error, input)}`)
  }
  const code = isErrorCode(error.code) ? error.code : "unknown"
  const retryAfterMs = nonNegative(error.retryAfterMs)
  const costUsd = nonNegative(error.costUsd)
  const usage = cleanUsage(error.usage)
  const detail = carriable(error.detail)
  const { breaker, httpStatus, sent } = error
  return new ModelError({
    code,
    message: boundMessage(typeof error.message === "string" ? error.message : code),
    retryable: typeof error.retryable === "boolean" ? error.retryable : RETRYABLE_CODES.has(code),
    ...(retryAfterMs === undefined || retryAfterMs === 0 ? {} : { retryAfterMs }),
    ...(Number.isSafeInteger(httpStatus) && httpStatus !== undefined ? { httpStatus } : {}),
    ...defined({ detail }),
    ...(breaker === "success" || breaker === "failure" || breaker === "neutral" ? { breaker } : {}),
    ...(sent === false ? { sent } : {}),
    ...defined({ usage, costUsd })
  })
}

/** What an attempt's exit means. Never throws, whatever the exit holds. */
const readExit = (
  exit: Exit.Exit<unknown, unknown>,
  input: ModelRunInput
): Result.Result<AttemptSuccess, ModelError> => {
  const read = Result.try({
    try: () => {
      if (Exit.isSuccess(exit)) return readSuccess(exit.value)
      const [failure] = exit.cause.reasons.filter(Cause.isFailReason)
      if (failure !== undefined) return readError(failure.error, input)
      const [defect] = exit.cause.reasons.filter(Cause.isDieReason)
      if (defect !== undefined) {
        return makeError("unknown", `the adapter threw: ${describeThrown(defect.defect, input)}`)
      }
      return makeError("cancelled", "the attempt was interrupted from inside")
    },
    catch: () => makeError("unknown", "the adapter's answer threw while it was read")
  })
  return Result.flatMap(read, (value) =>
    value instanceof ModelError ? Result.fail(value) : Result.succeed(value)
  )
}

const isAttempt = (made: unknown): made is Effect.Effect<unknown, unknown> => Effect.isEffect(made)

/**
 * Runs `adapter.attempt` once, within `timeoutMs`. An interrupted caller interrupts the attempt and waits for it
 * to stop, as a time limit does; one that does not stop within `graceMs` is left behind, so that an adapter that
 * cannot be interrupted does not hang the run.
 */
export const attemptOnce = (
  adapter: Adapter,
  input: ModelRunInput,
  options: { readonly timeoutMs: number; readonly graceMs: number }
): Effect.Effect<Result.Result<AttemptSuccess, ModelError>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const attempt = Effect.suspend((): Effect.Effect<unknown, unknown> => {
        const made: unknown = adapter.attempt(input)
        // What is no Effect is an answer of the wrong type, and is read as one.
        return isAttempt(made) ? made : Effect.succeed(made)
      })
      const fiber = yield* Effect.forkDetach(Effect.interruptible(attempt), { startImmediately: true })
      const done = fiber.pollUnsafe()
      if (done !== undefined) return readExit(done, input)
      // The wait for it has a fiber of its own: in one that is being interrupted it would be cut short.
      const stopped = Effect.suspend(() => {
        fiber.interruptUnsafe()
        const wait = Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), options.graceMs))
        return Effect.flatMap(Effect.forkDetach(wait, { startImmediately: true }), Fiber.await)
      })
      const ended = yield* restore(Effect.timeoutOption(Fiber.await(fiber), options.timeoutMs)).pipe(
        Effect.onInterrupt(() => stopped)
      )
      if (Option.isSome(ended)) return readExit(ended.value, input)
      yield* stopped
      return Result.fail(makeError("timeout", `no answer within ${options.timeoutMs} ms`))
    })
  )
