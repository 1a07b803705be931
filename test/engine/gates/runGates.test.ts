// Gates of a run, each rule by its number over random contracts and missions.
import { assert, describe, it } from "@effect/vitest"
import type { GateName } from "../../../src/mission/Mission.ts"
import { gateDue, type MissionEnd, type RunGates } from "../../../src/engine/gates/runGates.ts"
import { dice } from "../../support/dice.ts"

const all: ReadonlyArray<GateName> = ["council", "proof", "validator", "publish"]
const ends: ReadonlyArray<MissionEnd> = ["running", "done", "failed", "invalid", "abandoned"]

const random = (seed: number): RunGates => {
  const { below: int } = dice(seed)
  const some = (gates: ReadonlyArray<GateName>) => gates.filter(() => int(2) === 0)
  const asked = some(all)
  return {
    asked,
    passed: new Set(some(asked)),
    closed: int(5) === 0,
    missions: Array.from({ length: int(3) }, (_, index) => ({
      title: `m${index}`,
      end: ends[int(ends.length)] ?? "done",
      proves: int(2) === 0,
      proof: [],
      files: []
    }))
  }
}

const cases = Array.from({ length: 3000 }, (_, seed) => random(seed))
const proven = ({ asked, missions }: RunGates) =>
  missions
    .filter(
      ({ end, proves }) =>
        end === "done" && (proves || asked.includes("proof") || asked.includes("validator"))
    )
    .map(({ title }) => title)
const unfinished = ({ asked, missions }: RunGates) =>
  missions.some(({ end, proves }) => end !== "done" && end !== "invalid" && (asked.length > 0 || proves))

describe("gates of a run", () => {
  it("1: nothing is due after a gate has failed", () => {
    for (const gates of cases) if (gates.closed) assert.strictEqual(gateDue(gates)._tag, "none")
  })

  it("2, 3: exactly what was asked for and has not passed is decided, in the order", () => {
    for (const gates of cases) {
      const due = gateDue(gates)
      const left = gates.asked.filter((gate) => !gates.passed.has(gate))
      if (due._tag === "decide") assert.deepStrictEqual(due.gates, left)
      if (!gates.closed && !unfinished(gates))
        assert.strictEqual(due._tag === "none", left.length === 0 && proven(gates).length === 0)
    }
  })

  it("4: nothing passes beside an unfinished mission, and no gate of it is left out", () => {
    for (const gates of cases) {
      if (gates.closed) continue
      const due = gateDue(gates)
      assert.strictEqual(due._tag === "close", unfinished(gates))
      if (due._tag === "close")
        assert.isFalse(
          gates.passed.has(due.gate) && gates.asked.length > gates.passed.size && due.gate !== "proof"
        )
    }
  })

  it("7: what missions that are done have proven is looked at again, whatever has passed", () => {
    let looked = 0
    for (const gates of cases) {
      const due = gateDue(gates)
      if (due._tag !== "decide") continue
      assert.deepStrictEqual(
        due.missions.map(({ title }) => title),
        proven(gates)
      )
      if (due.missions.length > 0 && due.gates.length === 0) looked++
    }
    assert.isAbove(looked, 50)
  })

  it("5: a mission that did not load changes nothing", () => {
    for (const gates of cases) {
      const without = { ...gates, missions: gates.missions.filter(({ end }) => end !== "invalid") }
      assert.deepStrictEqual(gateDue(gates), gateDue(without))
    }
  })
})
