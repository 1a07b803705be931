// What a mission answers, out of the state of its work and its gates.
import { defined } from "../domain/defined.ts"
import type { Finding } from "../verifier/Finding.ts"
import { allPassed, type Gates } from "./gates.ts"
import type { Mission, MissionResult } from "./Mission.ts"
import { outcome, unitRun, type MissionState } from "./missionState.ts"
import { taskId } from "./unitPrompt.ts"

/** Why a mission is not done, in one line: who waits, which gate is closed, which units failed. */
const errorOf = (
  state: MissionState,
  gates: Gates,
  parked: ReadonlyArray<string>
): NonNullable<MissionResult["error"]> => {
  const closed = gates.decided.find(({ pass }) => !pass)
  const failed = state.units.flatMap(({ failure: why, unit }) =>
    why === undefined ? [] : [`${unit.id}: ${why.message}`]
  )
  const [code, message] =
    failed.length > 0
      ? ["unit_failed", failed.join("; ")]
      : closed !== undefined
        ? ["gate_failed", `${closed.gate}: ${closed.detail}`]
        : parked.length > 0
          ? ["parked", `waiting for a person: ${parked.join(", ")}`]
          : ["not_validated", "a milestone did not pass"]
  return { code, message, retryable: false }
}

/**
 * `waiting`: items besides its parked units that wait for a person. `findings`: on the state at the end. `seen`:
 * fingerprint of that state.
 */
export const resultOf = (
  mission: Mission,
  state: MissionState,
  gates: Gates,
  waiting: ReadonlyArray<string>,
  findings?: ReadonlyArray<Finding>,
  seen?: string
): MissionResult => {
  const parked = [
    ...state.units.filter(({ status }) => status === "parked").map(({ unit }) => taskId(mission, unit)),
    ...waiting
  ]
  const ok = allPassed(gates) && outcome(state) === "done"
  const failed = outcome(state) === "failed" || gates.decided.some(({ pass }) => !pass)
  return {
    ok,
    status: ok ? "done" : !failed && parked.length > 0 ? "parked" : "failed",
    mission: mission.id,
    title: mission.title,
    units: state.units.map(({ attempts, failure: why, handoff, proofs, status, unit }) => ({
      id: unit.id,
      status,
      attempts,
      ...defined({ fixes: unit.fixes, handoff }),
      proofs,
      ...defined({ failure: why })
    })),
    gates: gates.decided,
    assertions: findings ?? state.milestones.at(-1)?.findings ?? [],
    parked,
    coverage: {
      done: mission.units.filter(({ id }) => unitRun(state, id)?.status === "done").length,
      of: mission.units.length
    },
    ...(ok && seen !== undefined ? { state: seen } : {}),
    ...(ok ? {} : { error: errorOf(state, gates, parked) })
  }
}
