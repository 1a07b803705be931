// The dissents of a debate, each in full: every objection with what was said to it, every vote against the decision,
// and the position of whoever spoke against it and has neither. And every position that was held. Pure.
//
// 1. Every objection of every phase is a dissent, in the order raised, whatever became of it.
// 2. An objection is answered when a voter who did not raise it gave an answer that is one (answers.ts).
// 3. An objection stands when more voters say that it does than answer that it does not. Each counts once; who says
//    both says that it stands.
// 4. A contrarian's `NO_GO` without an objection is a dissent, and so is a stance below the decision of a member whose
//    vote was not counted.
import { defined } from "../../domain/defined.ts"
import { isContrarian, type Board } from "../Board.ts"
import type { Decision, ScoreTable } from "../scoring.ts"
import type { Vote } from "../Statement.ts"
import type { Dissent, DissentAnswer, Position, Turn } from "../Verdict.ts"
import { insufficiencyOf, readAs, saysSomething } from "./answers.ts"
import { unaskedIn, type Objection } from "./objections.ts"

export interface Ballot {
  readonly member: string
  readonly vote: Vote
}

/** What was written to each objection, by its id. */
const answersById = (
  asked: ReadonlyArray<Objection>,
  ballots: ReadonlyArray<Ballot>
): ReadonlyMap<string, ReadonlyArray<DissentAnswer>> => {
  const all = new Set(asked.map(({ text }) => readAs(text)))
  const answers = new Map(asked.map(({ id, text }) => [id, { text, given: new Array<DissentAnswer>() }]))
  for (const { member, vote } of ballots) {
    for (const { answer, objection, stands = false } of vote.answers ?? []) {
      const to = answers.get(objection)
      if (to === undefined) continue
      const insufficient = insufficiencyOf(answer, to.text, all)
      to.given.push({ member, answer, stands, ...defined({ insufficient }) })
    }
  }
  return new Map(Array.from(answers, ([id, { given }]) => [id, given]))
}

const namesOf = (answers: ReadonlyArray<DissentAnswer>): ReadonlySet<string> =>
  new Set(answers.map(({ member }) => member))

const objectionDissent = (objection: Objection, answers: ReadonlyArray<DissentAnswer>): Dissent => {
  const real = answers.filter(({ insufficient }) => insufficient === undefined)
  const standing = namesOf(answers.filter(({ stands }) => stands))
  const against = [...namesOf(real)].filter((member) => !standing.has(member))
  return {
    ...objection,
    kind: "objection",
    answered: real.some(({ member }) => member !== objection.member),
    ...(standing.size > against.length ? { stands: true } : {}),
    answers
  }
}

/** Of every objection; those that the ballot did not ask about have no answer. */
export const objectionDissents = (
  turns: ReadonlyArray<Turn>,
  asked: ReadonlyArray<Objection>,
  ballots: ReadonlyArray<Ballot>
): ReadonlyArray<Dissent> => {
  const answers = answersById(asked, ballots)
  return [
    ...asked.map((objection) => objectionDissent(objection, answers.get(objection.id) ?? [])),
    ...unaskedIn(turns, asked).map((objection) => objectionDissent(objection, []))
  ]
}

export const voteDissents = (
  table: ScoreTable,
  decision: Decision,
  ballots: ReadonlyArray<Ballot>
): ReadonlyArray<Dissent> =>
  table.rows
    .filter((row) => row.decision !== decision)
    .map(({ decision: own, member }, index) => ({
      id: `v-${index + 1}`,
      kind: "vote" as const,
      member,
      phase: "ballot" as const,
      text: `${own}: ${ballots.find((ballot) => ballot.member === member)?.vote.reason ?? ""}`,
      answered: false,
      answers: []
    }))

const height: Readonly<Record<Decision, number>> = { GO: 2, PIVOT: 1, NO_GO: 0 }

export const positionDissents = (
  board: Board,
  turns: ReadonlyArray<Turn>,
  table: ScoreTable,
  decision: Decision
): ReadonlyArray<Dissent> =>
  board.members
    .flatMap((member) => {
      const said = turns.flatMap((turn) =>
        "statement" in turn && turn.member === member.id ? [{ phase: turn.phase, ...turn.statement }] : []
      )
      const last = said.at(-1)
      if (last === undefined) return []
      const below = height[last.stance] < height[decision]
      const counted = table.rows.some((row) => row.member === member.id)
      const dissents = isContrarian(member) ? below || last.stance === "NO_GO" : below && !counted
      const objects = said.some(({ objections }) => objections?.some(saysSomething) === true)
      return dissents && !objects ? [{ member: member.id, ...last }] : []
    })
    .map(({ member, phase, position, stance }, index) => ({
      id: `p-${index + 1}`,
      kind: "position" as const,
      member,
      phase,
      text: position,
      stance,
      answered: false,
      answers: []
    }))

/** Every position in the order it was taken. A vote's is its reason, its stance what its own scores decide. */
export const positionsIn = (turns: ReadonlyArray<Turn>, table: ScoreTable): ReadonlyArray<Position> =>
  turns.flatMap((turn): ReadonlyArray<Position> => {
    const { member, phase } = turn
    if ("statement" in turn) {
      const { position, stance } = turn.statement
      return [{ member, phase, stance, position }]
    }
    const row = "vote" in turn ? table.rows.find((counted) => counted.member === member) : undefined
    return "vote" in turn && row !== undefined
      ? [{ member, phase, stance: row.decision, position: turn.vote.reason }]
      : []
  })
