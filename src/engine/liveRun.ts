// The live half of a run: decide → append → project → react. One fiber takes the plan's turns, appends what they
// decide, dispatches what is due, journals every answer before the plan sees it, and delivers answers one at a time
// in journal order.
//
// Invariants:
// R1  The intent of a call that may cost money or act is durable before its dispatch.
// R2  An answer is durable before the plan sees it; answers are delivered in journal order.
// R3  At most `concurrency` model calls are in flight; they are dispatched in issue order.
// R4  A call whose worst case does not fit the budget is not dispatched.
// R5  Nothing is dispatched to an adapter whose brake has closed.
import { Clock, Effect, Option, Result } from "effect"
import { canonicalJson, canonicalJsonOf, type Json } from "../domain/canonicalJson.ts"
import { makeError, type ModelError } from "../domain/ModelError.ts"
import type { ModelRunFailure, ModelRunResult } from "../domain/ModelRun.ts"
import type { RunEventBody } from "../domain/RunEvent.ts"
import type { Answer } from "../plan/PlanProtocol.ts"
import { closedLane, emptyBrake, failed, isSystemic, released, type Brake } from "./brake.ts"
import { requestIdOf, undispatched, type IssuedCall } from "./CallBook.ts"
import { dispatchCall, isFree, worstCase } from "./dispatchCall.ts"
import { lane, makeFlights, type Outcome } from "./Flights.ts"
import { onHostClock } from "./hostClock.ts"
import { admit, settle, type Ledger } from "./ledger.ts"
import { makePendingItems, suspension, type Waiting } from "./pendingItems.ts"
import { append, type RunContext } from "./RunContext.ts"
import type { RunHistory } from "./RunHistory.ts"
import type { Deed, Session } from "./Session.ts"

interface Ready {
  readonly seq: number
  readonly call: IssuedCall
  readonly answer: Answer
}

/** What this process did, for the summary. */
export interface LiveCounts {
  live: number
  cached: number
  replayed: number
  failed: number
  inDoubt: number
  overBudget: number
}

const sleepMs = (call: IssuedCall): number => {
  const { spec } = call.identity
  return typeof spec === "object" && spec !== null && "ms" in spec && typeof spec.ms === "number"
    ? spec.ms
    : 0
}

/** Runs on from where catch-up ended until the plan ends, waits for something outside, or is told to stop. */
export const liveRun = Effect.fnUntraced(function* (
  run: RunContext,
  history: RunHistory,
  session: Session,
  beyond: ReadonlyArray<Deed>,
  ledgerAtOpen: Ledger,
  counts: LiveCounts
) {
  const flights = yield* makeFlights(run)
  const items = makePendingItems(run, history)
  const waiting: Array<Waiting> = []
  const queue: Array<IssuedCall> = []
  let held: Array<Outcome> = []
  let ready: Array<Ready> = []
  let brake: Brake = emptyBrake
  let ledger = ledgerAtOpen
  let uncommitted = false

  const write = (body: RunEventBody) => {
    uncommitted = true
    return append(run, body)
  }
  const commit = Effect.suspend(() => {
    if (!uncommitted) return Effect.void
    uncommitted = false
    return run.journal.commit
  })

  /** The plan gets the very text that the journal holds, so that a resume cannot give it another. */
  const complete = Effect.fnUntraced(function* (
    call: IssuedCall,
    result: Json,
    more: { readonly reused?: boolean } = {}
  ) {
    const plain = plainAnswer(call, result)
    const { seq } = yield* write({ type: "CallCompleted", ...call.ref, result: plain.result, ...more })
    ready.push({ seq, call, answer: { n: call.n, json: plain.text } })
  })

  const fail = Effect.fnUntraced(function* (call: IssuedCall, failure: ModelRunFailure) {
    counts.failed++
    if (failure.error.code === "budget_exceeded") counts.overBudget++
    yield* complete(call, { ...failure })
  })

  const schedule = Effect.fnUntraced(function* (call: IssuedCall, reserveUsd?: number) {
    const { options, phase, site } = call
    const earlier = items.isInDoubt(call) ? history.byId.get(call.id) : undefined
    yield* write({
      type: "CallScheduled",
      n: call.n,
      ...call.ref,
      call: call.identity,
      ...(options?.label === undefined ? {} : { label: options.label }),
      ...(phase === undefined ? {} : { phase }),
      ...(site === undefined ? {} : { site }),
      ...(reserveUsd === undefined ? {} : { reserveUsd }),
      ...(earlier === undefined ? {} : { retry: earlier.retry + 1 })
    })
  })

  /** A call the plan has just issued. What needs no place among the model calls is dealt with at once. */
  const issue = Effect.fnUntraced(function* (call: IssuedCall) {
    const reused = call.options?.cache === false ? Option.none<Json>() : yield* run.reuse(call.id)
    if (Option.isSome(reused)) {
      counts.cached++
      yield* schedule(call)
      return yield* complete(call, reused.value, { reused: true })
    }
    if (call.refusal !== undefined) {
      yield* schedule(call)
      return yield* fail(call, call.refusal)
    }
    if (call.verb !== "sleep") return void queue.push(call)
    // A sleep that an earlier process began is not begun again: what is left of it is slept.
    const now = yield* Clock.currentTimeMillis
    const since = history.byId.get(call.id)?.at ?? now
    if (!history.byId.has(call.id)) yield* schedule(call)
    const left = Math.max(0, since + sleepMs(call) - now)
    yield* flights.launch(call, Effect.as(Effect.sleep(left), { call, result: null, model: undefined }))
  })

  const apply = Effect.fnUntraced(function* (deeds: ReadonlyArray<Deed>) {
    for (const deed of deeds) {
      if (deed.t === "note") yield* write(deed.body)
      else if (deed.t === "call") yield* issue(deed.call)
      else {
        const { call } = deed
        yield* write({ type: "CallCancelled", n: call.n, ...call.ref })
        yield* flights.cancel(call.n)
        ready = ready.filter((one) => one.call.n !== call.n)
        held = held.filter((one) => one.call.n !== call.n)
      }
    }
  })

  const dispatchDue = Effect.gen(function* () {
    const due: Array<{ readonly call: IssuedCall; readonly reserved: number | undefined }> = []
    let durable = false
    for (let at = 0; at < queue.length && flights.models() + due.length < run.concurrency;) {
      const call = queue[at]
      if (call === undefined || !session.pending.has(call.n)) {
        queue.splice(at, 1)
        continue
      }
      if (closedLane(brake, lane(call)) !== undefined) {
        at++
        continue
      }
      const doubt = yield* items.doubt(call)
      if (doubt !== undefined) {
        queue.splice(at, 1)
        if (doubt.t === "wait") waiting.push(doubt.waiting)
        else yield* fail(call, doubt.failure)
        continue
      }
      const amount = yield* worstCase(run, call)
      const admission = admit(ledger, call.id, amount, isFree(call))
      if (admission.t === "wait") break
      queue.splice(at, 1)
      if (admission.t === "refused") {
        yield* schedule(call)
        yield* fail(call, overBudget(call, admission.why))
        continue
      }
      ledger = admission.ledger
      counts.live++
      if (items.isInDoubt(call)) counts.inDoubt++
      const reserved = run.budget.usd === undefined || isFree(call) ? undefined : amount.usd
      yield* schedule(call, reserved)
      if (!isFree(call)) durable = true
      due.push({ call, reserved })
    }
    if (durable) yield* commit
    for (const { call, reserved } of due) {
      const answer = dispatchCall(run, call, reserved, items.reply(call))
      yield* flights.launch(
        call,
        Effect.map(answer, (model): Outcome => ({ call, result: { ...model }, model }))
      )
    }
  })

  /** Kept for its cost, never delivered: the plan gave up on the call before the answer came. */
  const late = (call: IssuedCall, { costUsd, usage }: ModelRunResult) =>
    write({
      type: "CallLate",
      ...call.ref,
      ...(usage === undefined ? {} : { usage }),
      ...(costUsd === undefined ? {} : { costUsd })
    })

  const land = Effect.fnUntraced(function* (outcome: Outcome) {
    const { call, model } = outcome
    if (model !== undefined) ledger = settle(ledger, call.id, { usd: model.costUsd, usage: model.usage })
    if (!session.pending.has(call.n)) return model === undefined ? undefined : yield* late(call, model)
    if (model === undefined || model.ok) {
      if (model !== undefined) brake = released(brake, model.adapterId)
      return yield* complete(call, outcome.result)
    }
    if (model.error.code === "awaiting_answer") return void waiting.push(yield* items.ask(call, model))
    brake = failed(brake, lane(call), model.error, yield* Clock.currentTimeMillis)
    if (isSystemic(model.error.code)) held.push(outcome)
    else yield* fail(call, model)
  })

  /**
   * A failure that may be part of an outage is held while calls to the same adapter are in flight or queued. If the
   * brake closes with calls left, the held ones are parked with them, so that a resume makes them again; otherwise
   * they are answers like any other.
   */
  const releaseHeld = Effect.gen(function* () {
    const keep: Array<Outcome> = []
    for (const outcome of held) {
      const { call, model } = outcome
      if (model === undefined || model.ok) continue
      const id = lane(call)
      const closed = closedLane(brake, id)
      const left = queue.some((other) => lane(other) === id && session.pending.has(other.n))
      if (flights.inLane(id) || (left && closed === undefined && brake.has(id))) keep.push(outcome)
      else if (left && closed !== undefined) {
        yield* write({ type: "CallParked", ...call.ref, result: model })
        waiting.push({ call, reason: closed.reason, item: `call-${call.n}` })
      } else yield* fail(call, model)
    }
    held = keep
  })

  const absorb = Effect.fnUntraced(function* (turn: Parameters<Session["take"]>[0]) {
    yield* apply(yield* session.take(turn))
  })

  /** Gives the plan what is due to it: one answer where older ones may come between, else all at once. */
  const deliver = Effect.gen(function* () {
    yield* commit
    const old = session.answered.size === 0 ? undefined : Math.min(...session.answered.keys())
    if (old !== undefined) {
      const call = session.answered.get(old)
      session.answered.delete(old)
      if (call === undefined) return
      session.pending.delete(call.n)
      counts.replayed++
      const json = yield* run.journal.readResultText(call.id)
      return yield* absorb(yield* onHostClock(run, run.driver.deliver([{ n: call.n, json }])))
    }
    const batch = history.strict ? ready.splice(0) : ready.splice(0, 1)
    const turn = yield* onHostClock(run, run.driver.deliver(batch.map(({ answer }) => answer)))
    for (const { call } of batch.slice(0, turn.delivered)) session.pending.delete(call.n)
    ready = [...batch.slice(turn.delivered), ...ready]
    yield* absorb(turn)
  })

  yield* apply(beyond)
  while (session.state.t === "waiting") {
    yield* dispatchDue
    if (ready.length > 0 || session.answered.size > 0) {
      yield* deliver
      continue
    }
    if (flights.size() === 0) {
      yield* releaseHeld
      if (ready.length > 0) continue
      yield* commit
      return suspension(
        waiting,
        queue.filter((call) => session.pending.has(call.n)),
        brake
      )
    }
    // Notes and free intents ride with the next durable append; nothing waits for them.
    const landed = yield* flights.landed
    if ("signal" in landed) return { t: "stopped" as const, signal: landed.signal }
    for (const outcome of landed.outcomes) yield* land(outcome)
    yield* releaseHeld
  }
  return { t: "ended" as const }
})

/** An answer that JSON cannot carry (a lone surrogate in a model's text) is a failure that says so. */
const plainAnswer = (call: IssuedCall, result: Json): { readonly result: Json; readonly text: string } =>
  Result.match(canonicalJson(result), {
    onSuccess: (text) => ({ result, text }),
    onFailure: ({ message }) => {
      const failure: Json = {
        ...notDispatched(call, makeError("invalid_response", `the answer is not JSON: ${message}`))
      }
      return { result: failure, text: canonicalJsonOf(failure) }
    }
  })

const notDispatched = (
  call: IssuedCall,
  error: ModelError,
  status?: ModelRunFailure["status"]
): ModelRunFailure =>
  undispatched(
    error,
    { adapterId: lane(call), modelId: call.chain.at(-1)?.modelId ?? "", requestId: requestIdOf(call.ref) },
    status
  )

const overBudget = (call: IssuedCall, why: string): ModelRunFailure =>
  notDispatched(call, makeError("budget_exceeded", `not dispatched: ${why}`), "skipped")
