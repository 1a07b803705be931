// The subflow that decides the gates of a run itself: the council before the plan, and after it what no mission has
// decided. The gates are those of a mission without units: contract, files and proof commands are the run's.
import { Effect, Option, Schema, Struct } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import { MissionResult } from "../../mission/Mission.ts"
import type { ProofRunner } from "../../mission/proofs/ProofRunner.ts"
import { asOne, changedSince } from "../../mission/proofs/provenAgain.ts"
import { councilGate, runGatesOf } from "../../mission/runMission.ts"
import type { MissionPorts } from "../../mission/MissionPorts.ts"
import { GatesSpec } from "../gates/GatesSpec.ts"
import type { Subflow, SubflowContext } from "./Subflow.ts"
import { missionPorts, type WorkingDirectory } from "./missionSubflow.ts"

const decodeSpec = Schema.decodeUnknownOption(GatesSpec)
const encodeAnswer = Schema.encodeUnknownSync(
  Schema.toCodecJson(MissionResult.mapFields(Struct.pick(["ok", "gates", "assertions", "parked"])))
)

/** The contract as far as it is left to decide: what a council or a person has let through is not asked again. */
const leftOf = (contract: Contract, decide: ReadonlyArray<string>): Contract => {
  const { council, publish, ...rest } = contract
  return {
    ...rest,
    ...(council !== undefined && decide.includes("council") ? { council } : {}),
    ...(publish !== undefined && decide.includes("publish") ? { publish } : {})
  }
}

const scope = { gate: "scope", pass: true, detail: "the fingerprints are those of the run" }

const atStart = Effect.fnUntraced(function* (ports: MissionPorts) {
  yield* ports.record("gate", scope)
  const { detail, pass, verdict } = yield* councilGate(ports)
  yield* ports.record("gate", { gate: "council", pass, detail })
  const { conclusive, decision } = verdict
  const said: Json = {
    ...defined({ decision, conclusive })
  }
  const answer: Json = { ok: pass, gates: [scope, { gate: "council", pass, detail }], council: said }
  return answer
})

const closing = Effect.fnUntraced(function* (context: SubflowContext, gate: string, why: string) {
  const decision = { gate, pass: false, detail: why }
  yield* context.record("gate", decision)
  const answer: Json = { ok: false, gates: [decision] }
  return answer
})

const movedMeanwhile =
  "the working directory changed after everything was proven, before the run went on; --retry-failed proves it again"

/**
 * 1. What no mission has decided is decided.
 * 2. What missions have proven is proven again, all of it, where one of them ended on another state than there is now.
 * 3. A process that goes on after another looks whether all is still as it was proven: what is not closes Proof.
 */
const atEnd = Effect.fnUntraced(function* (
  context: SubflowContext,
  ports: MissionPorts,
  { decide, missions = [] }: Extract<GatesSpec, { readonly decide: unknown }>
) {
  const given = context.contract ?? {}
  const contract = leftOf(given, decide)
  const by = context.process === 0 ? "" : `#${context.process}`
  const changed = context.isForecast ? [] : yield* changedSince(given, missions, ports, `run/since${by}`)
  if (decide.length === 0 && changed.length === 0) {
    const answer: Json = { ok: true, gates: [] }
    return answer
  }
  const { mission, state } = asOne(contract, missions)
  const result = yield* missions.length === 0
    ? runGatesOf(mission, contract, ports)
    : runGatesOf(mission, contract, ports, state)
  if (result.state !== undefined && context.process > 0) {
    const all = { title: "", proof: [], files: missions.flatMap(({ files }) => files), state: result.state }
    const since = yield* changedSince(given, [all], ports, `run/last${by}`)
    if (since.length > 0) return yield* closing(context, "proof", movedMeanwhile)
  }
  const { assertions, gates, ok, parked } = result
  return encodeAnswer({ ok, gates, assertions, parked })
})

/** The gates of a run without a working directory: no command is run there and no file read. */
export const gatesWithoutFiles: Subflow = (given, context) =>
  makeGatesSubflow(
    {
      run: ({ command, id }) =>
        Effect.succeed({
          id,
          command,
          exitCode: null,
          stdout: "",
          stderr: "",
          problem: "the run has no working directory to run it in"
        })
    },
    { readFile: () => Effect.succeed(undefined) }
  )(given, context)

/** The subflow, with its proof commands and how it reads the working directory. */
export const makeGatesSubflow =
  (runner: ProofRunner["Service"], directory: WorkingDirectory): Subflow =>
  (given, context) => {
    const spec = Option.getOrUndefined(decodeSpec(given))
    if (spec === undefined) return Effect.succeed({ ok: false, gates: [] })
    const ports = missionPorts(context, runner, directory, spec.at === "end" ? spec.result : undefined)
    if (spec.at === "start") return atStart(ports)
    if ("close" in spec) return closing(context, spec.close, spec.why)
    return atEnd(context, ports, spec)
  }
