// Invariants: C1 time moves only when told, and then exactly to the earliest due sleeper. C2 of those due together
// the first to sleep wakes first. C3 time never goes back. C4 an interrupted sleeper is never woken or waited for.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Schema } from "effect"
import { makeLogicalClock, type LogicalClock } from "../../src/kernel/LogicalClock.ts"

const sleeper = (clock: LogicalClock, ms: number, woke: () => void) =>
  Effect.forkChild(
    Effect.provideService(Effect.andThen(Effect.sleep(ms), Effect.sync(woke)), Clock.Clock, clock.clock),
    { startImmediately: true }
  )

describe("LogicalClock", () => {
  it.effect("stands still until it is told to move, then moves to the earliest due (C1)", () =>
    Effect.gen(function* () {
      const clock = makeLogicalClock()
      const woken: Array<string> = []
      for (const [name, ms] of [
        ["c", 30],
        ["a", 10],
        ["b", 20]
      ] as const) {
        yield* sleeper(clock, ms, () => void woken.push(`${name}@${clock.now()}`))
      }
      yield* Effect.yieldNow
      assert.deepStrictEqual([woken, clock.now(), clock.sleeping(), clock.nextDue()], [[], 0, 3, 10])
      for (const expected of [["a@10"], ["a@10", "b@20"], ["a@10", "b@20", "c@30"]]) {
        assert.isTrue(yield* clock.advanceToNextDue)
        yield* Effect.yieldNow
        assert.deepStrictEqual(woken, expected)
      }
      assert.isFalse(yield* clock.advanceToNextDue)
      assert.strictEqual(clock.now(), 30)
    })
  )

  it.effect("wakes those due together in the order they began to sleep (C2)", () =>
    Effect.gen(function* () {
      const clock = makeLogicalClock()
      const woken: Array<number> = []
      for (let n = 0; n < 100; n++) yield* sleeper(clock, 5, () => void woken.push(n))
      yield* clock.wakeNext
      yield* Effect.yieldNow
      assert.deepStrictEqual(woken, [0])
      yield* clock.advanceToNextDue
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        woken,
        Array.from({ length: 100 }, (_, n) => n)
      )
    })
  )

  it.effect("an interrupted sleeper is neither woken nor waited for (C4)", () =>
    Effect.gen(function* () {
      const clock = makeLogicalClock()
      const woken: Array<string> = []
      const first = yield* sleeper(clock, 10, () => void woken.push("first"))
      yield* sleeper(clock, 20, () => void woken.push("second"))
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual([clock.sleeping(), clock.nextDue()], [1, 20])
      yield* clock.advanceToNextDue
      yield* Effect.yieldNow
      assert.deepStrictEqual([woken, clock.now(), clock.sleeping()], [["second"], 20, 0])
    })
  )

  const Millis = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 20 })))
  it.effect.prop(
    "wakes in order of (due, sleeping since), never going back (C1-C3)",
    [Schema.Array(Millis)],
    ([sleeps]) =>
      Effect.gen(function* () {
        const clock = makeLogicalClock()
        const woken: Array<readonly [number, number]> = []
        for (const [n, ms] of sleeps.entries())
          yield* sleeper(clock, ms, () => void woken.push([clock.now(), n]))
        while (yield* clock.wakeNext) yield* Effect.yieldNow
        const expected = sleeps.map((ms, n) => [ms, n] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1])
        assert.deepStrictEqual(woken, expected)
      })
  )

  it.effect("shows its time as Effect's Clock, and can go on from a later one (C3)", () =>
    Effect.gen(function* () {
      const clock = makeLogicalClock()
      yield* clock.moveTo(1500)
      yield* clock.moveTo(10)
      const seen = yield* Effect.provideService(
        Effect.all([Clock.currentTimeMillis, Clock.currentTimeNanos]),
        Clock.Clock,
        clock.clock
      )
      assert.deepStrictEqual(seen, [1500, 1_500_000_000n])
    })
  )
})
