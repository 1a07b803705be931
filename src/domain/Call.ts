// A call: what a plan asks for through a verb, what of it is its identity, and the cache key that names it.
// Resolution of profiles and aliases happens before (adapters/); dispatch is the engine's.
import { type Result, Schema } from "effect"
import type { NotCanonicalError } from "./json/canonicalJson.ts"
import { fingerprint } from "./fingerprint.ts"
import { JsonSchemaDocument } from "./ModelRun.ts"

/** A place in the author's source. Lines and columns count from 1; `file` is relative to the plan's root. */
export const Site = Schema.Struct({ file: Schema.String, line: Schema.Int, column: Schema.Int })
export type Site = typeof Site.Type

/** How much may happen without a person. */
export const Tier = Schema.Literals(["T0", "T1", "T2", "T3", "T4"])
export type Tier = typeof Tier.Type

/** The options of `h.agent`, as the author gives them. Times in milliseconds. */
export const AgentOptions = Schema.Struct({
  prompt: Schema.NonEmptyString,
  label: Schema.optionalKey(Schema.String),
  profile: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  system: Schema.optionalKey(Schema.String),
  schema: Schema.optionalKey(JsonSchemaDocument),
  maxOutputTokens: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  temperature: Schema.optionalKey(Schema.Number),
  timeoutMs: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  providerOptions: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  cache: Schema.optionalKey(Schema.Boolean),
  tier: Schema.optionalKey(Tier)
})
export type AgentOptions = typeof AgentOptions.Type

/**
 * What a call is, and all of it: two calls with the same identity are the same question. Profile, alias and
 * default model are resolved. Labels, phases, time limits and tiers are not here, because they do not change
 * what is asked.
 */
export const CallIdentity = Schema.Struct({
  verb: Schema.String,
  prompt: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  system: Schema.optionalKey(Schema.String),
  schema: Schema.optionalKey(JsonSchemaDocument),
  maxOutputTokens: Schema.optionalKey(Schema.Int),
  temperature: Schema.optionalKey(Schema.Number),
  providerOptions: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** What verbs other than `agent` are given (mission, swarm, council, sleep, …). */
  spec: Schema.optionalKey(Schema.Json)
})
export type CallIdentity = typeof CallIdentity.Type

/** The cache key: 64 hex digits, SHA-256 over canonical JSON of `{ v: 1, ...identity }`. */
export const computeCacheKey = (call: CallIdentity): Result.Result<string, NotCanonicalError> =>
  fingerprint({ v: 1, ...call })

/** Names one call of a run: its cache key and which of the identical calls it is, counted from 1. */
export interface CallRef {
  readonly key: string
  readonly occurrence: number
}

/** `CallRef` as a map key. */
export const callId = (ref: CallRef): string => `${ref.key}#${ref.occurrence}`
