// The state of a mission: one property test for each numbered rule, over random histories in which every event,
// due or not, may come.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Contract } from "../../src/domain/Contract.ts"
import { loadMission } from "../../src/mission/loadMission.ts"
import { proofPassed, type ProofResult } from "../../src/mission/Mission.ts"
import {
  due,
  initialState,
  outcome,
  step,
  unitRun,
  type MissionEvent,
  type MissionState
} from "../../src/mission/missionState.ts"
import type { Finding } from "../../src/verifier/Finding.ts"

const contract: Contract = {
  commands: ["p"],
  assertions: ["a", "b", "c"].map((id) => ({
    id,
    statement: "",
    oracle: "exit_code",
    args: { code: 0 },
    evidence: id
  }))
}
const mission = Result.getOrThrow(
  loadMission(
    {
      title: "t",
      maxAttempts: 2,
      maxFixRounds: 1,
      units: [
        { id: "ua", prompt: "p", proof: ["p"], fulfills: ["a"], tier: "T2" },
        { id: "ub", prompt: "p", fulfills: ["b"], dependsOn: ["ua"], tier: "T1" },
        { id: "uc", prompt: "p", proof: ["p", "p x"], fulfills: ["c"], tier: "T1" }
      ],
      milestones: [{ id: "half", units: ["ua", "ub"] }]
    },
    contract
  )
)

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_646 })))

/** Numbers that follow from a seed: a history of up to 60 moves. Drawn lists would mostly be too short to get far. */
const movesOf = (seed: number): ReadonlyArray<number> => {
  let at = seed
  return Array.from({ length: 3 + (seed % 58) }, () => (at = (at * 48_271) % 2_147_483_647) % 10_000)
}

const proofsOf = (state: MissionState, unit: string, move: number): ReadonlyArray<ProofResult> =>
  (unitRun(state, unit)?.unit.proofs ?? []).map(({ command, id }, n) => ({
    id,
    command,
    exitCode: (move >> n) % 3 === 0 ? 1 : 0,
    stdout: "",
    stderr: ""
  }))

const allProven = -1
const findingsOf = (milestone: string, move: number): ReadonlyArray<Finding> =>
  (mission.milestones.find(({ id }) => id === milestone)?.assertions ?? []).flatMap(
    ({ id }, n): ReadonlyArray<Finding> => {
      const of = { claim: id, oracle: "exit_code", evidence: id }
      const kind = move === allProven ? 3 : (move >> n) % 5
      if (kind === 0) return [{ ...of, finding: "refuted", code: "differs", reason: "", counter: 1 }]
      if (kind === 1) return [{ ...of, finding: "unproven", code: "evidence_missing", reason: "" }]
      return kind === 2 ? [] : [{ ...of, finding: "proven" }]
    }
  )

const handoff = { summary: "", files: [], notes: "" }

/** Any event at all, due or not. */
const anyEvent = (state: MissionState, move: number): MissionEvent => {
  const units = state.units.map(({ unit }) => unit.id)
  const unit = units[move % units.length] ?? "ua"
  const milestone = move % 2 === 0 ? "half" : "final"
  const any: ReadonlyArray<MissionEvent> = [
    { _tag: "started", unit },
    { _tag: "attempted", unit, proofs: proofsOf(state, unit, move), ...(move % 7 === 0 ? {} : { handoff }) },
    { _tag: "attempted", unit, proofs: [], failure: { code: "worker_failed", message: "" } },
    { _tag: "parked", unit },
    { _tag: "validating", milestone },
    { _tag: "validated", milestone, findings: findingsOf(milestone, move) }
  ]
  return any[move % any.length] ?? { _tag: "started", unit }
}

/** What may really come next: what is due begins, what runs ends, mostly well. */
const likelyEvents = (state: MissionState, move: number): ReadonlyArray<MissionEvent> => [
  ...due(state).map((action): MissionEvent =>
    action._tag === "start"
      ? { _tag: "started", unit: action.run.unit.id }
      : { _tag: "validating", milestone: action.milestone }
  ),
  ...state.units.flatMap(({ status, unit }): ReadonlyArray<MissionEvent> => {
    if (status !== "running") return []
    const good = unit.proofs.map(({ command, id }) => ({ id, command, exitCode: 0, stdout: "", stderr: "" }))
    const well = (move >> 2) % 4 !== 0
    return [
      { _tag: "attempted", unit: unit.id, handoff, proofs: well ? good : proofsOf(state, unit.id, move) }
    ]
  }),
  ...state.milestones.flatMap(({ id, status }): ReadonlyArray<MissionEvent> => {
    if (status !== "validating") return []
    return [
      { _tag: "validated", milestone: id, findings: findingsOf(id, (move >> 2) % 3 === 0 ? move : allProven) }
    ]
  })
]

/** A number names an event: mostly a likely one, one time in sixteen any. */
const eventOf = (state: MissionState, move: number): MissionEvent => {
  const likely = likelyEvents(state, move)
  return (
    (move % 16 === 0 ? undefined : likely[move % Math.max(1, likely.length)]) ?? anyEvent(state, move >> 4)
  )
}

const history = (seed: number) => {
  const steps: Array<{
    readonly before: MissionState
    readonly event: MissionEvent
    readonly after: MissionState
  }> = []
  let state = initialState(mission)
  for (const move of movesOf(seed)) {
    const event = eventOf(state, move)
    const after = step(state, event)
    steps.push({ before: state, event, after })
    state = after
  }
  return { steps, end: state }
}
const deep = { arbitrary: { runs: 300 } }

describe("the state of a mission", () => {
  it.prop(
    "1. a unit starts only when all it depends on is done",
    [Seed],
    ([seed]) => {
      for (const { after } of history(seed).steps) {
        for (const { attempts, unit } of after.units) {
          if (attempts > 0) assert.isTrue(unit.dependsOn.every((id) => unitRun(after, id)?.status === "done"))
        }
      }
    },
    deep
  )

  it.prop(
    "2. a unit starts at most maxAttempts times",
    [Seed],
    ([seed]) => {
      for (const { attempts, unit } of history(seed).end.units) assert.isAtMost(attempts, unit.maxAttempts)
    },
    deep
  )

  it.prop(
    "3. done, failed and parked are final",
    [Seed],
    ([seed]) => {
      for (const { after, before } of history(seed).steps) {
        for (const run of before.units) {
          if (run.status !== "waiting" && run.status !== "running")
            assert.deepStrictEqual(unitRun(after, run.unit.id), run)
        }
      }
    },
    deep
  )

  it.prop(
    "4. done means handed over, and every proof exited with 0",
    [Seed],
    ([seed]) => {
      for (const { handoff, proofs, status, unit } of history(seed).end.units) {
        if (status === "done") {
          assert.isDefined(handoff)
          assert.strictEqual(proofs.length, unit.proofs.length)
          assert.isTrue(proofs.every(proofPassed))
        }
      }
    },
    deep
  )

  it.prop(
    "5. a milestone is validated only when its units and fixes are done, the last one after all others",
    [Seed],
    ([seed]) => {
      for (const { after, before, event } of history(seed).steps) {
        if (event._tag !== "validating" || after === before) continue
        const own = mission.milestones.find(({ id }) => id === event.milestone)?.units ?? []
        assert.isTrue(
          before.units
            .filter(({ unit }) => own.includes(unit.fixes ?? unit.id))
            .every(({ status }) => status === "done")
        )
        if (event.milestone === "final") assert.strictEqual(before.milestones[0]?.status, "passed")
      }
    },
    deep
  )

  it.prop(
    "6. a milestone passes only if each of its assertions is proven",
    [Seed],
    ([seed]) => {
      for (const { findings, id, status } of history(seed).end.milestones) {
        if (status !== "passed") continue
        for (const { id: assertion } of mission.milestones.find((milestone) => milestone.id === id)
          ?.assertions ?? []) {
          assert.isTrue(findings.some(({ claim, finding }) => claim === assertion && finding === "proven"))
        }
      }
    },
    deep
  )

  it.prop(
    "7. each failed validation makes one fix for each unit that failed it, at most maxFixRounds times; tier and proofs kept",
    [Seed],
    ([seed]) => {
      const { end } = history(seed)
      for (const { unit } of end.units) {
        if (unit.fixes === undefined) continue
        const original = unitRun(end, unit.fixes)?.unit
        assert.deepStrictEqual(
          [unit.tier, unit.proofs, unit.dependsOn],
          [original?.tier, original?.proofs, [unit.fixes]]
        )
        assert.isTrue(unit.fulfills.every((id) => original?.fulfills.includes(id)))
      }
      for (const { rounds } of end.milestones) assert.isAtMost(rounds, mission.maxFixRounds + 1)
      assert.strictEqual(new Set(end.units.map(({ unit }) => unit.id)).size, end.units.length)
    },
    deep
  )

  it.prop(
    "8. an event that is not due changes nothing",
    [Seed],
    ([seed]) => {
      for (const { after, before, event } of history(seed).steps) {
        if (
          event._tag === "started" &&
          !due(before).some((action) => action._tag === "start" && action.run.unit.id === event.unit)
        )
          assert.strictEqual(after, before)
        if (
          event._tag === "validating" &&
          !due(before).some((action) => action._tag === "validate" && action.milestone === event.milestone)
        )
          assert.strictEqual(after, before)
        if (event._tag === "attempted" && unitRun(before, event.unit)?.status !== "running")
          assert.deepStrictEqual(after, before)
        if (
          event._tag === "validated" &&
          before.milestones.find(({ id }) => id === event.milestone)?.status !== "validating"
        )
          assert.strictEqual(after, before)
      }
    },
    deep
  )

  it.prop(
    "9. the outcome is done only if everything is, and is never working with nothing to do",
    [Seed],
    ([seed]) => {
      for (const { after } of history(seed).steps) {
        const is = outcome(after)
        const complete =
          after.units.every(({ status }) => status === "done") &&
          after.milestones.every(({ status }) => status === "passed")
        if (is === "done") assert.isTrue(complete)
        if (complete) assert.strictEqual(is, "done")
        const busy =
          after.units.some(({ status }) => status === "running") ||
          after.milestones.some(({ status }) => status === "validating")
        assert.strictEqual(is === "working", busy || due(after).length > 0)
      }
    },
    deep
  )

  it("random histories reach every outcome, so that the rules above were tried", () => {
    const ends = new Set<string>()
    let fixes = 0
    for (let seed = 1; seed <= 500; seed++) {
      const { end } = history(seed * 4_099)
      ends.add(outcome(end))
      fixes += end.units.filter(({ unit }) => unit.fixes !== undefined).length
    }
    assert.deepStrictEqual(Array.from(ends).sort(), ["done", "failed", "parked", "working"])
    assert.isAbove(fixes, 0)
  })
})
