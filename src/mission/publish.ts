// The Publish gate: what a person approves of is what is published. They are asked about the content as it was proven;
// if it has changed when they have answered, it is proven again, and asked about again.
import { Effect } from "effect"
import type { Json } from "../domain/canonicalJson.ts"
import type { Finding } from "../verifier/Finding.ts"
import { restsOn } from "./gatherEvidence.ts"
import { finalMilestone } from "./loadMission.ts"
import { proofPassed, type Mission, type Proof } from "./Mission.ts"
import type { MissionState } from "./missionState.ts"
import { inputsAt, type Inputs } from "./observations.ts"
import type { MissionPorts } from "./runMission.ts"

/** How often content may change while somebody is asked about it, before the gate fails. */
const maxLooks = 8

interface Publishing<R> {
  readonly mission: Mission
  readonly ports: MissionPorts<R>
  readonly state: MissionState
  readonly round: number
  /** The files that the last validation rested on. */
  readonly proven: Inputs
  /** Validates everything once more; the findings. */
  readonly validateAgain: (round: number) => Effect.Effect<ReadonlyArray<Finding>, never, R>
}

/** All that an approval to publish is for, besides the run's result: what was handed over, files, and findings. */
const contentOf = (
  { mission, state }: Pick<Publishing<never>, "mission" | "state">,
  inputs: Inputs,
  findings: ReadonlyArray<Finding>
): Json => ({
  title: mission.title,
  handoffs: state.units.map(({ handoff, unit }) => [unit.id, handoff === undefined ? null : { ...handoff }]),
  files: inputs.map(([path, hash]) => [path, hash]),
  findings: findings.map(({ claim, finding }) => [claim, finding])
})

/** Runs every proof and checks every assertion on what stands there now; what does not hold. */
const wantingOf = Effect.fnUntraced(function* <R>(
  { mission, ports, state, validateAgain }: Publishing<R>,
  at: { readonly task: string; readonly round: number },
  inputs: Inputs,
  round: number
) {
  const proofs = new Map<string, Proof>(
    [...mission.proofs, ...state.units.flatMap(({ unit }) => unit.proofs)].map((proof) => [proof.id, proof])
  )
  const failed: Array<string> = []
  for (const proof of proofs.values()) {
    if (!proofPassed(yield* ports.prove({ proof, ...at, inputs }))) failed.push(proof.id)
  }
  const findings = yield* validateAgain(round)
  const unproven = findings.flatMap(({ claim, finding }) => (finding === "proven" ? [] : [claim]))
  return { findings, wanting: [...failed, ...unproven] }
})

const changedIn = (before: Inputs, inputs: Inputs): ReadonlyArray<string> => {
  const known = new Map(before)
  return inputs.flatMap(([path, hash]) => (known.get(path) === hash ? [] : [path]))
}

/**
 * 1. Nothing is published that is not, to the byte, what the last approval was asked for.
 * 2. What changed since is asked about only after it was proven again; what does not hold any more is not published.
 * 3. A refusal is final.
 */
export const publish = Effect.fnUntraced(function* <R>(publishing: Publishing<R>) {
  const { mission, ports, round, state } = publishing
  let before = publishing.proven
  let findings = state.milestones.at(-1)?.findings ?? []
  let again = ""
  for (let look = 1; look <= maxLooks; look++) {
    const files = before.length === 0 ? "" : ` (${before.map(([path]) => path).join(", ")})`
    const approval = yield* ports.approve({
      item: "publish",
      why: `publish what "${mission.title}" made${files}`,
      content: contentOf(publishing, before, findings),
      // What was approved of when no content was named holds for what was proven then, and is looked at below.
      ...(look === 1 ? { before: `publish what "${mission.title}" made` } : {})
    })
    if (approval === "parked") return "parked" as const
    if (approval === "refused") return { ok: false, detail: "refused" }
    const at = { task: `${mission.id}/gate-publish${look === 1 ? "" : `#${look}`}`, round }
    const inputs = yield* inputsAt(ports, at, restsOn(mission, state, finalMilestone))
    const changed = changedIn(before, inputs)
    if (changed.length === 0) return { ok: true, detail: `approved${again}` }
    const proven = yield* wantingOf(publishing, at, inputs, round + look)
    if (proven.wanting.length > 0) {
      const why = `not proven any more: ${proven.wanting.join(", ")}`
      return { ok: false, detail: `approved, but ${changed.join(", ")} changed since, and ${why}` }
    }
    again = `; ${changed.join(", ")} changed since, and was proven again and asked about again`
    before = inputs
    findings = proven.findings
  }
  return { ok: false, detail: `the files changed ${maxLooks} times while a person was asked` }
})
