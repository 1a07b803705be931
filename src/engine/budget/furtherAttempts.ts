// furtherAttempts: retries, repairs and next links of calls in flight. Each asks before it is sent: it is admitted and
// made durable, or waits in no place of the concurrency, or is refused. What has ended is journaled here too.
import { Deferred, Effect, Option } from "effect"
import type { EndedAttempt } from "../../adapters/guard/AttemptPort.ts"
import { utf8Bytes, worstOfAttempt } from "../../adapters/Pricing.ts"
import { refusalOf, type Admission } from "../../domain/budget/admission.ts"
import { makeError } from "../../domain/ModelError.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { IssuedCall } from "../calls/CallBook.ts"
import type { AttemptNote, CallsInFlight } from "../calls/CallsInFlight.ts"
import type { LiveAnswers } from "../calls/LiveAnswers.ts"
import type { RunContext } from "../run/RunContext.ts"
import { wholeRun, type BudgetDesk } from "./BudgetDesk.ts"
import { reserveOf } from "./reserveOf.ts"

export type Asking = Extract<AttemptNote, { _tag: "admit" }>

export const timeIsOver = {
  _tag: "refused",
  why: "the run's time (budget.ms) is over",
  budget: wholeRun,
  bound: "ms"
} as const satisfies Admission

export interface FurtherAttemptsParts {
  readonly run: RunContext
  readonly inFlight: CallsInFlight
  readonly answers: LiveAnswers
  readonly desk: BudgetDesk
  /** Whether the run's time is over. */
  readonly isLate: Effect.Effect<boolean>
}

/** Calls of the plan count up, those of subflows down: the one issued first is the oldest. */
const ageOf = ({ n }: IssuedCall): number => Math.abs(n)

export const makeFurtherAttempts = ({ answers, desk, inFlight, isLate, run }: FurtherAttemptsParts) => {
  let asking: Array<Asking> = []

  /** Decides about attempts that calls in flight ask for, the oldest call first. True: some wait for the run's budget. */
  const decide = Effect.fnUntraced(function* (ready: Array<Asking>): Effect.fn.Return<boolean, JournalError> {
    const still: Array<Asking> = []
    const full = new Set<string>()
    let runIsFull = false
    for (const one of asking.toSorted((left, right) => ageOf(left.call) - ageOf(right.call))) {
      const { attempt, call, reply } = one
      if (!inFlight.has(call.n)) continue
      const need = worstOfAttempt(attempt.binding, attempt.input)
      const isBehind =
        need !== undefined && (runIsFull || (call.part !== undefined && full.has(call.part.id)))
      const noPlace = inFlight.isResting(call.n) && inFlight.models() >= run.concurrency
      const admission: Admission =
        need !== undefined && (yield* isLate)
          ? timeIsOver
          : isBehind
            ? { _tag: "wait", at: 0 }
            : desk.admit(call, need, !run.journal.state().spending.isCounted(call.id))
      if (admission._tag === "refused") {
        inFlight.wake(call.n)
        yield* Deferred.fail(
          reply,
          makeError("budget_exceeded", admission.why, { detail: refusalOf(admission) })
        )
        continue
      }
      if (admission._tag === "wait" || noPlace) {
        if (admission._tag === "wait" && !isBehind) {
          if (admission.at === 0) runIsFull = true
          else if (call.part !== undefined) full.add(call.part.id)
        }
        inFlight.rest(call.n)
        still.push(one)
        continue
      }
      inFlight.wake(call.n)
      const { adapter, modelId } = attempt.binding
      yield* answers.write({
        type: "AttemptStarted",
        ...call.ref,
        attempt: attempt.number,
        kind: attempt.kind === "first" ? "retry" : attempt.kind,
        adapterId: adapter.id,
        modelId,
        ...reserveOf(desk, call, need)
      })
      desk.sent(call, need)
      ready.push(one)
    }
    asking = still
    return runIsFull
  })

  /** Journals how an attempt ended. What the model said is kept beside it, as far as the disk takes it. */
  const writeEnded = Effect.fnUntraced(function* (call: IssuedCall, { number, raw, ...ended }: EndedAttempt) {
    const kept = raw === undefined ? Option.none<string>() : yield* Effect.option(run.journal.blobs.put(raw))
    const bytes = utf8Bytes(JSON.stringify(raw ?? ""))
    yield* answers.write({
      type: "AttemptEnded",
      ...call.ref,
      attempt: number,
      ...ended,
      ...(Option.isSome(kept) ? { raw: { blob: kept.value, bytes } } : {})
    })
  })

  /** What a call in flight says of its attempts. */
  const noted = Effect.fnUntraced(function* (note: AttemptNote) {
    if (note._tag === "admit") return void asking.push(note)
    desk.landed(note.call)
    yield* writeEnded(note.call, note.attempt)
  })

  /** How many calls in flight wait, in their places, for what is decided about a further attempt. */
  const asks = () => asking.filter(({ call }) => inFlight.has(call.n) && !inFlight.isResting(call.n)).length

  return { decide, writeEnded, noted, asks }
}
