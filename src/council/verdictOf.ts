// verdictOf: from the turns of a debate to its verdict, pure. Counts votes, gathers every dissent (dissent/), checks
// claims with the verifier, and says what keeps the verdict from being conclusive. Drops nothing.
import { Result } from "effect"
import { defined } from "../domain/defined.ts"
import { checkClaims } from "../verifier/checkClaims.ts"
import type { Claim } from "../verifier/Claim.ts"
import { strictJson } from "../domain/json/strictJson.ts"
import type { Asking } from "./asking/askingBy.ts"
import { contrarianOf, minVotes, type Board, type PhaseKind } from "./Board.ts"
import { changesOf } from "./changesOfMind.ts"
import type { Course, Spent } from "./Course.ts"
import {
  objectionDissents,
  positionDissents,
  positionsIn,
  voteDissents,
  type Ballot
} from "./dissent/dissents.ts"
import type { Pack } from "./Pack.ts"
import { rank } from "./ranking.ts"
import { score, type CountedVote, type ScoreTable } from "./scoring.ts"
import { lostToMoney, type Dissent, type Inconclusive, type Turn, type Verdict } from "./Verdict.ts"

const total = (spent: ReadonlyArray<Spent>) => {
  const tokens = (key: "inputTokens" | "outputTokens") =>
    spent.reduce((sum, { usage }) => sum + (usage?.[key] ?? 0), 0)
  const unpricedCalls = spent.filter(({ costUsd }) => costUsd === undefined).length
  return {
    calls: spent.length,
    usage: { inputTokens: tokens("inputTokens"), outputTokens: tokens("outputTokens") },
    unpricedCalls,
    ...(unpricedCalls > 0 ? {} : { costUsd: spent.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) })
  }
}

const ballotsOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<Ballot> =>
  turns.flatMap((turn) => ("vote" in turn ? [{ member: turn.member, vote: turn.vote }] : []))

const weightOf = (board: Board, member: string): number =>
  board.members.find(({ id }) => id === member)?.weight ?? 1

const counted = (board: Board, ballots: ReadonlyArray<Ballot>): ReadonlyArray<CountedVote> =>
  ballots.flatMap(({ member, vote }) =>
    vote.abstain === true ? [] : [{ member, weight: weightOf(board, member), scores: vote.scores ?? {} }]
  )

interface MadeClaim {
  readonly member: string
  readonly phase: PhaseKind
  readonly claim: Claim
}

/** Claims as members made them. Arguments that are not JSON stay text, which no oracle takes: unproven, not lost. */
const claimsIn = (turns: ReadonlyArray<Turn>): ReadonlyArray<MadeClaim> =>
  turns.flatMap((turn) =>
    "statement" in turn
      ? (turn.statement.claims ?? []).map(({ args, ...claim }, index) => {
          const read = strictJson(args)
          const exact = Result.isSuccess(read) && read.success.lossy.length === 0
          return {
            member: turn.member,
            phase: turn.phase,
            claim: {
              id: `${turn.member}/${turn.phase}/${index + 1}`,
              ...claim,
              args: exact ? read.success.value : args
            }
          }
        })
      : []
  )

const withFindings = (pack: Pack, made: ReadonlyArray<MadeClaim>): Verdict["claims"] => {
  const findings = checkClaims(
    made.map(({ claim }) => claim),
    pack.evidence ?? []
  )
  return made.flatMap((entry, index) => {
    const finding = findings[index]
    return finding === undefined ? [] : [{ ...entry, finding }]
  })
}

const inconclusiveOf = (
  board: Board,
  turns: ReadonlyArray<Turn>,
  table: ScoreTable,
  ballots: ReadonlyArray<Ballot>,
  objections: ReadonlyArray<Dissent>
): ReadonlyArray<Inconclusive> => {
  const contrarian = contrarianOf(board)?.id
  const heard = turns.some(
    (turn) => turn.phase === "contrarian" && turn.member === contrarian && "statement" in turn
  )
  const abstained = ballots.filter(({ vote }) => vote.abstain === true).length
  const because = (code: Inconclusive["code"], details: ReadonlyArray<string>) =>
    details.map((detail) => ({ code, detail }))
  return [
    ...because(
      "too_few_votes",
      table.enough ? [] : [`${table.rows.length} valid votes; it takes ${minVotes} to decide`]
    ),
    ...because(
      "most_abstained",
      2 * abstained > ballots.length ? [`${abstained} of ${ballots.length} votes are abstentions`] : []
    ),
    ...because("contrarian_not_heard", heard ? [] : ["the contrarian gave no statement"]),
    ...because(
      "unanswered_objection",
      objections.filter(({ answered }) => !answered).map(({ id }) => id)
    ),
    ...because(
      "objection_stands",
      table.decision === "GO" ? objections.filter(({ stands }) => stands).map(({ id }) => id) : []
    ),
    ...because(
      "member_failed",
      turns.flatMap((turn) =>
        "failure" in turn
          ? [
              `${turn.member} in ${turn.phase}: ${turn.failure.reason}${lostToMoney(turn.failure) ? " (budget_exceeded: the money was used up)" : ""}`
            ]
          : []
      )
    )
  ]
}

/** What keeps a decision from being GO. */
const blocking: ReadonlySet<Inconclusive["code"]> = new Set([
  "unanswered_objection",
  "objection_stands",
  "contrarian_not_heard"
])

/**
 * The verdict of a debate.
 *
 * 1. Fewer than three valid votes: `NO_GO`, not conclusive.
 * 2. An objection that nobody but its maker answered, one that most voters say stands, or a contrarian that was not
 *    heard, turns `GO` into `PIVOT`.
 * 3. A verdict that rests on a missing answer, or on less than half of the votes, is not conclusive, and says why.
 * 4. Every objection and every vote against the decision is in `dissents`, in full, and every position in `positions`.
 */
export const verdictOf = (board: Board, pack: Pack, course: Course, asking: Asking): Verdict => {
  const { turns } = course
  const ballots = ballotsOf(turns)
  const votes = counted(board, ballots)
  const scores = score(votes, board)
  const objections = objectionDissents(turns, course.objections, ballots)
  const inconclusive = inconclusiveOf(board, turns, scores, ballots, objections)
  const blocks = inconclusive.some(({ code }) => blocking.has(code))
  const isBlocked = blocks && scores.decision === "GO"
  const decision = isBlocked ? "PIVOT" : scores.decision
  const changes = changesOf(board, turns, scores)
  return {
    ok: true,
    question: pack.question,
    ...defined({ board: board.id }),
    ...(asking.keepsPositions ? { rules: asking.rules } : {}),
    decision,
    conclusive: inconclusive.length === 0,
    inconclusive,
    ...(isBlocked ? { blocked: scores.decision } : {}),
    scores,
    abstentions: ballots.flatMap(({ member, vote }) =>
      vote.abstain === true ? [{ member, reason: vote.reason }] : []
    ),
    ...(pack.options === undefined
      ? {}
      : {
          ranking: rank(
            pack.options.map(({ id }) => id),
            ballots.flatMap(({ member, vote }) =>
              vote.abstain === true || vote.ranking === undefined
                ? []
                : [{ member, weight: weightOf(board, member), ranking: vote.ranking }]
            )
          )
        }),
    dissents: [
      ...objections,
      ...voteDissents(scores, decision, ballots),
      ...positionDissents(board, turns, scores, decision)
    ],
    ...(asking.keepsPositions ? { positions: positionsIn(turns, scores) } : {}),
    claims: withFindings(pack, claimsIn(turns)),
    failures: turns.flatMap((turn) => ("failure" in turn ? [turn.failure] : [])),
    agreement: {
      agree: scores.rows.filter((row) => row.decision === decision).length,
      of: scores.rows.length
    },
    changes,
    conformity: { toMajority: changes.filter(({ toMajority }) => toMajority).length, of: changes.length },
    ...total(course.spent),
    transcript: turns
  }
}

/** The verdict with what further orders of the openings decided, and with their cost added. */
export const stabilityOf = (
  verdict: Verdict,
  others: ReadonlyArray<{ readonly verdict: Verdict; readonly spent: ReadonlyArray<Spent> }>,
  asking: Asking
): Verdict => {
  const { costUsd: own, ...rest } = verdict
  const added = total(others.flatMap(({ spent }) => spent))
  const costUsd = own === undefined || added.costUsd === undefined ? undefined : own + added.costUsd
  return {
    ...rest,
    stability: {
      permutations: others.length,
      same: others.filter((other) => other.verdict.decision === verdict.decision).length,
      decisions: others.map((other) => other.verdict.decision),
      calls: added.calls,
      ...defined({ costUsd: added.costUsd })
    },
    ...(asking.keepsPositions
      ? {
          otherOrders: others.map(({ verdict: { conclusive, decision, dissents, failures } }) => ({
            decision,
            conclusive,
            dissents,
            failures
          }))
        }
      : {}),
    calls: verdict.calls + added.calls,
    usage: {
      inputTokens: (verdict.usage.inputTokens ?? 0) + added.usage.inputTokens,
      outputTokens: (verdict.usage.outputTokens ?? 0) + added.usage.outputTokens
    },
    unpricedCalls: verdict.unpricedCalls + added.unpricedCalls,
    ...defined({ costUsd })
  }
}
