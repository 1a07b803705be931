// RunHistory: what the journal already knows when this process opens the run: which calls were scheduled, which
// answered, which notes were written, and whether the run has ended. A fold over the log; read only.
//
// Invariants:
// H1  Answers are in journal order, and a call has at most one that counts.
// H2  A reopened run forgets its failed answers, and nothing else; from then on it is no longer strict.
// H3  What follows the last terminal event of a run that was not reopened is nothing.
import { Effect, Option, Result, Stream } from "effect"
import { callId, type CallIdentity, type Site } from "../domain/Call.ts"
import type { Json } from "../domain/canonicalJson.ts"
import { fingerprint } from "../domain/fingerprint.ts"
import type { RunEvent, RunEventOf } from "../domain/RunEvent.ts"
import type { RunJournal } from "../journal/RunJournal.ts"

export interface ScheduledCall {
  readonly seq: number
  readonly n: number
  readonly id: string
  readonly retry: number
  readonly at: number
}

export interface KnownAnswer {
  readonly seq: number
  readonly id: string
  /** Issue number when it was scheduled; in a strict run, the number the plan will issue it under again. 0: a room's. */
  readonly n: number
}

export interface KnownNote {
  readonly seq: number
  readonly fingerprint: string
}

type End = RunEventOf<"RunCompleted"> | RunEventOf<"RunFailed">

const member = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined

/** The code of a failed answer; undefined for any other. */
const failureCode = (result: Json | undefined): string | undefined => {
  if (member(result, "ok") !== false) return undefined
  const code = member(member(result, "error"), "code")
  return typeof code === "string" ? code : "unknown"
}

/** The part of a note that the plan decides, as it is fingerprinted and compared. */
export const noteOf = (event: RunEvent): Json | undefined => {
  if (event.type === "PhaseStarted") return { type: event.type, title: event.title }
  if (event.type !== "Logged") return undefined
  return {
    type: event.type,
    message: event.message,
    ...(event.data === undefined ? {} : { data: event.data })
  }
}

export class RunHistory {
  /** No answer was ever dropped: issue order is the plan's, call by call. */
  strict = true
  end: End | undefined
  readonly byNumber = new Map<number, ScheduledCall>()
  readonly byId = new Map<string, ScheduledCall>()
  readonly answers = new Map<string, KnownAnswer>()
  readonly cancelled = new Set<string>()
  readonly parked = new Set<string>()
  readonly questions = new Map<string, RunEventOf<"QuestionAsked">>()
  readonly replies = new Map<string, Json>()
  notes: Array<KnownNote> = []
  /** How many records each room has written, by the id of its call. */
  readonly records = new Map<string, number>()
  /** `at` of the last event: a hermetic run goes on from there. */
  lastAt = 0
  isEmpty = true
  /** `at` of the first event. */
  startedAt: number | undefined
  private failures = new Set<string>()
  private refusedByBudget = new Set<string>()

  /** Folds one more event in. */
  add(event: RunEvent): void {
    this.isEmpty = false
    this.startedAt ??= event.at
    this.lastAt = Math.max(this.lastAt, event.at)
    switch (event.type) {
      case "CallScheduled": {
        const id = callId(event)
        const scheduled = { seq: event.seq, n: event.n, id, retry: event.retry ?? 0, at: event.at }
        this.byId.set(id, scheduled)
        if (event.n > 0 && !this.byNumber.has(event.n)) this.byNumber.set(event.n, scheduled)
        this.parked.delete(id)
        break
      }
      case "CallCompleted": {
        const id = callId(event)
        this.answers.set(id, { seq: event.seq, id, n: this.byId.get(id)?.n ?? 0 })
        const code = failureCode(event.result)
        if (code === undefined) this.failures.delete(id)
        else this.failures.add(id)
        if (code === "budget_exceeded") this.refusedByBudget.add(id)
        break
      }
      case "CallCancelled":
        this.cancelled.add(callId(event))
        this.answers.delete(callId(event))
        break
      case "CallParked":
        this.parked.add(callId(event))
        break
      case "PhaseStarted":
      case "Logged":
        this.notes.push({
          seq: event.seq,
          fingerprint: Option.getOrElse(Result.getSuccess(fingerprint(noteOf(event))), () => "")
        })
        break
      case "RoomRecorded":
        this.records.set(callId(event), (this.records.get(callId(event)) ?? 0) + 1)
        break
      case "QuestionAsked":
        this.questions.set(event.item, event)
        break
      case "QuestionAnswered":
        this.replies.set(event.item, event.answer)
        break
      case "RunReopened":
        for (const id of this.failures) this.answers.delete(id)
        this.failures = new Set()
        this.refusedByBudget = new Set()
        this.cancelled.clear()
        this.notes = []
        this.strict = false
        this.end = undefined
        break
      case "RunCompleted":
      case "RunFailed":
        this.end = event
        break
      default:
        break
    }
  }

  /** Failed answers that count. */
  get failed(): number {
    return this.failures.size
  }

  /** Calls that the budget refused. */
  get overBudget(): number {
    return this.refusedByBudget.size
  }
}

/** The event with this seq, read again from the log. For messages: rare, so it may be slow. */
export const readEvent = (journal: RunJournal, seq: number) =>
  journal.events.pipe(
    Stream.filter((event) => event.seq === seq),
    Stream.runHead
  )

/** The call of a `CallScheduled` event, read again from the log. */
export const readScheduled = Effect.fnUntraced(function* (journal: RunJournal, seq: number) {
  const event = yield* readEvent(journal, seq)
  const found: { call?: CallIdentity; site?: Site } = {}
  if (Option.isSome(event) && event.value.type === "CallScheduled") {
    found.call = event.value.call
    if (event.value.site !== undefined) found.site = event.value.site
  }
  return found
})
