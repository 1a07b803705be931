// The room that decides the gates of a run itself: the council before the plan, and after it what no mission has
// decided. The gates are those of a mission without units: contract, files and proof commands are the run's.
import { Effect, Option, Schema, Struct } from "effect"
import type { Json } from "../../domain/canonicalJson.ts"
import type { Contract } from "../../domain/Contract.ts"
import { bareMission } from "../../mission/loadMission.ts"
import { MissionResult } from "../../mission/Mission.ts"
import type { ProofRunner } from "../../mission/ProofRunner.ts"
import { councilGate, runGatesOf, type MissionPorts } from "../../mission/runMission.ts"
import { GatesSpec } from "../gates/GatesSpec.ts"
import type { Room, RoomContext } from "../Room.ts"
import { missionPorts, type WorkingDirectory } from "./missionRoom.ts"

const decodeSpec = Schema.decodeUnknownOption(GatesSpec)
const encodeAnswer = Schema.encodeUnknownSync(
  Schema.toCodecJson(MissionResult.mapFields(Struct.pick(["ok", "gates", "assertions", "parked"])))
)

/** The contract as far as it is left to decide: a council that has passed is not held again. */
const leftOf = (contract: Contract, decide: ReadonlyArray<string>): Contract => {
  const { council: _, ...rest } = contract
  return decide.includes("council") ? contract : rest
}

const scope = { gate: "scope", pass: true, detail: "the fingerprints are those of the run" }

const atStart = Effect.fnUntraced(function* (ports: MissionPorts) {
  yield* ports.record("gate", scope)
  const { detail, pass, verdict } = yield* councilGate(ports)
  yield* ports.record("gate", { gate: "council", pass, detail })
  const { conclusive, decision } = verdict
  const said: Json = {
    ...(decision === undefined ? {} : { decision }),
    ...(conclusive === undefined ? {} : { conclusive })
  }
  const answer: Json = { ok: pass, gates: [scope, { gate: "council", pass, detail }], council: said }
  return answer
})

const closing = Effect.fnUntraced(function* (context: RoomContext, gate: string, why: string) {
  const decision = { gate, pass: false, detail: why }
  yield* context.record("gate", decision)
  const answer: Json = { ok: false, gates: [decision] }
  return answer
})

/** The gates of a run without a working directory: no command is run there and no file read. */
export const gatesWithoutFiles: Room = (given, context) =>
  makeGatesRoom(
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

/** The room, with its proof commands and how it reads the working directory. */
export const makeGatesRoom =
  (runner: ProofRunner["Service"], directory: WorkingDirectory): Room =>
  (given, context) => {
    const spec = Option.getOrUndefined(decodeSpec(given))
    if (spec === undefined) return Effect.succeed({ ok: false, gates: [] })
    const ports = missionPorts(context, runner, directory, spec.at === "end" ? spec.result : undefined)
    if (spec.at === "start") return atStart(ports)
    if ("close" in spec) return closing(context, spec.close, spec.why)
    const contract = leftOf(context.contract ?? {}, spec.decide)
    return Effect.map(runGatesOf(bareMission(contract), contract, ports), (result): Json => {
      const { assertions, gates, ok, parked } = result
      return encodeAnswer({ ok, gates, assertions, parked })
    })
  }
