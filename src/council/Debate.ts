// Debate: runs a board over a pack. Phases are serial in their declared order, members of a phase parallel, each
// hearing only earlier phases; the contrarian is last and alone. Every statement and vote is one `ask`, so that
// whoever gives `ask` can journal, cache, bound and replay it. It never fails: a member that does is a turn.
import { Effect, Result } from "effect"
import type { AgentOptions } from "../domain/Call.ts"
import type { ModelRunFailure, ModelRunResult } from "../domain/ModelRun.ts"
import { defined } from "../domain/defined.ts"
import { currentRules } from "../domain/run/rules.ts"
import { askingBy, type Asking } from "./asking/askingBy.ts"
import { speakersOf, type Board, type DebateBudget, type Member, type Phase } from "./Board.ts"
import { objectionsIn } from "./dissent/objections.ts"
import type { Course, Spent } from "./Course.ts"
import type { Pack } from "./Pack.ts"
import { permutations } from "./permutations.ts"
import { phasePrompt, systemPrompt } from "./asking/prompts.ts"
import { readStatement, readVote, statementSchema, voteSchema, type Unreadable } from "./Statement.ts"
import type { Evidence } from "../verifier/Evidence.ts"
import type { MemberFailureReason, Turn, Verdict } from "./Verdict.ts"
import { stabilityOf, verdictOf } from "./verdictOf.ts"

/**
 * What a debate stands on. `ask`: one guarded call, whose `label` says which turn of the debate it is. It never fails,
 * and keeps to the board's budget, which all calls of the debate share. `record` is told every member failure, as soon
 * as it is known. `rules`: those that members are asked by; absent: the current ones.
 */
export interface DebatePorts<R = never> {
  readonly ask: (call: AgentOptions, budget?: DebateBudget) => Effect.Effect<ModelRunResult, never, R>
  readonly record?: (kind: "member_failure", failure: MemberFailureReason) => Effect.Effect<void, never, R>
  readonly rules?: number
  /** What claims are held against, where that is not the pack's evidence, which members read. */
  readonly evidence?: ReadonlyArray<Evidence>
}

const reasonOf = ({ error, status }: ModelRunFailure): MemberFailureReason["reason"] => {
  if (status === "parked") return "parked"
  if (status === "cancelled") return "cancelled"
  switch (error.code) {
    case "not_available":
    case "auth":
      return "unbound"
    case "timeout":
      return "timed_out"
    case "content_filtered":
      return "refused"
    case "budget_exceeded":
      return "budget"
    case "invalid_response":
      return "off_format"
    case "awaiting_answer":
      return "parked"
    default:
      return "failed"
  }
}

const turnOf = (board: Board, pack: Pack, phase: Phase, member: Member, result: ModelRunResult): Turn => {
  const by = { phase: phase.phase, member: member.id }
  if (!result.ok) {
    const { code, message } = result.error
    return { ...by, failure: { ...by, reason: reasonOf(result), code, message } }
  }
  const unreadable = ({ message, reason }: Unreadable): Turn => ({
    ...by,
    failure: { ...by, reason, message }
  })
  return phase.phase === "ballot"
    ? Result.match(readVote(result, board.axes, pack), {
        onFailure: unreadable,
        onSuccess: (vote): Turn => ({ ...by, vote })
      })
    : Result.match(readStatement(result), {
        onFailure: unreadable,
        onSuccess: (statement): Turn => ({ ...by, statement })
      })
}

const callOf = (
  board: Board,
  pack: Pack,
  phase: Phase,
  member: Member,
  course: Course,
  asking: Asking,
  suffix: string
): AgentOptions => ({
  prompt: phasePrompt(board, pack, phase, member, course.turns, course.objections, asking),
  system: systemPrompt(member),
  schema:
    phase.phase === "ballot"
      ? voteSchema(
          board.axes,
          course.objections.map(({ id }) => id),
          pack
        )
      : statementSchema(pack, asking),
  label: `council/${phase.phase}/${member.id}${suffix}`,
  ...defined({
    model: member.model,
    maxOutputTokens: board.maxOutputTokens,
    temperature: board.temperature,
    timeoutMs: board.timeoutMs
  })
})

const spentOf = (result: ModelRunResult): Spent => ({
  ...defined({ usage: result.usage, costUsd: result.costUsd })
})

const speak = Effect.fnUntraced(function* <R>(
  board: Board,
  pack: Pack,
  phase: Phase,
  course: Course,
  suffix: string,
  ports: DebatePorts<R>
) {
  const asking = askingBy(ports.rules ?? currentRules)
  const speakers = speakersOf(board, phase)
  const results = yield* Effect.forEach(
    speakers,
    (member) =>
      Effect.map(
        ports.ask(callOf(board, pack, phase, member, course, asking, suffix), board.budget),
        (result) => ({
          member,
          result
        })
      ),
    { concurrency: speakers.length }
  )
  const turns = results.map(({ member, result }) => turnOf(board, pack, phase, member, result))
  for (const turn of turns) {
    if ("failure" in turn && ports.record !== undefined) yield* ports.record("member_failure", turn.failure)
  }
  return {
    turns: [...course.turns, ...turns],
    objections: [...course.objections, ...objectionsIn(turns, course.objections.length, asking.raises)],
    spent: [...course.spent, ...results.map(({ result }) => spentOf(result))]
  }
})

const through = Effect.fnUntraced(function* <R>(
  board: Board,
  pack: Pack,
  phases: ReadonlyArray<Phase>,
  start: Course,
  suffix: string,
  ports: DebatePorts<R>
) {
  let course = start
  for (const phase of phases) course = yield* speak(board, pack, phase, course, suffix, ports)
  return course
})

const nothing: Course = { turns: [], objections: [], spent: [] }

/**
 * Holds the debate and answers its verdict. With `permutations`, the later phases are held again over the same
 * openings in other orders; the verdict is that of the board's own order, and says how often the others agreed.
 */
export const debate = Effect.fn("Council.debate")(function* <R>(
  board: Board,
  pack: Pack,
  ports: DebatePorts<R>
) {
  const asking = askingBy(ports.rules ?? currentRules)
  const openings = yield* through(board, pack, board.phases.slice(0, 1), nothing, "", ports)
  const later = board.phases.slice(1)
  const course = yield* through(board, pack, later, openings, "", ports)
  const judged = ports.evidence === undefined ? pack : { ...pack, evidence: ports.evidence }
  const verdict: Verdict = verdictOf(board, judged, course, asking)
  const others: Array<Course> = []
  for (const [index, order] of permutations(openings.turns.length, board.permutations).entries()) {
    const turns = order.flatMap((at) => openings.turns[at] ?? [])
    // An objection of an opening keeps its id in every order.
    const start = { ...nothing, turns, objections: openings.objections }
    others.push(yield* through(board, pack, later, start, `/order-${index + 1}`, ports))
  }
  return others.length === 0
    ? verdict
    : stabilityOf(
        verdict,
        others.map((other) => ({ verdict: verdictOf(board, judged, other, asking), spent: other.spent })),
        asking
      )
})
