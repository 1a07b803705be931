// runMission: does what the state of a mission says is due, through the ports it is given, so that whoever gives
// them can journal, bound and replay every call, proof, answer and decision. It never fails: what goes wrong is in
// the result, closed.
import { Cause, Deferred, Effect, Queue, Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { Contract } from "../domain/Contract.ts"
import { currentRules, firstRules } from "../domain/run/rules.ts"
import { checkClaims, tally } from "../verifier/checkClaims.ts"
import { proven } from "../verifier/Finding.ts"
import { gatherEvidence, restsOn } from "./proofs/gatherEvidence.ts"
import { beforeWork, changedScripts, proveFinalState, whyMoving, whyNotProven } from "./proofs/finalState.ts"
import { decideGate, gatesOf, mayWork, nextGate } from "./gates.ts"
import { loadMission, noticesOf } from "./loadMission.ts"
import { proofPassed, type GateName, type Mission, type MissionResult, type ProofResult } from "./Mission.ts"
import {
  due,
  initialState,
  outcome,
  step,
  unitRun,
  type Due,
  type MissionEvent,
  type MissionState,
  type UnitRun
} from "./missionState.ts"
import type { Approval, ApprovalWanted, CouncilVerdict, MissionPorts } from "./MissionPorts.ts"
import { publish } from "./publish.ts"
import { resultOf } from "./missionResult.ts"
import { admission, type CouncilWord } from "./tiers.ts"
import { evidenceReader, inputsAt, stateOf } from "./proofs/observations.ts"
import { attemptCall, contentOf, handoffOf, shortened, taskId } from "./unitPrompt.ts"

interface Work<R> {
  /** Asks a person, and gives up the unit's place meanwhile. */
  readonly asking: (approval: Effect.Effect<Approval, never, R>) => Effect.Effect<Approval, never, R>
  readonly mission: Mission
  readonly ports: MissionPorts<R>
  readonly council: CouncilWord | undefined
}

const failure = (code: "worker_failed" | "not_approved" | "not_local", message: string) => ({ code, message })

/** One attempt of a unit: admitted by its tier, done by a worker, proven by its commands. */
const attempt = Effect.fnUntraced(function* <R>(work: Work<R>, state: MissionState, run: UnitRun) {
  const { council, mission, ports } = work
  const { unit } = run
  const ended = (
    rest: Omit<Extract<MissionEvent, { readonly _tag: "attempted" }>, "_tag" | "unit">
  ): MissionEvent => ({
    _tag: "attempted",
    unit: unit.id,
    ...rest
  })
  if (unit.local && !(ports.isLocal !== undefined && (yield* ports.isLocal(unit.model)))) {
    return ended({
      proofs: [],
      failure: failure("not_local", "a LOCAL unit runs on local, free models only")
    })
  }
  // A unit that was let in once is not asked for again when it is tried again.
  const isTried = run.attempts > 0
  const admitted = admission(unit.tier, council, isTried)
  const why = admitted._tag === "park" ? admitted.why : "T3 runs after a council said GO"
  const wanted: ApprovalWanted = {
    item: taskId(mission, unit),
    why: `${why}: ${shortened(unit.prompt)}`,
    content: contentOf(unit),
    ...(unit.fixes === undefined ? { before: why } : {})
  }
  const isByCouncil = admitted._tag === "run" && unit.tier === "T3" && !isTried && ports.waive !== undefined
  if (admitted._tag === "park" || (isByCouncil && !(yield* ports.waive(wanted)))) {
    const approval = yield* work.asking(ports.approve(wanted))
    if (approval === "parked") return { _tag: "parked", unit: unit.id } satisfies MissionEvent
    if (approval === "refused")
      return ended({ proofs: [], failure: failure("not_approved", "a person refused it") })
  }
  const before = unit.dependsOn.flatMap((id) => {
    const handoff = unitRun(state, id)?.handoff
    return handoff === undefined ? [] : [{ unit: id, handoff }]
  })
  const result = yield* ports.ask(attemptCall(mission, run, before))
  const handoff = handoffOf(result)
  if (Result.isFailure(handoff)) {
    const { error, status } = handoff.failure
    if (status === "parked") return { _tag: "parked", unit: unit.id } satisfies MissionEvent
    return ended({
      proofs: [],
      failure: failure("worker_failed", `${error.code}: ${error.message}`)
    })
  }
  const at = { task: taskId(mission, unit), round: run.attempts + 1 }
  const inputs = unit.proofs.length === 0 ? [] : yield* inputsAt(ports, at, handoff.success.files)
  const proofs: Array<ProofResult> = []
  for (const proof of unit.proofs) {
    const proven = yield* ports.prove({ proof, ...at, inputs })
    proofs.push(proven)
    // What failed closed needs no further proofs of the same attempt.
    if (!proofPassed(proven)) break
  }
  return ended({ handoff: handoff.success, proofs })
})

/** The validator: evidence gathered now, the contract's assertions checked on it. No prose goes in. */
const validate = Effect.fnUntraced(function* <R>(
  work: Omit<Work<R>, "asking">,
  state: MissionState,
  milestone: string,
  round: number
) {
  const { mission, ports } = work
  const assertions = mission.milestones.find(({ id }) => id === milestone)?.assertions ?? []
  if (ports.isForecast === true && round > mission.maxFixRounds) {
    const findings = assertions.map(({ evidence, id: claim, oracle }) => ({
      claim,
      oracle,
      evidence,
      ...proven
    }))
    return { _tag: "validated", milestone, findings } satisfies MissionEvent
  }
  const at = { task: `${mission.id}/validator-${milestone}`, round }
  const inputs = yield* inputsAt(ports, at, restsOn(mission, state, milestone))
  const evidence = yield* gatherEvidence(mission, assertions, evidenceReader(ports, at), (proof) =>
    ports.prove({ proof, ...at, inputs })
  )
  return { _tag: "validated", milestone, findings: checkClaims(assertions, evidence) } satisfies MissionEvent
})

/** What is left after a port broke: the unit, or the milestone, fails closed. */
const broken = (action: Due): MissionEvent =>
  action._tag === "start"
    ? {
        _tag: "attempted",
        unit: action.run.unit.id,
        proofs: [],
        failure: failure(
          "worker_failed",
          "it broke inside; this is a defect of Alembic or of a service it uses"
        )
      }
    : { _tag: "validated", milestone: action.milestone, findings: [] }

const begun = (action: Due): MissionEvent =>
  action._tag === "start"
    ? { _tag: "started", unit: action.run.unit.id }
    : { _tag: "validating", milestone: action.milestone }

const recordOf = ({ _tag: t, ...rest }: MissionEvent): readonly [string, Json] => [
  t,
  JSON.parse(JSON.stringify(rest))
]

/** What comes in while the work is done: an end, or a place that is given up for as long as a person is asked. */
type Message =
  | { readonly _tag: "ended"; readonly end: MissionEvent }
  | { readonly _tag: "left" }
  | { readonly _tag: "back"; readonly go: Deferred.Deferred<void> }

/**
 * Does the work: what is due is begun, at most `concurrency` at once, and every end is recorded before the next is
 * looked at. What a unit is asked hangs on its own past and on what it depends on, so that the order in which others
 * end changes no call. A unit that waits for a person takes no place; it gets one again before what has not begun.
 */
const doWork = Effect.fnUntraced(function* <R>(work: Omit<Work<R>, "asking">) {
  const { mission, ports } = work
  const inbox = yield* Queue.unbounded<Message>()
  const back: Array<Deferred.Deferred<void>> = []
  let state = initialState(mission)
  let running = 0
  let away = 0
  const asking: Work<R>["asking"] = Effect.fnUntraced(function* (approval) {
    yield* Queue.offer(inbox, { _tag: "left" })
    const answer = yield* approval
    const go = yield* Deferred.make<void>()
    yield* Queue.offer(inbox, { _tag: "back", go })
    yield* Deferred.await(go)
    return answer
  })
  for (;;) {
    for (; running < mission.concurrency && back.length > 0; running++) {
      const go = back.shift()
      if (go !== undefined) yield* Deferred.succeed(go, undefined)
    }
    for (const action of due(state).slice(0, Math.max(0, mission.concurrency - running))) {
      const before = state
      const start = begun(action)
      yield* ports.record(...recordOf(start))
      state = step(state, start)
      running += 1
      const doing =
        action._tag === "start"
          ? attempt({ ...work, asking }, before, action.run)
          : validate(work, before, action.milestone, action.round)
      const ended: Effect.Effect<MissionEvent, never, R> = Effect.catchCause(doing, (cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(broken(action))
      )
      yield* Effect.forkChild(Effect.flatMap(ended, (end) => Queue.offer(inbox, { _tag: "ended", end })))
    }
    if (running === 0 && away === 0) return state
    const message = yield* Queue.take(inbox)
    if (message._tag === "left") away += 1
    else if (message._tag === "back") {
      away -= 1
      back.push(message.go)
      continue
    }
    running -= 1
    if (message._tag === "left") continue
    yield* ports.record(...recordOf(message.end))
    state = step(state, message.end)
  }
})

const word = (verdict: CouncilVerdict): CouncilWord =>
  verdict.conclusive === true && (verdict.decision === "GO" || verdict.decision === "PIVOT")
    ? verdict.decision
    : "NO_GO"

const roundsOf = (state: MissionState): number => state.milestones.at(-1)?.rounds ?? 0

/** Holds the council: whether its gate passes, and what it said. */
export const councilGate = <R>({ council }: MissionPorts<R>) =>
  Effect.map(council ?? Effect.succeed({}), (verdict: CouncilVerdict) => {
    const said =
      council === undefined ? "there is nobody to hold the council" : (verdict.decision ?? "no decision")
    const detail = verdict.conclusive === false ? `${said}, not conclusive` : said
    return { pass: word(verdict) !== "NO_GO", detail, verdict }
  })

/** Runs a loaded mission through its gates. `done`: its work, where that is done already. */
export const runGatesOf = Effect.fnUntraced(function* <R>(
  mission: Mission,
  contract: Contract,
  ports: MissionPorts<R>,
  done?: MissionState
) {
  let gates = gatesOf(mission, contract)
  let state = initialState(mission)
  const decide = (gate: GateName, pass: boolean, detail: string) =>
    Effect.map(ports.record("gate", { gate, pass, detail }), () => {
      gates = decideGate(gates, { gate, pass, detail })
    })

  const scope = ports.scope === undefined ? { ok: true, detail: "nothing to compare" } : yield* ports.scope
  yield* decide("scope", scope.ok, [scope.detail, ...(scope.ok ? noticesOf(mission) : [])].join("; "))
  let council: CouncilWord | undefined
  if (nextGate(gates) === "council") {
    const held = yield* councilGate(ports)
    council = word(held.verdict)
    yield* decide("council", held.pass, held.detail)
  }
  if (!mayWork(gates)) return resultOf(mission, state, gates, [])

  const start = done === undefined ? yield* beforeWork(mission, ports) : []
  state = done ?? (yield* doWork({ mission, ports, council }))
  const worked = outcome(state)
  if (worked === "parked") return resultOf(mission, state, gates, [])
  const round = roundsOf(state)
  const open = state.units.filter(({ status }) => status !== "done").map(({ unit }) => unit.id)
  const proven =
    open.length > 0
      ? undefined
      : yield* proveFinalState(mission, ports, state, { task: `${mission.id}/gate-proof`, round })
  const findings = worked === "done" ? proven?.findings : undefined
  let seen = proven?.inputs ?? []
  const scripts = proven === undefined ? "" : yield* changedScripts(mission, ports, state, start, proven)
  if (nextGate(gates) === "proof") {
    const why = proven === undefined ? `not passed: ${open.join(", ")}` : whyNotProven(proven)
    yield* decide(
      "proof",
      why === undefined,
      why ?? (scripts === "" ? "all passed" : `all passed; ${scripts}`)
    )
  }
  if (nextGate(gates) === "validator") {
    const last = findings ?? state.milestones.at(-1)?.findings ?? []
    const { ok, proven: holding } = tally(last)
    // Without proofs nobody has said yet whether it stays as it is.
    const moving = proven === undefined ? undefined : whyMoving(proven)
    const passed = ok && moving === undefined && state.milestones.every(({ status }) => status === "passed")
    const said = `${holding} of ${contract.assertions?.length ?? 0} assertions proven`
    yield* decide("validator", passed, moving === undefined ? said : `${said}; ${moving}`)
  }
  if (nextGate(gates) === "publish" && worked === "done" && proven !== undefined) {
    const published = yield* publish({ mission, ports, state, round, proven, scripts })
    if (published === "parked") return resultOf(mission, state, gates, ["publish"], findings)
    seen = published.inputs
    yield* decide("publish", published.ok, published.detail)
  }
  // A forecast sees nothing; a run of the first rules answers its plan as it did.
  const isTold = ports.isForecast !== true && (ports.rules ?? currentRules) > firstRules
  return resultOf(mission, state, gates, [], findings, isTold ? stateOf(ports, seen) : undefined)
})

/**
 * Runs a mission. Never fails: a spec that does not load is `status: "invalid"` with every problem in its message.
 * Interruption ends every worker and every proof.
 */
export const runMission = Effect.fn("Mission.run")(function* <R>(
  spec: unknown,
  contract: Contract,
  ports: MissionPorts<R>
) {
  const loaded = loadMission(spec, contract)
  if (Result.isFailure(loaded)) {
    const { code, message } = loaded.failure
    return {
      ok: false,
      status: "invalid",
      mission: "",
      title: "",
      units: [],
      gates: [],
      assertions: [],
      parked: [],
      coverage: { done: 0, of: 0 },
      error: { code, message, retryable: false }
    } satisfies MissionResult
  }
  return yield* runGatesOf(loaded.success, contract, ports)
})
