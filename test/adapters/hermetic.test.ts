// The waist in a hermetic run: on a logical clock, counted ids and a seeded Random, the same calls have the same
// results, times and all, and no time limit makes time pass by itself.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Random, Schema } from "effect"
import type { Fixtures } from "../../src/adapters/registry/Fixtures.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import { makeOfflineAdapter } from "../../src/adapters/providers/offline.ts"
import { runBound } from "../../src/adapters/guard/runBound.ts"
import { canonicalJsonOf } from "../../src/domain/json/canonicalJson.ts"
import type { ModelRunResult } from "../../src/domain/ModelRun.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { makeLogicalClock } from "../../src/kernel/LogicalClock.ts"

const fixtures: Fixtures = {
  rules: [
    {
      match: { includes: "flaky" },
      answer: { failure: { code: "server_error", message: "down" } },
      delayMs: 5,
      times: 2
    },
    {
      match: { includes: "limited" },
      answer: { failure: { code: "rate_limited", message: "slow", retryAfterMs: 7_000 } },
      times: 1
    },
    { match: { includes: "hang" }, answer: { hang: true } },
    { match: { includes: "slow" }, answer: { text: "slowly" }, delayMs: 90_000 }
  ]
}
const prompts = ["flaky 1", "limited", "hang", "slow", "plain", "flaky 2", "plain"]

/** Makes the calls at once and moves time only when nothing else is left to do. */
const hermetic = (seed: number) =>
  Effect.gen(function* () {
    const logical = makeLogicalClock()
    const guards = Guards.layer({ limits: { offline: { concurrency: 3 } } }).pipe(
      Layer.provide(IdFactory.layerCounter)
    )
    const chain = [{ adapter: makeOfflineAdapter(fixtures), modelId: "offline" }]
    const results: Array<ModelRunResult> = []
    const all = Effect.forEach(
      prompts,
      (prompt) =>
        Effect.map(
          runBound(chain, { prompt, model: "", schema: { type: ["string", "integer"] } }),
          (result) => void results.push(result)
        ),
      { concurrency: "unbounded" }
    ).pipe(Effect.provide(guards), Random.withSeed(seed), Effect.provideService(Clock.Clock, logical.clock))
    const fiber = yield* Effect.forkChild(all, { startImmediately: true })
    let moves = 0
    while (fiber.pollUnsafe() === undefined && moves < 1_000) {
      moves += 1
      // Long enough for every fiber that can go on to have gone on.
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      yield* logical.advanceToNextDue
    }
    yield* Fiber.join(fiber)
    return { text: canonicalJsonOf(results), results, now: logical.now() }
  })

describe("a hermetic waist", () => {
  it.live.prop(
    "gives the same results in the same order at the same times",
    [Schema.Int],
    ([seed]) =>
      Effect.gen(function* () {
        const one = yield* hermetic(seed)
        const two = yield* hermetic(seed)
        assert.strictEqual(one.text, two.text)
        assert.strictEqual(one.now, two.now)
        assert.lengthOf(one.results, prompts.length)
        assert.isTrue(one.results.every(({ costUsd, durationMs }) => costUsd === 0 && durationMs >= 0))
      }),
    { arbitrary: { runs: 20 } }
  )

  it.live(
    "time passes by what is waited for: three time limits of ten minutes with their waits, no more",
    () =>
      Effect.gen(function* () {
        const { now, results } = yield* hermetic(1)
        assert.isAtLeast(now, 3 * 600_000)
        assert.isAtMost(now, 3 * 600_000 + 10_000)
        const hung = results.find((result) => !result.ok && result.error.code === "timeout")
        assert.strictEqual(hung?.attempts, 3)
        // Another seed has other waits: the sameness above is not for want of anything to differ.
        assert.notStrictEqual((yield* hermetic(2)).text, (yield* hermetic(1)).text)
      })
  )
})
