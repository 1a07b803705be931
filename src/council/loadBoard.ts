// loadBoard: from a board's text (JSON or YAML) or value to a Board, or every reason why not. The order of speaking
// is checked here, so that a board whose contrarian is not heard last cannot exist. Which models there are is told.
import { Effect, Option, Result, Schema } from "effect"
import { isAlias, isCollection, isNode, LineCounter, parseDocument } from "yaml"
import type { AdapterRegistry } from "../adapters/registry/AdapterRegistry.ts"
import { withoutSchema } from "../domain/json/userJson.ts"
import { issuesOf, pathText } from "../domain/schemaIssues.ts"
import {
  BoardFile,
  defaultAxes,
  defaultPhases,
  defaultThresholds,
  isContrarian,
  maxMembers,
  minVotes,
  PhaseKind,
  plannedCalls,
  speakersOf,
  votersOf,
  type Board,
  type Phase
} from "./Board.ts"
import { BoardError, type BoardCode, type BoardProblem } from "./BoardError.ts"
import { scaled } from "./scoring.ts"

type Path = ReadonlyArray<string | number>
interface Problem {
  readonly code: BoardCode
  readonly path: Path
  readonly message: string
}

const problem = (code: BoardCode, path: Path, message: string): Problem => ({ code, path, message })

const decodeFile = Schema.decodeUnknownResult(BoardFile, { onExcessProperty: "error" })
const phaseNames: ReadonlySet<unknown> = new Set(PhaseKind.literals)

/** A phase of a name nobody knows is told apart from a board of the wrong shape. */
const unknownPhases = (value: unknown): ReadonlyArray<Problem> => {
  const phases = typeof value === "object" && value !== null && "phases" in value ? value.phases : undefined
  if (!Array.isArray(phases)) return []
  return phases.flatMap((entry: unknown, index) => {
    const named = typeof entry === "object" && entry !== null && "phase" in entry
    const name: unknown = named ? entry.phase : entry
    if (typeof name !== "string" || phaseNames.has(name)) return []
    const path = named ? ["phases", index, "phase"] : ["phases", index]
    return [
      problem(
        "unknown_phase",
        path,
        `there is no phase "${name}"; there are ${PhaseKind.literals.join(", ")}`
      )
    ]
  })
}

const readFile = (value: unknown): Result.Result<BoardFile, ReadonlyArray<Problem>> => {
  const unknown = unknownPhases(value)
  if (unknown.length > 0) return Result.fail(unknown)
  return Result.mapError(decodeFile(withoutSchema(value)), (error) =>
    issuesOf(error).map(({ message, path }) => problem("bad_shape", path, message))
  )
}

const duplicates = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<number> => {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const known = seen.has(key(item))
    seen.add(key(item))
    return known ? [index] : []
  })
}

const checkMembers = (board: Board): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = duplicates(board.members, ({ id }) => id).map((index) =>
    problem("duplicate_member", ["members", index, "id"], `"${board.members[index]?.id}" stands twice`)
  )
  const contrarians = board.members.flatMap((member, index) => (isContrarian(member) ? [index] : []))
  if (contrarians.length === 0) {
    problems.push(problem("no_contrarian", ["members"], "one member's role has to be contrarian"))
  }
  for (const index of contrarians.slice(1)) {
    problems.push(
      problem("many_contrarians", ["members", index, "role"], "exactly one member is the contrarian")
    )
  }
  const voters = votersOf(board).length
  if (voters < minVotes) {
    problems.push(
      problem("too_few_members", ["members"], `${voters} of the members vote; it takes ${minVotes} to decide`)
    )
  }
  if (board.members.length > maxMembers) {
    problems.push(problem("too_many_members", ["members"], `at most ${maxMembers} members`))
  }
  return problems
}

const checkOrder = (board: Board): ReadonlyArray<Problem> => {
  const { phases } = board
  const at = (kind: PhaseKind) => phases.findIndex(({ phase }) => phase === kind)
  const problems: Array<Problem> = duplicates(phases, ({ phase }) => phase).map((index) =>
    problem("duplicate_phase", ["phases", index], `the phase "${phases[index]?.phase}" stands twice`)
  )
  if (at("opening") !== 0) problems.push(problem("no_opening", ["phases"], "the first phase is the opening"))
  if (at("ballot") === -1) problems.push(problem("no_ballot", ["phases"], "a debate ends with a ballot"))
  else if (at("ballot") !== phases.length - 1) {
    problems.push(problem("ballot_not_last", ["phases", at("ballot")], "nobody speaks after the ballot"))
  }
  const spoken = phases.filter(({ phase }) => phase !== "ballot")
  const contrarian = at("contrarian")
  if (contrarian === -1 || spoken.at(-1)?.phase !== "contrarian") {
    const path: Path = contrarian === -1 ? ["phases"] : ["phases", contrarian]
    problems.push(
      problem("contrarian_not_last", path, "the contrarian is the last that speaks before the ballot")
    )
  }
  return [...problems, ...phases.flatMap((phase, index) => checkSpeakers(board, phase, index))]
}

const checkSpeakers = (board: Board, phase: Phase, index: number): ReadonlyArray<Problem> => {
  const speakers = new Set(speakersOf(board, phase).map(({ id }) => id))
  const problems = (phase.members ?? []).flatMap((id, at): ReadonlyArray<Problem> => {
    const path = ["phases", index, "members", at]
    const member = board.members.find((candidate) => candidate.id === id)
    if (member === undefined) return [problem("unknown_member", path, `there is no member "${id}"`)]
    if (speakers.has(id)) return []
    if (phase.phase === "contrarian")
      return [problem("contrarian_not_alone", path, "only the contrarian speaks here")]
    return phase.phase === "ballot"
      ? [problem("unknown_member", path, "the contrarian does not vote unless contrarianVotes is true")]
      : [problem("contrarian_not_last", path, "the contrarian speaks in its own phase only")]
  })
  if (speakers.size > 0) return problems
  const path = phase.members === undefined ? ["phases", index] : ["phases", index, "members"]
  return [...problems, problem("empty_phase", path, "nobody speaks in this phase")]
}

const checkRules = (board: Board): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = duplicates(board.axes, ({ id }) => id).map((index) =>
    problem("duplicate_axis", ["axes", index, "id"], `"${board.axes[index]?.id}" stands twice`)
  )
  const usable = (weight: number) => weight >= 0 && scaled([weight]) !== undefined
  for (const [index, { weight }] of board.axes.entries()) {
    if (!usable(weight)) {
      problems.push(
        problem("bad_weights", ["axes", index, "weight"], "a weight is a number from 0, of few digits")
      )
    }
  }
  if (!board.axes.some(({ weight }) => weight > 0)) {
    problems.push(problem("bad_weights", ["axes"], "no axis has a weight above 0"))
  }
  for (const [index, { weight }] of board.members.entries()) {
    if (weight !== undefined && !(usable(weight) && weight > 0)) {
      problems.push(
        problem("bad_weights", ["members", index, "weight"], "a vote's weight is above 0, of few digits")
      )
    }
  }
  const { go, pivot } = board.thresholds
  if (!(usable(go) && usable(pivot) && pivot <= go && go <= 10)) {
    problems.push(problem("bad_thresholds", ["thresholds"], "0 <= pivot <= go <= 10"))
  }
  const { debate, eachPermutation } = plannedCalls(board)
  const calls = debate + board.permutations * eachPermutation
  if (board.budget?.calls !== undefined && calls > board.budget.calls) {
    problems.push(problem("over_budget", ["budget", "calls"], `the debate makes ${calls} calls`))
  }
  return problems
}

const withDefaults = (file: BoardFile): Board => ({
  ...file,
  phases: file.phases?.map((phase) => (typeof phase === "string" ? { phase } : phase)) ?? defaultPhases,
  axes: file.axes ?? defaultAxes,
  thresholds: file.thresholds ?? defaultThresholds,
  contrarianVotes: file.contrarianVotes ?? false,
  anonymous: file.anonymous ?? false,
  permutations: file.permutations ?? 0
})

const read = (value: unknown): Result.Result<Board, ReadonlyArray<Problem>> =>
  Result.flatMap(readFile(value), (file) => {
    const board = withDefaults(file)
    const problems = [...checkMembers(board), ...checkOrder(board), ...checkRules(board)]
    return problems.length === 0 ? Result.succeed(board) : Result.fail(problems)
  })

type Place = (path: Path) => { readonly line: number; readonly column: number } | undefined
const nowhere: Place = () => undefined

const boardError = (problems: ReadonlyArray<Problem>, place: Place): BoardError => {
  const placed = problems.map(({ code, message, path }): BoardProblem => {
    const at = place(path)
    return { code, path: pathText(path), message, ...at }
  })
  const [first = { code: "bad_shape", path: "$", message: "not a board" } as const, ...rest] = placed
  return new BoardError({ problems: [first, ...rest] })
}

const maxBytes = 256_000

/** A text as a value, with a way from a path to its line. YAML 1.2, of which JSON is a part; keys are unique. */
const parse = (
  text: string
): Result.Result<{ readonly value: unknown; readonly place: Place }, BoardError> => {
  const fail = (message: string, at?: { readonly line: number; readonly column: number }) =>
    Result.fail(boardError([problem("unparsable", [], message)], () => at))
  if (text.length > maxBytes) return fail(`more than ${maxBytes} characters`)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const broken = document.errors[0]
  if (broken !== undefined) {
    const { col, line } = lines.linePos(broken.pos[0])
    return fail(broken.message, { line, column: col })
  }
  const place: Place = (path) => {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      const at = isNode(node) && (isCollection(node) || !isAlias(node)) ? node.range?.[0] : undefined
      if (at === undefined) continue
      const { col, line } = lines.linePos(at)
      return { line, column: col }
    }
    return undefined
  }
  return Result.match(
    Result.try((): unknown => document.toJS({ maxAliasCount: 50 })),
    { onFailure: () => fail("too many aliases"), onSuccess: (value) => Result.succeed({ value, place }) }
  )
}

/** A board from a value, as an option of a council or from another loader. */
export const decodeBoard = (value: unknown): Result.Result<Board, BoardError> =>
  Result.mapError(read(value), (problems) => boardError(problems, nowhere))

/** A board from the text of a JSON or YAML file. */
export const loadBoard = (text: string): Result.Result<Board, BoardError> =>
  Result.flatMap(parse(text), ({ place, value }) =>
    Result.mapError(read(value), (problems) => boardError(problems, place))
  )

/**
 * Fails with `unknown_model` where a member's model names nothing. A missing key is not the board's fault. `text`: of
 * the board's file, for lines and columns.
 */
export const checkModels = Effect.fnUntraced(function* (
  board: Board,
  registry: AdapterRegistry["Service"],
  text?: string
) {
  const problems: Array<Problem> = []
  for (const [index, { model }] of board.members.entries()) {
    if (model === undefined) continue
    const failure = yield* registry.resolve({ prompt: "?", model }).pipe(
      Effect.flatMap((identity) => registry.bind(identity.model ?? model)),
      Effect.flip,
      Effect.option
    )
    if (Option.isSome(failure) && failure.value.code.startsWith("unknown_")) {
      problems.push(problem("unknown_model", ["members", index, "model"], failure.value.message))
    }
  }
  if (problems.length === 0) return board
  const place =
    text === undefined
      ? nowhere
      : Result.match(parse(text), { onFailure: () => nowhere, onSuccess: (read) => read.place })
  return yield* boardError(problems, place)
})
