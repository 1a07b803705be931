// Session: what the plan has done so far in this process, against what the journal knows. Takes turns apart into
// calls, notes, cancels and slots, and says at once where they part from the journal. Writes nothing.
import { Effect, Option } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { firstRules } from "../../domain/run/rules.ts"
import type { Coverage, RunEventBody } from "../../domain/run/RunEvent.ts"
import type { CallState, RunState } from "../../journal/state/RunState.ts"
import type { PlanRequest, PlanState } from "../../plan/host/PlanProtocol.ts"
import { earlierOf, isOfSubflow, type IssuedCall } from "../calls/CallBook.ts"
import type { GatedTurn } from "../gates/gatedPlan.ts"
import { ReplayQueue } from "../replay/ReplayQueue.ts"
import {
  callDiffers,
  extraCall,
  missingCall,
  namesDiffer,
  noteDiffers,
  type Divergence
} from "../replay/Divergence.ts"
import type { RunContext } from "./RunContext.ts"
import { namesOf, noteOf, readEvent, readScheduled, type RunHistory } from "../replay/RunHistory.ts"

/** What a turn asks the engine to do, in order. */
export type Decision =
  | { readonly _tag: "call"; readonly call: IssuedCall }
  | { readonly _tag: "cancel"; readonly call: IssuedCall }
  | { readonly _tag: "note"; readonly body: Note }

type Note = Extract<RunEventBody, { type: "PhaseStarted" | "Logged" }>

const noteBody = (request: Extract<PlanRequest, { t: "phase" | "log" }>): Note =>
  request.t === "phase"
    ? { type: "PhaseStarted", title: request.title }
    : {
        type: "Logged",
        message: request.message,
        ...defined({ data: request.data })
      }

const asJson = (body: Note): Json => ({ ...body })

/** How many calls of the plan itself, not of its subflows, have an answer. */
const ownAnswers = ({ completed }: RunState): number => {
  let count = 0
  for (let rank = 0; rank < completed.length; rank++) if ((completed.at(rank)?.n ?? 0) > 0) count++
  return count
}

export class Session {
  /** Calls the plan waits for. */
  readonly pending = new Map<number, IssuedCall>()
  /** Calls the plan waits for whose answer the journal has, by the answer's rank. */
  readonly answered = new ReplayQueue()
  state: PlanState = { t: "waiting" }
  divergence: Divergence | undefined
  private readonly run: RunContext
  private readonly history: RunHistory
  /**
   * What the plan did last may be missing from the journal of the ended run: its process was ended in the midst of a
   * turn, or it failed under the first rules, when calls that were never dispatched were not journaled at a failure.
   */
  private readonly dropsLast: boolean
  /** Number of the call issued last. They are numbered from 1, with no gap. */
  lastIssued = 0
  /** Ids of the councils called so far. */
  readonly councils: Array<string> = []
  /** Calls that subflows answer, by their number. */
  readonly subflows = new Map<number, Pick<IssuedCall, "id" | "ref">>()
  /** How many of the journal's notes the plan has written again. */
  notesSeen = 0
  /** Calls the plan gave up on in this process. */
  readonly gaveUp = new Set<string>()
  /** Calls whose answer the journal had when the plan issued them. */
  private readonly known = new Set<string>()
  /** How many answers of the plan's own calls the journal had at the beginning. */
  private readonly ahead: number
  private done = 0
  private of = 0
  private lost = 0

  constructor(run: RunContext, history: RunHistory) {
    this.run = run
    this.history = history
    this.ahead = history.isProgram ? ownAnswers(run.journal.state()) : Infinity
    const failed = history.end?.type === "RunFailed"
    this.dropsLast = history.cutShort || (failed && run.journal.state().rules === firstRules)
  }

  /** A program that has issued every call that the journal had an answer of: none of them comes between others. */
  get hasCaughtUp(): boolean {
    return this.known.size >= this.ahead
  }

  /** The first call with an answer in the journal that the program has not made. */
  get unmade(): CallState | undefined {
    if (this.hasCaughtUp) return undefined
    const { completed } = this.run.journal.state()
    for (let rank = 0; rank < completed.length; rank++) {
      const call = completed.at(rank)
      if (call !== undefined && call.n > 0 && !this.known.has(call.id)) return call
    }
    return undefined
  }

  /** Slots so far, in the order of the spec: how many hold an answer, of how many. */
  get coverage(): Coverage {
    return { done: this.done, of: this.of }
  }

  /** Slots without an answer whose loss nobody accepted. */
  get lostSlots(): number {
    if (this.run.acceptLoss) return 0
    const { minCoverage } = this.run
    if (minCoverage !== undefined && this.of > 0 && this.done / this.of >= minCoverage) return 0
    return this.lostUnaccepted
  }

  /** The same, whatever the caller accepts: what the plan itself did not. */
  get lostUnaccepted(): number {
    return this.lost
  }

  /**
   * Takes a turn. Known calls are checked against the journal and, where it has the answer, put into `answered`;
   * what the journal does not have comes back as decisions.
   */
  readonly take = Effect.fnUntraced(function* (this: Session, turn: GatedTurn) {
    const decisions: Array<Decision> = []
    for (const request of turn.requests) {
      switch (request.t) {
        case "call": {
          const taken = yield* this.run.book.take(request)
          const call: IssuedCall = { ...taken, ...earlierOf(this.run.journal.state(), taken.id) }
          this.pending.set(call.n, call)
          if (call.verb === "council") this.councils.push(call.id)
          if (isOfSubflow(call)) this.subflows.set(call.n, { id: call.id, ref: call.ref })
          this.lastIssued = Math.max(this.lastIssued, call.n)
          yield* this.compare(call)
          if (call.earlier?.status === "completed") {
            if (this.history.isProgram && call.n > 0) this.known.add(call.id)
            this.answered.put(call.earlier.rank, call)
          } else decisions.push({ _tag: "call", call })
          break
        }
        case "cancel": {
          const call = this.pending.get(request.n)
          if (call === undefined) break
          this.pending.delete(request.n)
          this.gaveUp.add(call.id)
          if (call.earlier !== undefined) this.answered.drop(call.earlier.rank)
          // What has ended already cannot be cancelled.
          if (call.earlier?.status !== "cancelled" && call.earlier?.status !== "completed")
            decisions.push({ _tag: "cancel", call })
          break
        }
        case "phase":
        case "log": {
          const body = noteBody(request)
          if (!(yield* this.isKnownNote(body))) decisions.push({ _tag: "note", body })
          break
        }
        case "slots":
          this.done += request.done
          this.of += request.of
          if (!request.accepted) this.lost += request.of - request.done
          break
      }
    }
    this.state = turn.state
    return decisions
  })

  private readonly compare = Effect.fnUntraced(function* (this: Session, call: IssuedCall) {
    const { history, run } = this
    if (history.isProgram && history.end !== undefined && call.earlier === undefined && !this.dropsLast)
      this.divergence ??= yield* this.notJournaled(call)
    if (!history.strict || this.divergence !== undefined) return
    const seq = history.scheduledAs(call.n)
    if (seq === undefined) {
      if (history.end !== undefined && !this.dropsLast && call.earlier?.status !== "cancelled")
        this.divergence = extraCall(call)
      return
    }
    const names = { label: call.options?.label, phase: call.phase }
    const same = history.isCall(call.n, call.ref)
    if (same && history.isNamed(call.n, names)) return
    const was = yield* readScheduled(run.journal, seq)
    this.divergence = same
      ? namesDiffer(call, { seq, names: was.names ?? {} }, namesOf(names))
      : callDiffers(call, { seq, call: was.call ?? { verb: "unknown" } })
  })

  /** The call of a program that the journal does not have: it stands for the one of its number, if that was not made. */
  private readonly notJournaled = Effect.fnUntraced(function* (this: Session, call: IssuedCall) {
    const { history, run } = this
    const seq = history.scheduledAs(call.n)
    const calls = [...run.journal.state().calls.values()]
    const isMade = calls.some(({ id, n }) => n === call.n && this.known.has(id))
    const was = seq === undefined || isMade ? undefined : yield* readScheduled(run.journal, seq)
    return seq === undefined || was?.call === undefined
      ? extraCall(call)
      : callDiffers(call, { seq, call: was.call })
  })

  private readonly isKnownNote = Effect.fnUntraced(function* (this: Session, body: Note) {
    const { history, run } = this
    if (history.isProgram) return history.takeNote(asJson(body))
    const seq = history.notedAs(this.notesSeen)
    if (seq === undefined) {
      if (history.end !== undefined && history.strict && !history.cutShort) {
        this.divergence ??= noteDiffers(undefined, undefined, asJson(body))
      }
      return false
    }
    const same = history.isNote(this.notesSeen++, asJson(body))
    if (history.strict && this.divergence === undefined && !same) {
      // A call that the journal has before the note and the plan did not make comes first.
      const n = this.lastIssued + 1
      const left = history.scheduledAs(n)
      if (left !== undefined && left < seq) {
        this.divergence = missingCall({ n, seq: left, ...(yield* readScheduled(run.journal, left)) })
        return true
      }
      const event = Option.getOrUndefined(yield* readEvent(run.journal, seq))
      this.divergence = noteDiffers(seq, event === undefined ? undefined : noteOf(event), asJson(body))
    }
    return true
  })
}
