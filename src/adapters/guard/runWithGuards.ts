// The spine of the waist: the only way to reach an adapter, and it never fails. Six steps, in this order: decode
// the input, ask the breaker, run the attempt under its time limit, tell the breaker, retry, and a last net.
// Fallback chains and structured output stand on top of it, in runBound.ts.
import { Cause, Clock, Effect, Exit, Option, Result, Schema } from "effect"
import { type ModelError, breakerOutcome, makeError } from "../../domain/ModelError.ts"
import { exactGuardOf } from "../../domain/guardOf.ts"
import { ModelRunInput, type ModelRunFailure, type ModelRunResult } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import { issuesText } from "../../domain/schemaIssues.ts"
import type { Adapter, AttemptSuccess } from "../Adapter.ts"
import type { Binding } from "../registry/AdapterRegistry.ts"
import { attemptOnce, CurrentAttempt } from "./attempt.ts"
import { type AttemptPort, type EndedAttempt, type StartingAttempt, withoutAnother } from "./AttemptPort.ts"
import { Guards } from "./Guards.ts"
import { costOfAnswer, costOfFailure } from "../Pricing.ts"
import { optionProblem } from "../registry/providerOptions.ts"
import { retrySchedule, worthAnother } from "./Retry.ts"
import { count, emptyTally, errorInfo, spent, type Tally, tellLast, told } from "./Tally.ts"

/** What a caller may set for one call. */
export interface CallOptions {
  /** All attempts, the first included; instead of the policy's. */
  readonly maxAttempts?: number
  /** Its abort ends the call with a `cancelled` result. */
  readonly signal?: AbortSignal
  /** Who bounds and journals the call's attempts. */
  readonly port?: AttemptPort
}

/** A span for every call, without the stack it was made at: an error made for that would cost more than the span. */
export const spanOptions = { captureStackTrace: false }

const decodeInput = Schema.decodeUnknownEffect(ModelRunInput)
const statusOf = (error: ModelError): ModelRunFailure["status"] => {
  if (error.code === "cancelled") return "cancelled"
  return error.code === "awaiting_answer" ? "parked" : "failed"
}

/** A failure as the value it leaves the waist as. */
export const failureOf = (
  at: {
    readonly adapterId: string
    readonly modelId: string
    readonly requestId: string
    readonly durationMs: number
  },
  error: ModelError,
  tally: Tally
): ModelRunFailure => ({
  ok: false,
  status: statusOf(error),
  ...at,
  ...spent(tally),
  error: errorInfo(error)
})

/**
 * Steps ② to ④: one admitted, timed, settled attempt. Nothing but the attempt itself can be interrupted, so that
 * every permit is settled.
 */
const admitted = (
  guards: Guards["Service"],
  binding: Binding,
  input: ModelRunInput,
  tally: Tally,
  isTold: boolean
): Effect.Effect<AttemptSuccess, ModelError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { adapter, modelId } = binding
      // Kept only for somebody to tell.
      const clock = isTold ? yield* Clock.Clock : undefined
      const startedAt = clock?.currentTimeMillisUnsafe() ?? 0
      const ended = (more: Omit<EndedAttempt, "number" | "adapterId" | "modelId" | "durationMs">): void => {
        if (clock === undefined) return
        const durationMs = Math.max(0, clock.currentTimeMillisUnsafe() - startedAt)
        tally.last = { number: tally.admitted, adapterId: adapter.id, modelId, durationMs, ...more }
      }
      const breaker = guards.breaker(adapter.id, modelId)
      const { graceMs } = guards.policy
      const timeoutMs = input.timeoutMs ?? guards.policy.timeoutMs
      const admission = yield* breaker.admit(timeoutMs + graceMs)
      if (!admission.admitted) {
        const error = makeError(
          "circuit_open",
          `the circuit of ${adapter.id} ${modelId} is open: it failed too often in a row`,
          { retryAfterMs: admission.retryAfterMs }
        )
        ended({ error: errorInfo(error), costUsd: 0 })
        return yield* error
      }
      tally.attempts += 1
      const exit = yield* attemptOnce(adapter, input, { timeoutMs, graceMs }).pipe(
        Effect.provideService(CurrentAttempt, tally.attempts),
        restore,
        Effect.exit
      )
      if (Exit.isFailure(exit)) {
        // Interrupted on its way: it may be billed all the same.
        count(tally, undefined, adapter.free ? 0 : undefined)
        yield* breaker.settle(admission.permit, "neutral")
        return yield* Effect.failCause(exit.cause)
      }
      const outcome = exit.value
      yield* guards.attempted(adapter.id, Result.isSuccess(outcome) ? "ok" : outcome.failure.code)
      if (Result.isSuccess(outcome)) {
        const { finishReason, usage } = outcome.success
        const costUsd = outcome.success.costUsd ?? (adapter.free ? 0 : costOfAnswer(binding, input, usage))
        count(tally, usage, costUsd)
        ended({ finishReason, ...told(usage, costUsd) })
        yield* breaker.settle(admission.permit, "success")
        return outcome.success
      }
      const error = outcome.failure
      const costUsd = costOfFailure(binding, error, input)
      count(tally, error.usage, costUsd)
      ended({ error: errorInfo(error), ...told(error.usage, costUsd) })
      yield* breaker.settle(admission.permit, error.breaker ?? breakerOutcome(error.code))
      return yield* error
    })
  )

/** Steps ② to ⑤, with what they used told to `tally`. Its error is the last attempt's. */
export const guardedAttempts = Effect.fnUntraced(function* (
  guards: Guards["Service"],
  binding: Binding,
  input: ModelRunInput,
  options: CallOptions,
  tally: Tally,
  kind: "first" | "repair" | "fallback" = "first"
): Effect.fn.Return<AttemptSuccess, ModelError> {
  const { maxAttempts, port } = options
  const { retry } = guards.policy
  const asSaid = maxAttempts === undefined || !Number.isInteger(maxAttempts)
  const policy = asSaid ? retry : { ...retry, maxAttempts: Math.max(1, maxAttempts) }
  const totalMs = input.totalTimeoutMs ?? guards.policy.totalTimeoutMs
  const startedAt = yield* Clock.currentTimeMillis
  const limiter = guards.limiter(binding.adapter.id)
  const breaker = guards.breaker(binding.adapter.id, binding.modelId)
  const once = limiter.within(input, admitted(guards, binding, input, tally, port !== undefined))
  const tries: { made: number; over: boolean; error?: ModelError } = { made: 0, over: false }
  // Admitted before it waits for a limit: who waits for the budget takes no place from others.
  const one =
    port === undefined
      ? once
      : Effect.suspend(() => {
          const attempt: StartingAttempt = {
            number: ++tally.admitted,
            kind: tries.made++ === 0 ? kind : "retry",
            binding,
            input
          }
          return Effect.andThen(
            Effect.mapError(port.admit(attempt), (refusal) => {
              tries.over = true
              return tries.error === undefined ? refusal : withoutAnother(tries.error, refusal)
            }),
            once
          )
        })
  const retried = Effect.retry(one, {
    schedule: asSaid ? guards.schedule : retrySchedule(policy),
    while: (error) =>
      Effect.gen(function* () {
        tries.error = error
        if (tries.over) return false
        const elapsed = (yield* Clock.currentTimeMillis) - startedAt
        const remaining = totalMs === undefined ? Infinity : totalMs - elapsed
        if (!worthAnother(policy, error, remaining)) return false
        // It was cut off at work: what it did of its task must not be done twice unasked.
        if (binding.adapter.hasSideEffects && error.code === "timeout" && binding.retryInDoubt !== true)
          return false
        if ((yield* breaker.peek) !== undefined) return false
        if (tries.made < policy.maxAttempts) yield* tellLast(port, tally, false)
        return true
      })
  })
  if (totalMs === undefined) return yield* retried
  return yield* Effect.timeoutOrElse(retried, {
    duration: totalMs,
    orElse: () =>
      Effect.fail(makeError("timeout", `no answer within ${totalMs} ms, waits and retries included`))
  })
})

/**
 * Ends `self` with `cancelled` when the signal aborts. The attempt is stopped first, and `cancelled` is made after
 * that, so that it tells what was used up to the end.
 */
export const untilAborted = <A, E>(
  self: Effect.Effect<A, E>,
  signal: AbortSignal | undefined,
  cancelled: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  if (signal === undefined) return self
  const aborted = Effect.callback<void>((resume) => {
    const heard = () => resume(Effect.void)
    if (signal.aborted) return heard()
    signal.addEventListener("abort", heard, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", heard))
  })
  return Effect.suspend(() => {
    if (signal.aborted) return cancelled
    return Effect.raceFirst(Effect.asSome(self), Effect.as(aborted, Option.none<A>())).pipe(
      Effect.flatMap((ended) => (Option.isSome(ended) ? Effect.succeed(ended.value) : cancelled))
    )
  })
}

/** Step ⑥: what is left after all else, except interruption, becomes a failure. */
export const lastNet = <R>(
  self: Effect.Effect<ModelRunResult, never, R>,
  failure: (error: ModelError) => Effect.Effect<ModelRunFailure>
): Effect.Effect<ModelRunResult, never, R> =>
  Effect.catchCause(self, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : failure(
          makeError("unknown", "the call broke inside; this is a defect of Alembic or of a service it uses")
        )
  )

/** Members that are undefined are absent, as everywhere else in Alembic. */
const withoutUndefined = (input: unknown): unknown => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input
  const copy: Record<string, unknown> = { ...input }
  for (const name of Object.keys(copy)) if (copy[name] === undefined) delete copy[name]
  return copy
}

/** Whether decoding would give it back as it is, which is so of every input that the engine makes. */
const isDecoded = exactGuardOf(ModelRunInput)

/** Step ①: the input, or where and why it is none. Reading it may run the caller's getters. */
export const readInput = (input: unknown): Effect.Effect<ModelRunInput, ModelError> =>
  Effect.suspend(() => {
    const given = withoutUndefined(input)
    return isDecoded(given) ? Effect.succeed(given) : decodeInput(given, { onExcessProperty: "error" })
  }).pipe(
    Effect.mapError((error) => makeError("invalid_input", `the input cannot be used: ${issuesText(error)}`)),
    Effect.catchDefect(() =>
      Effect.fail(makeError("invalid_input", "the input cannot be used: it threw while it was read"))
    ),
    Effect.tap(({ providerOptions }) => {
      const problem = optionProblem(providerOptions)
      return problem === undefined ? Effect.void : Effect.fail(makeError("invalid_input", problem))
    })
  )

/**
 * One guarded call. Never fails and never throws: whatever the adapter does, the answer is a `ModelRunResult`,
 * told apart by `ok`. An interrupted caller stays interrupted; its attempt is stopped first.
 *
 * `input` is checked here: anything else than a `ModelRunInput` is an `invalid_input` failure that says where, and
 * the adapter is not reached.
 */
export const runWithGuards = Effect.fnUntraced(
  function* (
    adapter: Adapter,
    input: unknown,
    options: CallOptions = {}
  ): Effect.fn.Return<ModelRunResult, never, Guards> {
    const guards = yield* Guards
    const startedAt = yield* Clock.currentTimeMillis
    const tally = emptyTally()
    const known = { requestId: "", modelId: "" }
    const at = Effect.gen(function* () {
      if (known.requestId === "") known.requestId = yield* guards.nextId("req")
      const durationMs = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
      return { adapterId: adapter.id, ...known, durationMs }
    })
    const failure = (error: ModelError) => Effect.map(at, (where) => failureOf(where, error, tally))
    const call: Effect.Effect<ModelRunResult> = readInput(input).pipe(
      Effect.flatMap((read) =>
        Effect.gen(function* () {
          known.modelId = read.model
          known.requestId = read.requestId ?? (yield* guards.nextId("req"))
          const idempotencyKey = read.idempotencyKey ?? known.requestId
          const sent = { ...read, requestId: known.requestId, idempotencyKey }
          const binding: Binding = { adapter, modelId: read.model }
          const success = yield* guardedAttempts(guards, binding, sent, options, tally)
          return successOf(yield* at, success, tally)
        })
      ),
      Effect.catch(failure),
      Effect.satisfiesErrorType<never>()
    )
    const cancelled = Effect.suspend(() => failure(makeError("cancelled", "the call was aborted")))
    return yield* lastNet(untilAborted(call, options.signal, cancelled), failure)
  },
  (self) => Effect.withSpan(self, "runWithGuards", spanOptions)
)

export const successOf = (
  at: {
    readonly adapterId: string
    readonly modelId: string
    readonly requestId: string
    readonly durationMs: number
  },
  success: AttemptSuccess,
  tally: Tally
): ModelRunResult => ({
  ok: true,
  ...at,
  text: success.text,
  finishReason: success.finishReason,
  ...spent(tally),
  ...defined({ modelVersionUsed: success.modelVersionUsed, output: success.output, raw: success.raw })
})
