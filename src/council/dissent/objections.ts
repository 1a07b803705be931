// The objections of a debate: collected from what members said, in the order they were raised, under ids that are the
// debate's own. Pure.
import type { PhaseKind } from "../Board.ts"
import type { Turn } from "../Verdict.ts"

/** An objection that has to be answered, with the id the debate gave it. */
export interface Objection {
  readonly id: string
  readonly member: string
  readonly phase: PhaseKind
  readonly text: string
}

const anyPhase = (): boolean => true

/** The objections of the turns whose phase raises them, numbered from `from` + 1. */
export const objectionsIn = (
  turns: ReadonlyArray<Turn>,
  from: number,
  raises: (phase: PhaseKind) => boolean = anyPhase
): ReadonlyArray<Objection> =>
  turns
    .flatMap((turn) =>
      "statement" in turn && raises(turn.phase)
        ? (turn.statement.objections ?? [])
            .filter((text) => text.trim() !== "")
            .map((text) => ({ member: turn.member, phase: turn.phase, text }))
        : []
    )
    .map((objection, index) => ({ id: `o-${from + index + 1}`, ...objection }))

/**
 * The objections that the ballot did not put to the voters, numbered after those that it did. Under the first rules
 * those of openings and revisions.
 */
export const unaskedIn = (
  turns: ReadonlyArray<Turn>,
  asked: ReadonlyArray<Objection>
): ReadonlyArray<Objection> => {
  const phases = new Set(asked.map(({ member, phase }) => `${phase}/${member}`))
  const rest = turns.filter(({ member, phase }) => !phases.has(`${phase}/${member}`))
  return objectionsIn(rest, asked.length)
}
