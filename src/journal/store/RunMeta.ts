// RunMeta: meta.json, which makes a run's directory self-contained. Every part of the spec is a blob, named by the
// fingerprint of that part; so meta.json says at once what the run is and where to read it. It never changes after
// the run was made. Reading and writing the file is Journal.ts's.
import { Effect, Result, Schema } from "effect"
import { canonicalJson, type NotCanonicalError } from "../../domain/json/canonicalJson.ts"
import { fingerprint, sha256 } from "../../domain/fingerprint.ts"
import {
  formerRunIdFor,
  RunId,
  RunSpec,
  runIdFor,
  specFingerprints,
  specParts,
  type SpecPart
} from "../../domain/run/RunSpec.ts"
import type { ContentStore } from "./ContentStore.ts"
import { JournalError } from "../JournalError.ts"

const Hash = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))
const part = Schema.optionalKey(Hash)

/** What made the run. The only thing in which the meta.json of two machines may differ. */
export const Versions = Schema.Struct({
  engine: Schema.String,
  /** Hash of the prelude that plans are run on. */
  prelude: Schema.optionalKey(Schema.String),
  node: Schema.String,
  v8: Schema.String,
  icu: Schema.String
})
export type Versions = typeof Versions.Type

export const RunMeta = Schema.Struct({
  v: Schema.Literal(1),
  runId: RunId,
  /** Fingerprint of each part of the spec, and the name of the blob that holds its canonical JSON. */
  parts: Schema.Struct({
    goal: part,
    /** Absent in a run of a plan: its id is of the first version, and its bundle says the entry. */
    entry: part,
    plan: part,
    program: part,
    contract: part,
    args: part,
    files: part,
    boards: part,
    library: part,
    models: part,
    hermetic: part,
    fork: part,
    nonce: part
  }),
  /** What else a resume or replay needs, by role (`bundle`, `config`, …) → name of the blob. */
  blobs: Schema.Record(Schema.String, Hash),
  versions: Versions,
  /** `best_effort`: the file system has no fsync, so that a power cut may lose what was acknowledged. */
  durability: Schema.Literals(["full", "best_effort"])
})
export type RunMeta = typeof RunMeta.Type

/** A new run as it goes to `Journal.create`: its meta and the content that meta names. */
export interface NewRun {
  readonly meta: RunMeta
  readonly blobs: ReadonlyArray<Uint8Array>
}

/**
 * Describes a run. `attachments` and `sources` are the bytes behind the hashes in `spec.files` and `spec.plan`;
 * `extra` are further blobs by role.
 */
export const describeRun = (options: {
  readonly spec: RunSpec
  readonly attachments?: ReadonlyArray<Uint8Array>
  readonly sources?: ReadonlyArray<Uint8Array>
  readonly extra?: Readonly<Record<string, Uint8Array | string>>
  readonly versions: Versions
}): Result.Result<NewRun, NotCanonicalError> =>
  Result.gen(function* () {
    const { spec } = options
    const encoder = new TextEncoder()
    const blobs: Array<Uint8Array> = [...(options.attachments ?? []), ...(options.sources ?? [])]
    for (const name of specParts) {
      if (spec[name] !== undefined) blobs.push(encoder.encode(yield* canonicalJson(spec[name])))
    }
    const extra: Record<string, string> = {}
    for (const [role, content] of Object.entries(options.extra ?? {})) {
      const bytes = typeof content === "string" ? encoder.encode(content) : content
      extra[role] = sha256(bytes)
      blobs.push(bytes)
    }
    const meta: RunMeta = {
      v: 1,
      runId: yield* runIdFor(spec),
      parts: yield* specFingerprints(spec),
      blobs: extra,
      versions: options.versions,
      durability: "full"
    }
    return { meta, blobs }
  })

/** In the file, beside the meta: its own fingerprint, since not all of it is in the run's id. */
const MetaFile = Schema.fromJsonString(Schema.Struct({ ...RunMeta.fields, check: Hash }))
const decodeFile = Schema.decodeUnknownResult(MetaFile)

/** The bytes of meta.json. */
export const encodeMeta = (meta: RunMeta): Uint8Array => {
  const check = Result.getOrThrow(fingerprint(meta))
  return new TextEncoder().encode(`${Result.getOrThrow(canonicalJson({ ...meta, check }))}\n`)
}

const mismatch = (path: string, problem: string, changed: ReadonlyArray<string> = []) =>
  new JournalError({
    code: "meta_mismatch",
    path,
    problem,
    changed,
    cure: "restore the file from a copy of this very run; it is never made anew"
  })

/** Reads the bytes of meta.json. */
export const decodeMeta = (path: string, bytes: Uint8Array): Result.Result<RunMeta, JournalError> => {
  const text = new TextDecoder().decode(bytes)
  const file = decodeFile(text)
  if (Result.isFailure(file)) {
    const newer = /"v":(?!1\b)\d+/.exec(text)
    return Result.fail(
      newer === null
        ? mismatch(path, `is not readable: ${file.failure.message.split("\n", 1)[0] ?? ""}`)
        : new JournalError({
            code: "schema",
            path,
            problem: `was written by another version of Alembic (${newer[0]})`,
            cure: "use the version that made the run"
          })
    )
  }
  const { check: _, ...meta } = file.success
  return Buffer.compare(encodeMeta(meta), bytes) === 0
    ? Result.succeed(meta)
    : Result.fail(mismatch(path, "was edited: its content and its own fingerprint do not fit"))
}

/** The names of the parts in which two runs differ. */
export const changedParts = (
  recorded: RunMeta["parts"],
  given: Readonly<Partial<Record<SpecPart, string>>>
): ReadonlyArray<SpecPart> => specParts.filter((name) => recorded[name] !== given[name])

/** The spec again, out of its blobs; it must be the one that the run's id is the hash of. */
export const specOf = Effect.fnUntraced(function* (
  path: string,
  meta: RunMeta,
  blobs: ContentStore
): Effect.fn.Return<RunSpec, JournalError> {
  const parts: Record<string, unknown> = {}
  for (const name of specParts) {
    const blob = meta.parts[name]
    if (blob !== undefined) parts[name] = yield* blobs.get(blob)
  }
  const spec = yield* Effect.mapError(Schema.decodeUnknownEffect(RunSpec)(parts), (issue) =>
    mismatch(path, `its parts are not a spec: ${issue.message.split("\n", 1)[0] ?? ""}`)
  )
  const idBy = (version: typeof runIdFor) =>
    Effect.mapError(Effect.fromResult(version(spec)), (error) => mismatch(path, error.message))
  if (spec.entry === undefined && meta.runId === (yield* idBy(formerRunIdFor))) return spec
  const id = yield* idBy(runIdFor)
  return id === meta.runId ? spec : yield* mismatch(path, `its parts make ${id}, not ${meta.runId}`)
})
