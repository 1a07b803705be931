// Guards: the state and the policies that all calls of a program share: breakers, limits, retry policy, time
// limits, ids. What is done with them, and in which order, is runWithGuards's.
import { Context, Effect, Layer, Metric, PubSub, Stream } from "effect"
import type { ErrorCode } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import { IdFactory } from "../../kernel/IdFactory.ts"
import {
  type BreakerPolicy,
  type BreakerState,
  type CircuitBreaker,
  defaultBreakerPolicy,
  makeUnsafe
} from "./CircuitBreaker.ts"
import { type AdapterLimits, type Limiter, makeLimiter, unlimited } from "./Limits.ts"
import { defaultRetryPolicy, retrySchedule, type RetryPolicy } from "./Retry.ts"

/** When a run stops calling an adapter; see engine/calls/brake.ts, which says what each of it means. */
export interface BrakePolicy {
  /** Failures in a row of one kind. */
  readonly threshold: number
  /** Codes that count; absent: those that say something of the provider. */
  readonly codes?: ReadonlyArray<ErrorCode>
  /** How many first failures alike stop a run in which nothing has succeeded; 0: none. */
  readonly alike: number
}

export const defaultBrakePolicy: BrakePolicy = { threshold: 3, alike: 8 }

/** Times in milliseconds. */
export interface GuardsPolicy {
  readonly retry: RetryPolicy
  readonly breaker: BreakerPolicy
  readonly brake: BrakePolicy | "off"
  /** Of one attempt, where the input names none. */
  readonly timeoutMs: number
  /** Of the whole call with its waits, where the input names none. Absent: no limit. */
  readonly totalTimeoutMs?: number
  /** Further calls that show a model its own wrong answer. */
  readonly maxRepairs: number
  /** How long an attempt that was told to stop may take to do so before it is left behind. */
  readonly graceMs: number
}

export const defaultGuardsPolicy: GuardsPolicy = {
  retry: defaultRetryPolicy,
  breaker: defaultBreakerPolicy,
  brake: defaultBrakePolicy,
  timeoutMs: 600_000,
  maxRepairs: 2,
  graceMs: 10_000
}

export interface GuardsOptions {
  readonly retry?: Partial<RetryPolicy>
  readonly breaker?: Partial<BreakerPolicy>
  readonly brake?: Partial<BrakePolicy> | "off"
  readonly timeoutMs?: number
  readonly totalTimeoutMs?: number
  readonly maxRepairs?: number
  readonly graceMs?: number
  /** By adapter id. */
  readonly limits?: Readonly<Record<string, AdapterLimits>>
}

/** A breaker that changed its state. */
export interface BreakerTransition {
  readonly adapterId: string
  readonly modelId: string
  readonly from: BreakerState["_tag"]
  readonly to: BreakerState["_tag"]
}

const breakerTransitions = Metric.counter("alembic.breaker.transitions", {
  description: "Changes of a circuit breaker's state, by adapter, model and the state it came to",
  incremental: true
})

const breakerState = Metric.gauge("alembic.breaker.state", {
  description: "A circuit breaker, by adapter and model: 0 closed, 1 half open, 2 open"
})
const levels: Readonly<Record<BreakerState["_tag"], number>> = { closed: 0, half_open: 1, open: 2 }

const attemptsEnded = Metric.counter("alembic.attempts.ended", {
  description: "Attempts that have ended, by adapter and outcome: ok, or the error's code",
  incremental: true
})

export class Guards extends Context.Service<
  Guards,
  {
    readonly policy: GuardsPolicy
    /** `policy.retry` as a schedule, made once. */
    readonly schedule: ReturnType<typeof retrySchedule>
    /** The one breaker of an adapter and a model. */
    readonly breaker: (adapterId: string, modelId: string) => CircuitBreaker
    readonly limiter: (adapterId: string) => Limiter
    /** Counts an attempt's end: `ok`, or the error's code. */
    readonly attempted: (adapterId: string, outcome: string) => Effect.Effect<void>
    readonly nextId: (kind: string) => Effect.Effect<string>
    /** Changes of state from now on. */
    readonly transitions: Stream.Stream<BreakerTransition>
  }
>()("alembic/adapters/Guards") {
  static readonly layer = (options: GuardsOptions = {}): Layer.Layer<Guards, never, IdFactory> =>
    Layer.effect(Guards, makeGuards(options))
}

const makeGuards = Effect.fnUntraced(function* (options: GuardsOptions) {
  const ids = yield* IdFactory
  const hub = yield* PubSub.sliding<BreakerTransition>(64)
  yield* Effect.addFinalizer(() => PubSub.shutdown(hub))
  const policy: GuardsPolicy = {
    retry: { ...defaultRetryPolicy, ...options.retry },
    breaker: { ...defaultBreakerPolicy, ...options.breaker },
    brake: options.brake === "off" ? "off" : { ...defaultBrakePolicy, ...options.brake },
    timeoutMs: options.timeoutMs ?? defaultGuardsPolicy.timeoutMs,
    maxRepairs: Math.min(2, options.maxRepairs ?? defaultGuardsPolicy.maxRepairs),
    graceMs: options.graceMs ?? defaultGuardsPolicy.graceMs,
    ...defined({ totalTimeoutMs: options.totalTimeoutMs })
  }

  const breakers = new Map<string, CircuitBreaker>()
  const breaker = (adapterId: string, modelId: string): CircuitBreaker => {
    const key = JSON.stringify([adapterId, modelId])
    const known = breakers.get(key)
    if (known !== undefined) return known
    const made = makeUnsafe(policy.breaker, (from, to) =>
      Effect.gen(function* () {
        const model = { "gen_ai.provider.name": adapterId, "gen_ai.request.model": modelId }
        yield* Metric.update(
          Metric.withAttributes(breakerTransitions, { ...model, "alembic.breaker.to": to._tag }),
          1
        )
        yield* Metric.update(Metric.withAttributes(breakerState, model), levels[to._tag])
        yield* PubSub.publish(hub, { adapterId, modelId, from: from._tag, to: to._tag })
      })
    )
    breakers.set(key, made)
    return made
  }

  const limiters = new Map<string, Limiter>()
  for (const [adapterId, limits] of Object.entries(options.limits ?? {})) {
    limiters.set(adapterId, yield* makeLimiter(adapterId, limits))
  }

  // A metric with its attributes costs more to make than to count on.
  const counters = new Map<string, Effect.Effect<void>>()
  const attempted = (adapter: string, outcome: string): Effect.Effect<void> => {
    const key = `${adapter} ${outcome}`
    const known = counters.get(key)
    if (known !== undefined) return known
    const made = Metric.update(
      Metric.withAttributes(attemptsEnded, { "gen_ai.provider.name": adapter, "alembic.outcome": outcome }),
      1
    )
    counters.set(key, made)
    return made
  }

  return Guards.of({
    policy,
    schedule: retrySchedule(policy.retry),
    attempted,
    breaker,
    limiter: (adapterId) => limiters.get(adapterId) ?? unlimited,
    nextId: ids.next,
    transitions: Stream.fromPubSub(hub)
  })
})
