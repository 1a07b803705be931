// Changes of mind: where a member's stance differs from its last one, phase by phase, and whether it went where most
// had stood before. A vote's stance is what its own scores decide. Pure.
import { contrarianOf, type Board, type PhaseKind } from "./Board.ts"
import type { Decision, ScoreTable } from "./scoring.ts"
import type { ChangeOfMind, Turn } from "./Verdict.ts"

type Stances = ReadonlyMap<string, Decision>

/** The stances of each phase, in the board's order. */
const stancesOf = (
  board: Board,
  turns: ReadonlyArray<Turn>,
  table: ScoreTable
): ReadonlyArray<readonly [PhaseKind, Stances]> =>
  board.phases.map(({ phase }) => [
    phase,
    phase === "ballot"
      ? new Map(table.rows.map(({ decision, member }) => [member, decision] as const))
      : new Map(
          turns.flatMap((turn) =>
            turn.phase === phase && "statement" in turn ? [[turn.member, turn.statement.stance] as const] : []
          )
        )
  ])

/** What more than half of the members held, or undefined. */
export const majorityOf = (stances: Stances): Decision | undefined => {
  const held = Array.from(stances.values())
  return held.find((stance) => 2 * held.filter((other) => other === stance).length > held.length)
}

/** Every change, in the order of phases, then of members. The contrarian's duty is not a mind to change. */
export const changesOf = (
  board: Board,
  turns: ReadonlyArray<Turn>,
  table: ScoreTable
): ReadonlyArray<ChangeOfMind> => {
  const contrarian = contrarianOf(board)?.id
  const last = new Map<
    string,
    { readonly phase: PhaseKind; readonly stance: Decision; readonly majority: Decision | undefined }
  >()
  const changes: Array<ChangeOfMind> = []
  for (const [phase, stances] of stancesOf(board, turns, table)) {
    const majority = majorityOf(stances)
    for (const [member, stance] of stances) {
      if (member === contrarian) continue
      const before = last.get(member)
      if (before !== undefined && before.stance !== stance) {
        const toMajority = before.majority === stance
        changes.push({ member, from: before.phase, to: phase, was: before.stance, is: stance, toMajority })
      }
      last.set(member, { phase, stance, majority })
    }
  }
  return changes
}
