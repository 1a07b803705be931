// What is proven at the end, and of what: every proof, of units too, and every assertion on one state of the working
// directory, which is the same when they are done as it was when they began.
import { Cause, Effect } from "effect"
import { currentRules, firstRules } from "../../domain/run/rules.ts"
import { checkClaims } from "../../verifier/checkClaims.ts"
import type { Finding } from "../../verifier/Finding.ts"
import { gatherEvidence, restsOn } from "./gatherEvidence.ts"
import { finalMilestone } from "../loadMission.ts"
import { proofPassed, type Mission, type Proof, type ProofResult } from "../Mission.ts"
import type { MissionState } from "../missionState.ts"
import { changedIn, evidenceReader, folderAt, seenAt, type Inputs, type Moment } from "./observations.ts"
import { changesTold, readBy, someOf } from "./proofScripts.ts"
import type { MissionPorts } from "../MissionPorts.ts"

/** How often everything is proven again because what was proven has changed meanwhile. */
export const maxLooks = 3

/** `failed`: proofs that do not pass. `moving`: paths that change whenever everything is proven. */
export interface FinalState {
  readonly inputs: Inputs
  readonly failed: ReadonlyArray<string>
  readonly findings: ReadonlyArray<Finding>
  readonly moving: ReadonlyArray<string>
}

const keyOf = ({ command, timeoutMs }: Proof): string => JSON.stringify([command, timeoutMs])

/** Every command of the mission once: the contract's, then those of units. */
const proofsOf = (mission: Mission, state: MissionState): ReadonlyArray<Proof> => {
  const proofs = new Map<string, Proof>()
  for (const proof of [...mission.proofs, ...state.units.flatMap(({ unit }) => unit.proofs)]) {
    if (!proofs.has(keyOf(proof))) proofs.set(keyOf(proof), proof)
  }
  return [...proofs.values()]
}

const lookedAt = Effect.fnUntraced(function* <R>(
  mission: Mission,
  ports: MissionPorts<R>,
  state: MissionState,
  { round, task }: Moment
) {
  const assertions = mission.milestones.at(-1)?.assertions ?? []
  const proofs = proofsOf(mission, state)
  const looked = restsOn(mission, state, finalMilestone)
  const isForecast = ports.isForecast === true
  for (let look = 1; ; look++) {
    const at = { task: look === 1 ? task : `${task}#${look}`, round }
    const before = isForecast ? [] : yield* folderAt(ports, { ...at, task: `${at.task}/before` }, looked)
    const results = new Map<string, ProofResult>()
    for (const proof of proofs) {
      results.set(keyOf(proof), yield* ports.prove({ proof, ...at, inputs: before }))
    }
    const failed = proofs.flatMap((proof) => {
      const result = results.get(keyOf(proof))
      return result !== undefined && proofPassed(result) ? [] : [proof.id]
    })
    // Nothing acted, so that there is nothing to look at.
    if (isForecast) {
      const findings = state.milestones.at(-1)?.findings ?? []
      return { inputs: [], failed, findings, moving: [] } satisfies FinalState
    }
    const evidence = yield* gatherEvidence(mission, assertions, evidenceReader(ports, at), (proof) => {
      const result = results.get(keyOf(proof))
      return result === undefined ? ports.prove({ proof, ...at, inputs: before }) : Effect.succeed(result)
    })
    const findings = checkClaims(assertions, evidence)
    const after = yield* folderAt(ports, { ...at, task: `${at.task}/after` }, looked)
    const moving = changedIn(before, after)
    const proven: FinalState = { inputs: after, failed, findings, moving }
    if (failed.length > 0 || moving.length === 0 || look === maxLooks) return proven
  }
})

/**
 * 1. Every proof is run, and every assertion checked, after the last worker, on one state: files have the same hashes
 *    before and after. Else all of it is done again, `maxLooks` times at most.
 * 2. Evidence that is a proof is that run of it. Evidence that is a file is read between the two looks.
 * 3. A proof that fails in any of these looks has failed.
 * 4. What still changes in the last look is not proven.
 * 5. What breaks while it is looked at is not proven.
 */
export const proveFinalState = <R>(
  mission: Mission,
  ports: MissionPorts<R>,
  state: MissionState,
  at: Moment
): Effect.Effect<FinalState, never, R> =>
  Effect.catchCause(lookedAt(mission, ports, state, at), (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.succeed<FinalState>({
          inputs: [],
          failed: ["it broke inside; this is a defect of Alembic or of a service it uses"],
          findings: [],
          moving: []
        })
  )

/** What stands there before the first worker: files that proofs name are looked at again at the end. */
export const beforeWork = <R>(mission: Mission, ports: MissionPorts<R>) =>
  mission.units.length === 0 || ports.isForecast === true || (ports.rules ?? currentRules) === firstRules
    ? Effect.succeed<Inputs>([])
    : folderAt(ports, { task: `${mission.id}/start`, round: 0 }, [])

/** Which files that proofs are made of are others than before the first worker, in words; empty: none. */
export const changedScripts = Effect.fnUntraced(function* <R>(
  mission: Mission,
  ports: MissionPorts<R>,
  state: MissionState,
  before: Inputs,
  { inputs }: FinalState
) {
  if (before.length === 0 || changedIn(before, inputs).length === 0) return ""
  const proofs = proofsOf(mission, state)
  const at = { task: `${mission.id}/scripts`, round: 0 }
  return changesTold(proofs, before, inputs, yield* seenAt(ports, at, readBy(proofs, inputs, ports.readFile)))
})

/** Why nothing is proven although proofs passed: what they were run on was never the same before and after. */
export const whyMoving = ({ moving }: FinalState): string | undefined =>
  moving.length === 0
    ? undefined
    : `${someOf(moving)} changed while everything was proven, ${maxLooks} times; what proofs only write, and nothing rests on, is named under "scratch" in the contract`

/** Why the state at the end is not proven by its proofs, or undefined: it is. */
export const whyNotProven = (proven: FinalState): string | undefined =>
  proven.failed.length > 0 ? `not passed: ${proven.failed.join(", ")}` : whyMoving(proven)
