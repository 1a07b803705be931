// CircuitBreaker: when to stop asking a sick upstream. One for each adapter and model; a pure transition held in
// a Ref. It decides only admission; waiting, retrying and counting are runWithGuards's.
//
// Invariants, each with a property test of the same number:
//  1. Only `trip` failures in a row open it: a success between them starts the count again, a neutral end moves
//     nothing.
//  2. While open and before the cooldown is over nobody is admitted, and the wait that is told is positive and no
//     longer than the cooldown.
//  3. After the cooldown exactly one caller is admitted, the probe; all others wait until it has ended or its
//     lease has expired.
//  4. However a probe ends, its slot is free: a success closes, a failure opens for a full cooldown, a neutral end
//     (bad input, quota, cancelled) lets the next caller probe at once.
//  5. A probe whose end never comes blocks nobody for longer than its lease.
//  6. An end that belongs to an earlier generation changes nothing.
import { Clock, Effect, Ref } from "effect"
import type { BreakerOutcome } from "../../domain/ModelError.ts"

/** Times in milliseconds of the Clock. Every change of state is a new generation. */
export type BreakerState =
  | { readonly _tag: "closed"; readonly generation: number; readonly failures: number }
  | { readonly _tag: "open"; readonly generation: number; readonly until: number }
  | { readonly _tag: "half_open"; readonly generation: number; readonly leaseUntil: number }

export interface BreakerPolicy {
  /** Failures in a row that open it. */
  readonly trip: number
  /** How long it stays open, in milliseconds. */
  readonly openMs: number
}

export const defaultBreakerPolicy: BreakerPolicy = { trip: 5, openMs: 30_000 }

/** The right to make one attempt. It must be settled once; a second settling counts for nothing. */
export interface Permit {
  readonly generation: number
  readonly probe: boolean
}

export type Admission =
  | { readonly admitted: true; readonly permit: Permit }
  | { readonly admitted: false; readonly retryAfterMs: number }

export const closed: BreakerState = { _tag: "closed", generation: 0, failures: 0 }

/** A clock that went back must not make the cooldown longer than it is. */
const remaining = (until: number, now: number, longest: number): number =>
  Math.max(1, Math.min(until - now, longest))

/** Asks for an attempt. A probe's lease lasts `leaseMs`, the attempt's own time limit, or the cooldown if longer. */
export const admit = (
  state: BreakerState,
  now: number,
  leaseMs: number,
  policy: BreakerPolicy
): readonly [Admission, BreakerState] => {
  const lease = Math.max(leaseMs, policy.openMs)
  const probe = (): readonly [Admission, BreakerState] => {
    const generation = state.generation + 1
    return [
      { admitted: true, permit: { generation, probe: true } },
      { _tag: "half_open", generation, leaseUntil: now + lease }
    ]
  }
  switch (state._tag) {
    case "closed":
      return [{ admitted: true, permit: { generation: state.generation, probe: false } }, state]
    case "open":
      return now >= state.until
        ? probe()
        : [{ admitted: false, retryAfterMs: remaining(state.until, now, policy.openMs) }, state]
    case "half_open":
      return now >= state.leaseUntil
        ? probe()
        : [{ admitted: false, retryAfterMs: remaining(state.leaseUntil, now, lease) }, state]
  }
}

/** Tells how an attempt ended. */
export const settle = (
  state: BreakerState,
  permit: Permit,
  outcome: BreakerOutcome,
  now: number,
  policy: BreakerPolicy
): BreakerState => {
  if (permit.generation !== state.generation) return state
  const generation = state.generation + 1
  switch (state._tag) {
    case "closed": {
      if (outcome === "neutral") return state
      if (outcome === "success") return state.failures === 0 ? state : { ...state, failures: 0 }
      const failures = state.failures + 1
      return failures >= policy.trip
        ? { _tag: "open", generation, until: now + policy.openMs }
        : { ...state, failures }
    }
    case "half_open":
      if (outcome === "success") return { _tag: "closed", generation, failures: 0 }
      return { _tag: "open", generation, until: outcome === "failure" ? now + policy.openMs : now }
    case "open":
      return state
  }
}

/** A breaker at work. `changed` hears of every change of state, after it happened. */
export interface CircuitBreaker {
  /** Claims an attempt in one step. */
  readonly admit: (leaseMs: number) => Effect.Effect<Admission>
  /** What `admit` would refuse with, claiming nothing. */
  readonly peek: Effect.Effect<number | undefined>
  readonly settle: (permit: Permit, outcome: BreakerOutcome) => Effect.Effect<void>
  readonly state: Effect.Effect<BreakerState>
}

export const makeUnsafe = (
  policy: BreakerPolicy,
  changed: (from: BreakerState, to: BreakerState) => Effect.Effect<void>
): CircuitBreaker => {
  const ref = Ref.makeUnsafe<BreakerState>(closed)
  const moved = (from: BreakerState, to: BreakerState) =>
    from._tag === to._tag ? Effect.void : changed(from, to)
  return {
    admit: (leaseMs) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Ref.modify(ref, (state) => {
            const [admission, next] = admit(state, now, leaseMs, policy)
            return [{ admission, from: state, to: next }, next]
          }),
          ({ admission, from, to }) => Effect.as(moved(from, to), admission)
        )
      ),
    peek: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(Ref.get(ref), (state) => {
        const [admission] = admit(state, now, policy.openMs, policy)
        return admission.admitted ? undefined : admission.retryAfterMs
      })
    ),
    settle: (permit, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Ref.modify(ref, (state) => {
            const next = settle(state, permit, outcome, now, policy)
            return [{ from: state, to: next }, next]
          }),
          ({ from, to }) => moved(from, to)
        )
      ),
    state: Ref.get(ref)
  }
}
