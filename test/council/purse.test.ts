// The purse: one test for each numbered rule, calls overlapping as they like.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Deferred, Schema } from "effect"
import { withPurse, type Ask } from "../../src/council/purse.ts"
import { failedWith, succeeded } from "./script.ts"

const Cents = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 400 })))
const Calls = Schema.Array(Schema.Struct({ worst: Cents, spends: Cents, yields: Schema.Int }))
const costing = (costUsd: number) => ({ ...succeeded("x"), costUsd })

describe("withPurse", () => {
  it.effect.prop(
    "1. what is spent never passes the bound, whatever overlaps",
    [Calls, Cents],
    ([calls, cap]) =>
      Effect.gen(function* () {
        let spent = 0
        const ask: Ask = (call) =>
          Effect.gen(function* () {
            const { spends, worst, yields } = calls[Number(call.label)] ?? { spends: 0, worst: 0, yields: 0 }
            for (let n = 0; n < Math.abs(yields) % 5; n++) yield* Effect.yieldNow
            spent += Math.min(spends, worst)
            return costing(Math.min(spends, worst))
          })
        const bounded = yield* withPurse(
          ask,
          ({ label }) => Effect.succeed(calls[Number(label)]?.worst ?? 0),
          cap
        )
        yield* Effect.forEach(calls, (_call, n) => bounded({ prompt: "p", label: String(n) }), {
          concurrency: 4
        })
        assert.isAtMost(spent, cap)
      })
  )

  it.effect("2. a call that does not fit, or has no known worst case, is not sent", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const ask: Ask = ({ label = "" }) => Effect.sync(() => (asked.push(label), costing(1)))
      const worst = ({ label }: { readonly label?: string }) =>
        Effect.succeed(label === "odd" ? undefined : 2)
      const bounded = yield* withPurse(ask, worst, 3)
      const code = (label: string) =>
        Effect.map(bounded({ prompt: "p", label }), (result) => (result.ok ? "sent" : result.error.code))
      assert.deepStrictEqual(
        [yield* code("a"), yield* code("odd"), yield* code("b"), yield* code("c")],
        ["sent", "budget_exceeded", "sent", "budget_exceeded"]
      )
      assert.deepStrictEqual(asked, ["a", "b"])
      const blind = yield* withPurse(ask, undefined, 1_000)
      assert.isFalse((yield* blind({ prompt: "p" })).ok)
    })
  )

  it.effect("2. a bound of zero or less lets only free calls through", () =>
    Effect.gen(function* () {
      const bounded = yield* withPurse(
        () => Effect.succeed(costing(0)),
        ({ label }) => Effect.succeed(label === "free" ? 0 : 1),
        -5
      )
      assert.isTrue((yield* bounded({ prompt: "p", label: "free" })).ok)
      assert.isFalse((yield* bounded({ prompt: "p", label: "paid" })).ok)
    })
  )

  it.effect(
    "3. a cost that stays unknown, and a call that was interrupted, are settled at their reserve",
    () =>
      Effect.gen(function* () {
        const { costUsd: _cost, ...unknown } = failedWith("timeout")
        const begun = yield* Deferred.make<void>()
        const ask: Ask = ({ label }) =>
          label === "hang"
            ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
            : Effect.succeed(unknown)
        const bounded = yield* withPurse(ask, () => Effect.succeed(1), 2)
        yield* bounded({ prompt: "p" })
        const fiber = yield* Effect.forkChild(bounded({ prompt: "p", label: "hang" }))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        const third = yield* bounded({ prompt: "p" })
        assert.deepInclude(third.ok ? {} : third.error, { code: "budget_exceeded" })
      })
  )
})
