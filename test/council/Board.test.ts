// Who speaks when, and how many calls that makes.
import { assert, describe, it } from "@effect/vitest"
import { plannedCalls, speakersOf, votersOf } from "../../src/council/Board.ts"
import { boardOf } from "./script.ts"

const ids = (members: ReadonlyArray<{ readonly id: string }>) => members.map(({ id }) => id)

describe("speakers", () => {
  it("are all but the contrarian, who speaks alone in its own phase", () => {
    const board = boardOf()
    assert.deepStrictEqual(ids(speakersOf(board, { phase: "critique" })), ["ana", "bo", "cy", "di"])
    assert.deepStrictEqual(ids(speakersOf(board, { phase: "contrarian" })), ["con"])
  })

  it("are in the board's order, whatever the phase's", () => {
    assert.deepStrictEqual(ids(speakersOf(boardOf(), { phase: "opening", members: ["di", "ana"] })), [
      "ana",
      "di"
    ])
  })

  it("vote without the contrarian, unless the board says so", () => {
    assert.deepStrictEqual(ids(votersOf(boardOf())), ["ana", "bo", "cy", "di"])
    assert.include(ids(votersOf(boardOf({ contrarianVotes: true }))), "con")
    assert.include(ids(speakersOf(boardOf({ contrarianVotes: true }), { phase: "ballot" })), "con")
  })
})

describe("plannedCalls", () => {
  it("counts every speaker of every phase; permutations save the openings", () => {
    assert.deepStrictEqual(plannedCalls(boardOf()), { debate: 17, eachPermutation: 13 })
    assert.deepStrictEqual(plannedCalls(boardOf({ phases: ["opening", "contrarian", "ballot"] })), {
      debate: 9,
      eachPermutation: 5
    })
  })
})
