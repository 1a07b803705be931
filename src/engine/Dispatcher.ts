// The dispatcher: model calls from the queue to the waist and back, within concurrency, budget and brake. Which calls
// there are, and who gets their answers, is liveRun's.
//
// Invariants:
// D1  The intent of a call that may cost money or act is durable before its dispatch.
// D2  At most `concurrency` model calls are in flight; they are dispatched in the order they were queued.
// D3  A call whose worst case does not fit the budget is not dispatched.
// D4  Nothing is dispatched to an adapter whose brake has closed.
// D5  A call that was given up settles at its reserve: it may have been billed.
// D6  A call that waits for a person is not dispatched before they have answered, whatever its chain begins with.
// D7  What one outage made answers of is made again with what it stopped.
import { Clock, Effect } from "effect"
import { makeError } from "../domain/ModelError.ts"
import type { Budget } from "../domain/Contract.ts"
import type { ModelRunFailure, ModelRunInput, ModelRunResult } from "../domain/ModelRun.ts"
import { closedLane, emptyBrake, failed, isProvidersOwn, released, type Brake } from "./brake.ts"
import type { IssuedCall } from "./CallBook.ts"
import { dispatchCall, inputOf, isFree, worstCase } from "./dispatchCall.ts"
import { lane, type Flights, type Outcome } from "./Flights.ts"
import { admit, settle, type Amount, type Ledger } from "./ledger.ts"
import { notDispatched, type LiveAnswers, type LiveCounts } from "./LiveAnswers.ts"
import { itemOf, type PendingItems, type Waiting } from "./pendingItems.ts"
import type { RunContext } from "./RunContext.ts"

export interface DispatcherParts {
  readonly run: RunContext
  readonly flights: Flights
  readonly answers: LiveAnswers
  readonly items: PendingItems
  readonly counts: LiveCounts
  readonly ledger: Ledger
  /** Whether somebody still wants the answer. */
  readonly wanted: (call: IssuedCall) => boolean
  /** Milliseconds of the run's clock after which nothing is dispatched; undefined: no limit. */
  readonly deadline: number | undefined
}

/** A call to be dispatched, with what is held back for it in US dollars. */
interface Due {
  readonly call: IssuedCall
  readonly input: ModelRunInput
  readonly reserved: number | undefined
}

/** That a call may cost money, and what it comes to at worst as far as the run has a bound. */
const paidIntent = (budget: Budget, { outputTokens, tokens, usd }: Amount) => ({
  paid: true,
  ...(budget.usd === undefined || usd === undefined ? {} : { reserveUsd: usd }),
  ...(budget.outputTokens === undefined && budget.tokens === undefined
    ? {}
    : { reserveTokens: { output: outputTokens, all: tokens } })
})

export const makeDispatcher = (parts: DispatcherParts) => {
  const { answers, counts, flights, items, run, wanted } = parts
  const waiting: Array<Waiting> = []
  /** Not decided about yet, from `head` on. Taken from the front in place: a copy for each would be quadratic. */
  let queue: Array<IssuedCall> = []
  let head = 0
  /** Queued for an adapter whose brake has closed, which it stays (B1). */
  const blocked: Array<IssuedCall> = []
  let held: Array<Outcome> = []
  /** By adapter: calls whose failure says something of the provider and was given as an answer, since its last success. */
  const lost = new Map<string, Array<IssuedCall>>()
  let brake: Brake = emptyBrake
  let { ledger } = parts

  /** The intent. `retry` counts the dispatches before this one that are in doubt. */
  const schedule = (call: IssuedCall, dispatch?: { readonly worst: Amount }) => {
    const { options, phase, site } = call
    const retry = items.retryOf(call)
    return answers.write({
      type: "CallScheduled",
      n: Math.max(0, call.n),
      ...call.ref,
      call: call.identity,
      ...(options?.label === undefined ? {} : { label: options.label }),
      ...(phase === undefined ? {} : { phase }),
      ...(site === undefined ? {} : { site }),
      ...(dispatch === undefined || isFree(call) ? {} : paidIntent(run.budget, dispatch.worst)),
      ...(retry === undefined ? {} : { retry })
    })
  }

  const refuse = Effect.fnUntraced(function* (call: IssuedCall, why: string) {
    counts.live++
    yield* schedule(call)
    yield* answers.fail(
      call,
      notDispatched(call, makeError("budget_exceeded", `not dispatched: ${why}`), "skipped")
    )
  })

  /** Decides about the first queued call that is not blocked. False: nothing more can be dispatched now. */
  const decide = Effect.fnUntraced(function* (call: IssuedCall, due: Array<Due>) {
    const asked = items.unanswered(call)
    if (asked !== undefined) return void waiting.push(asked)
    const doubt = yield* items.doubt(call)
    if (doubt?.t === "wait") return void waiting.push(doubt.waiting)
    if (doubt?.t === "skip") return yield* answers.fail(call, doubt.failure)
    if (parts.deadline !== undefined && (yield* Clock.currentTimeMillis) >= parts.deadline && !isFree(call)) {
      return yield* refuse(call, "the run's time (budget.ms) is over")
    }
    const input = inputOf(run, call)
    const amount = yield* worstCase(call, input)
    const admission = admit(ledger, call.id, amount, isFree(call))
    if (admission.t === "wait") return "wait" as const
    if (admission.t === "refused") return yield* refuse(call, admission.why)
    ledger = admission.ledger
    counts.live++
    if (items.isInDoubt(call)) counts.inDoubt++
    const reserved = run.budget.usd === undefined || isFree(call) ? undefined : amount.usd
    yield* schedule(call, { worst: amount })
    due.push({ call, input, reserved })
  })

  /** Dispatches what is due, after its intent is durable where it must be. */
  const dispatchDue = Effect.gen(function* () {
    const due: Array<Due> = []
    for (; head < queue.length && flights.models() + due.length < run.concurrency; head++) {
      const call = queue[head]
      if (call === undefined || !wanted(call)) continue
      if (closedLane(brake, lane(call)) !== undefined) {
        blocked.push(call)
        continue
      }
      if ((yield* decide(call, due)) === "wait") break
    }
    if (head > 1024 && head * 2 > queue.length) {
      queue = queue.slice(head)
      head = 0
    }
    if (due.some(({ call }) => !isFree(call))) yield* answers.commit
    for (const { call, input, reserved } of due) {
      const answer = dispatchCall(call, input, reserved, items.reply(call))
      yield* flights.launch(
        call,
        Effect.map(answer, (model): Outcome => ({ call, result: { ...model }, model }))
      )
    }
  })

  /** Kept for its cost, never delivered: the answer was given up before it came. */
  const late = (call: IssuedCall, { costUsd, usage }: ModelRunResult) =>
    answers.write({
      type: "CallLate",
      ...call.ref,
      ...(usage === undefined ? {} : { usage }),
      ...(costUsd === undefined ? {} : { costUsd })
    })

  /** A call has landed. */
  const land = Effect.fnUntraced(function* (outcome: Outcome) {
    const { call, model } = outcome
    if (model !== undefined) ledger = settle(ledger, call.id, { usd: model.costUsd, usage: model.usage })
    if (!wanted(call)) return model === undefined ? undefined : yield* late(call, model)
    if (model === undefined || model.ok) {
      if (model !== undefined) {
        brake = released(brake, model.adapterId)
        lost.delete(model.adapterId)
      }
      return yield* answers.complete(call, outcome.result)
    }
    if (model.error.code === "awaiting_answer") return void waiting.push(yield* items.ask(call))
    brake = failed(brake, lane(call), model.error, yield* Clock.currentTimeMillis)
    // What was asked was refused, and may be billed: an answer, at once. What the provider is short of may pass.
    if (isProvidersOwn(model.error.code)) held.push(outcome)
    else yield* answers.fail(call, model)
  })

  /** Whether a call that somebody wants still waits to be dispatched to that adapter. */
  const isQueued = (id: string): boolean => {
    const waits = (call: IssuedCall | undefined) => call !== undefined && lane(call) === id && wanted(call)
    if (blocked.some(waits)) return true
    for (let at = head; at < queue.length; at++) if (waits(queue[at])) return true
    return false
  }

  /**
   * A failure that may be part of an outage is held until the next outcomes tell: a success, or nothing left to call,
   * makes it an answer like any other; if the brake closes with calls left, it is parked with them, so that a resume
   * makes it again. A plan or a room with places of its own asks for more only once it has the answer: if what it then
   * asks for is stopped by the same outage, the answer is taken back (`lost`).
   */
  const releaseHeld = Effect.suspend(() => {
    const outcomes = held
    held = []
    return Effect.forEach(
      outcomes,
      Effect.fnUntraced(function* (outcome) {
        const { call, model } = outcome
        if (model === undefined || model.ok || !wanted(call)) return
        const id = lane(call)
        const closed = closedLane(brake, id)
        const left = isQueued(id)
        const undecided =
          closed === undefined ? brake.has(id) && (left || flights.inLane(id)) : flights.inLane(id)
        if (left && closed !== undefined) {
          yield* writeParked(call, model)
          waiting.push({ call, reason: closed.reason, item: itemOf(call) })
        } else if (undecided) held.push(outcome)
        else {
          lost.set(id, [...(lost.get(id) ?? []), call])
          yield* answers.fail(call, model)
        }
      }),
      { discard: true }
    )
  })

  const writeParked = (call: IssuedCall, result: ModelRunFailure) =>
    answers.write({ type: "CallParked", ...call.ref, result })

  /** The run stops: what is held is not lost, nor is what it cost. */
  const parkHeld = Effect.suspend(() =>
    Effect.forEach(
      held.splice(0),
      ({ call, model }) =>
        model === undefined || model.ok
          ? Effect.void
          : wanted(call)
            ? writeParked(call, model)
            : late(call, model),
      { discard: true }
    )
  )

  /** Nobody wants the answer any more. */
  const giveUp = Effect.fnUntraced(function* (call: IssuedCall) {
    yield* flights.cancel(call.n)
    ledger = settle(ledger, call.id, {})
  })

  return {
    schedule,
    dispatchDue,
    land,
    releaseHeld,
    giveUp,
    enqueue: (call: IssuedCall) => void queue.push(call),
    wait: (one: Waiting) => void waiting.push(one),
    /** What waits for something outside the run, as far as it is still wanted. */
    stuck: () => {
      const unsent = [...blocked, ...queue.slice(head)].filter(wanted)
      return {
        waiting: waiting.filter(({ call }) => wanted(call)),
        blocked: unsent,
        brake,
        /** What the outage that stops the run has already made answers of: calls a resume makes again. */
        lost: [...new Set(unsent.map(lane))].flatMap((id) =>
          closedLane(brake, id) === undefined ? [] : (lost.get(id) ?? [])
        )
      }
    },
    parkHeld
  }
}
export type Dispatcher = ReturnType<typeof makeDispatcher>
