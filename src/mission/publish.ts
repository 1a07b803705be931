// The Publish gate: what a person approves of is what is published. They are asked about the content as it was proven;
// if it has changed when they have answered, it is proven again, and asked about again.
import { Effect } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { Finding } from "../verifier/Finding.ts"
import { proveFinalState, whyMoving, type FinalState } from "./proofs/finalState.ts"
import { someOf } from "./proofs/proofScripts.ts"
import { restsOn } from "./proofs/gatherEvidence.ts"
import { finalMilestone } from "./loadMission.ts"
import type { Mission } from "./Mission.ts"
import type { MissionState } from "./missionState.ts"
import { changedIn, folderAt, type Inputs } from "./proofs/observations.ts"
import type { MissionPorts } from "./MissionPorts.ts"

/** How often content may change while somebody is asked about it, before the gate fails. */
const maxLooks = 8

interface Publishing<R> {
  readonly mission: Mission
  readonly ports: MissionPorts<R>
  readonly state: MissionState
  readonly round: number
  /** What the Proof and the Validator gate have let through. */
  readonly proven: FinalState
  /** Which files of proofs workers have changed, in words; empty: none. */
  readonly scripts: string
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

/**
 * 1. Nothing is published that is not, to the byte, what the last approval was asked for.
 * 2. What changed since is asked about only after it was proven again; what does not hold any more is not published.
 * 3. A refusal is final.
 */
export const publish = Effect.fnUntraced(function* <R>(publishing: Publishing<R>) {
  const { mission, ports, round, state } = publishing
  const looked = restsOn(mission, state, finalMilestone)
  let { findings, inputs: before } = publishing.proven
  let again = ""
  for (let look = 1; look <= maxLooks; look++) {
    const named = Array.from(new Set(looked)).sort()
    const files = named.length === 0 ? "" : ` (${named.join(", ")})`
    const approval = yield* ports.approve({
      item: "publish",
      why: `publish what "${mission.title}" made${files}${publishing.scripts === "" ? "" : `; ${publishing.scripts}`}`,
      content: contentOf(publishing, before, findings),
      // What was approved of when no content was named holds for what was proven then, and is looked at below.
      ...(look === 1 ? { before: `publish what "${mission.title}" made` } : {})
    })
    if (approval === "parked") return "parked" as const
    if (approval === "refused") return { ok: false, detail: "refused", inputs: before }
    if (ports.isForecast === true) return { ok: true, detail: "approved", inputs: before }
    const at = { task: `${mission.id}/gate-publish${look === 1 ? "" : `#${look}`}`, round }
    const inputs = yield* folderAt(ports, { ...at, task: `${at.task}/before` }, looked)
    const changed = changedIn(before, inputs)
    if (changed.length === 0) return { ok: true, detail: `approved${again}`, inputs }
    const proven = yield* proveFinalState(mission, ports, state, at)
    const unproven = proven.findings.flatMap(({ claim, finding }) => (finding === "proven" ? [] : [claim]))
    const wanting = [...proven.failed, ...unproven]
    const why = wanting.length > 0 ? `not proven any more: ${wanting.join(", ")}` : whyMoving(proven)
    if (why !== undefined) {
      const detail = `approved, but ${someOf(changed)} changed since, and ${why}`
      return { ok: false, detail, inputs: proven.inputs }
    }
    again = `; ${someOf(changed)} changed since, and was proven again and asked about again`
    before = proven.inputs
    findings = proven.findings
  }
  const detail = `the files changed ${maxLooks} times while a person was asked`
  return { ok: false, detail, inputs: before }
})
