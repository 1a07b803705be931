// Tiers: one test for each numbered rule.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Tier } from "../../src/domain/Call.ts"
import { admission } from "../../src/mission/tiers.ts"

const Word = Schema.Literals(["GO", "PIVOT", "NO_GO", "none"])
const word = (drawn: typeof Word.Type) => (drawn === "none" ? undefined : drawn)
const runs = (...args: Parameters<typeof admission>) => admission(...args)._tag === "run"

describe("admission", () => {
  it.prop("1. T0, T1 and T2 run, whatever was said", [Word, Schema.Boolean], ([drawn, approved]) => {
    for (const tier of ["T0", "T1", "T2"] as const) assert.isTrue(runs(tier, word(drawn), approved))
  })

  it.prop("2. T3 runs after GO or approval, and only then", [Word, Schema.Boolean], ([drawn, approved]) => {
    assert.strictEqual(runs("T3", word(drawn), approved), approved || drawn === "GO")
  })

  it.prop("3. T4 runs after approval, and only then", [Word, Schema.Boolean], ([drawn, approved]) => {
    assert.strictEqual(runs("T4", word(drawn), approved), approved)
  })

  it.prop("4. what has no tier is T4", [Word, Schema.Boolean], ([drawn, approved]) => {
    assert.strictEqual(runs(undefined, word(drawn), approved), runs("T4", word(drawn), approved))
  })

  it("knows every tier there is", () => {
    assert.deepStrictEqual(Tier.literals, ["T0", "T1", "T2", "T3", "T4"])
  })
})
