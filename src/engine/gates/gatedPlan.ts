// gatedPlan: a plan between its gates. Seen from the engine it is a plan that first calls for the council of its
// contract, and before it returns calls for the gates that nothing has decided yet; so the gates of a run are calls
// of it like a mission is, and are journaled, bounded, resumed and paid once like one.
import { Effect, Option, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Contract } from "../../domain/Contract.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import type {
  Answer,
  DrivenTurn,
  OwnWork,
  PlanCall,
  PlanDriver,
  PlanState,
  StepCall
} from "../../plan/host/PlanProtocol.ts"
import { ProofRef } from "../../mission/Mission.ts"
import { GatesSpec } from "./GatesSpec.ts"
import { askedGates, gateDue, type MissionSeen, type RunGates } from "./runGates.ts"

/** The call by which a run's gates are decided. Its number is none of the plan's. */
export interface GatesCall {
  readonly t: "call"
  readonly n: 0
  readonly verb: "gates"
  readonly options: Json
  readonly phase?: never
  readonly site?: never
}

/** A turn of a plan, or of its gates. */
export interface GatedTurn extends Omit<DrivenTurn, "requests"> {
  readonly requests: ReadonlyArray<DrivenTurn["requests"][number] | GatesCall>
}

/** Whoever drives a run's plan: the plan itself, or the plan between its gates. */
export interface RunDriver {
  readonly own?: OwnWork<GatedTurn>
  readonly start: Effect.Effect<GatedTurn>
  readonly deliver: (answers: ReadonlyArray<Answer>) => Effect.Effect<GatedTurn>
}

/** What a run knows of its gates when it asks. `passed`: in missions. */
export interface GatesSeen {
  readonly passed: RunGates["passed"]
  readonly closed: boolean
  readonly reopened: number
}

export interface GatedPlan {
  readonly driver: RunDriver
  /** What the council said that was held before the plan began. */
  readonly council: () => CouncilSaid | undefined
}

const CouncilSaid = Schema.Struct({
  decision: Schema.optionalKey(Schema.String),
  conclusive: Schema.optionalKey(Schema.Boolean)
})
export type CouncilSaid = typeof CouncilSaid.Type

const encodeSpec = Schema.encodeSync(GatesSpec)
const decodeAnswer = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ ok: Schema.Boolean, council: Schema.optionalKey(CouncilSaid) }))
)
const decodeMission = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      ok: Schema.Boolean,
      status: Schema.optionalKey(Schema.String),
      adapterId: Schema.optionalKey(Schema.String),
      state: Schema.optionalKey(Schema.String),
      units: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            handoff: Schema.optionalKey(Schema.Struct({ files: Schema.Array(Schema.String) }))
          })
        )
      )
    })
  )
)
const decodeUnits = Schema.decodeUnknownOption(
  Schema.Struct({
    title: Schema.optionalKey(Schema.String),
    units: Schema.optionalKey(
      Schema.Array(Schema.Struct({ proof: Schema.optionalKey(Schema.Array(ProofRef)) }))
    )
  })
)

const callOf = (spec: GatesSpec): GatesCall => ({ t: "call", n: 0, verb: "gates", options: encodeSpec(spec) })

/** What a mission's answer says of it: a subflow that did not take the mission answers as a call that failed. */
const endOf = (json: string): Pick<MissionSeen, "end"> & Partial<MissionSeen> => {
  const answer = Option.getOrUndefined(decodeMission(json))
  if (answer === undefined) return { end: "failed" }
  const { adapterId, ok, state, status, units = [] } = answer
  if (!ok || status !== "done") return { end: adapterId === "mission" ? "invalid" : "failed" }
  return { end: "done", state, files: units.flatMap(({ handoff }) => handoff?.files ?? []) }
}

const missionOf = (options: Json): MissionSeen => {
  const { title = "", units = [] } = Option.getOrUndefined(decodeUnits(options)) ?? {}
  const proof = units.flatMap((unit) => unit.proof ?? [])
  return { title, end: "running", proves: proof.length > 0, proof, files: [] }
}

/** Whether a contract can ask a run for anything: without one that can, no gate is due. */
const mayAsk = (contract: Contract | undefined): contract is Contract =>
  askedGates(contract).length > 0 || (contract?.commands ?? []).length > 0

/**
 * 1. Nothing of the plan is run before the council has passed, where it is held first (`councilFirst`).
 * 2. The plan's return is told only after nothing is due any more.
 * 3. What the plan does not wait for when it returns is given up before its gates are decided.
 * 4. A plan that fails is told at once: there is nothing to let through.
 */
export const gatedPlan = (
  plan: PlanDriver,
  contract: Contract | undefined,
  options: { readonly councilFirst: boolean; readonly seen: () => GatesSeen }
): GatedPlan => {
  let council: CouncilSaid | undefined
  if (!mayAsk(contract)) return { driver: plan, council: () => council }
  const pending = new Set<number>()
  const missions = new Map<number, MissionSeen>()
  let isHeld = !options.councilFirst || contract.council === undefined
  let councilPassed = false
  let isAtEnd = false
  let returned: PlanState = { t: "returned" }

  const ended = (n: number, end: ReturnType<typeof endOf>): void => {
    const mission = missions.get(n)
    if (mission?.end === "running") missions.set(n, { ...mission, ...end })
  }

  const issued = (call: PlanCall | StepCall): void => {
    pending.add(call.n)
    if (call.verb === "mission") missions.set(call.n, missionOf(call.options))
  }

  const specAtEnd = (result: string | undefined): GatesSpec | undefined => {
    const { closed, passed, reopened } = options.seen()
    const held = councilPassed ? ["council"] : []
    const due = gateDue({
      asked: askedGates(contract),
      passed: new Set([...passed, ...held]),
      closed,
      missions: [...missions.values()]
    })
    if (due._tag === "none") return undefined
    const at = { at: "end" as const, result: sha256(result ?? ""), reopened }
    if (due._tag === "close") return { ...at, close: due.gate, why: due.why }
    return {
      ...at,
      decide: due.gates,
      ...(due.missions.length === 0 ? {} : { missions: due.missions })
    }
  }

  /** What the plan did in the turn, and which of its calls the turn has answered: also one that it made in it. */
  const after = (turn: DrivenTurn, answers: ReadonlyArray<Answer> = []): GatedTurn => {
    for (const request of turn.requests) {
      if (request.t === "call") issued(request)
      if (request.t !== "cancel") continue
      pending.delete(request.n)
      ended(request.n, { end: "abandoned" })
    }
    for (const { json, n } of answers.slice(0, turn.delivered)) {
      pending.delete(n)
      if (missions.has(n)) ended(n, endOf(json))
    }
    const { state } = turn
    const spec = state.t === "returned" ? specAtEnd(state.result) : undefined
    if (spec === undefined) return turn
    returned = state
    isAtEnd = true
    const givenUp = [...pending].map((n) => ({ t: "cancel" as const, n }))
    pending.clear()
    return { ...turn, requests: [...turn.requests, ...givenUp, callOf(spec)], state: { t: "waiting" } }
  }

  const begin = Effect.map(plan.start, (turn) => after(turn))

  /** The gates have answered. One that failed before the plan began leaves nothing to begin: it is the result. */
  const onGates = (json: string): Effect.Effect<GatedTurn> => {
    const isFirst = !isHeld
    isHeld = true
    const answer = Option.getOrUndefined(decodeAnswer(json))
    if (isFirst) council = answer?.council
    if (isFirst) councilPassed = answer?.ok === true
    if (isFirst && answer?.ok !== true) returned = { t: "returned", result: json }
    return isFirst && answer?.ok === true
      ? Effect.map(begin, (turn) => ({ ...turn, delivered: 1 }))
      : Effect.succeed({ requests: [], delivered: 1, state: returned })
  }

  /** A plan that has returned does nothing more while its gates are decided. */
  const ownOf = (own: OwnWork<DrivenTurn>): OwnWork<GatedTurn> => ({
    onMoved: own.onMoved,
    goesOn: () => (isAtEnd ? "no" : own.goesOn()),
    turn: Effect.suspend(() =>
      isAtEnd
        ? Effect.succeed<GatedTurn>({ requests: [], delivered: 0, state: { t: "waiting" } })
        : Effect.map(own.turn, (turn) => after(turn))
    )
  })

  return {
    council: () => council,
    driver: {
      ...(plan.own === undefined ? {} : { own: ownOf(plan.own) }),
      start: Effect.suspend(() =>
        isHeld
          ? begin
          : Effect.succeed<GatedTurn>({
              requests: [callOf({ at: "start" })],
              delivered: 0,
              state: { t: "waiting" }
            })
      ),
      deliver: (answers) => {
        const [first] = answers
        if (first?.n === 0) return onGates(first.json)
        return Effect.map(plan.deliver(answers), (turn) => after(turn, answers))
      }
    }
  }
}
