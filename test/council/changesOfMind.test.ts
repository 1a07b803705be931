// Majorities: more than half, or none.
import { assert, describe, it } from "@effect/vitest"
import { majorityOf } from "../../src/council/changesOfMind.ts"
import type { Decision } from "../../src/council/scoring.ts"

const of = (...stances: ReadonlyArray<Decision>) =>
  majorityOf(new Map(stances.map((stance, n) => [`m${n}`, stance])))

describe("majorityOf", () => {
  it("is what more than half hold", () => {
    assert.strictEqual(of("GO", "GO", "PIVOT"), "GO")
    assert.isUndefined(of("GO", "PIVOT"))
    assert.isUndefined(of("GO", "PIVOT", "NO_GO"))
    assert.isUndefined(of())
  })
})
