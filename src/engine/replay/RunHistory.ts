// RunHistory: what the log says besides the projection's state, as far as a plan that runs again is held against it:
// in which order calls were issued and notes written, what people were asked and answered, how the run ended. Made in
// the one pass that opens the log; columns of numbers, so that a million events fit in memory.
//
// Invariants:
// H1  The n-th issued call is the one first scheduled under that number.
// H2  A reopened run forgets its end, and is no longer strict; a plan's forgets its notes, which it writes again.
// H3  Time counts while a process of the run was at work: not between two of them, and not while a run that has stopped
//     waits for a person.
// H4  A program's run is never strict: of its calls and notes only content counts, and how often.
// H5  An answer of a person that its call could not use is none once the call is made again: they are asked anew.
import { Column } from "./Column.ts"
import { Effect, Option, Result, Stream } from "effect"
import { callId, type CallIdentity, type CallRef, type Site } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { Doubts } from "../doubt/Doubts.ts"
import { MembersAsked, type Unreadable } from "../subflows/MembersAsked.ts"
import { refusalIn, type RefusedBy } from "../budget/RefusedBy.ts"
import { brokenSubflow, type BrokenSubflow } from "../subflows/subflowFailure.ts"
import { UnusableAnswers } from "../people/UnusableAnswers.ts"

/**
 * Codes by which a run ends in the midst of a turn: its process was short of time or memory, or what the plan gave could
 * not be written, so that the rest of the turn is not in the journal.
 */
const midTurn: ReadonlySet<string> = new Set([
  "plan_timeout",
  "plan_out_of_memory",
  "plan_crashed",
  "too_large",
  "not_canonical"
])

/** Codes of runs that failed although the plan returned. */
const afterReturn: ReadonlySet<string> = new Set(["budget_exceeded", "gate_failed", "no_mission"])

type End = RunEventOf<"RunCompleted"> | RunEventOf<"RunFailed">

/** 48 bits of a hash and a number small beside them: enough to tell that two things differ. */
const digestOf = (hash: string, salt = 0): number => Number.parseInt(hash.slice(0, 12), 16) + salt * 7

const member = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined

/** The part of a note that the plan decides, as it is fingerprinted and compared. */
export const noteOf = (event: RunEvent): Json | undefined => {
  if (event.type === "PhaseStarted") return { type: event.type, title: event.title }
  if (event.type !== "Logged") return undefined
  return {
    type: event.type,
    message: event.message,
    ...defined({ data: event.data })
  }
}

/** What a call is called: not part of what is asked, but of what the journal says. */
export interface CallNames {
  readonly label?: string | undefined
  readonly phase?: string | undefined
}

export const namesOf = ({ label, phase }: CallNames): Json => ({
  ...defined({ label, phase })
})

/** What a note is told apart by. */
export const noteDigest = (note: Json | undefined): number =>
  Result.match(fingerprint(note), { onSuccess: (hash) => digestOf(hash), onFailure: () => -1 })

/** That of a call with no name and in no phase, as most are. */
const nameless = noteDigest(namesOf({}))
const namesDigestOf = (names: CallNames): number =>
  names.label === undefined && names.phase === undefined ? nameless : noteDigest(namesOf(names))

/** A gate that did not pass, and why. */
export type ClosedGate = Pick<RunEventOf<"GateDecided">, "gate" | "detail">

/** Events that a process begins its work with, and those that it ends it with. */
const begins: ReadonlySet<RunEvent["type"]> = new Set(["RunStarted", "RunResumed", "RunReopened"])
const stops: ReadonlySet<RunEvent["type"]> = new Set([
  "RunSuspended",
  "RunInterrupted",
  "RunCompleted",
  "RunFailed"
])

export class RunHistory {
  /** No answer was ever dropped: issue order is the plan's, call by call. */
  strict = true
  /** The run is a program's in process: held to content and occurrence from the beginning, never to order. */
  isProgram = false
  end: End | undefined
  isEmpty = true
  /** `at` of the last event: a hermetic run goes on from there. */
  lastAt = 0
  /** Milliseconds that processes of the run have been at work. */
  activeMs = 0
  private isAtWork = false
  /** How many processes have begun to work on the run. */
  processes = 0
  /** Calls that a budget refused, and what refused the first of them. */
  overBudget = 0
  refusedBy: RefusedBy | undefined
  /** The first gate that did not pass. */
  closedGate: ClosedGate | undefined
  /** Gates that have passed in missions. */
  readonly passedGates = new Set<string>()
  /** Steps that ended with a defect. */
  readonly diedSteps: Array<CallRef> = []
  /** The gates at the end of the plan, where they were decided and the run has no end yet. */
  decidedGates: CallRef | undefined
  private gatesAtEnd: string | undefined
  /** The first subflow that did not do its work. */
  broken: BrokenSubflow | undefined
  /** When each sleep began, by call id. */
  readonly sleeps = new Map<string, number>()
  readonly questions = new Map<string, RunEventOf<"QuestionAsked">>()
  readonly replies = new Map<string, Json>()
  private readonly answers = new Map<string, RunEventOf<"QuestionAnswered">>()
  /** How many items were ever asked for: the next one is named by its place. */
  itemsAsked = 0
  /** How many approvals given beforehand were used, by their name. */
  readonly usedApprovals = new Map<string, number>()
  /** Calls of which nobody knows what became of them, and what people were asked about that. */
  readonly doubts = new Doubts()
  /** What calls could not use of what people had said. */
  readonly unusable = new UnusableAnswers()
  /** How many records each subflow has written, by the id of its call. */
  readonly records = new Map<string, number>()
  /** What members of a debate were asked, and the calls among them whose answer could not be read. */
  private readonly asked = new MembersAsked()
  private readonly callSeq = new Column()
  private readonly callDigest = new Column()
  private readonly namesDigest = new Column()
  private noteSeq = new Column()
  private noteDigests = new Column()

  private refused(result: unknown): void {
    const refused = refusalIn(result)
    if (refused === undefined) return
    this.overBudget++
    this.refusedBy ??= refused
  }

  /** Folds one more event in. */
  add(event: RunEvent): void {
    if (this.isAtWork && event.type !== "QuestionAnswered" && !begins.has(event.type)) {
      this.activeMs += Math.max(0, event.at - this.lastAt)
    }
    if (event.type !== "QuestionAnswered") this.isAtWork = !stops.has(event.type)
    this.isEmpty = false
    if (begins.has(event.type)) this.processes++
    this.lastAt = Math.max(this.lastAt, event.at)
    this.doubts.add(event)
    switch (event.type) {
      case "CallScheduled":
        this.asked.scheduled(event)
        if (event.call.verb === "sleep" && !this.sleeps.has(callId(event)))
          this.sleeps.set(callId(event), event.at)
        if (event.call.verb === "gates" && member(event.call.spec, "at") === "end")
          this.gatesAtEnd = callId(event)
        if (event.n === 0 || this.callSeq.at(event.n) !== 0) break
        this.callSeq.set(event.n, event.seq)
        this.callDigest.set(event.n, digestOf(event.key, event.occurrence))
        this.namesDigest.set(event.n, namesDigestOf(event))
        break
      case "CallCompleted":
        if (member(member(event.result, "error"), "code") === "budget_exceeded") this.refused(event.result)
        this.broken ??= brokenSubflow(event.result)
        this.unusable.completed(event, member(member(event.result, "error"), "code"))
        if (member(member(event.result, "error"), "code") === "step_died")
          this.diedSteps.push({ key: event.key, occurrence: event.occurrence })
        if (this.gatesAtEnd === callId(event))
          this.decidedGates = { key: event.key, occurrence: event.occurrence }
        break
      case "PhaseStarted":
      case "Logged":
        this.noteDigests.set(this.noteDigests.length, noteDigest(noteOf(event)))
        this.noteSeq.set(this.noteSeq.length, event.seq)
        break
      case "GateDecided":
        if (!event.pass) this.closedGate ??= event
        break
      case "RoomRecorded":
        this.asked.recorded(event)
        if (event.room === "mission" && event.kind === "gate" && member(event.data, "pass") === true) {
          this.passedGates.add(String(member(event.data, "gate")))
        }
        this.records.set(callId(event), (this.records.get(callId(event)) ?? 0) + 1)
        break
      case "QuestionAsked":
        this.questions.set(event.item, event)
        this.itemsAsked++
        this.unusable.asked(event)
        break
      case "QuestionAnswered":
        this.replies.set(event.item, event.answer)
        this.answers.set(event.item, event)
        if (event.beforehand !== undefined)
          this.usedApprovals.set(event.beforehand, (this.usedApprovals.get(event.beforehand) ?? 0) + 1)
        break
      case "RunReopened":
        for (const item of this.unusable.reopened(event.only)) {
          this.questions.delete(item)
          this.replies.delete(item)
        }
        this.overBudget = 0
        this.refusedBy = undefined
        this.diedSteps.length = 0
        this.decidedGates = undefined
        this.gatesAtEnd = undefined
        this.closedGate = undefined
        this.passedGates.clear()
        this.broken = undefined
        this.records.clear()
        this.asked.clear()
        if (!this.isProgram) {
          this.noteSeq = new Column()
          this.noteDigests = new Column()
        }
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

  /**
   * Approvals and refusals that stand in events up to `seq` were given elsewhere, and those of which `isProven` does not
   * hold were written by nobody known: they are forgotten with what was asked, so that it is asked again. Answers to
   * questions are data, and stay. Gives the items of those that seemed to be given here.
   */
  disown(
    seq: number,
    isProven: (
      asked: RunEventOf<"QuestionAsked">,
      said: RunEventOf<"QuestionAnswered">,
      isForeign: boolean
    ) => boolean
  ): ReadonlyArray<string> {
    const forgotten: Array<string> = []
    for (const [item, said] of this.answers) {
      const asked = this.questions.get(item)
      if (asked?.kind !== "approval") continue
      if (isProven(asked, said, said.seq <= seq)) continue
      if (said.seq > seq) {
        forgotten.push(item)
        // It used no approval up: the one that was given beforehand is still there.
        const used = said.beforehand === undefined ? undefined : this.usedApprovals.get(said.beforehand)
        if (said.beforehand !== undefined && used !== undefined)
          this.usedApprovals.set(said.beforehand, used - 1)
      }
      this.questions.delete(item)
      this.replies.delete(item)
      this.doubts.disown(item)
    }
    if (seq > 0) this.usedApprovals.clear()
    return forgotten
  }

  /** Calls of members whose statement or vote could not be read, with the council that each was made for. */
  get unreadable(): ReadonlyArray<Unreadable> {
    return this.asked.unreadable
  }

  /** The plan itself ended with a failure, not the run over what it returned. */
  get failedByItself(): boolean {
    const { end } = this
    return (
      end?.type === "RunFailed" && !afterReturn.has(end.error.code) && end.error.code !== this.broken?.code
    )
  }

  /** The council said no, and nothing of the plan was run. */
  get neverBegan(): boolean {
    const { end } = this
    return (
      end?.type === "RunFailed" &&
      end.error.code === "gate_failed" &&
      this.closedGate?.gate === "council" &&
      this.numberAfter(0) === undefined &&
      this.noteSeq.length === 0
    )
  }

  /** The run ended in the midst of a turn, which is not in the journal. */
  get cutShort(): boolean {
    return this.end?.type === "RunFailed" && midTurn.has(this.end.error.code)
  }

  /** The lowest number above `n` that a call was scheduled under. */
  numberAfter(n: number): number | undefined {
    return this.callSeq.next(n)
  }

  /** Seq of the event that scheduled the n-th call; undefined if none did. */
  scheduledAs(n: number): number | undefined {
    const seq = this.callSeq.at(n)
    return seq === 0 ? undefined : seq
  }

  /** Whether the n-th call was this one. */
  isCall(n: number, { key, occurrence }: CallRef): boolean {
    return this.callDigest.at(n) === digestOf(key, occurrence)
  }

  /** Whether the n-th call was called so, and in that phase. */
  isNamed(n: number, names: CallNames): boolean {
    return this.namesDigest.at(n) === namesDigestOf(names)
  }

  /** A program's run. What it awaits besides its calls reorders them. */
  holdToContent(): void {
    this.isProgram = true
    this.strict = false
  }

  /** How often each note was journaled and not written again yet. */
  private untaken: Map<number, number> | undefined

  /** Whether the journal has this note, not counting those taken before. */
  takeNote(note: Json): boolean {
    if (this.untaken === undefined) {
      this.untaken = new Map()
      for (let index = 0; index < this.noteDigests.length; index++) {
        const digest = this.noteDigests.at(index)
        this.untaken.set(digest, (this.untaken.get(digest) ?? 0) + 1)
      }
    }
    const digest = noteDigest(note)
    const left = this.untaken.get(digest) ?? 0
    if (left > 0) this.untaken.set(digest, left - 1)
    return left > 0
  }

  /** Seq of the index-th note (from 0); undefined if there are fewer. */
  notedAs(index: number): number | undefined {
    return index < this.noteSeq.length ? this.noteSeq.at(index) : undefined
  }

  /** Whether the index-th note was this one. */
  isNote(index: number, note: Json): boolean {
    return this.noteDigests.at(index) === noteDigest(note)
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
  const found: { call?: CallIdentity; site?: Site; names?: Json } = {}
  if (Option.isSome(event) && event.value.type === "CallScheduled") {
    found.call = event.value.call
    found.names = namesOf(event.value)
    if (event.value.site !== undefined) found.site = event.value.site
  }
  return found
})
