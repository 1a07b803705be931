// Gates: Scope → Council → Proof → Validator → Publish, those that the contract asks for, each decided once, in
// order, each failing closed. Pure; who decides a gate is runMission.ts.
import type { Contract } from "../domain/Contract.ts"
import type { GateDecision, GateName, Mission } from "./Mission.ts"

/** The gates of a mission in their order, and what was decided so far. */
export interface Gates {
  readonly order: ReadonlyArray<GateName>
  readonly decided: ReadonlyArray<GateDecision>
}

export const gatesOf = (mission: Mission, contract: Contract): Gates => {
  const proves = mission.proofs.length > 0 || mission.units.some(({ proofs }) => proofs.length > 0)
  const order: ReadonlyArray<GateName> = [
    "scope",
    ...(contract.council === undefined ? [] : (["council"] as const)),
    ...(proves ? (["proof"] as const) : []),
    ...((contract.assertions ?? []).length === 0 ? [] : (["validator"] as const)),
    ...(contract.publish === true ? (["publish"] as const) : [])
  ]
  return { order, decided: [] }
}

/** The gate to be decided next, or undefined: all are, or one has failed. */
export const nextGate = ({ decided, order }: Gates): GateName | undefined =>
  decided.every(({ pass }) => pass) ? order[decided.length] : undefined

/**
 * 1. Gates are decided in their order; a decision on any other gate changes nothing.
 * 2. A gate is decided once.
 * 3. After one has failed nothing is decided: everything behind it stays closed.
 */
export const decideGate = (gates: Gates, decision: GateDecision): Gates =>
  decision.gate === nextGate(gates) ? { ...gates, decided: [...gates.decided, decision] } : gates

/** 4. No worker is dispatched before Scope and, where there is one, Council have passed. */
export const mayWork = (gates: Gates): boolean => {
  const next = nextGate(gates)
  return gates.decided.every(({ pass }) => pass) && next !== "scope" && next !== "council"
}

/** 5. All have passed, or it is not passed: an undecided gate is a closed one. */
export const allPassed = ({ decided, order }: Gates): boolean =>
  decided.length === order.length && decided.every(({ pass }) => pass)
