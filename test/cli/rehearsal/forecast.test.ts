// Forecasts: an interval that holds what the calls can cost, no cost where a price is not known, nothing for what is
// reused or free.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Binding, Price } from "../../../src/adapters/registry/AdapterRegistry.ts"
import {
  forecastOf,
  foreseenCalls,
  inFlightUnder,
  type ForeseenCall
} from "../../../src/cli/rehearsal/forecast.ts"
import { pastCalls, usualTokens } from "../../../src/cli/rehearsal/expectation.ts"
import { capVerdict } from "../../../src/cli/render/forecastText.ts"
import type { CallRecord } from "../../../src/engine/inspect/CallRecord.ts"
import { dice } from "../../support/dice.ts"
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
  adapter: {
    id: "openai",
    free,
    hasSideEffects: false,
    attempt: () => Effect.die("never called")
  },
  modelId: "m",
  ...(price === undefined ? {} : { price })
})
const priced = binding(false, { inputUsdPerMillion: 1, outputUsdPerMillion: 10 })

describe("forecastOf", () => {
  it("is between a word at once and the longest answer, expected as models usually answer", () => {
    const { total } = forecastOf(foreseenCalls(events({ key: "a" })), () => [priced])
    // A token of 8 bytes at most, one token out.
    assert.strictEqual(total.costUsd?.low, (13 * 1 + 1 * 10) / 1e6)
    assert.strictEqual(total.costUsd?.expected, (26 * 1 + 300 * 10) / 1e6)
    // 100 bytes and 64 a message in, 4,096 tokens out.
    assert.strictEqual(total.costUsd?.high, (164 * 1 + 4096 * 10) / 1e6)
    assert.deepStrictEqual(total.tokens, { low: 14, expected: 326, high: 164 + 4096 })
  })

  it("sums dollars without the noise of fractions", () => {
    const cheap = binding(false, { inputUsdPerMillion: 1.1, outputUsdPerMillion: 2.2 })
    const { total } = forecastOf(foreseenCalls(events({ key: "a" }, { key: "b" }, { key: "c" })), () => [
      cheap
    ])
    // As they are added, the last is 0.027574800000000003.
    assert.deepStrictEqual(total.costUsd, { low: 0.0000495, expected: 0.0020658, high: 0.0275748 })
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
    assert.deepStrictEqual(forecastOf(calls, () => [binding(true)]).total.costUsd, {
      low: 0,
      expected: 0,
      high: 0
    })
  })

  it("takes a model that bounds itself to cost its bound, and nothing at least", () => {
    const calls = foreseenCalls(events({ key: "a" }))
    const unpriced = binding(false)
    const bounded: Binding = { ...unpriced, adapter: { ...unpriced.adapter, reserveUsd: () => 0.5 } }
    assert.deepStrictEqual(forecastOf(calls, () => [bounded]).total.costUsd, {
      low: 0,
      expected: 0.5,
      high: 0.5
    })
  })

  it("takes the dearest link of a chain for the upper end", () => {
    const dear = binding(false, { inputUsdPerMillion: 100, outputUsdPerMillion: 100 })
    const { total } = forecastOf(foreseenCalls(events({ key: "a" })), () => [priced, dear])
    assert.strictEqual(total.costUsd?.high, ((164 + 4096) * 100) / 1e6)
    assert.strictEqual(total.costUsd?.low, (13 + 10) / 1e6)
  })

  it("counts what is reused and does not pay it again", () => {
    const { paidAgain, total } = forecastOf(
      foreseenCalls(events({ key: "a", reused: true }, { key: "b" })),
      () => [priced]
    )
    assert.deepInclude(total, { calls: 2, reused: 1 })
    assert.strictEqual(total.costUsd?.low, (13 + 10) / 1e6)
    assert.deepStrictEqual(
      paidAgain.map(({ key, n }) => [key, n]),
      [["b", 2]]
    )
  })
})

describe("what is expected", () => {
  /** Answers as a model gave them, drawn: English has three to five bytes a token, answers run from a line to a page. */
  const actual = (seed: number) => {
    const { below, next, pick } = dice(seed)
    const schema = {
      type: "object",
      properties: {
        risk: { type: "integer" },
        why: { type: "string" },
        parts: { type: "array", items: { type: "string" }, maxItems: 6 }
      }
    }
    return Array.from({ length: 3 + below(20) }, (_, n) => {
      const structured = below(2) === 0
      const bytes = 40 + below(4000)
      const outputTokens = structured
        ? Math.round(usualTokens(schema) * (0.5 + next()))
        : Math.round(80 * 2 ** (next() * 3.5))
      return {
        n,
        bytes,
        structured,
        schema,
        usage: { inputTokens: Math.ceil(bytes / pick([3.2, 4, 4.8])), outputTokens }
      }
    })
  }
  const foreseen = (calls: ReturnType<typeof actual>) =>
    calls.map(({ bytes, n, schema, structured }): ForeseenCall => ({
      scheduled: {
        ...place(n),
        type: "CallScheduled",
        n,
        key: `${n}`,
        occurrence: 1,
        call: { verb: "agent", prompt: "x".repeat(bytes), model: "m", ...(structured ? { schema } : {}) },
        site: { file: "p.ts", line: structured ? 1 : 2, column: 1 }
      },
      usage: undefined,
      reused: false
    }))
  const costOfAll = (calls: ReturnType<typeof actual>) =>
    calls.reduce((sum, { usage }) => sum + (usage.inputTokens + usage.outputTokens * 10) / 1e6, 0)

  it("holds the actual cost within low and high, and near what is expected, for 20 plans", () => {
    let within = 0
    let near = 0
    for (let seed = 1; seed <= 20; seed++) {
      const calls = actual(seed)
      const { costUsd } = forecastOf(foreseen(calls), () => [priced]).total
      const cost = costOfAll(calls)
      if (costUsd === undefined) continue
      if (cost >= costUsd.low && cost <= costUsd.high) within++
      if (cost / costUsd.expected <= 2 && costUsd.expected / cost <= 2) near++
    }
    assert.isAtLeast(within, 18)
    assert.isAtLeast(near, 14)
  })

  it("follows the plan's own past runs, place by place, and says for how many calls", () => {
    const record = (line: number, outputTokens: number): CallRecord => ({
      key: "k",
      occurrence: 1,
      number: 1,
      name: "n",
      site: { file: "p.ts", line, column: 1 },
      status: "completed",
      attempts: 1,
      tries: [],
      answeredBy: "openai:m",
      usage: { inputTokens: 10, outputTokens },
      durationMs: 3000,
      scheduledAt: 0,
      seq: 1
    })
    const past = pastCalls([record(2, 1000), record(2, 3000), record(1, 50)])
    const [call] = foreseen(actual(1)).filter(({ scheduled }) => scheduled.site?.line === 2)
    assert.isDefined(call)
    if (call === undefined) return
    const { total } = forecastOf([call], () => [priced], { past })
    assert.strictEqual(total.known, 1)
    assert.strictEqual(total.tokens.expected, 2010)
    assert.strictEqual(total.durationMs.expected, 3000)
  })

  it("tells whether a cap stops the run, and how many calls it lets fly", () => {
    const calls = foreseen(actual(3))
    const held =
      Math.max(...calls.map((call) => forecastOf([call], () => [priced]).total.tokens.high)) * 10e-6
    assert.isAtLeast(inFlightUnder(held * 3, calls, () => [priced]) ?? 0, 3)
    assert.strictEqual(
      inFlightUnder(1e-9, calls, () => [priced]),
      0
    )
    assert.isUndefined(inFlightUnder(1, calls, () => [binding(true)]))
    const cost = { low: 1, expected: 2, high: 4 }
    assert.deepStrictEqual(
      [0.5, 1.5, 3, 4].map((cap) => capVerdict(cap, cost)),
      ["stops it", "will likely stop it", "will likely not stop it", "does not stop it"]
    )
  })
})
