// Scoring: one property test for each numbered rule, and the thresholds to the last digit.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { defaultAxes, defaultThresholds } from "../../src/council/Board.ts"
import { score, scaled, type CountedVote, type Rules } from "../../src/council/scoring.ts"

const Score = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 10 })))
const Weight = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 50 })))
const Votes = Schema.Array(Schema.Struct({ a: Score, b: Score, c: Score, weight: Weight })).pipe(
  Schema.check(Schema.isMaxLength(9))
)
const Axes = Schema.Tuple([Weight, Weight, Weight])

type Drawn = typeof Votes.Type
const votesOf = (drawn: Drawn): ReadonlyArray<CountedVote> =>
  drawn.map(({ weight, ...scores }, n) => ({ member: `m${n}`, weight: weight / 4, scores }))
const rulesOf = (weights: ReadonlyArray<number>, factor = 1): Rules => ({
  axes: ["a", "b", "c"].map((id, n) => ({ id, weight: ((weights[n] ?? 1) * factor) / 100 })),
  thresholds: defaultThresholds
})
const rankOf = { NO_GO: 0, PIVOT: 1, GO: 2 }
const even = (n: number): CountedVote["scores"] => Object.fromEntries(defaultAxes.map(({ id }) => [id, n]))
const defaults: Rules = { axes: defaultAxes, thresholds: defaultThresholds }
const three = (...scores: ReadonlyArray<CountedVote["scores"]>) =>
  score(
    scores.map((of, n) => ({ member: `m${n}`, weight: 1, scores: of })),
    defaults
  )

describe("scoring", () => {
  it.prop(
    "1. the same votes in any order give the same decision, mean and axes",
    [Votes, Axes, Schema.Array(Schema.Int)],
    ([drawn, weights, keys]) => {
      const votes = votesOf(drawn)
      const shuffled = votes
        .map((vote, n) => [keys[n] ?? 0, vote] as const)
        .sort(([a], [b]) => a - b)
        .map(([, vote]) => vote)
      const { rows: _rows, ...table } = score(votes, rulesOf(weights))
      const { rows: _others, ...other } = score(shuffled, rulesOf(weights))
      assert.deepStrictEqual(other, table)
    }
  )

  it.prop(
    "2. weights scale out: of axes, and of votes",
    [Votes, Axes, Weight],
    ([drawn, weights, factor]) => {
      const votes = votesOf(drawn)
      const table = score(votes, rulesOf(weights))
      const axesScaled = score(votes, rulesOf(weights, factor))
      const votesScaled = score(
        votes.map((vote) => ({ ...vote, weight: vote.weight * factor })),
        rulesOf(weights)
      )
      assert.deepStrictEqual([axesScaled.decision, axesScaled.mean], [table.decision, table.mean])
      assert.deepStrictEqual([votesScaled.decision, votesScaled.mean], [table.decision, table.mean])
    }
  )

  it.prop("3. a vote that is not there changes no other vote's row", [Votes, Axes], ([drawn, weights]) => {
    const votes = votesOf(drawn)
    const { rows } = score(votes, rulesOf(weights))
    for (const missing of votes) {
      const left = score(
        votes.filter((vote) => vote !== missing),
        rulesOf(weights)
      ).rows
      assert.deepStrictEqual(
        left,
        rows.filter(({ member }) => member !== missing.member)
      )
    }
  })

  it.prop("4. raising a score never lowers the decision", [Votes, Axes], ([drawn, weights]) => {
    const votes = votesOf(drawn)
    const before = score(votes, rulesOf(weights))
    for (const raised of votes) {
      const higher = votes.map((vote) =>
        vote === raised ? { ...vote, scores: { ...vote.scores, a: 10 } } : vote
      )
      assert.isAtLeast(rankOf[score(higher, rulesOf(weights)).decision], rankOf[before.decision])
    }
  })

  it.prop(
    "5. fewer than three votes are NO_GO, whatever they say",
    [Score, Score, Axes],
    ([a, b, weights]) => {
      const votes = votesOf([
        { a, b, c: 10, weight: 1 },
        { a: 10, b: 10, c: 10, weight: 50 }
      ])
      for (const few of [[], votes.slice(0, 1), votes]) {
        assert.deepInclude(score(few, rulesOf(weights)), { decision: "NO_GO", enough: false })
      }
    }
  )

  it("a tie with a threshold has reached it: 7 is GO, 5 is PIVOT", () => {
    assert.strictEqual(three(even(7), even(7), even(7)).decision, "GO")
    assert.strictEqual(three(even(5), even(5), even(5)).decision, "PIVOT")
    assert.strictEqual(three(even(4), even(5), even(5)).decision, "NO_GO")
  })

  it("a mean just under a threshold has not, and is not shown as if it had", () => {
    const table = three(even(7), even(7), { ...even(7), risk: 6 })
    assert.strictEqual(table.decision, "PIVOT")
    assert.strictEqual(table.mean, 6.95)
    const close = score(
      [
        ...Array.from({ length: 20 }, (_, n) => ({ member: `m${n}`, weight: 1000, scores: even(7) })),
        { member: "z", weight: 0.01, scores: even(6) }
      ],
      defaults
    )
    assert.strictEqual(close.decision, "PIVOT")
    assert.strictEqual(close.mean, 6.999)
  })

  it("decimals of weights make no rounding: 0.1 + 0.2 is 0.3", () => {
    const rules: Rules = {
      axes: [
        { id: "a", weight: 0.1 },
        { id: "b", weight: 0.2 },
        { id: "c", weight: 0.3 }
      ],
      thresholds: { go: 7, pivot: 5 }
    }
    const votes = [1, 2, 3].map((n) => ({ member: `m${n}`, weight: 0.1, scores: { a: 8, b: 8, c: 6 } }))
    assert.deepInclude(score(votes, rules), { decision: "GO", mean: 7 })
  })

  it("weights that cannot be scaled exactly are not", () => {
    assert.deepStrictEqual(scaled([0.25, 1]), [25n, 100n])
    for (const bad of [Number.NaN, Infinity, 1e-9, 1e13]) assert.isUndefined(scaled([bad]))
  })
})
