// What a run asks of its gates: part of the identity of the call, so that gates are decided anew where the result, or
// how often the run was reopened, is another.
import { Schema } from "effect"
import { GateName } from "../../mission/Mission.ts"
import { DoneMission } from "../../mission/proofs/provenAgain.ts"

/**
 * `start`: the council of the contract, before the plan. `end`: after the plan returned, what is left to `decide`, or
 * the gate to `close` and why. `missions`: what is proven again, if it is not as it was. `result`: fingerprint of what
 * the plan returned.
 */
export const GatesSpec = Schema.Union([
  Schema.Struct({ at: Schema.Literal("start") }),
  Schema.Struct({
    at: Schema.Literal("end"),
    result: Schema.String,
    reopened: Schema.Int,
    decide: Schema.Array(GateName),
    missions: Schema.optionalKey(Schema.Array(DoneMission))
  }),
  Schema.Struct({
    at: Schema.Literal("end"),
    result: Schema.String,
    reopened: Schema.Int,
    close: GateName,
    why: Schema.String
  })
])
export type GatesSpec = typeof GatesSpec.Type
