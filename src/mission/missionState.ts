// The state of a mission's work: which units run, are done or failed, which milestones are validated. A pure function
// of events; what is due is read off the state, and doing it is runMission.ts's.
import { defined } from "../domain/defined.ts"
import type { Finding } from "../verifier/Finding.ts"
import type { Handoff, Mission, ProofResult, Unit, UnitFailure, UnitStatus } from "./Mission.ts"
import { proofPassed } from "./Mission.ts"

export interface UnitRun {
  readonly unit: Unit
  readonly status: UnitStatus
  readonly attempts: number
  readonly handoff?: Handoff
  /** Of the last attempt. */
  readonly proofs: ReadonlyArray<ProofResult>
  readonly failure?: UnitFailure
}

export interface MilestoneRun {
  readonly id: string
  readonly status: "open" | "validating" | "passed" | "failed"
  /** Validations so far. */
  readonly rounds: number
  readonly findings: ReadonlyArray<Finding>
}

export interface MissionState {
  readonly mission: Mission
  readonly units: ReadonlyArray<UnitRun>
  readonly milestones: ReadonlyArray<MilestoneRun>
}

export type MissionEvent =
  | { readonly _tag: "started"; readonly unit: string }
  /** One attempt ended: the worker's failure, or its handoff and how the proofs of it went. */
  | {
      readonly _tag: "attempted"
      readonly unit: string
      readonly handoff?: Handoff
      readonly proofs: ReadonlyArray<ProofResult>
      readonly failure?: UnitFailure
    }
  | { readonly _tag: "parked"; readonly unit: string }
  | { readonly _tag: "validating"; readonly milestone: string }
  | { readonly _tag: "validated"; readonly milestone: string; readonly findings: ReadonlyArray<Finding> }

export type Due =
  | { readonly _tag: "start"; readonly run: UnitRun }
  | { readonly _tag: "validate"; readonly milestone: string; readonly round: number }

export const initialState = (mission: Mission): MissionState => ({
  mission,
  units: mission.units.map((unit) => ({ unit, status: "waiting", attempts: 0, proofs: [] })),
  milestones: mission.milestones.map(({ id }) => ({ id, status: "open", rounds: 0, findings: [] }))
})

export const unitRun = (state: MissionState, id: string): UnitRun | undefined =>
  state.units.find(({ unit }) => unit.id === id)

const isDone = (state: MissionState, id: string): boolean => unitRun(state, id)?.status === "done"

const mayStart = (state: MissionState, run: UnitRun): boolean =>
  run.status === "waiting" &&
  run.attempts < run.unit.maxAttempts &&
  run.unit.dependsOn.every((id) => isDone(state, id))

/** The units a milestone waits for: its own, and those that were made to mend them. */
const unitsOf = (state: MissionState, milestone: string): ReadonlyArray<UnitRun> => {
  const own = new Set(state.mission.milestones.find(({ id }) => id === milestone)?.units)
  return state.units.filter(({ unit }) => own.has(unit.fixes ?? unit.id))
}

const mayValidate = (state: MissionState, { id, status }: MilestoneRun): boolean => {
  if (status !== "open") return false
  const index = state.milestones.findIndex((milestone) => milestone.id === id)
  const isLast = index === state.milestones.length - 1
  const earlierPassed =
    !isLast || state.milestones.slice(0, index).every((earlier) => earlier.status === "passed")
  return earlierPassed && unitsOf(state, id).every((run) => run.status === "done")
}

/** What may be done now, in the order of the mission. */
export const due = (state: MissionState): ReadonlyArray<Due> => [
  ...state.units.filter((run) => mayStart(state, run)).map((run): Due => ({ _tag: "start", run })),
  ...state.milestones
    .filter((milestone) => mayValidate(state, milestone))
    .map(({ id, rounds }): Due => ({ _tag: "validate", milestone: id, round: rounds + 1 }))
]

const withUnit = (state: MissionState, id: string, change: (run: UnitRun) => UnitRun): MissionState => ({
  ...state,
  units: state.units.map((run) => (run.unit.id === id ? change(run) : run))
})

const withMilestone = (
  state: MissionState,
  id: string,
  change: (milestone: MilestoneRun) => MilestoneRun
): MissionState => ({
  ...state,
  milestones: state.milestones.map((milestone) => (milestone.id === id ? change(milestone) : milestone))
})

const attempted = (run: UnitRun, event: Extract<MissionEvent, { readonly _tag: "attempted" }>): UnitRun => {
  const told = {
    ...run,
    proofs: event.proofs,
    ...defined({ handoff: event.handoff })
  }
  if (event.failure !== undefined) return { ...told, status: "failed", failure: event.failure }
  const passed =
    event.handoff !== undefined &&
    event.proofs.length === run.unit.proofs.length &&
    event.proofs.every(proofPassed)
  if (passed) return { ...told, status: "done" }
  if (run.attempts < run.unit.maxAttempts) return { ...told, status: "waiting" }
  const failed = event.proofs.filter((proof) => !proofPassed(proof)).map(({ id }) => id)
  const message = `after ${run.attempts} attempts, not passed: ${failed.join(", ") || "a proof that did not run"}`
  return { ...told, status: "failed", failure: { code: "proof_failed", message } }
}

/** Failed assertions, given back to the units that claim them. The tier, proofs and attempts are the unit's own. */
const fixUnits = (
  state: MissionState,
  round: number,
  failed: ReadonlyArray<Finding>
): ReadonlyArray<UnitRun> =>
  state.mission.units.flatMap((unit): ReadonlyArray<UnitRun> => {
    const own = failed.filter(({ claim }) => unit.fulfills.includes(claim))
    if (own.length === 0) return []
    const earlier = state.units.filter((run) => run.unit.fixes === unit.id).length
    const told = own.map((finding) => JSON.stringify(finding)).join("\n")
    const fix: Unit = {
      ...unit,
      id: `fix-${earlier + 1}-${unit.id}`,
      prompt: `${unit.prompt}\n\nThis was done, and validation ${round} found it wanting. Mend what these findings say:\n${told}`,
      fulfills: own.map(({ claim }) => claim),
      dependsOn: [unit.id],
      fixes: unit.id
    }
    return [{ unit: fix, status: "waiting", attempts: 0, proofs: [] }]
  })

const validated = (state: MissionState, id: string, findings: ReadonlyArray<Finding>): MissionState => {
  const wanted = state.mission.milestones.find((milestone) => milestone.id === id)?.assertions ?? []
  const failed = wanted.flatMap((assertion): ReadonlyArray<Finding> => {
    const finding = findings.find(({ claim }) => claim === assertion.id)
    if (finding?.finding === "proven") return []
    const { evidence, id: claim, oracle } = assertion
    return [
      finding ?? {
        claim,
        oracle,
        evidence,
        finding: "unproven",
        code: "undecided",
        reason: "no finding on it"
      }
    ]
  })
  const rounds = (state.milestones.find((milestone) => milestone.id === id)?.rounds ?? 0) + 1
  const status = failed.length === 0 ? "passed" : rounds > state.mission.maxFixRounds ? "failed" : "open"
  const next = withMilestone(state, id, (milestone) => ({ ...milestone, status, rounds, findings }))
  return status === "open" ? { ...next, units: [...next.units, ...fixUnits(state, rounds, failed)] } : next
}

/**
 * 1. A unit starts only when all it depends on is done.
 * 2. A unit starts at most `maxAttempts` times.
 * 3. Done, failed and parked are final.
 * 4. A unit is done only if its worker handed over and every one of its proofs exited with 0.
 * 5. A milestone is validated only when its units and their fixes are done; the last one only after all others.
 * 6. A milestone passes only if every one of its assertions is proven: unproven and missing findings do not.
 * 7. Each validation that fails makes one fix unit for each unit whose assertions failed, at most `maxFixRounds`
 *    times; a fix keeps the tier and the proofs of what it fixes.
 * 8. An event that is not due changes nothing.
 */
export const step = (state: MissionState, event: MissionEvent): MissionState => {
  switch (event._tag) {
    case "started": {
      const run = unitRun(state, event.unit)
      if (run === undefined || !mayStart(state, run)) return state
      return withUnit(state, event.unit, (is) => ({ ...is, status: "running", attempts: is.attempts + 1 }))
    }
    case "attempted":
      return withUnit(state, event.unit, (run) => (run.status === "running" ? attempted(run, event) : run))
    case "parked":
      return withUnit(state, event.unit, (run) =>
        run.status === "running" ? { ...run, status: "parked" } : run
      )
    case "validating": {
      const milestone = state.milestones.find(({ id }) => id === event.milestone)
      if (milestone === undefined || !mayValidate(state, milestone)) return state
      return withMilestone(state, event.milestone, (is) => ({ ...is, status: "validating" }))
    }
    case "validated": {
      const milestone = state.milestones.find(({ id }) => id === event.milestone)
      return milestone?.status === "validating" ? validated(state, event.milestone, event.findings) : state
    }
  }
}

const active = (state: MissionState): boolean =>
  state.units.some(({ status }) => status === "running") ||
  state.milestones.some(({ status }) => status === "validating")

/**
 * 9. Done only if every unit is done and every milestone passed; parked if what is not done waits for a person;
 *    else failed. Working while something runs or is due.
 */
export const outcome = (state: MissionState): "working" | "done" | "parked" | "failed" => {
  if (active(state) || due(state).length > 0) return "working"
  if (
    state.units.every(({ status }) => status === "done") &&
    state.milestones.every(({ status }) => status === "passed")
  ) {
    return "done"
  }
  const failed =
    state.units.some(({ status }) => status === "failed") ||
    state.milestones.some(({ status }) => status === "failed")
  return !failed && state.units.some(({ status }) => status === "parked") ? "parked" : "failed"
}

/** What units have handed over so far, as files: what proofs over the whole rest on. */
export const handedOver = (state: MissionState): ReadonlyArray<string> =>
  state.units.flatMap(({ handoff }) => handoff?.files ?? [])
