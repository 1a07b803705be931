// CallRecord: what the log tells of each call, attempt by attempt, and the fold that makes it. `inspect`, `show`, `why`,
// `diff` and reports are views of it. Prompts and answers are not in it, so that it stays small: `seq` says where the
// events stand that have them. Pure.
import { Option, Schema } from "effect"
import { callId, type CallRef, type Site } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import { ModelErrorInfo, TokenUsage } from "../../domain/ModelError.ts"
import { FellBack } from "../../domain/ModelRun.ts"
import type { BlobRef, RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import { wholeNanos } from "../../journal/state/RunState.ts"
import { isAboutDoubt } from "../doubt/Doubts.ts"
import { callName, proofFailure, sleepMsOf } from "./callName.ts"

/** One attempt of a call. Of the last one of an answered call, `CallRecord` has the rest. */
export interface AttemptRecord {
  /** Which dispatch of the call it belongs to, from 1: a call in doubt is dispatched again. */
  readonly dispatch: number
  /** From 1 since the dispatch. */
  readonly attempt: number
  /** Why the call was dispatched again: nobody knows how it had ended, or its failure was given up. */
  readonly again?: "doubt" | "failed"
  /** Why there is a further one; absent for the first. */
  readonly kind?: RunEventOf<"AttemptStarted">["kind"]
  readonly adapterId?: string
  readonly modelId?: string
  /** Milliseconds of the run's clock. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly error?: ModelErrorInfo
  readonly finishReason?: string
  readonly usage?: TokenUsage
  /** US dollars. */
  readonly costUsd?: number
  /** What the model said, where that is not the answer. */
  readonly raw?: BlobRef
}

/** Why a call was dispatched again, in words. */
export const againWords: Readonly<Record<NonNullable<AttemptRecord["again"]>, string>> = {
  doubt: "dispatched again, since nobody knew how it had ended",
  failed: "made again after it had failed"
}

export type CallRecordStatus = "scheduled" | "completed" | "failed" | "cancelled" | "parked"

export interface CallRecord {
  readonly key: string
  readonly occurrence: number
  /** Its place among all calls of the run, from 1: what `show RUN 7` means. */
  readonly number: number
  readonly label?: string
  /** What it is called: its label, the beginning of its prompt, or what a step of a room is. */
  readonly name: string
  readonly phase?: string
  readonly site?: Site
  /** Of what makes calls of its own, or none; absent: a model's. Its tokens and cost are those of its calls. */
  readonly verb?: string
  /** As it was asked for. */
  readonly model?: string
  /** `adapter:model` that answered, and its version where the provider told it. */
  readonly answeredBy?: string
  readonly modelVersion?: string
  readonly status: CallRecordStatus
  readonly attempts: number
  readonly repairs?: number
  readonly tries: ReadonlyArray<AttemptRecord>
  readonly fellBackFrom?: ReadonlyArray<FellBack>
  readonly usage?: TokenUsage
  readonly costUsd?: number
  /** The code of what failed. */
  readonly error?: string
  readonly failure?: ModelErrorInfo
  readonly finishReason?: string
  /** Taken from a call cache or another run: made by nobody here. */
  readonly reused?: boolean
  /** Dispatches before the last that are in doubt. */
  readonly inDoubt?: number
  /** Of a council: turns that nobody took because the money was used up, `bo in ballot`. */
  readonly lostToMoney?: ReadonlyArray<string>
  /** When a sleep that lasts will be over, in milliseconds since the epoch. */
  readonly until?: number
  /** The call that was at work on its behalf, by number: a council, a mission. */
  readonly parent?: number
  /** When it was dispatched last, in milliseconds of the run's clock. */
  readonly scheduledAt: number
  readonly endedAt?: number
  /** Of the model's work alone, as the adapter measured it. */
  readonly durationMs?: number
  /** Of its first CallScheduled. */
  readonly seq: number
  /** Of the event that ended it. */
  readonly endedSeq?: number
}

const Outcome = Schema.Struct({
  ok: Schema.Boolean,
  attempts: Schema.optionalKey(Schema.Int),
  repairs: Schema.optionalKey(Schema.Int),
  usage: Schema.optionalKey(TokenUsage),
  costUsd: Schema.optionalKey(Schema.Number),
  adapterId: Schema.optionalKey(Schema.String),
  modelId: Schema.optionalKey(Schema.String),
  modelVersionUsed: Schema.optionalKey(Schema.String),
  durationMs: Schema.optionalKey(Schema.Number),
  finishReason: Schema.optionalKey(Schema.String),
  fellBackFrom: Schema.optionalKey(Schema.Array(FellBack)),
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String }))
})
const decodeOutcome = Schema.decodeUnknownOption(Outcome)
const decodeError = Schema.decodeUnknownOption(Schema.Struct({ error: ModelErrorInfo }))

const decodeFailures = Schema.decodeUnknownOption(
  Schema.Struct({
    decision: Schema.String,
    failures: Schema.Array(
      Schema.Struct({ member: Schema.String, phase: Schema.String, reason: Schema.String })
    )
  })
)

const lostTurns = (result: unknown): ReadonlyArray<string> =>
  (Option.getOrUndefined(decodeFailures(result))?.failures ?? [])
    .filter(({ reason }) => reason === "budget")
    .map(({ member, phase }) => `${member} in ${phase}`)

/** What the answer says of the call. `model`: its tokens and dollars are its own. */
const outcomeOf = (
  event: RunEventOf<"CallCompleted"> | RunEventOf<"CallParked">,
  model: boolean
): Partial<CallRecord> => {
  const result = event.type === "CallCompleted" ? (event.result ?? event.outcome) : event.result
  const outcome = Option.getOrUndefined(decodeOutcome(result))
  if (outcome === undefined) return { status: "completed" }
  const {
    adapterId,
    attempts = 1,
    costUsd,
    durationMs,
    finishReason,
    modelId,
    modelVersionUsed,
    ok
  } = outcome
  const lost = lostTurns(result)
  return {
    status: event.type === "CallParked" ? "parked" : ok ? "completed" : "failed",
    attempts,
    ...defined({
      repairs: outcome.repairs,
      fellBackFrom: outcome.fellBackFrom,
      usage: model ? outcome.usage : undefined,
      costUsd: model && costUsd !== undefined ? wholeNanos(costUsd) : undefined,
      error: outcome.error?.code ?? proofFailure(result),
      failure: Option.getOrUndefined(decodeError(result))?.error,
      answeredBy: adapterId === undefined || modelId === undefined ? undefined : `${adapterId}:${modelId}`,
      modelVersion: modelVersionUsed,
      durationMs,
      finishReason,
      lostToMoney: lost.length === 0 ? undefined : lost
    })
  }
}

/** An attempt that is made ends what was open of the same dispatch before it. */
const ended = (
  tries: ReadonlyArray<AttemptRecord>,
  of: { readonly attempt: number; readonly dispatch: number },
  end: Partial<AttemptRecord>
): ReadonlyArray<AttemptRecord> =>
  tries.map((one) => (one.attempt === of.attempt && one.dispatch === of.dispatch ? { ...one, ...end } : one))

const lastDispatch = (tries: ReadonlyArray<AttemptRecord>): number => tries.at(-1)?.dispatch ?? 0

/** Whether the call did not do what it was made for. An answer that says so (a gate, a proof) is no success either. */
export const hasFailed = ({
  error,
  status
}: Pick<CallRecord, "status"> & { readonly error?: string }): boolean =>
  status === "failed" || (status === "completed" && error !== undefined)

/** Whether the answer was cut at the limit of its output, and so is not all that the model would have said. */
export const wasCut = ({ finishReason, status }: Pick<CallRecord, "finishReason" | "status">): boolean =>
  status === "completed" && finishReason === "length"

/** The calls of a run, from its events, folded one at a time. */
export class CallRecords {
  private readonly calls = new Map<string, CallRecord>()
  /** Calls that make calls and are at work, by `callId`, in the order they began. */
  private readonly atWork = new Map<string, number>()
  /** Calls that wait for a person, by `callId`: they go on where they were. */
  private readonly asking = new Set<string>()

  fold(event: RunEvent): void {
    switch (event.type) {
      case "CallScheduled":
        return this.scheduled(event)
      case "AttemptStarted":
        return this.attemptStarted(event)
      case "AttemptEnded":
        return this.attemptEnded(event)
      case "CallCompleted":
      case "CallParked":
        return this.completed(event)
      case "QuestionAsked":
        if (!isAboutDoubt(event)) this.asking.add(callId(event))
        return
      case "CallCancelled": {
        const call = this.known(event, event.seq)
        const { until: _, ...over } = call
        this.atWork.delete(callId(event))
        if (call.status === "scheduled")
          this.set({ ...over, status: "cancelled", endedAt: event.at, endedSeq: event.seq })
        return
      }
      default:
        return
    }
  }

  get(id: string): CallRecord | undefined {
    return this.calls.get(id)
  }

  /** In the order in which the run made them. */
  values(): ReadonlyArray<CallRecord> {
    return [...this.calls.values()]
  }

  private set(call: CallRecord): void {
    this.calls.set(callId(call), call)
  }

  /** A call that the log answers without having made it is named by its key. */
  private known(ref: CallRef, seq: number): CallRecord {
    return (
      this.calls.get(callId(ref)) ?? {
        key: ref.key,
        occurrence: ref.occurrence,
        number: this.calls.size + 1,
        name: `${ref.key.slice(0, 12)}#${ref.occurrence}`,
        status: "scheduled",
        attempts: 0,
        tries: [],
        scheduledAt: 0,
        seq
      }
    )
  }

  private scheduled(event: RunEventOf<"CallScheduled">): void {
    const { at, call, key, label, n, occurrence, phase, retry, seq, site } = event
    const before = this.calls.get(callId(event))
    const sleeps = sleepMsOf(event)
    const verb = call.verb === "agent" ? undefined : call.verb
    // A room makes its calls while it is at work; with one at work, it is that one.
    const rooms = [...this.atWork.values()]
    const goesOn = this.asking.delete(callId(event)) && before?.status === "scheduled"
    const dispatch = lastDispatch(before?.tries ?? []) + 1
    const again =
      before === undefined
        ? undefined
        : before.status === "scheduled"
          ? ("doubt" as const)
          : ("failed" as const)
    this.set({
      key,
      occurrence,
      number: before?.number ?? this.calls.size + 1,
      name: callName(event),
      ...defined({ label, phase, site, verb, model: call.model }),
      status: "scheduled",
      attempts: 0,
      tries: [
        ...(before?.tries ?? []),
        ...(verb === undefined && !goesOn
          ? [{ dispatch, attempt: 1, ...defined({ again }), startedAt: at }]
          : [])
      ],
      ...defined({
        until: sleeps === undefined ? undefined : at + sleeps,
        inDoubt: retry,
        parent: n === 0 && rooms.length === 1 ? rooms[0] : undefined
      }),
      scheduledAt: goesOn ? before.scheduledAt : at,
      seq: before?.seq ?? seq
    })
    if (n !== 0 && verb !== undefined && verb !== "sleep")
      this.atWork.set(callId(event), this.known(event, seq).number)
  }

  private attemptStarted(event: RunEventOf<"AttemptStarted">): void {
    const { adapterId, at, attempt, kind, modelId, seq } = event
    const call = this.known(event, seq)
    const dispatch = lastDispatch(call.tries) || 1
    this.set({
      ...call,
      tries: [...call.tries, { dispatch, attempt, kind, adapterId, modelId, startedAt: at }]
    })
  }

  private attemptEnded(event: RunEventOf<"AttemptEnded">): void {
    const { adapterId, at, attempt, costUsd, error, finishReason, modelId, raw, seq, usage } = event
    const call = this.known(event, seq)
    const end = {
      adapterId,
      modelId,
      endedAt: at,
      ...defined({ costUsd, error, finishReason, raw, usage })
    }
    this.set({
      ...call,
      tries: ended(call.tries, { attempt, dispatch: lastDispatch(call.tries) }, end)
    })
  }

  private completed(event: RunEventOf<"CallCompleted"> | RunEventOf<"CallParked">): void {
    const { until: _, ...call } = this.known(event, event.seq)
    this.atWork.delete(callId(event))
    const outcome = outcomeOf(event, call.verb === undefined)
    const reused = event.type === "CallCompleted" && event.reused === true
    const last = call.tries.at(-1)
    const tries =
      reused || last === undefined
        ? []
        : last.endedAt === undefined
          ? ended(call.tries, last, { endedAt: event.at, ...defined({ error: outcome.failure }) })
          : call.tries
    this.set({
      ...call,
      ...outcome,
      tries,
      ...(reused ? { reused } : {}),
      endedAt: event.at,
      endedSeq: event.seq
    })
  }
}
