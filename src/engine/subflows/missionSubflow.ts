// h.mission inside a run: the mission of mission/, whose every attempt, proof, approval and gate goes through the
// run. Files and proof commands are those of the working directory.
import { Effect, Result, Schema } from "effect"
import { debate, type DebatePorts } from "../../council/Debate.ts"
import { decodeBoard } from "../../council/loadBoard.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { PathHashes } from "../../kernel/folder/FolderHashes.ts"
import { isInside, isUnread } from "../../mission/proofs/gatherEvidence.ts"
import { MissionResult, proofPassed, ProofResult, type Proof, type ProofRun } from "../../mission/Mission.ts"
import type { ProofRunner } from "../../mission/proofs/ProofRunner.ts"
import type { Approval, ApprovalWanted, MissionPorts } from "../../mission/MissionPorts.ts"
import { runMission } from "../../mission/runMission.ts"
import type { Subflow, SubflowContext } from "./Subflow.ts"
import { askingWithin } from "./councilSubflow.ts"
import { subflowFailure } from "./subflowFailure.ts"

const encodeResult = Schema.encodeUnknownSync(Schema.toCodecJson(MissionResult))
const encodeFields = Schema.encodeSync(ProofResult)
/** A proof that failed is a failure of the run, which `--retry-failed` makes again, as it does a call that failed. */
const kept = ({ program, ...result }: ProofRun): Json => ({
  ...encodeFields(result),
  ok: proofPassed(result),
  ...(program === undefined ? {} : { program: { ...program } })
})
const decodeProof = Schema.decodeUnknownEffect(Schema.toCodecJson(ProofResult))

const approvalOf = (answer: Json): Approval => (answer === "approve" ? "approved" : "refused")

/** The debate that the contract asks for, on the question it names. */
const council = (context: SubflowContext): MissionPorts["council"] => {
  const wanted = context.contract?.council
  if (wanted === undefined) return undefined
  // Held once a run, before the plan; a run that began before that was a rule holds it in each mission.
  if (context.council !== undefined) return Effect.succeed(context.council)
  const board = decodeBoard(context.boards[wanted.board] ?? wanted.board)
  if (Result.isFailure(board)) return Effect.succeed({ decision: "NO_GO", conclusive: false })
  const record = (kind: string, failure: Parameters<NonNullable<DebatePorts["record"]>>[1]) =>
    context.record(kind, { ...failure })
  return debate(
    board.success,
    { question: wanted.question },
    { ask: askingWithin(context), record, rules: context.rules }
  )
}

/** How the working directory is read: a file of it, and all that stands there but for some paths. */
export interface WorkingDirectory {
  readonly readFile: MissionPorts["readFile"]
  readonly folder?: (without: ReadonlyArray<string>) => Effect.Effect<PathHashes>
}

/** The first of the paths that leads out of the working directory, through a link, say. */
const leadingOut = Effect.fnUntraced(function* (
  places: ReadonlyArray<string>,
  readFile: MissionPorts["readFile"]
) {
  for (const place of places) {
    const found = yield* readFile(place)
    if (isUnread(found) && found.isOutside === true) return place
  }
  return undefined
})

const notRun = ({ command, id }: Proof, out: string): ProofRun => ({
  id,
  command,
  exitCode: null,
  stdout: "",
  stderr: "",
  problem: `it was not run: ${out} leads out of the working directory`
})

/** What a mission, or the gates of a run, do through the run. `result`: fingerprint of what the plan returned. */
export const missionPorts = (
  context: SubflowContext,
  runner: ProofRunner["Service"],
  { folder, readFile: read }: WorkingDirectory,
  result?: string
): MissionPorts => {
  const said = council(context)
  // Whatever it is asked, a forecast's council says something that means nothing.
  const held =
    said === undefined || !context.isForecast
      ? said
      : Effect.map(said, () => ({ decision: "GO", conclusive: true }))
  const readFile: MissionPorts["readFile"] = (file) =>
    isInside(file) ? read(file) : Effect.succeed(undefined)
  const wantedOf = ({ before, content, item, why }: ApprovalWanted) => ({
    name: item,
    text: why,
    content: { of: content, ...defined({ result }) },
    ...defined({ before })
  })
  return {
    ask: context.ask,
    prove: (request) => {
      const { inputs, proof, round, task } = request
      const { command, id, timeoutMs } = proof
      const spec: Json = {
        proof: { id, command: [...command], timeoutMs },
        task,
        round,
        inputs: inputs.map(([path, hash]) => [path, hash])
      }
      const run = Effect.flatMap(leadingOut(proof.places ?? [], readFile), (out) =>
        out === undefined ? runner.run(proof) : Effect.succeed(notRun(proof, out))
      )
      return context
        .step(
          "prove",
          spec,
          Effect.map(run, (result): Json => kept(result))
        )
        .pipe(Effect.flatMap(decodeProof), Effect.orDie)
    },
    readFile,
    ...(folder === undefined ? {} : { folder: folder(context.contract?.scratch ?? []) }),
    observe: (kind, at, look) =>
      context.step(kind, { ...at, ...(context.reopened === 0 ? {} : { reopened: context.reopened }) }, look),
    record: context.record,
    approve: (wanted) => Effect.map(context.approval(wantedOf(wanted)), approvalOf),
    waive: (wanted) => context.waiver(wantedOf(wanted)),
    // The fingerprints were compared when the run was opened: what is not the run's spec does not get here.
    scope: Effect.succeed({ ok: true, detail: "the fingerprints are those of the run" }),
    isLocal: context.isFree,
    rules: context.rules,
    ...(context.isForecast ? { isForecast: true } : {}),
    ...defined({ council: held })
  }
}

/** The subflow, with its proof commands and how it reads the working directory. */
export const makeMissionSubflow =
  (runner: ProofRunner["Service"], directory: WorkingDirectory): Subflow =>
  (spec, context) =>
    runMission(spec, context.contract ?? {}, missionPorts(context, runner, directory)).pipe(
      Effect.map((result): Json => {
        if (result.status !== "invalid") return encodeResult(result)
        const { code = "invalid_input", message = "the mission does not load" } = result.error ?? {}
        return subflowFailure("mission", code, message)
      })
    )
