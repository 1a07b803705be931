// LiveRun: what is known of a run while somebody watches it, folded from its events. Pure; how it is drawn is
// liveLines.ts's.
//
// L1  Every model call that was scheduled is counted once, in the phase of its first scheduling.
// L2  What is in flight is what was scheduled and has no end: an answer, a cancel, a parking.
// L3  Folding a log and then the events behind it is the same as folding all of them.
import { Option, Schema } from "effect"
import { Spending } from "../../../domain/budget/Spending.ts"
import { callId, type CallRef } from "../../../domain/Call.ts"
import { ModelRunResult } from "../../../domain/ModelRun.ts"
import type { RunEvent, RunEventOf } from "../../../domain/run/RunEvent.ts"
import { callName, proofFailure, sleepMsOf } from "../../../engine/inspect/callName.ts"
import { foldSpending } from "../../../journal/state/foldSpending.ts"

export interface LiveCall {
  readonly name: string
  readonly phase: string | undefined
  /** Of what makes calls of its own, or none; undefined: a model's. */
  readonly verb: string | undefined
  /** Milliseconds of the run's clock. */
  readonly since: number
  readonly attempts: number
  /** When a sleep is over. */
  readonly until: number | undefined
  /** The last attempt failed, and the next one was not sent yet. */
  readonly waitsSince: number | undefined
}

export interface LivePhase {
  readonly title: string | undefined
  readonly scheduled: number
  readonly ended: number
  readonly failed: number
}

export interface LiveWait {
  readonly item: string
  readonly text: string
}

/** Durations of model calls that have ended: enough to say how long the rest may take. */
interface Durations {
  readonly count: number
  readonly sum: number
  readonly squares: number
}

const decodeResult = Schema.decodeUnknownOption(ModelRunResult)
const isRefused = Schema.is(Schema.Struct({ ok: Schema.Literal(false) }))

/** How a call ended, as its answer says. */
export interface Ending {
  readonly failed: boolean
  readonly reason: string | undefined
  readonly code: string | undefined
  readonly durationMs: number | undefined
  readonly costUsd: number
  readonly cut: boolean
}

export const endingOf = (event: RunEventOf<"CallCompleted">): Ending => {
  const result = Option.getOrUndefined(decodeResult(event.result))
  const notProven = proofFailure(event.result)
  const failed =
    result?.ok === false || event.outcome?.ok === false || notProven !== undefined || isRefused(event.result)
  return {
    failed,
    reason: result?.ok === false ? result.error.message : notProven,
    code: result?.ok === false ? result.error.code : undefined,
    durationMs: result?.durationMs,
    costUsd: result?.costUsd ?? event.outcome?.costUsd ?? 0,
    cut: result?.ok === true && result.finishReason === "length"
  }
}

const tokensIn = (event: RunEventOf<"CallCompleted">): number => {
  const result = Option.getOrUndefined(decodeResult(event.result))
  const usage = result?.usage ?? event.outcome?.usage
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
}

export class LiveRun {
  readonly spending = new Spending()
  readonly inFlight = new Map<string, LiveCall>()
  readonly waits = new Map<string, LiveWait>()
  tokens = 0
  parked = 0
  phase: string | undefined
  private readonly phases = new Map<string | undefined, LivePhase>()
  private readonly known = new Set<string>()
  /** Calls of a phase that were issued and not dispatched yet. */
  private readonly ahead = new Map<string | undefined, number>()
  private durations: Durations = { count: 0, sum: 0, squares: 0 }

  get all(): LivePhase {
    const sum = { title: undefined, scheduled: 0, ended: 0, failed: 0 }
    for (const { ended, failed, scheduled } of this.told) {
      sum.scheduled += scheduled
      sum.ended += ended
      sum.failed += failed
    }
    return sum
  }

  /** In the order in which they began. */
  get told(): ReadonlyArray<LivePhase> {
    return [...this.phases.values()].map((phase) => ({
      ...phase,
      scheduled: phase.scheduled + (this.ahead.get(phase.title) ?? 0)
    }))
  }

  /** The plan has issued a call: a fan-out's size is known before its calls are dispatched. */
  issued({ phase }: { readonly phase?: string | undefined }): void {
    this.count(phase, {})
    this.ahead.set(phase, (this.ahead.get(phase) ?? 0) + 1)
  }

  /** Milliseconds that what is scheduled may still take, from and to; undefined where too little is known. */
  remaining(now: number): { readonly about: number; readonly from: number; readonly to: number } | undefined {
    const { count, squares, sum } = this.durations
    const models = [...this.inFlight.values()].filter(({ verb }) => verb === undefined)
    if (count < 3 || models.length === 0) return undefined
    const mean = sum / count
    const spread = Math.sqrt(Math.max(0, squares / count - mean * mean))
    const ran = models.map(({ since }) => Math.max(0, now - since))
    const left = (each: number) => Math.max(0, ...ran.map((ms) => each - ms))
    return { about: left(mean), from: left(Math.max(0, mean - spread)), to: left(mean + spread) }
  }

  nameOf(ref: CallRef): string {
    return this.inFlight.get(callId(ref))?.name ?? `${ref.key.slice(0, 8)}#${ref.occurrence}`
  }

  fold(event: RunEvent): void {
    foldSpending(this.spending, event)
    switch (event.type) {
      case "PhaseStarted":
        this.phase = event.title
        return this.count(event.title, {})
      case "CallScheduled":
        return this.scheduled(event)
      case "AttemptStarted":
        return this.change(event, ({ attempts, ...call }) => ({
          ...call,
          attempts: attempts + 1,
          waitsSince: undefined
        }))
      case "AttemptEnded":
        return this.change(event, (call) => ({ ...call, waitsSince: event.at }))
      case "CallCompleted":
        return this.completed(event)
      case "CallParked":
        this.parked++
        return void this.inFlight.delete(callId(event))
      case "CallCancelled":
        return void this.inFlight.delete(callId(event))
      case "QuestionAsked":
        return void this.waits.set(event.item, { item: event.item, text: event.text })
      case "QuestionAnswered":
        return void this.waits.delete(event.item)
      case "RunInterrupted":
      case "RunSuspended":
        return this.inFlight.clear()
      case "RunResumed":
        this.parked = 0
        return
      default:
        return
    }
  }

  private count(title: string | undefined, more: Partial<Omit<LivePhase, "title">>): void {
    const { ended, failed, scheduled } = this.phases.get(title) ?? { scheduled: 0, ended: 0, failed: 0 }
    this.phases.set(title, {
      title,
      scheduled: scheduled + (more.scheduled ?? 0),
      ended: ended + (more.ended ?? 0),
      failed: failed + (more.failed ?? 0)
    })
  }

  private change(ref: CallRef, by: (call: LiveCall) => LiveCall): void {
    const call = this.inFlight.get(callId(ref))
    if (call !== undefined) this.inFlight.set(callId(ref), by(call))
  }

  private scheduled(event: RunEventOf<"CallScheduled">): void {
    const id = callId(event)
    const sleeps = sleepMsOf(event)
    const verb = event.call.verb === "agent" ? undefined : event.call.verb
    if (!this.known.has(id)) {
      this.count(event.phase, { scheduled: 1 })
      const ahead = this.ahead.get(event.phase) ?? 0
      if (ahead > 0) this.ahead.set(event.phase, ahead - 1)
    }
    this.known.add(id)
    this.inFlight.set(id, {
      name: callName(event),
      phase: event.phase,
      verb,
      since: event.at,
      attempts: 1,
      until: sleeps === undefined ? undefined : event.at + sleeps,
      waitsSince: undefined
    })
  }

  private completed(event: RunEventOf<"CallCompleted">): void {
    const id = callId(event)
    const call = this.inFlight.get(id)
    const ending = endingOf(event)
    this.inFlight.delete(id)
    this.tokens += tokensIn(event)
    this.count(call?.phase, {
      ...(this.known.has(id) ? {} : { scheduled: 1 }),
      ended: 1,
      failed: ending.failed ? 1 : 0
    })
    this.known.add(id)
    if (call?.verb === undefined && call !== undefined && event.reused !== true && !ending.failed) {
      const took = event.at - call.since
      const { count, squares, sum } = this.durations
      this.durations = { count: count + 1, sum: sum + took, squares: squares + took * took }
    }
  }
}
