// The dispatcher: model calls from the queue to the waist and back, within concurrency, budget and brake. Which calls
// there are, and who gets their answers, is liveRun's.
//
// Invariants:
// D1  The intent of a call that may cost money or act is durable before its dispatch.
// D2  At most `concurrency` model calls are in flight; they are dispatched in the order they were queued.
// D3  An attempt whose worst case does not fit every budget on its path is not sent. It waits while what is in flight
//     may free enough, in no place of D2; of those that wait for the same budget the oldest goes first.
// D4  Nothing is dispatched to an adapter whose brake has closed.
// D5  A call that was given up stays counted at its reserve, unless it still tells what it cost: it may have been billed.
// D6  A further attempt is durable before it is sent, where it may cost money or act.
// D7  A call that waits for a person is not dispatched before they have answered, whatever its chain begins with.
// D8  No call is paid for while the disk has no room for its answer beside those of the calls in flight, or the journal
//     has come to what it may: it waits for them, and where none is in flight the run is suspended.
// D9  What one outage made answers of is made again with what it stopped.
import { Clock, Deferred, Effect, Tracer } from "effect"
import { refusalOf, type Admission, type Refused } from "../../domain/budget/admission.ts"
import { worstOfAttempt } from "../../adapters/Pricing.ts"
import { makeError } from "../../domain/ModelError.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { ModelRunFailure, ModelRunResult } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import { closedLane, counts as isCounted, failed, isFailing, released, type Brake } from "./brake.ts"
import { makeBudgetDesk } from "../budget/BudgetDesk.ts"
import { makeFurtherAttempts, timeIsOver, type Asking } from "../budget/furtherAttempts.ts"
import { reserveOf, type Reserve } from "../budget/reserveOf.ts"
import { makeWaitingLine } from "../budget/WaitingLine.ts"
import type { IssuedCall } from "./CallBook.ts"
import { answerBytes, makeAnswerRoom } from "./AnswerRoom.ts"
import { chainFor, dispatchCall, inputOf, type CallDispatch } from "./dispatchCall.ts"
import { lane, type CallsInFlight, type Outcome } from "./CallsInFlight.ts"
import { notDispatched, type LiveAnswers, type LiveCounts } from "./LiveAnswers.ts"
import { itemOf, type Full, type PendingItems, type Waiting } from "../people/pendingItems.ts"
import type { RunContext } from "../run/RunContext.ts"

export interface DispatcherParts {
  readonly run: RunContext
  readonly inFlight: CallsInFlight
  readonly answers: LiveAnswers
  readonly items: PendingItems
  readonly counts: LiveCounts
  /** As the run begins with it. */
  readonly brake: Brake
  /** Whether somebody still wants the answer. */
  readonly wanted: (call: IssuedCall) => boolean
  /** Milliseconds of the run's clock after which nothing is dispatched; undefined: no limit. */
  readonly deadline: number | undefined
}

export const makeDispatcher = (parts: DispatcherParts) => {
  const { answers, counts, inFlight, items, run, wanted } = parts
  let waiting: Array<Waiting> = []
  /**
   * Not decided about yet, from `head` on. Taken from the front in place: a copy for each would be quadratic. What was
   * taken is let go of at once: its prompt may be long.
   */
  let queue: Array<IssuedCall | undefined> = []
  let head = 0
  /** Queued for an adapter whose brake has closed, which it stays (B1). */
  const blocked: Array<IssuedCall> = []
  let held: Array<Outcome> = []
  /** By adapter: calls whose failure says something of the provider and was given as an answer, since its last success. */
  const lost = new Map<string, Array<IssuedCall>>()
  let { brake } = parts
  const desk = makeBudgetDesk(run.journal.state, run.budget)
  const isLate = Effect.map(
    Clock.currentTimeMillis,
    (now) => parts.deadline !== undefined && now >= parts.deadline
  )
  const room = makeAnswerRoom(run.journal.hasRoom)
  const attempts = makeFurtherAttempts({ run, inFlight, answers, desk, isLate })
  /** Queued calls that wait for the budget of a part of the run. */
  const aside = makeWaitingLine()
  /** What had no room when the last call was to be paid for. */
  let full: Full | undefined

  /** The intent. `retry` counts the dispatches before this one that are in doubt. */
  const schedule = (call: IssuedCall, reserve: Reserve = {}, retry = items.retryOf(call)) => {
    const { options, phase, site } = call
    return answers.write({
      type: "CallScheduled",
      n: Math.max(0, call.n),
      ...call.ref,
      call: call.identity,
      ...(options?.label === undefined ? {} : { label: options.label }),
      ...defined({ phase, site }),
      ...reserve,
      ...(call.part === undefined ? {} : { scope: call.part.id }),
      ...defined({ retry })
    })
  }

  const refuse = Effect.fnUntraced(function* (call: IssuedCall, refused: Refused) {
    counts.live++
    yield* schedule(call)
    yield* answers.fail(
      call,
      notDispatched(
        call,
        makeError("budget_exceeded", `not dispatched: ${refused.why}`, { detail: refusalOf(refused) }),
        "skipped"
      )
    )
  })

  /** Decides about a queued call; answers the admission if it has to wait for a budget. */
  const decide = Effect.fnUntraced(function* (
    call: IssuedCall,
    due: Array<CallDispatch>
  ): Effect.fn.Return<Extract<Admission, { _tag: "wait" }> | undefined, JournalError> {
    const asked = yield* items.unanswered(call)
    const doubt = asked === undefined ? yield* items.doubt(call) : undefined
    const stays = asked ?? (doubt?._tag === "wait" ? doubt.waiting : undefined)
    if (stays !== undefined) {
      waiting.push(stays)
      return undefined
    }
    if (doubt?._tag === "skip") {
      yield* answers.fail(call, doubt.failure)
      return undefined
    }
    const reply = items.reply(call)
    const chain = chainFor(call, reply)
    const input = inputOf(run, call)
    const isPaid = chain.some(({ adapter }) => !adapter.free)
    if (isPaid) {
      const hasRoom = yield* room.hasRoomFor(answerBytes(input))
      full = !hasRoom ? "disk" : run.journal.isFull() ? "journal_full" : undefined
      if (full !== undefined) return { _tag: "wait", at: 0 }
    }
    const [first] = chain
    const need = first === undefined ? undefined : worstOfAttempt(first, input)
    const admission: Admission =
      need !== undefined && (yield* isLate) ? timeIsOver : desk.admit(call, need, true)
    if (admission._tag === "wait") return admission
    if (admission._tag === "refused") {
      yield* refuse(call, admission)
      return undefined
    }
    counts.live++
    if (items.isInDoubt(call)) counts.inDoubt++
    yield* schedule(call, reserveOf(desk, call, need))
    desk.sent(call, need)
    if (isPaid) room.sent(call.id, answerBytes(input))
    const before = reply === undefined ? undefined : items.triedBefore(call)
    due.push({ call, chain, input, bounded: desk.isBounded(call), reply, before })
    return undefined
  })

  /** Whether another model call may be in flight. */
  const hasPlace = (due: ReadonlyArray<CallDispatch>) => inFlight.models() + due.length < run.concurrency

  /** Those that wait for the budget of a part of the run. True: one waits for the run's own. */
  const decideAside = Effect.fnUntraced(function* (due: Array<CallDispatch>) {
    for (const part of aside.parts()) {
      for (let call = aside.first(part); call !== undefined && hasPlace(due); call = aside.first(part)) {
        const isOut = !wanted(call) || closedLane(brake, lane(call)) !== undefined
        const wait = isOut ? undefined : yield* decide(call, due)
        if (wait !== undefined) {
          if (wait.at === 0) return true
          break
        }
        aside.takeFirst(part)
        if (isOut && wanted(call)) blocked.push(call)
      }
    }
    return false
  })

  const decideQueued = Effect.fnUntraced(function* (due: Array<CallDispatch>) {
    for (; head < queue.length && hasPlace(due); queue[head++] = undefined) {
      const call = queue[head]
      if (call === undefined || !wanted(call)) continue
      if (closedLane(brake, lane(call)) !== undefined) {
        blocked.push(call)
        continue
      }
      if (aside.isBehind(call)) {
        aside.add(call)
        continue
      }
      const wait = yield* decide(call, due)
      if (wait?.at === 0) break
      if (wait !== undefined) aside.add(call)
    }
    if (head > 1024 && head * 2 > queue.length) {
      queue = queue.slice(head)
      head = 0
    }
  })

  /** What an adapter does stands below its call. A hermetic run's clock is no time for spans. */
  const traced = <A, E, R>(
    { id }: IssuedCall,
    dispatched: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> => {
    const span = run.spanOf(id)
    if (span === undefined) return dispatched
    const below = Effect.provideService(dispatched, Tracer.ParentSpan, span)
    return run.hermetic === undefined ? below : Effect.withTracerEnabled(below, false)
  }

  /** Sends what is due, after its intent is durable where it must be. */
  const dispatchDue = Effect.gen(function* () {
    const due: Array<CallDispatch> = []
    const ready: Array<Asking> = []
    full = undefined
    const isFull = (yield* attempts.decide(ready)) || (yield* decideAside(due))
    if (!isFull) yield* decideQueued(due)
    const isPaid =
      ready.some(({ attempt }) => !attempt.binding.adapter.free) ||
      due.some(({ chain }) => chain[0]?.adapter.free === false)
    if (isPaid) yield* answers.commit
    for (const { reply } of ready) yield* Deferred.succeed(reply, undefined)
    for (const one of due)
      yield* inFlight.launch(one.call, traced(one.call, dispatchCall(one, inFlight.note)))
  })

  /** Kept for its cost, never delivered: the answer was given up before it came. */
  const late = (call: IssuedCall, { costUsd, usage }: ModelRunResult) =>
    answers.write({
      type: "CallLate",
      ...call.ref,
      ...defined({ usage, costUsd })
    })

  /** A call has landed. */
  const land = Effect.fnUntraced(function* (outcome: Outcome) {
    const { call, last, model } = outcome
    room.landed(call.id)
    if (model !== undefined) desk.landed(call)
    // What it said, or cost, besides what the result tells.
    if (
      last !== undefined &&
      (last.raw !== undefined || (model?.costUsd === undefined && last.costUsd !== undefined))
    )
      yield* attempts.writeEnded(call, last)
    if (!wanted(call)) return model === undefined ? undefined : yield* late(call, model)
    if (model === undefined || model.ok) {
      if (model !== undefined) {
        brake = released(brake, model.adapterId)
        lost.delete(model.adapterId)
      }
      return yield* answers.complete(call, outcome.result)
    }
    if (model.error.code === "awaiting_answer") return void waiting.push(yield* items.ask(call, model))
    brake = failed(brake, lane(call), model, yield* Clock.currentTimeMillis)
    // What was asked was refused, and may be billed: an answer, at once. What the provider is short of may pass.
    if (!isCounted(brake, model.error.code)) return yield* answers.fail(call, model)
    held.push(outcome)
    // What it did not cost is there for others, however long its end is held.
    if (last !== undefined && last.raw === undefined && desk.isBounded(call))
      yield* attempts.writeEnded(call, last)
  })

  /** Whether a call that somebody wants still waits to be dispatched to that adapter. */
  const isQueued = (id: string): boolean => {
    const waits = (call: IssuedCall | undefined) => call !== undefined && lane(call) === id && wanted(call)
    if (blocked.some(waits) || aside.all().some(waits)) return true
    for (let at = head; at < queue.length; at++) if (waits(queue[at])) return true
    return false
  }

  /**
   * A failure that may be part of an outage is held until the next outcomes tell: a success, or nothing left to call,
   * makes it an answer like any other; if the brake closes with calls left, it is parked with them, so that a resume
   * makes it again. A plan or a subflow with places of its own asks for more only once it has the answer: if what it then
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
          closed === undefined ? isFailing(brake, id) && (left || inFlight.inLane(id)) : inFlight.inLane(id)
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
    yield* inFlight.cancel(call.n)
    room.landed(call.id)
    desk.landed(call)
  })

  return {
    schedule,
    dispatchDue,
    noted: attempts.noted,
    land,
    releaseHeld,
    giveUp,
    enqueue: (call: IssuedCall) => void queue.push(call),
    wait: (one: Waiting) => void waiting.push(one),
    /** Whether calls are in flight that end by themselves. */
    isWorking: () => inFlight.models() > attempts.asks(),
    hasWaiting: () => waiting.length > 0,
    /** Takes out those that need not wait any more. A call that a person answers was counted when it was sent. */
    takeWaiting: (isReady: (one: Waiting) => boolean): ReadonlyArray<Waiting> => {
      const found = waiting.filter(isReady)
      if (found.length > 0) waiting = waiting.filter((one) => !found.includes(one))
      for (const { call, reason } of found) {
        if (reason === "question" && call.verb === "agent" && counts.live > 0) counts.live--
      }
      return found
    },
    /** What waits for something outside the run, as far as it is still wanted. */
    stuck: () => {
      const queued = queue.slice(head).filter((call) => call !== undefined)
      const unsent = [...blocked, ...aside.all(), ...queued].filter(wanted)
      return {
        waiting: waiting.filter(({ call }) => wanted(call)),
        blocked: unsent,
        brake,
        full: unsent.length > 0 ? full : undefined,
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
