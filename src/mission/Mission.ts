// Mission: units with proofs that fulfil a contract's assertions, as the author writes them and as they are loaded,
// and what running them answers. Loading is loadMission.ts, running runMission.ts.
import { Schema } from "effect"
import { Tier } from "../domain/Call.ts"
import type { Assertion } from "../domain/Contract.ts"
import { Finding } from "../verifier/Finding.ts"

const PositiveInt = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))
const Id = Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)))

/** A proof: the id of one of the contract's, or a command: its words, or a text of plain words. No shell. */
export const ProofRef = Schema.Union([
  Schema.String,
  Schema.Array(Schema.String).pipe(Schema.check(Schema.isMinLength(1)))
])
export type ProofRef = typeof ProofRef.Type

/** A unit as written. Without a tier it is T4: it waits for a person. `local`: on local, free models only. */
export const UnitFile = Schema.Struct({
  id: Id,
  prompt: Schema.NonEmptyString,
  proof: Schema.optionalKey(Schema.Array(ProofRef)),
  fulfills: Schema.optionalKey(Schema.Array(Schema.String)),
  dependsOn: Schema.optionalKey(Schema.Array(Schema.String)),
  tier: Schema.optionalKey(Tier),
  local: Schema.optionalKey(Schema.Boolean),
  model: Schema.optionalKey(Schema.String),
  profile: Schema.optionalKey(Schema.String),
  maxAttempts: Schema.optionalKey(PositiveInt)
})
export type UnitFile = typeof UnitFile.Type

/** After these units are done, the engine validates what they fulfil. */
export const MilestoneFile = Schema.Struct({ id: Id, units: Schema.Array(Schema.String) })

export const MissionSpec = Schema.Struct({
  title: Schema.NonEmptyString,
  units: Schema.Array(UnitFile),
  milestones: Schema.optionalKey(Schema.Array(MilestoneFile)),
  maxAttempts: Schema.optionalKey(PositiveInt),
  /** How many times what a validator refused is given back as fix units. */
  maxFixRounds: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  concurrency: Schema.optionalKey(PositiveInt)
})
export type MissionSpec = typeof MissionSpec.Type

/** A command that was allowed when the mission loaded. Time in milliseconds. */
export interface Proof {
  readonly id: string
  readonly command: ReadonlyArray<string>
  readonly timeoutMs: number
  /** Words at free places of the contract's pattern: paths that lead nowhere else. */
  readonly places?: ReadonlyArray<string>
  /** The entry of the contract that allows it without naming what stands behind its words. */
  readonly prefix?: string
}

export interface Unit {
  readonly id: string
  readonly prompt: string
  readonly proofs: ReadonlyArray<Proof>
  readonly fulfills: ReadonlyArray<string>
  readonly dependsOn: ReadonlyArray<string>
  readonly tier: Tier
  readonly local: boolean
  readonly model?: string
  readonly profile?: string
  readonly maxAttempts: number
  /** The unit whose assertions failed, where the engine made this one to mend them. */
  readonly fixes?: string
}

export interface Milestone {
  readonly id: string
  readonly units: ReadonlyArray<string>
  readonly assertions: ReadonlyArray<Assertion>
}

/** A mission that loaded: every rule of loadMission.ts holds. The last milestone is the engine's own, over all. */
export interface Mission {
  /** `m-` and 8 hex digits of its fingerprint; it prefixes its tasks. */
  readonly id: string
  readonly title: string
  readonly units: ReadonlyArray<Unit>
  readonly milestones: ReadonlyArray<Milestone>
  /** The contract's own proofs, run at the Proof gate and as evidence. */
  readonly proofs: ReadonlyArray<Proof>
  readonly maxFixRounds: number
  readonly concurrency: number
}

/** What a worker hands over. It is kept and shown to the units that follow; it proves nothing. */
export const Handoff = Schema.Struct({
  summary: Schema.String,
  /** Paths it made or changed, relative to the working directory, with `/`. */
  files: Schema.Array(Schema.String),
  notes: Schema.String
})
export type Handoff = typeof Handoff.Type

/** How a proof command ended. `exitCode` null: killed, or never started (`problem` says why). */
export const ProofResult = Schema.Struct({
  id: Schema.String,
  command: Schema.Array(Schema.String),
  exitCode: Schema.NullOr(Schema.Int),
  stdout: Schema.String,
  stderr: Schema.String,
  truncated: Schema.optionalKey(Schema.Boolean),
  timedOut: Schema.optionalKey(Schema.Boolean),
  problem: Schema.optionalKey(Schema.String)
})
export type ProofResult = typeof ProofResult.Type

/** What was run: found before the run on the path, outside the working directory, unless the contract says its path. */
export interface ProofRun extends ProofResult {
  readonly program?: { readonly path: string; readonly sha256: string }
}

export const proofPassed = (result: ProofResult): boolean => result.exitCode === 0 && result.timedOut !== true

export const UnitStatus = Schema.Literals(["waiting", "running", "done", "failed", "parked"])
export type UnitStatus = typeof UnitStatus.Type

/** Why a unit ended without being done. */
export const UnitFailure = Schema.Struct({
  code: Schema.Literals(["proof_failed", "worker_failed", "not_approved", "not_local"]),
  message: Schema.String
})
export type UnitFailure = typeof UnitFailure.Type

export const UnitReport = Schema.Struct({
  id: Schema.String,
  status: UnitStatus,
  attempts: Schema.Int,
  fixes: Schema.optionalKey(Schema.String),
  handoff: Schema.optionalKey(Handoff),
  proofs: Schema.Array(ProofResult),
  failure: Schema.optionalKey(UnitFailure)
})
export type UnitReport = typeof UnitReport.Type

export const GateName = Schema.Literals(["scope", "council", "proof", "validator", "publish"])
export type GateName = typeof GateName.Type

export const GateDecision = Schema.Struct({ gate: GateName, pass: Schema.Boolean, detail: Schema.String })
export type GateDecision = typeof GateDecision.Type

/** What `h.mission` answers. `coverage` counts units that are done, of all the author's. */
export const MissionResult = Schema.Struct({
  ok: Schema.Boolean,
  status: Schema.Literals(["done", "failed", "parked", "invalid"]),
  mission: Schema.String,
  title: Schema.String,
  units: Schema.Array(UnitReport),
  gates: Schema.Array(GateDecision),
  /** The last finding on each assertion of the contract. */
  assertions: Schema.Array(Finding),
  /** Items that wait for a person. */
  parked: Schema.Array(Schema.String),
  coverage: Schema.Struct({ done: Schema.Int, of: Schema.Int }),
  /**
   * Fingerprint of what stood in the working directory when everything was proven. Absent where it was not, where
   * somebody could not look, and under the first rules.
   */
  state: Schema.optionalKey(Schema.String),
  /** Whenever `ok` is false: a mission that failed never looks like an answer. */
  error: Schema.optionalKey(
    Schema.Struct({ code: Schema.String, message: Schema.String, retryable: Schema.Literal(false) })
  )
})
export type MissionResult = typeof MissionResult.Type
