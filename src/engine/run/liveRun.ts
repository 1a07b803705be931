// The live half of a run: decide → append → project → react. One fiber takes the plan's turns, appends what they
// decide, dispatches what is due, journals every answer before the plan sees it, and delivers answers one at a time
// in journal order. Model calls are Dispatcher's, subflows are liveSubflows'.
//
// Invariants:
// R1  An answer is durable before the plan sees it; answers are delivered in journal order.
// R2  The plan is quiet before it gets its next answer.
// R3  What has landed when the run is told to stop is journaled before it stops.
// R4  A call ends once: what was given up after its answer was journaled is not cancelled.
// R5  A run that waits for nothing inside itself is suspended, never left hanging.
// R6  That a sleep or a step began is durable before it is slept or run; what is left of it is never more than its own length, whatever
//     the clock says.
// R7  A program that waits for no call is waited for without end. One whose calls all wait for a person or a provider
//     may go on by itself for `ownGraceMs` since it last did so; then the run is suspended.
import { Clock, Effect, Fiber, Option, Result, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { firstRules } from "../../domain/run/rules.ts"
import { Guards } from "../../adapters/guard/Guards.ts"
import { hasLeft } from "../people/answerItem.ts"
import { makeBrake } from "../calls/brake.ts"
import type { IssuedCall } from "../calls/CallBook.ts"
import { makeDispatcher } from "../calls/Dispatcher.ts"
import { makeLentDoubt } from "../doubt/lentDoubt.ts"
import { makeCallsInFlight, type Landed } from "../calls/CallsInFlight.ts"
import { idempotencyKeyOf } from "../calls/dispatchCall.ts"
import { untilStopped, realSleep } from "./untilStopped.ts"
import { makeAnswers, type LiveCounts } from "../calls/LiveAnswers.ts"
import { isUnwritable, type JournalError } from "../../journal/JournalError.ts"
import { makeLiveSubflows } from "../subflows/liveSubflows.ts"
import { makePendingItems, suspension, type Suspension } from "../people/pendingItems.ts"
import { append, type RunContext } from "./RunContext.ts"
import type { RunHistory } from "../replay/RunHistory.ts"
import type { Decision, Session } from "./Session.ts"
import { makeTierGate } from "../people/tierGate.ts"

/** How the live half ended. */
export type LiveEnd =
  | Suspension
  | { readonly _tag: "ended" }
  | { readonly _tag: "stopped"; readonly signal: string }
  /** The plan gave something that cannot be written: it does so again whenever it runs. */
  | { readonly _tag: "unwritable"; readonly error: JournalError }

const decodeLent = Schema.decodeUnknownOption(
  Schema.Struct({ failures: Schema.Array(Schema.Unknown), rules: Schema.optionalKey(Schema.Int) })
)

/** Verbs whose answer is taken from no other run. */
const neverLent: ReadonlySet<IssuedCall["verb"]> = new Set(["mission", "gates", "step"])

/** How often a run that asks somebody looks for their answer. */
const inboxEveryMs = 300

/** How long a run that waits for somebody waits for what its program does by itself. */
const ownGraceMs = 250

/** Whether a verdict rests on no missing answer, and its members were asked as this run would ask them. */
const isWhole = (verdict: Json, rules: number): boolean =>
  Option.exists(
    decodeLent(verdict),
    (lent) => lent.failures.length === 0 && (lent.rules ?? firstRules) === rules
  )

const decodeReferences = Schema.decodeUnknownOption(
  Schema.Struct({ evidence: Schema.Array(Schema.Struct({ kind: Schema.String })) })
)
const standsOnProof = ({ identity, verb }: IssuedCall): boolean =>
  verb === "council" &&
  Option.exists(decodeReferences(identity.spec), ({ evidence }) =>
    evidence.some(({ kind }) => kind === "proof")
  )

const sleepMs = (call: IssuedCall): number => {
  const { spec } = call.identity
  return typeof spec === "object" && spec !== null && "ms" in spec && typeof spec.ms === "number"
    ? spec.ms
    : 0
}

/** What is left of a sleep that began at `since`, on the journal's clock; a clock that was set back makes none longer. */
export const leftOfSleep = (ms: number, since: number, now: number): number =>
  Math.min(ms, Math.max(0, since + ms - now))

/** Runs on from where catch-up ended until the plan ends, waits for something outside, or is told to stop. */
export const liveRun = Effect.fnUntraced(function* (
  run: RunContext,
  history: RunHistory,
  session: Session,
  beyond: ReadonlyArray<Decision>,
  counts: LiveCounts
) {
  const inFlight = yield* makeCallsInFlight(run)
  const answers = makeAnswers(run, counts)
  const items = makePendingItems(run, history)
  const wanted = (call: IssuedCall) => session.pending.has(call.parent ?? call.n)
  const deadline =
    run.budget.ms === undefined
      ? undefined
      : (yield* Clock.currentTimeMillis) + run.budget.ms - history.activeMs
  const { modelCompleted, modelFailed } = run.journal.state()
  const hasSucceeded = modelCompleted > modelFailed
  const brake = makeBrake(run.brake ?? (yield* Guards).policy.brake, hasSucceeded)
  const dispatcher = makeDispatcher({ run, inFlight, answers, items, counts, brake, wanted, deadline })
  const lentDoubt = makeLentDoubt(run, items, dispatcher)
  const subflows = makeLiveSubflows({
    run,
    history,
    inFlight,
    answers,
    items,
    dispatcher,
    counts,
    lentDoubt,
    wanted
  })

  const tierGate = makeTierGate(run, items, () => session.councils)

  /** A model call, as far as its tier lets it. */
  const admit = Effect.fnUntraced(function* (call: IssuedCall) {
    const decision = yield* tierGate(call)
    if (decision._tag === "run") return dispatcher.enqueue(call)
    if (decision._tag === "wait") return dispatcher.wait(decision.waiting)
    yield* dispatcher.schedule(call)
    return yield* answers.fail(call, decision.failure)
  })

  /** Takes in what people have answered meanwhile. True: somebody goes on with it. */
  const takeAnswers = Effect.gen(function* () {
    yield* items.takeIn
    const given = items.takeNews()
    const ready = dispatcher.takeWaiting(({ item }) => given.has(item))
    for (const { call, reason } of ready) {
      if (yield* subflows.answered(call)) continue
      // A subflow admits its own calls; of the plan's, the tier is asked about before anything else.
      if (call.parent === undefined && reason === "approval") yield* admit(call)
      else dispatcher.enqueue(call)
    }
    return ready.length > 0
  })

  /** A council has answered: the T3 calls that wait for a person may wait no longer. */
  let hasCouncil = false
  const admitAgain = Effect.gen(function* () {
    hasCouncil = false
    yield* answers.commit
    const parked = dispatcher.takeWaiting(
      ({ call, reason }) => reason === "approval" && call.parent === undefined && call.options?.tier === "T3"
    )
    for (const { call } of parked) yield* admit(call)
  })

  /** Looks for answers while something is asked, on the host's clock: nobody wakes a run from outside. */
  yield* Effect.forkScoped(
    Effect.provideService(
      Effect.forever(
        Effect.gen(function* () {
          yield* Effect.sleep(inboxEveryMs)
          if (!dispatcher.hasWaiting()) return
          if (yield* Effect.orElseSucceed(hasLeft(run.journal), () => false)) yield* inFlight.nudge
        })
      ),
      Clock.Clock,
      run.hostClock
    )
  )

  /** Sleeps and steps whose intent is journaled, and not durable yet. */
  const begun = new Map<number, Effect.Effect<void>>()

  /** A call the plan has just issued. What needs no place among the model calls is dealt with at once. */
  const issue = Effect.fnUntraced(function* (call: IssuedCall) {
    if (call.verb === "agent") run.issued?.(call)
    // A mission is never reused as a whole, because it depends on files and approvals; its model calls may be. Nor is a
    // council that rests on a proof of this run.
    const own = call.options?.cache === false || neverLent.has(call.verb) || standsOnProof(call)
    const lent = own ? Option.none<Json>() : yield* run.reuse.answer(call.id)
    // A council with members that gave no answer, or under other rules, is held again on the answers that fit.
    const { rules } = run.journal.state()
    const reused = Option.filter(lent, (answer) => call.verb !== "council" || isWhole(answer, rules))
    if (Option.isSome(reused)) {
      counts.cached++
      if (call.verb === "council") hasCouncil = true
      yield* dispatcher.schedule(call)
      return yield* answers.complete(call, reused.value, { reused: true })
    }
    if (call.refusal !== undefined) {
      counts.live++
      yield* dispatcher.schedule(call)
      return yield* answers.fail(call, call.refusal)
    }
    if (call.verb === "agent") return yield* admit(yield* lentDoubt(call))
    if (call.toItsExit !== undefined) {
      if (items.isInDoubt(call)) counts.inDoubt++
      yield* dispatcher.schedule(call)
      const exit = call.toItsExit(
        idempotencyKeyOf(run.journal.runId, call),
        run.hermetic === undefined ? run.spanOf(call.id) : undefined
      )
      const outcome = Effect.map(exit, (result) => ({ call, result, model: undefined }))
      return void begun.set(call.n, inFlight.launch(call, outcome))
    }
    // What an earlier process began is not begun again: a subflow goes on, and what is left of a sleep is slept.
    const now = yield* Clock.currentTimeMillis
    const since = history.sleeps.get(call.id) ?? now
    if (call.earlier === undefined) yield* dispatcher.schedule(call)
    if (call.verb !== "sleep") return yield* subflows.enter(call)
    const left = leftOfSleep(sleepMs(call), since, now)
    const slept = Effect.as(Effect.sleep(left), { call, result: null, model: undefined })
    begun.set(call.n, inFlight.launch(call, slept))
  })

  /** R6: all that a turn begins for the price of one commit. */
  const launchBegun = Effect.gen(function* () {
    if (begun.size === 0) return
    yield* run.journal.commit
    for (const launch of begun.values()) yield* launch
    begun.clear()
  })

  const apply = Effect.fnUntraced(function* (decisions: ReadonlyArray<Decision>) {
    for (const decision of decisions) {
      if (decision._tag === "note") yield* answers.write(decision.body)
      else if (decision._tag === "call") {
        // A plan that has ended gets no answer any more.
        if (session.state.t === "waiting") yield* issue(decision.call)
      } else {
        const { call } = decision
        if (!answers.forget(call)) yield* answers.write({ type: "CallCancelled", n: call.n, ...call.ref })
        begun.delete(call.n)
        yield* subflows.leave(call)
        yield* dispatcher.giveUp(call)
      }
    }
    yield* launchBegun
  })

  const absorb = Effect.fnUntraced(function* (turn: Parameters<Session["take"]>[0]) {
    yield* apply(yield* session.take(turn))
  })

  /** Gives the plan what is due to it: one answer where older ones may come between, else all at once. */
  const deliver = Effect.gen(function* () {
    yield* answers.commit
    yield* subflows.deliver
    const known = session.answered.takeFirst()
    if (known !== undefined) {
      session.pending.delete(known.n)
      const json = yield* run.journal.readResultText(known.id)
      return yield* absorb(yield* untilStopped(run, run.driver.deliver([{ n: known.n, json }])))
    }
    const batch = answers.takeForPlan(history.strict || session.hasCaughtUp ? Infinity : 1)
    if (batch.length === 0) return
    const turn = yield* untilStopped(run, run.driver.deliver(batch.map(({ answer }) => answer)))
    for (const { call } of batch.slice(0, turn.delivered)) session.pending.delete(call.n)
    answers.putBack(batch.slice(turn.delivered))
    yield* absorb(turn)
  })

  /** Whether everything in flight waits, in the end, for something outside the run. */
  const isStuck = () =>
    !inFlight.hasMail() && !inFlight.hasWork() && inFlight.subflows().every(subflows.isWaiting)

  /**
   * Journals what came in. What a subflow wrote down stands before its answer: a gate that did not pass is not lost. What
   * came in with an answer that cannot be journaled is journaled all the same.
   */
  const keep = Effect.fnUntraced(function* ({ attempts, outcomes, requests }: Landed) {
    for (const request of requests) if (request._tag === "record") yield* subflows.handle(request)
    let failure: JournalError | undefined
    for (const note of attempts) {
      const noted = yield* Effect.result(dispatcher.noted(note))
      if (Result.isFailure(noted)) failure ??= noted.failure
    }
    for (const outcome of outcomes) {
      const landed = yield* Effect.result(dispatcher.land(outcome))
      if (outcome.call.verb === "council") hasCouncil = true
      if (Result.isFailure(landed)) failure ??= landed.failure
    }
    if (failure !== undefined) return yield* failure
  })

  /** R3: answers that have come in are kept, and so is what was held. */
  const keepRest = Effect.gen(function* () {
    if (inFlight.hasMail()) yield* keep(yield* inFlight.arrivals)
    yield* dispatcher.parkHeld
  })

  /** The answers that an outage gave are dropped, and so are those of the subflows that rest on them. */
  const takeBack = Effect.fnUntraced(function* (lost: ReadonlyArray<IssuedCall>) {
    const { calls } = run.journal.state()
    const restingOn = new Set(lost.flatMap(({ parent }) => (parent === undefined ? [] : [parent])))
    const ended = [...restingOn].flatMap((n) => session.subflows.get(n) ?? [])
    const only = [...lost, ...ended].flatMap(({ id, ref }) =>
      calls.get(id)?.status === "completed" ? [ref] : []
    )
    history.add(yield* append(run, { type: "RunReopened", failed: only.length, only }))
  })

  const stopBy = Effect.fnUntraced(function* (signal: string) {
    yield* keepRest
    const stopped: LiveEnd = { _tag: "stopped", signal }
    return stopped
  })

  const { own } = run.driver
  const ownTurn = Effect.gen(function* () {
    if (own !== undefined && session.state.t === "waiting") yield* absorb(yield* untilStopped(run, own.turn))
  })

  /** R7: the patience that a program gets while the run waits for somebody. What it waits for happens in real time. */
  let patience: Fiber.Fiber<void> | "over" | undefined
  const endPatience = Effect.suspend(() => {
    const timer = patience
    patience = undefined
    return Fiber.isFiber(timer) ? Fiber.interrupt(timer) : Effect.void
  })
  const beginPatience = Effect.gen(function* () {
    const over = Effect.suspend(() => {
      patience = "over"
      return inFlight.nudge
    })
    patience = yield* Effect.forkScoped(Effect.andThen(realSleep(ownGraceMs), over))
  })

  /** R7: whether the program may still go on by itself before the run is suspended. */
  const mayGoOn = Effect.suspend(() => {
    const goesOn = own?.goesOn() ?? "no"
    if (goesOn !== "perhaps") return Effect.succeed(goesOn === "surely")
    if (patience !== undefined) return Effect.succeed(patience !== "over")
    return Effect.as(beginPatience, true)
  })

  /** The journal has come to what it may: what is in flight is kept, nothing new is begun (journalBound.ts). */
  const journalIsFull = Effect.gen(function* () {
    while (dispatcher.isWorking()) {
      const landed = yield* inFlight.arrivals
      yield* keep(landed)
      if (landed.signal !== undefined) return yield* stopBy(landed.signal)
    }
    yield* keepRest
    const full: LiveEnd = { _tag: "suspended", reason: "journal_full", items: [] }
    return full
  })

  const untilEnd = Effect.gen(function* () {
    yield* apply(beyond)
    own?.onMoved(inFlight.moved)
    yield* ownTurn
    while (session.state.t === "waiting") {
      if (hasCouncil) yield* admitAgain
      if (items.hasNews()) yield* takeAnswers
      yield* dispatcher.dispatchDue
      if (answers.size() > 0 || session.answered.size > 0) {
        yield* deliver
        continue
      }
      // A subflow that has just got an answer says what it wants next before it is taken to be waiting.
      if (inFlight.subflows().length > 0) yield* inFlight.calm
      if (isStuck()) {
        yield* dispatcher.releaseHeld
        if (answers.size() > 0) continue
        yield* answers.commit
        if (dispatcher.hasWaiting() && (yield* takeAnswers)) continue
        const { blocked, brake, full, lost, waiting } = dispatcher.stuck()
        if (!(yield* mayGoOn)) {
          if (lost.length > 0) yield* takeBack(lost)
          return suspension(waiting, blocked, brake, full)
        }
      }
      // Notes and free intents ride with the next durable append; nothing waits for them.
      const landed = yield* inFlight.arrivals
      yield* keep(landed)
      const { moved, outcomes, signal, requests } = landed
      if (moved || outcomes.length > 0) yield* endPatience
      if (moved) yield* ownTurn
      if (landed.nudged && dispatcher.hasWaiting()) yield* takeAnswers
      for (const request of requests) if (request._tag !== "record") yield* subflows.handle(request)
      if (signal !== undefined) return yield* stopBy(signal)
      yield* dispatcher.releaseHeld
    }
    yield* dispatcher.parkHeld
    const ended: LiveEnd = { _tag: "ended" }
    return ended
  })
  return yield* untilEnd.pipe(
    Effect.catchTag("Stopped", ({ signal }) => stopBy(signal)),
    Effect.catchIf(
      (error) => error._tag === "JournalError" && error.code === "journal_full",
      () => journalIsFull
    ),
    Effect.catchTag("JournalError", (error) =>
      // Whatever cannot be written, the rest is kept as far as it can be.
      Effect.andThen(
        Effect.ignore(Effect.andThen(keepRest, run.journal.commit)),
        isUnwritable(error) ? Effect.succeed<LiveEnd>({ _tag: "unwritable", error }) : Effect.fail(error)
      )
    )
  )
})
