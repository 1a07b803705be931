// Ranked votes: order independence, the stated tie rule, and no vote that counts for more than its weight.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { rank, type RankedVote } from "../../src/council/ranking.ts"

const options = ["x", "y", "z"]
const orders = [
  ["x", "y", "z"],
  ["x", "z", "y"],
  ["y", "x", "z"],
  ["y", "z", "x"],
  ["z", "x", "y"],
  ["z", "y", "x"],
  ["x"],
  []
]
const Picks = Schema.Array(
  Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: orders.length - 1 })))
)
const vote = (ranking: ReadonlyArray<string>, weight = 1): RankedVote => ({ member: "m", weight, ranking })
const order = (votes: ReadonlyArray<RankedVote>) => rank(options, votes).order.map(({ option }) => option)

describe("rank", () => {
  it.prop("the same votes in any order give the same ranking", [Picks], ([picks]) => {
    const votes = picks.map((pick) => vote(orders[pick] ?? []))
    assert.deepStrictEqual(rank(options, votes.toReversed()), rank(options, votes))
  })

  it.prop("weights scale out", [Picks], ([picks]) => {
    const votes = picks.map((pick, n) => vote(orders[pick] ?? [], (n % 3) + 1))
    assert.deepStrictEqual(order(votes.map((one) => ({ ...one, weight: one.weight / 4 }))), order(votes))
  })

  it("a tie of points and of first places goes by the pack's order, and says so", () => {
    const { order: ranked } = rank(options, [vote(["x", "y", "z"]), vote(["y", "x", "z"])])
    assert.deepStrictEqual(
      ranked.map(({ option, points, tieBrokenBy }) => [option, points, tieBrokenBy]),
      [
        ["x", 3, "option_order"],
        ["y", 3, undefined],
        ["z", 0, undefined]
      ]
    )
  })

  it("a tie of points goes to more first places, against the pack's order, and says so", () => {
    const votes = [vote(["y", "x", "z"]), vote(["z", "x", "y"]), vote(["y", "x", "z"]), vote(["x", "z", "y"])]
    const { order: ranked } = rank(options, [...votes, vote(["z", "y", "x"])])
    assert.deepStrictEqual(
      ranked.map(({ firstPlaces, option, points, tieBrokenBy }) => [
        option,
        points,
        firstPlaces,
        tieBrokenBy
      ]),
      [
        ["y", 5, 2, "option_order"],
        ["z", 5, 2, "first_places"],
        ["x", 5, 1, undefined]
      ]
    )
  })

  it("options that a vote leaves out share the last place", () => {
    assert.deepStrictEqual(
      rank(options, [vote(["z"])]).order.map(({ option, points }) => [option, points]),
      [
        ["z", 2],
        ["x", 0],
        ["y", 0]
      ]
    )
  })

  it("names the option that beats every other, and none where there is a circle", () => {
    assert.strictEqual(
      rank(options, [vote(["y", "x", "z"]), vote(["y", "z", "x"]), vote(["x", "y", "z"])]).condorcet,
      "y"
    )
    assert.isUndefined(
      rank(options, [vote(["x", "y", "z"]), vote(["y", "z", "x"]), vote(["z", "x", "y"])]).condorcet
    )
    assert.isUndefined(rank(options, []).condorcet)
  })
})
