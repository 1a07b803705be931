// The spec of a run, and the run's identity: the hash of it. Same spec, same id, same directory.
import { Result, Schema } from "effect"
import { canonicalJson, type NotCanonicalError } from "../json/canonicalJson.ts"
import { sha256 } from "../fingerprint.ts"
import { Fork } from "./Fork.ts"

export const runIdPattern = /^run-[0-9a-f]{16}$/
export const RunId = Schema.String.pipe(Schema.check(Schema.isPattern(runIdPattern)), Schema.brand("RunId"))
export type RunId = typeof RunId.Type

const Sha256 = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))

/** `[relative path with /, sha256 of the bytes]`, sorted by path. */
export const FileHashes = Schema.Array(Schema.Tuple([Schema.String, Sha256]))
export type FileHashes = typeof FileHashes.Type

/**
 * Everything that makes a run what it is; absent parts are absent. Keys, base URLs, prices, limits and
 * concurrency are not part of it.
 */
export const RunSpec = Schema.Struct({
  goal: Schema.String,
  /**
   * Path of the plan's own file, relative to the plan's root: two scripts that reach each other have the same modules.
   * Absent for a program, and in runs that were begun when the identity did not say it.
   */
  entry: Schema.optionalKey(Schema.String),
  /** Every module of the plan's graph. Empty for an Effect program that runs in process, which has a `program` name. */
  plan: FileHashes,
  program: Schema.optionalKey(Schema.String),
  contract: Schema.optionalKey(Schema.Json),
  args: Schema.optionalKey(Schema.Json),
  files: Schema.optionalKey(FileHashes),
  /** Council boards by the names the plan and the contract know them by; absent where there are none. */
  boards: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Hash of the library of skills and lessons that the run starts with. */
  library: Schema.optionalKey(Schema.String),
  /** Default reference and every configured name, resolved; the hash of offline fixtures. */
  models: Schema.optionalKey(Schema.Json),
  hermetic: Schema.optionalKey(Schema.Boolean),
  /** Of a run that is another one with one call changed. */
  fork: Schema.optionalKey(Fork),
  /** Only for `--fresh`. */
  nonce: Schema.optionalKey(Schema.Int)
})
export type RunSpec = typeof RunSpec.Type

export const specParts = [
  "goal",
  "entry",
  "plan",
  "program",
  "contract",
  "args",
  "files",
  "boards",
  "library",
  "models",
  "hermetic",
  "fork",
  "nonce"
] as const
export type SpecPart = (typeof specParts)[number]

/** The full hash of every present part, kept in `meta.json`, so that a mismatch says which part changed. */
export const specFingerprints = (
  spec: RunSpec
): Result.Result<Readonly<Partial<Record<SpecPart, string>>>, NotCanonicalError> =>
  Result.gen(function* () {
    const hashes: Partial<Record<SpecPart, string>> = {}
    for (const part of specParts) {
      if (spec[part] !== undefined) hashes[part] = sha256(yield* canonicalJson(spec[part]))
    }
    return hashes
  })

const idOf = (identity: object): Result.Result<RunId, NotCanonicalError> =>
  Result.map(canonicalJson(identity), (text) => RunId.make(`run-${sha256(text).slice(0, 16)}`))

/** `run-` and the first 16 hex digits of the fingerprint of `{ v: 2, ...spec }`. */
export const runIdFor = (spec: RunSpec): Result.Result<RunId, NotCanonicalError> => idOf({ v: 2, ...spec })

/**
 * The id of the same run if it was begun when the identity was `{ v: 1, ...spec }` and said no entry. Plans that differ
 * in the entry alone share it: whoever takes such a run up compares the entry of the bundle that it kept.
 */
export const formerRunIdFor = (spec: RunSpec): Result.Result<RunId, NotCanonicalError> =>
  idOf({ ...spec, v: 1, entry: undefined })
