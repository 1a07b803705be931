// Evidence for a mission's assertions, gathered by the engine: files by path, proof commands by id. What a worker
// handed over is not evidence. What cannot be gathered is unreadable evidence, which proves nothing.
import { Effect } from "effect"
import { sha256 } from "../../domain/fingerprint.ts"
import type { Assertion } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import type { Evidence } from "../../verifier/Evidence.ts"
import { fileEvidence } from "../../verifier/loadEvidence.ts"
import type { Mission, Proof, ProofResult } from "../Mission.ts"
import { handedOver, type MissionState } from "../missionState.ts"

/** A file that is there and is not read: no regular one, one that leads outside, one that is too large. */
export interface Unread {
  readonly reason: string
  readonly isOutside?: boolean
}

export const isUnread = (found: Uint8Array | Unread | undefined): found is Unread =>
  found !== undefined && !(found instanceof Uint8Array)

/** Reads a file of the working directory; undefined where there is none. */
export type ReadFile<R> = (path: string) => Effect.Effect<Uint8Array | Unread | undefined, never, R>

/** Inside the working directory, with `/`, without ways out of it. */
export const isInside = (path: string): boolean =>
  path !== "" &&
  !path.startsWith("/") &&
  !/^[A-Za-z]:|\\|\0/.test(path) &&
  path.split("/").every((part) => part !== ".." && part !== "." && part !== "")

/** How a command ended, as evidence. */
export const commandEvidence = (
  id: string,
  { command, exitCode, problem, stderr, stdout, timedOut, truncated }: ProofResult
): Evidence =>
  problem === undefined
    ? {
        kind: "command",
        id,
        command,
        exitCode,
        stdout,
        stderr,
        ...defined({ truncated, timedOut })
      }
    : { kind: "unreadable", id, reason: problem }

const unreadable = (id: string, reason: string): Evidence => ({ kind: "unreadable", id, reason })

/** Evidence ids named by a claim and by the parts of its arguments (`all`, `any`, `not`). */
const idsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const own = "evidence" in value && typeof value.evidence === "string" ? [value.evidence] : []
  return [...own, ...Object.values(value).flatMap(idsIn)]
}

export const evidenceIds = (assertions: ReadonlyArray<Assertion>): ReadonlyArray<string> =>
  Array.from(new Set(assertions.flatMap(idsIn))).sort()

const proofOf = (mission: Mission, id: string): Proof | undefined => {
  const name = id.replace(/^proof:/, "")
  return id.startsWith("file:") ? undefined : mission.proofs.find((known) => known.id === name)
}

/** The files that the assertions rest on by name. */
const evidenceFiles = (mission: Mission, assertions: ReadonlyArray<Assertion>): ReadonlyArray<string> =>
  evidenceIds(assertions)
    .filter((id) => !id.startsWith("proof:") && proofOf(mission, id) === undefined)
    .map((id) => id.replace(/^file:/, ""))

/** What a validation rests on: what was handed over, and what the contract names as evidence, whoever made it. */
export const restsOn = (mission: Mission, state: MissionState, milestone: string): ReadonlyArray<string> => [
  ...handedOver(state),
  ...evidenceFiles(mission, mission.milestones.find(({ id }) => id === milestone)?.assertions ?? [])
]

/**
 * Evidence by its id: `proof:<id>` (or the bare id of a proof of the contract) is that command, run now;
 * `file:<path>` (or a bare path) is that file, now.
 */
export const gatherEvidence = <R>(
  mission: Mission,
  assertions: ReadonlyArray<Assertion>,
  readFile: ReadFile<R>,
  prove: (proof: Proof) => Effect.Effect<ProofResult, never, R>
): Effect.Effect<ReadonlyArray<Evidence>, never, R> =>
  Effect.map(
    Effect.forEach(evidenceIds(assertions), (id): Effect.Effect<ReadonlyArray<Evidence>, never, R> => {
      const proof = proofOf(mission, id)
      if (proof !== undefined) return Effect.map(prove(proof), (result) => [commandEvidence(id, result)])
      if (id.startsWith("proof:")) return Effect.succeed([unreadable(id, "the contract has no such proof")])
      const path = id.replace(/^file:/, "")
      if (!isInside(path)) return Effect.succeed([unreadable(id, "not a path inside the working directory")])
      return Effect.map(readFile(path), (found) => {
        if (found === undefined) return [unreadable(id, "there is no such file")]
        if (isUnread(found)) return [unreadable(id, found.reason)]
        // A file is that file, whatever its name: a worker may have written one that looks like a command's record.
        return [{ ...fileEvidence({ path, bytes: found }), id }]
      })
    }),
    (gathered) => gathered.flat()
  )

/** What stands for a file that is not read, and is no hash. */
const unreadAs = ({ reason }: Unread): string => `unread: ${reason}`

/** The hashes of files as they are now, `absent` where there is none: what a proof of them rests on. */
export const inputHashes = Effect.fnUntraced(function* <R>(
  paths: ReadonlyArray<string>,
  readFile: ReadFile<R>
) {
  const hashes: Array<readonly [string, string]> = []
  for (const path of Array.from(new Set(paths)).sort()) {
    const found = isInside(path) ? yield* readFile(path) : undefined
    hashes.push([path, found === undefined ? "absent" : isUnread(found) ? unreadAs(found) : sha256(found)])
  }
  return hashes
})
