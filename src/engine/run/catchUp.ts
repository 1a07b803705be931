// Catch-up: gives a plan the answers the journal already has, in journal order, the plan quiet before each next one.
// Resume and replay are this; a live run goes on from where it ends. Nothing is dispatched and nothing written.
import { Effect, Queue } from "effect"
import type { CallState } from "../../journal/state/RunState.ts"
import type { Answer } from "../../plan/host/PlanProtocol.ts"
import { missingCall } from "../replay/Divergence.ts"
import { readScheduled, type RunHistory } from "../replay/RunHistory.ts"
import type { RunContext } from "./RunContext.ts"
import { untilStopped, realSleep } from "./untilStopped.ts"
import { Session, type Decision } from "./Session.ts"

/** How many known answers go to the plan's process in one message. */
const batchSize = 256
/** How far apart in the log they may stand, and how long they may be together: what the plan does in between is a turn. */
const batchBytes = 4 * 1024 * 1024

/** The next answers from `rank` on, in journal order; calls of subflows are not the plan's. */
const knownFrom = (run: RunContext, rank: number, until: number): ReadonlyArray<CallState> => {
  const { completed } = run.journal.state()
  const found: Array<CallState> = []
  for (let at = rank; at < until && found.length < batchSize; at++) {
    const call = completed.at(at)
    if (call === undefined || call.n <= 0) continue
    const first = found[0]
    if (first !== undefined && call.offset + call.length - first.offset > batchBytes) break
    found.push(call)
  }
  return found
}

/**
 * How long a replay waits for what a program does by itself while a call of it has no answer in the journal: a run that
 * ended once does so again; one that has not ended may wait for that call.
 */
const endedPatienceMs = 30_000
const openPatienceMs = 250

const answerOf = (run: RunContext, call: CallState | string, n: number) =>
  Effect.map(run.journal.readResultText(call), (json): Answer => ({ n, json }))

/** The first of them, at least one: an answer may be long, also one whose line is short. */
const answersOf = Effect.fnUntraced(function* (run: RunContext, calls: ReadonlyArray<CallState>) {
  const answers: Array<Answer> = []
  let length = 0
  for (const call of calls) {
    if (length > batchBytes) break
    const answer = yield* answerOf(run, call, call.n)
    answers.push(answer)
    length += answer.json.length
  }
  return answers
})

/**
 * The first of the journal's answers from `next` on that the plan neither took nor gave up on. A plan that has ended
 * leaves answers of calls that it had made.
 */
const unwanted = (
  run: RunContext,
  session: Session,
  next: ReadonlyArray<CallState>,
  until: number
): CallState | undefined => {
  for (let batch = next; batch.length > 0; batch = knownFrom(run, (batch.at(-1)?.rank ?? until) + 1, until)) {
    const hasEnded = session.state.t !== "waiting"
    const found = batch.find(({ id, n }) => !session.gaveUp.has(id) && !(hasEnded && session.pending.has(n)))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Runs the plan through everything journaled. Returns the session, with a divergence if there was one, and what the
 * plan did beyond the journal, in order. `toItsEnd`: a program is waited for as long as it goes on by itself, since
 * nobody goes on with it afterwards.
 */
export const catchUp = Effect.fnUntraced(function* (
  run: RunContext,
  history: RunHistory,
  { toItsEnd = false }: { readonly toItsEnd?: boolean } = {}
) {
  const session = new Session(run, history)
  const beyond: Array<Decision> = []

  const absorb = Effect.fnUntraced(function* (turn: Parameters<Session["take"]>[0]) {
    for (const decision of yield* session.take(turn)) beyond.push(decision)
  })

  /** The gates' answers are given as soon as the gates are called: they are none of the plan's, and have no number. */
  const passGates = Effect.gen(function* () {
    for (;;) {
      const gates = session.pending.get(0)
      if (gates?.earlier?.status !== "completed") return
      session.pending.delete(0)
      session.answered.drop(gates.earlier.rank)
      yield* absorb(yield* untilStopped(run, run.driver.deliver([yield* answerOf(run, gates.id, 0)])))
    }
  })

  const { own } = run.driver
  const moved = yield* Queue.unbounded<void>()
  own?.onMoved(() => void Queue.offerUnsafe(moved, undefined))

  yield* absorb(yield* untilStopped(run, run.driver.start))
  yield* passGates

  // A strict run issues the same numbers again, so that many answers can go in one message.
  if (history.strict) {
    const until = run.journal.state().completed.length
    let next = knownFrom(run, 0, until)
    while (next.length > 0 && session.state.t === "waiting" && session.divergence === undefined) {
      const answers = yield* answersOf(run, next)
      const given = next.slice(0, answers.length)
      const turn = yield* untilStopped(run, run.driver.deliver(answers))
      yield* absorb(turn)
      for (const { n, rank } of given.slice(0, turn.delivered)) {
        session.pending.delete(n)
        session.answered.drop(rank)
      }
      const stopped = given[turn.delivered]
      // An answer that the plan gave up on, right before it came, is in the journal and was never delivered.
      if (stopped !== undefined && !session.gaveUp.has(stopped.id)) {
        next = next.slice(turn.delivered)
        break
      }
      const last = stopped ?? given.at(-1)
      next = knownFrom(run, (last?.rank ?? until) + 1, until)
    }
    const missing = unwanted(run, session, next, until)
    if (missing !== undefined && session.divergence === undefined) {
      const seq = history.scheduledAs(missing.n) ?? 0
      session.divergence = missingCall({ seq, n: missing.n, ...(yield* readScheduled(run.journal, seq)) })
    }
    yield* passGates
    return { session, beyond }
  }

  // Otherwise the rule is: of the answers that the plan waits for, the one journaled first.
  while (session.state.t === "waiting" && session.divergence === undefined) {
    const call = session.answered.takeFirst()
    if (call !== undefined) {
      session.pending.delete(call.n)
      const answer = yield* answerOf(run, call.id, call.n)
      yield* absorb(yield* untilStopped(run, run.driver.deliver([answer])))
    } else if (toItsEnd && own !== undefined && own.goesOn() !== "no") {
      const patience = history.end === undefined ? openPatienceMs : endedPatienceMs
      const wait = Effect.as(Queue.take(moved), true)
      const hasMoved =
        own.goesOn() === "surely" ? wait : Effect.raceFirst(wait, Effect.as(realSleep(patience), false))
      if (!(yield* untilStopped(run, hasMoved))) break
      yield* absorb(yield* untilStopped(run, own.turn))
    } else break
  }
  return { session, beyond }
})
