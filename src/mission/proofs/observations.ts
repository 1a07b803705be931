// What a mission sees of the working directory: hashes that a proof rests on, files that are evidence. Each is seen at
// one moment of the mission, and is the same ever after, whatever became of the files: a mission that goes on has the
// past it had. Keeping what was seen is the caller's.
import { Effect, Result, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import { unknown } from "../../kernel/folder/FolderHashes.ts"
import { inputHashes, type ReadFile } from "./gatherEvidence.ts"

/** `[path, SHA-256 of the bytes, "absent", or "unread: …"]`, sorted by path. */
export const Inputs = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))
export type Inputs = typeof Inputs.Type

/** A moment of a mission: which task looks, in which of its rounds, and at which file. */
export interface Moment {
  readonly task: string
  readonly round: number
  readonly path?: string
}

/** Answers with what `look` sees, or with what it saw at that moment before. */
export type Observe<R = never> = (
  kind: "inputs" | "evidence",
  at: Moment,
  look: Effect.Effect<Json, never, R>
) => Effect.Effect<Json, never, R>

interface Ports<R> {
  readonly readFile: ReadFile<R>
  readonly observe?: Observe<R>
  readonly folder?: Effect.Effect<Inputs, never, R>
}

const Bytes = Schema.toCodecJson(
  // Runs from before there were reasons hold bytes or null.
  Schema.Union([Schema.NullOr(Schema.Uint8ArrayFromBase64), Schema.Struct({ reason: Schema.String })])
)
const encodeBytes = Schema.encodeUnknownSync(Bytes)
const decodeBytes = Schema.decodeUnknownEffect(Bytes)
const decodeInputs = Schema.decodeUnknownEffect(Inputs)

const observed = <R>(
  { observe }: Ports<R>,
  kind: "inputs" | "evidence",
  at: Moment,
  look: Effect.Effect<Json, never, R>
) => (observe === undefined ? look : observe(kind, at, look))

/** What `look` finds at that moment: paths, each with a word on it. */
export const seenAt = <R>(
  ports: Ports<R>,
  at: Moment,
  look: Effect.Effect<Inputs, never, R>
): Effect.Effect<Inputs, never, R> =>
  observed(
    ports,
    "inputs",
    at,
    Effect.map(look, (found): Json => found.map(([path, word]) => [path, word]))
  ).pipe(Effect.flatMap(decodeInputs), Effect.orDie)

/** The hashes of `paths` at that moment. */
export const inputsAt = <R>(
  ports: Ports<R>,
  at: Moment,
  paths: ReadonlyArray<string>
): Effect.Effect<Inputs, never, R> =>
  paths.length === 0
    ? Effect.succeed([])
    : observed(
        ports,
        "inputs",
        at,
        Effect.map(inputHashes(paths, ports.readFile), (hashes): Json =>
          hashes.map(([path, hash]) => [path, hash])
        )
      ).pipe(Effect.flatMap(decodeInputs), Effect.orDie)

/** All that stands in the working directory at that moment, and `paths`, wherever they are. */
export const folderAt = <R>(
  ports: Ports<R>,
  at: Moment,
  paths: ReadonlyArray<string>
): Effect.Effect<Inputs, never, R> => {
  const { folder } = ports
  if (folder === undefined) return inputsAt(ports, at, paths)
  const look = Effect.gen(function* () {
    const inputs = new Map(yield* folder)
    const named = paths.filter((path) => !inputs.has(path))
    for (const [path, hash] of yield* inputHashes(named, ports.readFile)) inputs.set(path, hash)
    return Array.from(inputs, ([path, hash]): Json => [path, hash])
  })
  return observed(ports, "inputs", at, look).pipe(Effect.flatMap(decodeInputs), Effect.orDie)
}

/** One hash for all that was seen; undefined where not all of it is known. */
export const stateOf = <R>({ folder }: Ports<R>, inputs: Inputs): string | undefined =>
  folder === undefined || inputs.some(([, hash]) => hash.startsWith(unknown))
    ? undefined
    : Result.getOrUndefined(fingerprint(Object.fromEntries(inputs)))

/**
 * The paths that are not in both with one hash. What nobody could look at (`unknown`) may have changed, and so counts
 * as changed.
 */
export const changedIn = (before: Inputs, after: Inputs): ReadonlyArray<string> => {
  const was = new Map(before)
  const is = new Map(after)
  return Array.from(new Set([...was.keys(), ...is.keys()]))
    .filter((path) => was.get(path) !== is.get(path) || is.get(path)?.startsWith(unknown) === true)
    .sort()
}

/** Reads files as they were at that moment. */
export const evidenceReader =
  <R>(ports: Ports<R>, at: Moment): ReadFile<R> =>
  (path) =>
    observed(
      ports,
      "evidence",
      { ...at, path },
      Effect.map(ports.readFile(path), (bytes): Json => encodeBytes(bytes ?? null))
    ).pipe(
      Effect.flatMap(decodeBytes),
      Effect.map((bytes) => bytes ?? undefined),
      Effect.orDie
    )
