// Verdict: everything a council answers, as a Schema: the decision, whether it is conclusive and why not, the score
// table, every dissent with what answered it, claims with findings, failures, cost, transcript. Made by verdictOf.ts.
import { Schema } from "effect"
import { ErrorCode, TokenUsage } from "../domain/ModelError.ts"
import { Claim } from "../verifier/Claim.ts"
import { Finding } from "../verifier/Finding.ts"
import { PhaseKind } from "./Board.ts"
import { Ranking } from "./ranking.ts"
import { Decision, ScoreTable } from "./scoring.ts"
import { Statement, Vote } from "./Statement.ts"

/**
 * What became of a member that gave no answer: no such model or no key (`unbound`), `timed_out`, `refused` by a
 * content filter, `cancelled`, out of `budget`, `parked` for a person or a later time, an answer that cannot be read
 * (`off_format`, `voted_twice`), or any other failure (`failed`).
 */
export const MemberFailureReason = Schema.Struct({
  member: Schema.String,
  phase: PhaseKind,
  reason: Schema.Literals([
    "unbound",
    "timed_out",
    "refused",
    "cancelled",
    "budget",
    "parked",
    "off_format",
    "voted_twice",
    "failed"
  ]),
  code: Schema.optionalKey(ErrorCode),
  message: Schema.String
})
export type MemberFailureReason = typeof MemberFailureReason.Type

/** One turn of the debate, as it was said. */
export const Turn = Schema.Union([
  Schema.Struct({ phase: PhaseKind, member: Schema.String, statement: Statement }),
  Schema.Struct({ phase: PhaseKind, member: Schema.String, vote: Vote }),
  Schema.Struct({ phase: PhaseKind, member: Schema.String, failure: MemberFailureReason })
])
export type Turn = typeof Turn.Type

export const DissentAnswer = Schema.Struct({
  member: Schema.String,
  answer: Schema.String,
  stands: Schema.Boolean
})

/** An objection, or a vote against the decision with its reason. In full; `answered` by somebody else. */
export const Dissent = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["objection", "vote"]),
  member: Schema.String,
  phase: PhaseKind,
  text: Schema.String,
  answered: Schema.Boolean,
  answers: Schema.Array(DissentAnswer)
})
export type Dissent = typeof Dissent.Type

export const InconclusiveCode = Schema.Literals([
  "too_few_votes",
  "member_failed",
  "contrarian_not_heard",
  "unanswered_objection"
])

export const Inconclusive = Schema.Struct({ code: InconclusiveCode, detail: Schema.String })
export type Inconclusive = typeof Inconclusive.Type

/** A member's change of mind. `toMajority`: to what most had held in the phase before. */
export const ChangeOfMind = Schema.Struct({
  member: Schema.String,
  from: PhaseKind,
  to: PhaseKind,
  was: Decision,
  is: Decision,
  toMajority: Schema.Boolean
})
export type ChangeOfMind = typeof ChangeOfMind.Type

/** Further orders of the openings: what each decided, and what they cost on top. */
export const Stability = Schema.Struct({
  permutations: Schema.Int,
  same: Schema.Int,
  decisions: Schema.Array(Decision),
  calls: Schema.Int,
  costUsd: Schema.optionalKey(Schema.Number)
})
export type Stability = typeof Stability.Type

export const Verdict = Schema.Struct({
  ok: Schema.Literal(true),
  question: Schema.String,
  board: Schema.optionalKey(Schema.String),
  decision: Decision,
  conclusive: Schema.Boolean,
  /** Why it is not conclusive; empty when it is. */
  inconclusive: Schema.Array(Inconclusive),
  /** What the scores alone said, where that was GO and something blocked it. */
  blocked: Schema.optionalKey(Decision),
  scores: ScoreTable,
  abstentions: Schema.Array(Schema.Struct({ member: Schema.String, reason: Schema.String })),
  ranking: Schema.optionalKey(Ranking),
  dissents: Schema.Array(Dissent),
  claims: Schema.Array(
    Schema.Struct({ member: Schema.String, phase: PhaseKind, claim: Claim, finding: Finding })
  ),
  failures: Schema.Array(MemberFailureReason),
  /** Voters whose own scores give the decision, of those whose vote is valid. */
  agreement: Schema.Struct({ agree: Schema.Int, of: Schema.Int }),
  changes: Schema.Array(ChangeOfMind),
  /** Changes of mind towards the majority, of all of them. */
  conformity: Schema.Struct({ toMajority: Schema.Int, of: Schema.Int }),
  stability: Schema.optionalKey(Stability),
  calls: Schema.Int,
  usage: TokenUsage,
  /** US dollars of the whole debate, permutations included; absent if a call's cost is not known. */
  costUsd: Schema.optionalKey(Schema.Number),
  unpricedCalls: Schema.Int,
  transcript: Schema.Array(Turn)
})
export type Verdict = typeof Verdict.Type
