// Catch-up: gives a plan the answers the journal already has, in journal order, the plan quiet before each next one.
// Resume and replay are this; a live run goes on from where it ends. Nothing is dispatched and nothing written.
import { Effect } from "effect"
import type { Answer } from "../plan/PlanProtocol.ts"
import { missingCall } from "./Divergence.ts"
import { readScheduled, type KnownAnswer, type RunHistory } from "./RunHistory.ts"
import type { RunContext } from "./RunContext.ts"
import { onHostClock } from "./hostClock.ts"
import { Session, type Deed } from "./Session.ts"

/** How many known answers go to the plan's process in one message. */
const batchSize = 256

const answerOf = Effect.fnUntraced(function* (run: RunContext, known: KnownAnswer, n: number) {
  const answer: Answer = { n, json: yield* run.journal.readResultText(known.id) }
  return answer
})

/**
 * Runs the plan through everything journaled. Returns the session, with a divergence if there was one, and what the
 * plan did beyond the journal, in order.
 */
export const catchUp = Effect.fnUntraced(function* (run: RunContext, history: RunHistory) {
  const session = new Session(run, history)
  const beyond: Array<Deed> = []
  let delivered = 0

  const absorb = Effect.fnUntraced(function* (turn: Parameters<Session["take"]>[0]) {
    for (const deed of yield* session.take(turn)) beyond.push(deed)
  })

  yield* absorb(yield* onHostClock(run, run.driver.start))

  // A strict run issues the same numbers again, so that many answers can go in one message.
  if (history.strict) {
    const known = [...history.answers.values()].filter(({ n }) => n > 0)
    while (delivered < known.length && session.state.t === "waiting" && session.divergence === undefined) {
      const batch = known.slice(delivered, delivered + batchSize)
      const answers = yield* Effect.forEach(batch, (answer) => answerOf(run, answer, answer.n))
      const turn = yield* onHostClock(run, run.driver.deliver(answers))
      yield* absorb(turn)
      for (const answer of batch.slice(0, turn.delivered)) {
        session.pending.delete(answer.n)
        session.answered.delete(answer.seq)
      }
      delivered += turn.delivered
      if (turn.delivered === batch.length) continue
      // An answer that the plan gave up on, right before it came, is in the journal and was never delivered.
      if (session.gaveUp.has(known[delivered]?.id ?? "")) delivered++
      else break
    }
    const next = known[delivered]
    if (next !== undefined && session.divergence === undefined) {
      const { call, site } = yield* readScheduled(run.journal, history.byId.get(next.id)?.seq ?? next.seq)
      session.divergence = missingCall({
        seq: next.seq,
        n: next.n,
        ...(call === undefined ? {} : { call }),
        ...(site === undefined ? {} : { site })
      })
    }
    return { session, beyond, replayed: delivered }
  }

  // Otherwise the rule is: of the answers that the plan waits for, the one journaled first.
  while (session.state.t === "waiting" && session.answered.size > 0) {
    const seq = Math.min(...session.answered.keys())
    const call = session.answered.get(seq)
    const known = call === undefined ? undefined : history.answers.get(call.id)
    if (call === undefined || known === undefined) break
    session.answered.delete(seq)
    session.pending.delete(call.n)
    yield* absorb(yield* onHostClock(run, run.driver.deliver([yield* answerOf(run, known, call.n)])))
    delivered++
  }
  return { session, beyond, replayed: delivered }
})
