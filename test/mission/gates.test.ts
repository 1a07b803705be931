// Gates: one property test for each numbered rule, over any sequence of decisions.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { allPassed, decideGate, gatesOf, mayWork, nextGate } from "../../src/mission/gates.ts"
import { loadMission } from "../../src/mission/loadMission.ts"
import { GateName } from "../../src/mission/Mission.ts"
import { contract, spec } from "./script.ts"

const all = { ...contract, council: { board: "b", question: "q" }, publish: true }
const mission = Result.getOrThrow(loadMission(spec(), all))
const start = gatesOf(mission, all)
const Decisions = Schema.Array(Schema.Struct({ gate: GateName, pass: Schema.Boolean }))
const states = (decisions: typeof Decisions.Type) => {
  const seen = [start]
  for (const { gate, pass } of decisions)
    seen.push(decideGate(seen.at(-1) ?? start, { gate, pass, detail: "" }))
  return seen
}

describe("gates", () => {
  it("are those the contract asks for, in their order; Scope always", () => {
    assert.deepStrictEqual(start.order, ["scope", "council", "proof", "validator", "publish"])
    const bare = { ...mission, proofs: [], units: mission.units.map((unit) => ({ ...unit, proofs: [] })) }
    assert.deepStrictEqual(gatesOf(bare, {}).order, ["scope"])
  })

  it.prop("1. are decided in their order", [Decisions], ([decisions]) => {
    for (const { decided, order } of states(decisions))
      assert.deepStrictEqual(
        decided.map(({ gate }) => gate),
        order.slice(0, decided.length)
      )
  })

  it.prop("2. are decided once: what was decided stays", [Decisions], ([decisions]) => {
    const seen = states(decisions)
    for (const [index, { decided }] of seen.entries())
      assert.deepStrictEqual(
        decided.slice(0, seen[index - 1]?.decided.length ?? 0),
        seen[index - 1]?.decided ?? []
      )
  })

  it.prop("3. after one has failed nothing is decided", [Decisions], ([decisions]) => {
    for (const { decided } of states(decisions)) assert.isTrue(decided.slice(0, -1).every(({ pass }) => pass))
  })

  it.prop(
    "4. no work before Scope and Council have passed, none after a failure",
    [Decisions],
    ([decisions]) => {
      for (const gates of states(decisions)) {
        const passed = (name: string) => gates.decided.some(({ gate, pass }) => gate === name && pass)
        if (mayWork(gates))
          assert.isTrue(passed("scope") && passed("council") && gates.decided.every(({ pass }) => pass))
      }
    }
  )

  it.prop("5. an undecided gate is a closed one", [Decisions], ([decisions]) => {
    for (const gates of states(decisions))
      assert.strictEqual(
        allPassed(gates),
        gates.decided.length === 5 && gates.decided.every(({ pass }) => pass)
      )
    const passed = states(start.order.map((gate) => ({ gate, pass: true }))).at(-1) ?? start
    assert.isTrue(allPassed(passed))
    assert.isUndefined(nextGate(passed))
  })
})
