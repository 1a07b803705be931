// Board: who debates, in which phases, and how the ballot is counted. Its Schema and its defaults; reading one from a
// file and refusing a bad one is loadBoard.ts, counting is scoring.ts.
import { Schema } from "effect"

const PositiveInt = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))
const Id = Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)))

export const contrarianRole = "contrarian"

/** A member. The one whose role is `contrarian` speaks last and alone. `weight` is of its vote. */
export const Member = Schema.Struct({
  id: Id,
  role: Schema.NonEmptyString,
  /** A model reference; absent: the default model. */
  model: Schema.optionalKey(Schema.NonEmptyString),
  /** Who the member is, in its own system prompt. */
  persona: Schema.optionalKey(Schema.String),
  weight: Schema.optionalKey(Schema.Number)
})
export type Member = typeof Member.Type

export const PhaseKind = Schema.Literals(["opening", "critique", "revision", "contrarian", "ballot"])
export type PhaseKind = typeof PhaseKind.Type

/** A phase. `members`: who speaks; absent: all but the contrarian (who alone speaks in `contrarian`). */
export const Phase = Schema.Struct({
  phase: PhaseKind,
  members: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What this board wants of the phase, added to its prompt. */
  instructions: Schema.optionalKey(Schema.String)
})
export type Phase = typeof Phase.Type

/** What is scored from 0 to 10. Weights are relative: only their ratios count. */
export const Axis = Schema.Struct({
  id: Id,
  weight: Schema.Number,
  description: Schema.optionalKey(Schema.String)
})
export type Axis = typeof Axis.Type

/** A weighted mean of at least `go` is GO, of at least `pivot` PIVOT, else NO_GO. */
export const Thresholds = Schema.Struct({ go: Schema.Number, pivot: Schema.Number })
export type Thresholds = typeof Thresholds.Type

/** Bounds of one debate, its permutations included. `usd` in US dollars. */
export const DebateBudget = Schema.Struct({
  calls: Schema.optionalKey(PositiveInt),
  usd: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))))
})
export type DebateBudget = typeof DebateBudget.Type

/** A board as its author writes it. Phases may be named alone. */
export const BoardFile = Schema.Struct({
  id: Schema.optionalKey(Id),
  title: Schema.optionalKey(Schema.String),
  members: Schema.Array(Member),
  phases: Schema.optionalKey(Schema.Array(Schema.Union([PhaseKind, Phase]))),
  axes: Schema.optionalKey(Schema.Array(Axis)),
  thresholds: Schema.optionalKey(Thresholds),
  contrarianVotes: Schema.optionalKey(Schema.Boolean),
  /** Members see each other's statements without names. */
  anonymous: Schema.optionalKey(Schema.Boolean),
  /** How many further orders of the openings are tried for stability. */
  permutations: Schema.optionalKey(
    Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 24 })))
  ),
  budget: Schema.optionalKey(DebateBudget),
  maxOutputTokens: Schema.optionalKey(PositiveInt),
  temperature: Schema.optionalKey(Schema.Finite),
  timeoutMs: Schema.optionalKey(PositiveInt)
})
export type BoardFile = typeof BoardFile.Type

/** A board that loaded: every default filled in, every rule of loadBoard.ts holding. */
export const Board = Schema.Struct({
  ...BoardFile.fields,
  phases: Schema.Array(Phase),
  axes: Schema.Array(Axis),
  thresholds: Thresholds,
  contrarianVotes: Schema.Boolean,
  anonymous: Schema.Boolean,
  permutations: Schema.Int
})
export type Board = typeof Board.Type

export const defaultPhases: ReadonlyArray<Phase> = [
  { phase: "opening" },
  { phase: "critique" },
  { phase: "revision" },
  { phase: "contrarian" },
  { phase: "ballot" }
]

export const defaultAxes: ReadonlyArray<Axis> = [
  { id: "feasibility", weight: 0.25, description: "can it be done, by these people, with these means" },
  { id: "revenue", weight: 0.25, description: "what it brings in or saves" },
  { id: "cx", weight: 0.2, description: "what it does for those who use it" },
  { id: "ttm", weight: 0.15, description: "how soon it is in use (10 = at once)" },
  { id: "risk", weight: 0.15, description: "how little can go wrong (10 = low risk)" }
]

export const defaultThresholds: Thresholds = { go: 7, pivot: 5 }

/** Fewer valid votes than this decide nothing. */
export const minVotes = 3
export const maxMembers = 24

export const isContrarian = (member: Member): boolean => member.role === contrarianRole

export const contrarianOf = (board: Board): Member | undefined => board.members.find(isContrarian)

/** Those whose vote counts. */
export const votersOf = (board: Board): ReadonlyArray<Member> =>
  board.members.filter((member) => board.contrarianVotes || !isContrarian(member))

/** Who speaks in a phase, in the board's order. */
export const speakersOf = (board: Board, phase: Phase): ReadonlyArray<Member> => {
  const allowed =
    phase.phase === "ballot"
      ? votersOf(board)
      : board.members.filter((member) => isContrarian(member) === (phase.phase === "contrarian"))
  const named = phase.members
  return named === undefined ? allowed : allowed.filter(({ id }) => named.includes(id))
}

/** A person is asked first, and who is asked counts no call. A name that only the configuration knows is a model's. */
const isPerson = ({ model = "" }: Member): boolean => /^\s*human\s*(?:\||$)/.test(model)

/** How many calls of models a debate makes, and how many each further order of the openings adds. */
export const plannedCalls = (board: Board): { readonly debate: number; readonly eachPermutation: number } => {
  const calls = (phases: ReadonlyArray<Phase>) =>
    phases.reduce(
      (sum, phase) => sum + speakersOf(board, phase).filter((member) => !isPerson(member)).length,
      0
    )
  return {
    debate: calls(board.phases),
    eachPermutation: calls(board.phases.filter(({ phase }) => phase !== "opening"))
  }
}
