// Verdict: everything a council answers, as a Schema: the decision, whether it is conclusive and why not, the score
// table, every dissent with what answered it, every position, claims with findings, failures, cost, transcript. Made
// by verdictOf.ts.
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

/** The member was not asked, or not asked again: no money was left for it. */
export const lostToMoney = ({ reason }: Pick<MemberFailureReason, "reason">): boolean => reason === "budget"

/** One turn of the debate, as it was said. */
export const Turn = Schema.Union([
  Schema.Struct({ phase: PhaseKind, member: Schema.String, statement: Statement }),
  Schema.Struct({ phase: PhaseKind, member: Schema.String, vote: Vote }),
  Schema.Struct({ phase: PhaseKind, member: Schema.String, failure: MemberFailureReason })
])
export type Turn = typeof Turn.Type

/** What a voter wrote to an objection. `insufficient`: why it is no answer, where it is none (dissent/answers.ts). */
export const DissentAnswer = Schema.Struct({
  member: Schema.String,
  answer: Schema.String,
  stands: Schema.Boolean,
  insufficient: Schema.optionalKey(Schema.Literals(["too_few_letters", "repeats_objection"]))
})
export type DissentAnswer = typeof DissentAnswer.Type

/**
 * An objection, a vote against the decision with its reason, or the position of a member that spoke against it and has
 * neither. In full; `answered` by somebody else; `stands` where most of those who said something to it say so.
 */
export const Dissent = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["objection", "vote", "position"]),
  member: Schema.String,
  phase: PhaseKind,
  text: Schema.String,
  /** Of a position. */
  stance: Schema.optionalKey(Decision),
  answered: Schema.Boolean,
  stands: Schema.optionalKey(Schema.Literal(true)),
  answers: Schema.Array(DissentAnswer)
})
export type Dissent = typeof Dissent.Type

/** What a member held in a phase, in its own words. */
export const Position = Schema.Struct({
  member: Schema.String,
  phase: PhaseKind,
  stance: Decision,
  position: Schema.String
})
export type Position = typeof Position.Type

export const InconclusiveCode = Schema.Literals([
  "too_few_votes",
  "member_failed",
  "contrarian_not_heard",
  "unanswered_objection",
  /** The scores said GO, and most voters that an objection stands. */
  "objection_stands",
  /** More than half of the votes given are abstentions. */
  "most_abstained"
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

/** One further order of the openings. Objections that were raised in it alone are among its dissents. */
export const OtherOrder = Schema.Struct({
  decision: Decision,
  conclusive: Schema.Boolean,
  dissents: Schema.Array(Dissent),
  failures: Schema.Array(MemberFailureReason)
})

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
  /** The rules that its members were asked by; absent: 1. */
  rules: Schema.optionalKey(Schema.Int),
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
  /** Every position of every phase. Absent under the first rules. */
  positions: Schema.optionalKey(Schema.Array(Position)),
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
  /** What those orders brought up; absent where there are none, and under the first rules. */
  otherOrders: Schema.optionalKey(Schema.Array(OtherOrder)),
  calls: Schema.Int,
  usage: TokenUsage,
  /** US dollars of the whole debate, permutations included; absent if a call's cost is not known. */
  costUsd: Schema.optionalKey(Schema.Number),
  unpricedCalls: Schema.Int,
  transcript: Schema.Array(Turn)
})
export type Verdict = typeof Verdict.Type
