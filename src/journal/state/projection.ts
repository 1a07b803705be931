// The projection: what the events of a run add up to. A pure fold; resume, replay, list and report are this fold.
// It keeps where a result stands in the log, not the result, so that a million events fit in memory.
//
// Invariants (each has its property test):
// P1  Folding is associative with appending: the state of a log is the state of any prefix, advanced by the rest.
// P2  A call has at most one completion that counts: later ones of the same call change nothing, until the run is
//     reopened and the first was a failure.
// P3  `completed` lists exactly the calls of status `completed`, in journal order, and `rank` is the place in it.
// P4  Counts are of calls: scheduled + completed + cancelled + parked = calls known.
// P5  What is spent and held is the fold of Spending (its S1 to S6) over the calls' events. Only a CallScheduled or
//     an AttemptStarted can raise what is committed, by no more than its reserve.
// P6  After a terminal event the run is ended until it is reopened.
// P7  Reopening drops exactly the failed completions, the answers of councils and swarms that rest on one, and those
//     it names besides; or, where it names all that it drops, exactly those. Their cost stays.
import { Spending } from "../../domain/budget/Spending.ts"
import { callId, type CallRef } from "../../domain/Call.ts"
import { currentRules, firstRules } from "../../domain/run/rules.ts"
import type { TokenUsage } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import { CallTable, type CallRow } from "./CallTable.ts"
import { foldSpending, member, outcomeOf, settleCall } from "./foldSpending.ts"
import type { CallStatus, Question, RunState } from "./RunState.ts"

interface Growing {
  counts: Record<CallStatus, number>
  phases: Array<string>
  questions: Map<string, Question>
}
type Open = { -readonly [Key in Exclude<keyof RunState, keyof Growing>]: RunState[Key] } & Growing

/** Verbs whose answer is made of calls of their own, and is an answer although some of those failed. */
const gathers: ReadonlySet<string> = new Set(["council", "swarm"])

export class Projection {
  private readonly calls = new CallTable()
  private readonly spending = new Spending()
  /** Councils and swarms; calls in flight that are made for one; those one of whose calls has failed. */
  private readonly rooms = new Set<string>()
  private readonly madeFor = new Map<string, string>()
  private readonly wanting = new Set<string>()
  private readonly open: Open

  constructor() {
    this.open = {
      lastSeq: 0,
      startedAt: undefined,
      lastAt: 0,
      concurrency: undefined,
      hermetic: false,
      rules: currentRules,
      calls: this.calls,
      completed: this.calls.completed,
      reopenedRank: 0,
      counts: { scheduled: 0, completed: 0, cancelled: 0, parked: 0 },
      failed: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
      spending: this.spending,
      modelCalls: 0,
      modelCompleted: 0,
      modelFailed: 0,
      phases: [],
      coverage: undefined,
      questions: new Map(),
      suspended: undefined,
      interrupted: undefined,
      end: undefined,
      reopened: 0
    }
  }

  get state(): RunState {
    return this.open
  }

  /** Folds in the next event, whose line stands at `offset`, `length` bytes long. */
  advance(event: RunEvent, offset: number, length: number): void {
    const state = this.open
    state.lastSeq = event.seq
    state.lastAt = event.at
    switch (event.type) {
      case "RunStarted":
        state.startedAt = event.at
        state.concurrency = event.concurrency
        state.hermetic = event.hermetic ?? false
        state.rules = event.rules ?? firstRules
        return
      case "PhaseStarted":
        state.phases.push(event.title)
        return
      case "CallScheduled":
        return this.scheduled(event)
      case "RunRepaired":
      case "AttemptStarted":
      case "AttemptEnded":
        return foldSpending(this.spending, event)
      case "CallCompleted":
        return this.completed(event, offset, length)
      case "CallCancelled":
        return this.move(event, "cancelled")
      case "CallParked":
        return this.parked(event)
      case "CallLate":
        return this.late(event)
      case "QuestionAsked":
        state.questions.set(event.item, { event })
        this.used(event.before?.usage ?? {})
        return
      case "QuestionAnswered": {
        const question = state.questions.get(event.item)
        const { answer, mac } = event
        if (question !== undefined)
          state.questions.set(event.item, {
            event: question.event,
            answer,
            ...defined({ mac })
          })
        return
      }
      case "RunSuspended":
        state.suspended = {
          reason: event.reason,
          items: event.items,
          ...defined({ until: event.until })
        }
        return
      case "RunResumed":
        state.suspended = undefined
        state.interrupted = undefined
        return
      case "RunInterrupted":
        state.interrupted = event.signal
        return
      case "RunReopened":
        return this.reopen(event)
      case "RunCompleted":
      case "RunFailed":
        state.end = { status: event.status, offset, length }
        state.coverage = event.coverage
        state.suspended = undefined
        state.interrupted = undefined
        return
      case "Logged":
      case "GateDecided":
      case "RoomRecorded":
        return
    }
  }

  private status(call: CallRow, status: CallStatus): void {
    this.open.counts[call.status]--
    this.open.counts[status]++
    call.status = status
  }

  private scheduled(event: RunEventOf<"CallScheduled">): void {
    const state = this.open
    const { added, call } = this.calls.findOrAdd(event)
    if (added) {
      state.counts.scheduled++
      if (event.call.verb === "agent") state.modelCalls++
    } else if (call.status === "completed") return
    else this.status(call, "scheduled")
    foldSpending(this.spending, event)
    this.relate(event)
    call.n = event.n
    call.retry = event.retry ?? 0
  }

  /** Which room a call is made for, while it is in flight. */
  private relate(event: RunEventOf<"CallScheduled">): void {
    const { spec, verb } = event.call
    if (gathers.has(verb)) this.rooms.add(callId(event))
    if (this.rooms.size === 0) return
    const of = member(spec, "of")
    if (typeof of === "string" && this.rooms.has(of)) this.madeFor.set(callId(event), of)
  }

  private used({ inputTokens = 0, outputTokens = 0 }: TokenUsage): void {
    const { usage } = this.open
    this.open.usage = {
      inputTokens: usage.inputTokens + inputTokens,
      outputTokens: usage.outputTokens + outputTokens
    }
  }

  private known(ref: CallRef): { readonly call: CallRow; readonly added: boolean } {
    const found = this.calls.findOrAdd(ref)
    // The intent of a free call may be lost in a crash after its completion was not: then there is none to find.
    if (found.added) this.open.counts.scheduled++
    return found
  }

  private completed(event: RunEventOf<"CallCompleted">, offset: number, length: number): void {
    const state = this.open
    const { added, call } = this.known(event)
    if (call.status === "completed") return
    const outcome = outcomeOf(event)
    if (added && outcome.model) state.modelCalls++
    const reused = event.reused ?? false
    settleCall(this.spending, event, outcome, reused)
    if (outcome.model && !reused) this.used(outcome.usage)
    this.status(call, "completed")
    call.failed = outcome.failed
    call.model = outcome.model
    call.complete(offset, length)
    state.completed = this.calls.completed
    if (outcome.failed) state.failed++
    if (outcome.model) {
      state.modelCompleted++
      if (outcome.failed) state.modelFailed++
    }
    if (this.madeFor.size === 0) return
    const room = this.madeFor.get(callId(event))
    this.madeFor.delete(callId(event))
    if (outcome.failed && room !== undefined) this.wanting.add(room)
  }

  private move(ref: CallRef, status: CallStatus): void {
    const { call } = this.known(ref)
    // A cancel that lost the race to a journaled completion is nothing.
    if (call.status !== "completed") this.status(call, status)
  }

  private parked(event: RunEventOf<"CallParked">): void {
    const { call } = this.known(event)
    if (call.status === "completed") return
    foldSpending(this.spending, event)
    this.used(event.result.usage ?? {})
    this.status(call, "parked")
  }

  private late(event: RunEventOf<"CallLate">): void {
    foldSpending(this.spending, event)
    this.used(event.usage ?? {})
  }

  private reopen({ also = [], only }: RunEventOf<"RunReopened">): void {
    const state = this.open
    state.reopened++
    state.end = undefined
    state.suspended = undefined
    state.interrupted = undefined
    state.coverage = undefined
    state.reopenedRank = state.completed.length
    const named = new Set((only ?? also).map(callId))
    for (const call of this.calls.values()) {
      if (call.status !== "completed") continue
      const isNamed = named.size > 0 && named.has(call.id)
      const follows =
        only === undefined && (call.failed || (this.wanting.size > 0 && this.wanting.has(call.id)))
      if (!isNamed && !follows) continue
      call.uncomplete()
      if (call.failed) state.failed--
      if (call.model) {
        state.modelCompleted--
        if (call.failed) state.modelFailed--
      }
      call.failed = false
      this.status(call, "parked")
    }
    if (only === undefined) this.wanting.clear()
    for (const id of named) this.wanting.delete(id)
  }
}

/** The state of a whole log. `at` gives where each event's line stands; without it nothing can be read again. */
export const project = (
  events: Iterable<RunEvent>,
  at: (event: RunEvent) => readonly [offset: number, length: number] = () => [0, 0]
): RunState => {
  const projection = new Projection()
  for (const event of events) projection.advance(event, ...at(event))
  return projection.state
}
