// The contract of a run (contract.json): what it may spend, what it must cover, what must be proven.
// Unknown keys are refused by path. Missions and gates act on it in their own rooms.
import { Schema } from "effect"

const optionalNumber = Schema.optionalKey(Schema.Finite)

/** Bounds. A bound of zero or less means "only free adapters", never "unlimited". Time in milliseconds. */
export const Budget = Schema.Struct({
  usd: optionalNumber,
  calls: optionalNumber,
  outputTokens: optionalNumber,
  tokens: optionalNumber,
  ms: optionalNumber
})
export type Budget = typeof Budget.Type

export const Assertion = Schema.Struct({
  id: Schema.NonEmptyString,
  statement: Schema.String,
  oracle: Schema.String,
  args: Schema.Json,
  evidence: Schema.String
})
export type Assertion = typeof Assertion.Type

export const ProofCommand = Schema.Struct({
  id: Schema.NonEmptyString,
  command: Schema.Array(Schema.String).pipe(Schema.check(Schema.isMinLength(1))),
  timeoutMs: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))))
})
export type ProofCommand = typeof ProofCommand.Type

export const Contract = Schema.Struct({
  budget: Schema.optionalKey(Budget),
  coverage: Schema.optionalKey(
    Schema.Struct({ min: Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 }))) })
  ),
  assertions: Schema.optionalKey(Schema.Array(Assertion)),
  proofs: Schema.optionalKey(Schema.Array(ProofCommand)),
  commands: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What proofs write and nothing rests on: a file, or a folder, which ends in `/`. Nobody looks whether it changes. */
  scratch: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
  council: Schema.optionalKey(Schema.Struct({ board: Schema.String, question: Schema.String })),
  publish: Schema.optionalKey(Schema.Boolean),
  /** Bytes that the run's log and blobs may come to; what the configuration says goes before it, so that it can grow. */
  journal: Schema.optionalKey(
    Schema.Struct({ maxBytes: Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))) })
  )
})
export type Contract = typeof Contract.Type
