// The breaker's six invariants (see CircuitBreaker.ts), each by a property of the same number, and the breaker at
// work among concurrent callers on a test clock.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import {
  admit,
  type BreakerState,
  closed,
  defaultBreakerPolicy,
  type Permit,
  settle
} from "../../../src/adapters/guard/CircuitBreaker.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { runWithGuards } from "../../../src/adapters/guard/runWithGuards.ts"
import { makeError } from "../../../src/domain/ModelError.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"

const policy = defaultBreakerPolicy
const lease = 45_000

/** What may happen to a breaker: time passes, a caller asks, one of the permits given out so far is settled. */
type Step =
  | { readonly advance: number }
  | { readonly ask: true }
  | { readonly settle: number; readonly outcome: "success" | "failure" | "neutral" }

/**
 * Two hundred steps that depend on the seed alone (mulberry32). Weighted, so that the rare states are reached: most
 * ends are failures of a fresh permit, and time passes by what matters to the policy.
 */
const stepsOf = (seed: number): ReadonlyArray<Step> => {
  let state = seed | 0
  const draw = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(draw() * from.length)]!
  return Array.from({ length: 200 }, (): Step => {
    const which = draw()
    if (which < 0.4) return { ask: true }
    if (which < 0.85) {
      const settle = draw() < 0.7 ? 0 : Math.floor(draw() * 8)
      return {
        settle,
        outcome: pick(["failure", "failure", "failure", "failure", "neutral", "success"] as const)
      }
    }
    return { advance: pick([0, 1, 10_000, 29_999, 30_000, 45_000, 60_000]) }
  })
}

const Seed = Schema.Int

interface Moment {
  readonly before: BreakerState
  readonly after: BreakerState
  readonly now: number
  readonly step: Step
  readonly admission?: ReturnType<typeof admit>[0]
  readonly permit?: Permit
}

/** Plays the steps, most recent permits first, and tells every moment. */
const play = (steps: ReadonlyArray<Step>): ReadonlyArray<Moment> => {
  let state = closed
  let now = 1_000
  const permits: Array<Permit> = []
  return steps.map((step): Moment => {
    const before = state
    if ("advance" in step) {
      now += step.advance
      return { before, after: state, now, step }
    }
    if ("ask" in step) {
      const [admission, next] = admit(state, now, lease, policy)
      state = next
      if (admission.admitted) permits.unshift(admission.permit)
      return { before, after: state, now, step, admission }
    }
    const permit = permits[step.settle]
    if (permit === undefined) return { before, after: state, now, step }
    state = settle(state, permit, step.outcome, now, policy)
    return { before, after: state, now, step, permit }
  })
}

const many = { arbitrary: { runs: 400 } }

describe("CircuitBreaker", () => {
  it.prop(
    "1. only failures in a row open it",
    [Seed],
    ([seed]) => {
      let row = 0
      let generation = 0
      for (const { before, after, permit, step } of play(stepsOf(seed))) {
        if (before._tag !== "closed") row = 0
        if (before._tag === "closed" && permit?.generation === before.generation && "outcome" in step) {
          if (before.generation !== generation) row = 0
          generation = before.generation
          if (step.outcome === "success") row = 0
          if (step.outcome === "failure") row += 1
          assert.strictEqual(after._tag, row >= policy.trip ? "open" : "closed")
          if (after._tag === "closed") assert.strictEqual(after.failures, row)
        }
      }
    },
    many
  )

  it.prop(
    "2. open admits nobody before its time, and tells a wait that is positive and bounded",
    [Seed],
    ([seed]) => {
      for (const { admission, before, now } of play(stepsOf(seed))) {
        if (before._tag !== "open" || admission === undefined || now >= before.until) continue
        assert.isFalse(admission.admitted)
        if (!admission.admitted) {
          assert.isAbove(admission.retryAfterMs, 0)
          assert.isAtMost(admission.retryAfterMs, policy.openMs)
        }
      }
    },
    many
  )

  it.prop(
    "3. after the cooldown exactly one caller probes at a time",
    [Seed],
    ([seed]) => {
      let probes = 0
      let leaseUntil = 0
      for (const { admission, after, before, now } of play(stepsOf(seed))) {
        if (after._tag !== "half_open") probes = 0
        if (admission?.admitted === true && admission.permit.probe) {
          if (before._tag === "half_open") assert.isAtLeast(now, leaseUntil)
          probes = 1
          leaseUntil = after._tag === "half_open" ? after.leaseUntil : 0
        } else if (before._tag === "half_open" && admission !== undefined) {
          assert.isFalse(admission.admitted)
          assert.strictEqual(probes, 1)
        }
      }
    },
    many
  )

  it.prop(
    "4. however a probe ends, its slot is free",
    [Seed],
    ([seed]) => {
      for (const { after, before, now, permit, step } of play(stepsOf(seed))) {
        if (before._tag !== "half_open" || permit?.generation !== before.generation || !("outcome" in step))
          continue
        if (step.outcome === "success") assert.deepInclude(after, { _tag: "closed", failures: 0 })
        else {
          assert.strictEqual(after._tag, "open")
          const wait = step.outcome === "failure" ? policy.openMs : 0
          const [early] = admit(after, now + wait - 1, lease, policy)
          const [due] = admit(after, now + wait, lease, policy)
          assert.isTrue(due.admitted)
          if (wait > 0) assert.isFalse(early.admitted)
        }
      }
    },
    many
  )

  it.prop(
    "5. a probe whose end never comes blocks nobody for longer than its lease",
    [Seed],
    ([seed]) => {
      for (const { after, now } of play(stepsOf(seed))) {
        const [admission] = admit(after, now + Math.max(lease, policy.openMs), lease, policy)
        assert.isTrue(admission.admitted)
      }
    },
    many
  )

  it.prop(
    "6. an end of an earlier generation changes nothing",
    [Seed],
    ([seed]) => {
      for (const { after, before, permit } of play(stepsOf(seed))) {
        if (permit !== undefined && permit.generation !== before.generation) assert.strictEqual(after, before)
        assert.isAtLeast(after.generation, before.generation)
        if (after._tag !== before._tag) assert.isAbove(after.generation, before.generation)
      }
    },
    many
  )

  it("the played steps reach every state, late ends and neutral probes among them", () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 50; seed++) {
      for (const { before, permit, step } of play(stepsOf(seed))) {
        seen.add(before._tag)
        if (permit === undefined || !("outcome" in step)) continue
        if (permit.generation < before.generation) seen.add("late")
        else seen.add(`${before._tag} ${step.outcome}`)
      }
    }
    for (const wanted of ["closed", "open", "half_open", "late"]) assert.include([...seen], wanted)
    for (const outcome of ["success", "failure", "neutral"]) assert.include([...seen], `half_open ${outcome}`)
  })

  it("a clock that goes back does not lengthen the cooldown", () => {
    const [admission] = admit({ _tag: "open", generation: 1, until: 100_000 }, 0, lease, policy)
    assert.deepStrictEqual(admission, { admitted: false, retryAfterMs: policy.openMs })
  })
})

const guards = Guards.layer({ retry: { maxAttempts: 1 } }).pipe(Layer.provide(IdFactory.layerCounter))
const input = { prompt: "are you well?", model: "m" }
const at = (attempt: Adapter["attempt"], id = "fake"): Adapter => ({
  id,
  free: false,
  hasSideEffects: false,
  attempt
})
const sick = at(() => Effect.fail(makeError("server_error", "down")))

describe("CircuitBreaker among callers", () => {
  it.effect("a fan-out of 1,000 under an outage reaches the upstream five times", () =>
    Effect.gen(function* () {
      let reached = 0
      const adapter = at(() =>
        Effect.suspend(() => ((reached += 1), Effect.fail(makeError("server_error", "down"))))
      )
      const results = yield* Effect.forEach(
        Array.from({ length: 1_000 }),
        () => runWithGuards(adapter, input),
        {
          concurrency: 1
        }
      )
      assert.strictEqual(reached, 5)
      const refused = results.filter((result) => !result.ok && result.error.code === "circuit_open")
      assert.strictEqual(refused.length, 995)
      const [first] = refused
      assert.isTrue(first?.ok === false && first.error.retryable && first.error.retryAfterMs === 30_000)
      assert.isTrue(first?.ok === false && first.attempts === 0)
    }).pipe(Effect.provide(guards))
  )

  it.effect("of a hundred callers after the cooldown one probes; when it is well all are let in", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 5; n++) yield* runWithGuards(sick, input)
      yield* TestClock.adjust(30_000)
      const well = yield* Deferred.make<void>()
      let reached = 0
      const adapter = at(() =>
        Effect.suspend(
          () => ((reached += 1), Effect.as(Deferred.await(well), { text: "yes", finishReason: "stop" }))
        )
      )
      const hundred = () =>
        Effect.forEach(Array.from({ length: 100 }), () => runWithGuards(adapter, input), { concurrency: 100 })
      const fiber = yield* Effect.forkChild(hundred(), { startImmediately: true })
      assert.strictEqual(reached, 1)
      yield* Deferred.succeed(well, undefined)
      const results = yield* Fiber.join(fiber)
      assert.strictEqual(results.filter((result) => result.ok).length, 1)
      const later = yield* hundred()
      assert.strictEqual(later.filter((result) => result.ok).length, 100)
    }).pipe(Effect.provide(guards))
  )

  it.effect("an interrupted probe frees its slot at once", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 5; n++) yield* runWithGuards(sick, input)
      yield* TestClock.adjust(30_000)
      const fiber = yield* Effect.forkChild(
        runWithGuards(
          at(() => Effect.never),
          input
        ),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(fiber)
      const result = yield* runWithGuards(
        at(() => Effect.succeed({ text: "yes", finishReason: "stop" })),
        input
      )
      assert.isTrue(result.ok)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a late answer from before the opening does not close it", () =>
    Effect.gen(function* () {
      const late = yield* Deferred.make<void>()
      const slow = at(() => Effect.as(Deferred.await(late), { text: "yes", finishReason: "stop" }))
      const fiber = yield* Effect.forkChild(runWithGuards(slow, input), { startImmediately: true })
      for (let n = 0; n < 5; n++) yield* runWithGuards(sick, input)
      yield* Deferred.succeed(late, undefined)
      assert.isTrue((yield* Fiber.join(fiber)).ok)
      const refused = yield* runWithGuards(sick, input)
      assert.isTrue(!refused.ok && refused.error.code === "circuit_open")
    }).pipe(Effect.provide(guards))
  )

  it.effect("neutral failures never open it, and other models and adapters have their own", () =>
    Effect.gen(function* () {
      for (const code of [
        "auth",
        "quota_exhausted",
        "rate_limited",
        "client_error",
        "content_filtered"
      ] as const) {
        const adapter = at(() => Effect.fail(makeError(code, "no")))
        for (let n = 0; n < 6; n++) {
          const result = yield* runWithGuards(adapter, input)
          assert.isTrue(!result.ok && result.error.code === code)
        }
      }
      for (let n = 0; n < 6; n++) yield* runWithGuards(sick, input)
      const well = () => Effect.succeed({ text: "yes", finishReason: "stop" })
      assert.isFalse((yield* runWithGuards(at(well), input)).ok)
      assert.isTrue((yield* runWithGuards(at(well), { ...input, model: "other" })).ok)
      assert.isTrue((yield* runWithGuards(at(well, "another"), input)).ok)
    }).pipe(Effect.provide(guards))
  )

  it.effect("its changes are seen as events", () =>
    Effect.gen(function* () {
      const { transitions } = yield* Guards
      const seen = yield* Effect.forkChild(Stream.runCollect(Stream.take(transitions, 3)), {
        startImmediately: true
      })
      for (let n = 0; n < 5; n++) yield* runWithGuards(sick, input)
      yield* TestClock.adjust(30_000)
      yield* runWithGuards(
        at(() => Effect.succeed({ text: "yes", finishReason: "stop" })),
        input
      )
      const changes = (yield* Fiber.join(seen)).map(({ from, to }) => `${from} → ${to}`)
      assert.deepStrictEqual(changes, ["closed → open", "open → half_open", "half_open → closed"])
    }).pipe(Effect.provide(guards))
  )
})
