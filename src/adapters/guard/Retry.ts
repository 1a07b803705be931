// Retry: whether a failed attempt is worth another, and how long to wait before it. The loop itself is
// runWithGuards's.
import { Duration, Effect, Random, Schedule } from "effect"
import type { ModelError } from "../../domain/ModelError.ts"

/** Times in milliseconds. */
export interface RetryPolicy {
  /** All attempts, the first included. */
  readonly maxAttempts: number
  readonly baseMs: number
  readonly maxMs: number
  /** The longest hint of a provider that is waited for. It has nothing to do with `maxMs`. */
  readonly hintBudgetMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 3,
  baseMs: 200,
  maxMs: 2_000,
  hintBudgetMs: 60_000
}

/** A tenth of the hint is spread over: thirty callers told "in 60 s" must not all come back in the same instant. */
const hintSpread = 0.1

/**
 * Whether the policy would try again after `error`, with `remainingMs` left of the whole call. A hint past the
 * budget or past the time that is left ends it at once: waiting less than the provider asked for is never right,
 * and waiting only to be cut is a waste. An open breaker ends it too: it cannot be outlasted by this loop.
 */
export const worthAnother = (policy: RetryPolicy, error: ModelError, remainingMs: number): boolean =>
  error.retryable &&
  error.code !== "circuit_open" &&
  (error.retryAfterMs === undefined ||
    (error.retryAfterMs <= policy.hintBudgetMs && error.retryAfterMs < remainingMs))

/**
 * Full jitter in `[0, min(baseMs·2ⁿ, maxMs))`. A hint is a floor under it: the wait is the hint plus a jitter that
 * is never nothing.
 */
export const retrySchedule = (policy: RetryPolicy) =>
  Schedule.min([Schedule.exponential(policy.baseMs), Schedule.spaced(policy.maxMs)]).pipe(
    Schedule.setInputType<ModelError>(),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.map(Random.next, (random) => {
        const bound = Math.min(Duration.toMillis(duration), policy.maxMs)
        if (input.retryAfterMs === undefined) return Duration.millis(random * bound)
        return Duration.millis(
          input.retryAfterMs + Math.max(1, random * Math.max(bound, input.retryAfterMs * hintSpread))
        )
      })
    ),
    Schedule.upTo({ times: Math.max(0, policy.maxAttempts - 1) })
  )
