// Forecasts: an interval that holds what the calls can cost, no cost where a price is not known, nothing for what is
// reused or free.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Binding, Price } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { forecastOf, foreseenCalls } from "../../../src/cli/running/forecast.ts"
import type { RunEvent } from "../../../src/domain/run/RunEvent.ts"

const place = (seq: number) => ({ seq, at: 0, prev: "" })

const events = (
  ...calls: ReadonlyArray<{ readonly key: string; readonly phase?: string; readonly reused?: boolean }>
): ReadonlyArray<RunEvent> =>
  calls.flatMap(({ key, phase, reused }, n): ReadonlyArray<RunEvent> => [
    {
      ...place(2 * n),
      type: "CallScheduled",
      n: n + 1,
      key,
      occurrence: 1,
      call: { verb: "agent", prompt: "x".repeat(100), model: "m" },
      ...(phase === undefined ? {} : { phase })
    },
    {
      ...place(2 * n + 1),
      type: "CallCompleted",
      key,
      occurrence: 1,
      result: { ok: true, usage: { inputTokens: 25, outputTokens: 10 } },
      ...(reused === undefined ? {} : { reused })
    }
  ])

const binding = (free: boolean, price?: Price): Binding => ({
  // The offline adapter's own reserve is 0, and must not be taken for the model's.
  adapter: {
    id: "openai",
    free,
    hasSideEffects: false,
    attempt: () => Effect.die("never called"),
    reserveUsd: () => 0
  },
  modelId: "m",
  ...(price === undefined ? {} : { price })
})
const priced = binding(false, { inputUsdPerMillion: 1, outputUsdPerMillion: 10 })

describe("forecastOf", () => {
  it("is between the offline answer and the longest one", () => {
    const { total } = forecastOf(foreseenCalls(events({ key: "a" })), () => [priced])
    assert.strictEqual(total.costUsd?.low, (25 * 1 + 10 * 10) / 1e6)
    // 100 bytes and 64 a message in, 4,096 tokens out.
    assert.strictEqual(total.costUsd?.high, (164 * 1 + 4096 * 10) / 1e6)
    assert.deepStrictEqual(total.tokens, { low: 35, high: 164 + 4096 })
  })

  it("sums dollars without the noise of fractions", () => {
    const cheap = binding(false, { inputUsdPerMillion: 1.1, outputUsdPerMillion: 2.2 })
    const { total } = forecastOf(foreseenCalls(events({ key: "a" }, { key: "b" }, { key: "c" })), () => [
      cheap
    ])
    // As they are added, they are 0.00014849999999999998 and 0.027574800000000003.
    assert.deepStrictEqual(total.costUsd, { low: 0.0001485, high: 0.0275748 })
  })

  it("sums by phase, in the order the phases came", () => {
    const { phases } = forecastOf(
      foreseenCalls(events({ key: "a", phase: "Z" }, { key: "b", phase: "A" }, { key: "c", phase: "Z" })),
      () => [priced]
    )
    assert.deepStrictEqual(
      phases.map(({ calls, phase }) => [phase, calls]),
      [
        ["Z", 2],
        ["A", 1]
      ]
    )
  })

  it("has no cost where a price is not known, and 0 where the model is free", () => {
    const calls = foreseenCalls(events({ key: "a" }))
    assert.notProperty(forecastOf(calls, () => [binding(false)]).total, "costUsd")
    assert.deepStrictEqual(forecastOf(calls, () => [binding(true)]).total.costUsd, { low: 0, high: 0 })
  })

  it("takes the dearest link of a chain for the upper end", () => {
    const dear = binding(false, { inputUsdPerMillion: 100, outputUsdPerMillion: 100 })
    const { total } = forecastOf(foreseenCalls(events({ key: "a" })), () => [priced, dear])
    assert.strictEqual(total.costUsd?.high, ((164 + 4096) * 100) / 1e6)
    assert.strictEqual(total.costUsd?.low, (25 + 100) / 1e6)
  })

  it("counts what is reused and does not pay it again", () => {
    const { paidAgain, total } = forecastOf(
      foreseenCalls(events({ key: "a", reused: true }, { key: "b" })),
      () => [priced]
    )
    assert.deepInclude(total, { calls: 2, reused: 1 })
    assert.strictEqual(total.costUsd?.low, (25 + 100) / 1e6)
    assert.deepStrictEqual(
      paidAgain.map(({ key, n }) => [key, n]),
      [["b", 2]]
    )
  })
})
