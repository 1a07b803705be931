// Gates of a run: which gates a contract asks for are not yet decided when the plan has returned, and how. Pure; the
// gates of a mission are mission/gates.ts, and doing what is due is gatedPlan.ts and gatesSubflow.ts.
import type { Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import type { GateName } from "../../mission/Mission.ts"
import type { DoneMission } from "../../mission/proofs/provenAgain.ts"

/** Where a mission is when the plan has returned. Of `invalid` nothing was begun; `running` is one nobody waits for. */
export type MissionEnd = "running" | "done" | "failed" | "invalid" | "abandoned"

export interface MissionSeen extends Omit<DoneMission, "state"> {
  readonly end: MissionEnd
  /** One of its units has a proof of its own, so that it has a Proof gate whatever the contract asks for. */
  readonly proves: boolean
  /** Of one that is done: fingerprint of the state that all was proven on, where that is known. */
  readonly state?: string | undefined
}

export interface RunGates {
  /** The gates the contract asks for, in their order. */
  readonly asked: ReadonlyArray<GateName>
  /** Gates that have passed since the run was last reopened, whoever decided them. */
  readonly passed: ReadonlySet<string>
  /** A gate has failed, or the run fails anyway. */
  readonly closed: boolean
  readonly missions: ReadonlyArray<MissionSeen>
}

/** What is due before the run may be completed. */
export type GateDue =
  | { readonly _tag: "none" }
  /** `missions`: what they have proven holds on the state now, or else Proof and Validator are decided anew. */
  | {
      readonly _tag: "decide"
      readonly gates: ReadonlyArray<GateName>
      readonly missions: ReadonlyArray<DoneMission>
    }
  | { readonly _tag: "close"; readonly gate: GateName; readonly why: string }

export const askedGates = (contract: Contract | undefined): ReadonlyArray<GateName> => [
  ...(contract?.council === undefined ? [] : (["council"] as const)),
  ...((contract?.proofs ?? []).length === 0 ? [] : (["proof"] as const)),
  ...((contract?.assertions ?? []).length === 0 ? [] : (["validator"] as const)),
  ...(contract?.publish === true ? (["publish"] as const) : [])
]

const isUnfinished = ({ end }: MissionSeen): boolean => end !== "done" && end !== "invalid"

const whyUnfinished = ({ end, title }: MissionSeen): string =>
  end === "failed"
    ? `the mission "${title}" failed`
    : `the plan did not wait for the mission "${title}": its units are not done`

const doneOf = ({ files, proof, state, title }: MissionSeen): DoneMission => ({
  title,
  proof,
  files,
  ...defined({ state })
})

/**
 * 1. Nothing is due after a gate has failed: everything behind it stays closed.
 * 2. A gate that has passed is not decided again, but for Proof and Validator by 7.
 * 3. Without an unfinished mission every gate that was asked for and has not passed is decided, in the order.
 * 4. With an unfinished mission nothing passes any more: the first gate behind Council that is not decided fails, and
 *    Proof where all are; unless no gate was asked for and none of its units has a proof.
 * 5. A mission that did not load meets nothing and fails nothing: its gates are decided as if it had not been called.
 * 6. What was lost, or accepted as lost, is not asked about here.
 * 7. What missions that are done have proven has to hold when the plan has returned: all of them are looked at again,
 *    whatever has passed. What was published before stays what stood there then: Publish is not asked again.
 */
export const gateDue = ({ asked, closed, missions, passed }: RunGates): GateDue => {
  if (closed) return { _tag: "none" }
  const left = asked.filter((gate) => !passed.has(gate))
  const unfinished = missions.find((mission) => isUnfinished(mission) && (asked.length > 0 || mission.proves))
  if (unfinished !== undefined) {
    const gate = left.find((name) => name !== "council") ?? "proof"
    return { _tag: "close", gate, why: whyUnfinished(unfinished) }
  }
  const proven = missions.filter(
    ({ end, proves }) =>
      end === "done" && (proves || asked.some((gate) => gate === "proof" || gate === "validator"))
  )
  return left.length === 0 && proven.length === 0
    ? { _tag: "none" }
    : { _tag: "decide", gates: left, missions: proven.map(doneOf) }
}
