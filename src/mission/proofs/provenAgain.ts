// provenAgain: what the missions of a run have proven, on what stands there when the plan has returned. A later
// mission, a call that acts, or whatever somebody left running may have broken it since.
import { Effect, Schema } from "effect"
import type { Contract } from "../../domain/Contract.ts"
import { restsOn } from "./gatherEvidence.ts"
import { bareMission, finalMilestone, proofsOf } from "../loadMission.ts"
import { ProofRef, type Mission, type Unit } from "../Mission.ts"
import { initialState, type MissionState } from "../missionState.ts"
import { folderAt, stateOf } from "./observations.ts"
import type { MissionPorts } from "../MissionPorts.ts"

/** A mission that is done: proofs of its units, files they handed over, and the state that all was proven on. */
export const DoneMission = Schema.Struct({
  title: Schema.String,
  proof: Schema.Array(ProofRef),
  files: Schema.Array(Schema.String),
  /** Absent where it is not known: then it is proven again. */
  state: Schema.optionalKey(Schema.String)
})
export type DoneMission = typeof DoneMission.Type

const unitOf = (contract: Contract, { proof, title }: DoneMission): Unit => ({
  id: title,
  prompt: title,
  proofs: proofsOf(contract, proof),
  fulfills: [],
  dependsOn: [],
  tier: "T1",
  local: false,
  maxAttempts: 1
})

/** All of the missions as one whose work is done, and which is left to go through its gates. */
export const asOne = (
  contract: Contract,
  missions: ReadonlyArray<DoneMission>
): { readonly mission: Mission; readonly state: MissionState } => {
  const bare = bareMission(contract)
  const units = missions.map((done) => unitOf(contract, done))
  const mission = { ...bare, units }
  const state: MissionState = {
    mission,
    units: missions.map(({ files }, index) => ({
      unit: units[index] ?? unitOf(contract, { title: "", proof: [], files: [] }),
      status: "done",
      attempts: 1,
      handoff: { summary: "", files, notes: "" },
      proofs: []
    })),
    milestones: initialState(mission).milestones.map((milestone) => ({ ...milestone, status: "passed" }))
  }
  return { mission, state }
}

/**
 * The missions whose state at their end is not what stands there now. Each is looked at as it was then: the folder, and
 * the files that it handed over or that are evidence. `task`: which look it is.
 */
export const changedSince = Effect.fnUntraced(function* <R>(
  contract: Contract,
  missions: ReadonlyArray<DoneMission>,
  ports: MissionPorts<R>,
  task: string
) {
  const changed: Array<DoneMission> = []
  for (const [index, done] of missions.entries()) {
    const { mission, state } = asOne(contract, [done])
    const at = { task: `${task}-${index + 1}`, round: 0 }
    const now = yield* folderAt(ports, at, restsOn(mission, state, finalMilestone))
    if (done.state === undefined || stateOf(ports, now) !== done.state) changed.push(done)
  }
  return changed
})
