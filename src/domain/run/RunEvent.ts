// The events of a run, one JSON object a line of events.jsonl. Nothing is true of a run that is not in them.
// How they are written, chained and read back is journal/'s; what they add up to is journal/state/projection.ts.
import { Schema } from "effect"
import { CallIdentity, Site } from "../Call.ts"
import { Finding } from "../Finding.ts"
import { ModelErrorInfo, TokenUsage } from "../ModelError.ts"
import { FellBack, ModelRunFailure } from "../ModelRun.ts"

/** A value in place, or the name of the blob that holds its canonical JSON. */
export const BlobRef = Schema.Struct({ blob: Schema.String, bytes: Schema.Int })
export type BlobRef = typeof BlobRef.Type

const callRef = { key: Schema.String, occurrence: Schema.Int }

const ReserveTokens = Schema.Struct({ output: Schema.Int, all: Schema.Int })

/** Why there is a further attempt: the one before failed, answered off schema, or another model is asked. */
export const AttemptKind = Schema.Literals(["retry", "repair", "fallback"])
export type AttemptKind = typeof AttemptKind.Type

export const Coverage = Schema.Struct({ done: Schema.Int, of: Schema.Int })
export type Coverage = typeof Coverage.Type

export const SuspendReason = Schema.Literals([
  "question",
  "approval",
  "parked",
  "outage",
  "quota",
  "in_doubt",
  "disk",
  "journal_full"
])
export type SuspendReason = typeof SuspendReason.Type

/** An error of a run, with where it is and what to do. */
export const RunErrorInfo = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  path: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  cure: Schema.optionalKey(Schema.String),
  /** Of a program's own error: its tag, and the error as its schema encodes it. */
  tag: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.Json)
})
export type RunErrorInfo = typeof RunErrorInfo.Type

const body = {
  /** `rules`: the rules the run began under (see rules.ts); absent: 1. */
  RunStarted: {
    runId: Schema.String,
    v: Schema.Literal(1),
    concurrency: Schema.Int,
    hermetic: Schema.optionalKey(Schema.Boolean),
    rules: Schema.optionalKey(Schema.Int)
  },
  PhaseStarted: { title: Schema.String },
  /**
   * The intent of a call, before it is dispatched. `n` is the call's place in the order the plan issued them,
   * from 1; 0 for a call that a room makes. `paid`: it was dispatched and may cost money. `reserveUsd`,
   * `reserveTokens` (of output, and of all): the worst case of its first attempt, where the run or `scope` has a
   * budget (of all attempts together in runs without AttemptStarted). `scope`: the part of the run with a budget of
   * its own that it is made in; absent: none, or made by a version that did not keep it. `retry` counts earlier
   * dispatches that are in doubt.
   */
  CallScheduled: {
    n: Schema.Int,
    ...callRef,
    call: CallIdentity,
    label: Schema.optionalKey(Schema.String),
    phase: Schema.optionalKey(Schema.String),
    site: Schema.optionalKey(Site),
    paid: Schema.optionalKey(Schema.Boolean),
    reserveUsd: Schema.optionalKey(Schema.Number),
    reserveTokens: Schema.optionalKey(ReserveTokens),
    scope: Schema.optionalKey(Schema.String),
    retry: Schema.optionalKey(Schema.Int)
  },
  /**
   * A further attempt of a call, before it is sent; the first stands in CallScheduled. `attempt` counts from 1 since
   * the dispatch, `paid` and the reserves are as there. Not part of what a replay compares. Absent in runs of versions
   * that did not keep attempts.
   */
  AttemptStarted: {
    ...callRef,
    attempt: Schema.Int,
    kind: AttemptKind,
    adapterId: Schema.String,
    modelId: Schema.String,
    paid: Schema.optionalKey(Schema.Boolean),
    reserveUsd: Schema.optionalKey(Schema.Number),
    reserveTokens: Schema.optionalKey(ReserveTokens)
  },
  /**
   * How an attempt ended, unless its end is the call's answer as it stands: then CallCompleted tells it all. `raw`:
   * what the model said, where that is not the answer (off schema, cut, refused): a JSON string, without known keys.
   * A CallCompleted after it is of all attempts since the dispatch, this one included.
   */
  AttemptEnded: {
    ...callRef,
    attempt: Schema.Int,
    adapterId: Schema.String,
    modelId: Schema.String,
    error: Schema.optionalKey(ModelErrorInfo),
    finishReason: Schema.optionalKey(Schema.String),
    usage: Schema.optionalKey(TokenUsage),
    costUsd: Schema.optionalKey(Schema.Number),
    durationMs: Schema.Number,
    raw: Schema.optionalKey(BlobRef)
  },
  /** `result`: a ModelRunResult for `agent`, the verb's own answer otherwise. `reused`: taken from a call cache. */
  CallCompleted: {
    ...callRef,
    result: Schema.optionalKey(Schema.Json),
    resultBlob: Schema.optionalKey(BlobRef),
    /** Beside `resultBlob`: what the state of a run needs of a ModelRunResult. */
    outcome: Schema.optionalKey(
      Schema.Struct({
        ok: Schema.Boolean,
        usage: Schema.optionalKey(TokenUsage),
        costUsd: Schema.optionalKey(Schema.Number)
      })
    ),
    reused: Schema.optionalKey(Schema.Boolean)
  },
  /** The plan no longer wants the answer. */
  CallCancelled: { n: Schema.Int, ...callRef },
  /** An answer that came after its cancel: kept for its cost, never delivered. */
  CallLate: {
    ...callRef,
    usage: Schema.optionalKey(TokenUsage),
    costUsd: Schema.optionalKey(Schema.Number)
  },
  /** A systemic failure that is not an answer: the call waits for a resume, its cost is counted. */
  CallParked: { ...callRef, result: ModelRunFailure },
  Logged: { message: Schema.String, data: Schema.optionalKey(Schema.Json) },
  QuestionAsked: {
    item: Schema.String,
    kind: Schema.Literals(["question", "approval", "wait"]),
    ...callRef,
    text: Schema.String,
    choices: Schema.optionalKey(Schema.Array(Schema.String)),
    schema: Schema.optionalKey(Schema.Json),
    default: Schema.optionalKey(Schema.Json),
    /** Of an approval: fingerprint of what is approved. Absent: the call that `key` names is all of it. */
    hash: Schema.optionalKey(Schema.String),
    /**
     * Of an approval: what it is called where one is given (engine/people/approvalName.ts). Absent: it has no name, or was
     * asked by a version that only wrote it at the beginning of `text`.
     */
    name: Schema.optionalKey(Schema.String),
    /**
     * Of a call whose chain came to a person: what the links before the person did, which the answer tells beside its
     * own. Absent: the person is the first, or an earlier version asked.
     */
    before: Schema.optionalKey(
      Schema.Struct({
        attempts: Schema.Int,
        repairs: Schema.optionalKey(Schema.Int),
        usage: Schema.optionalKey(TokenUsage),
        fellBackFrom: Schema.optionalKey(Schema.Array(FellBack))
      })
    )
  },
  /**
   * `beforehand`: nobody was asked; an approval of this name was given when the run was started, and is used up. `by`:
   * nobody answered, and nobody needs to any more: a council let through what was asked about. Absent: a person. `mac`:
   * that this user's machine wrote it (engine/people/Witness.ts). Absent: an earlier version, or the library, wrote it; an
   * approval then does not count where there is a witness.
   */
  QuestionAnswered: {
    item: Schema.String,
    answer: Schema.Json,
    beforehand: Schema.optionalKey(Schema.String),
    by: Schema.optionalKey(Schema.Literal("council")),
    mac: Schema.optionalKey(Schema.String)
  },
  GateDecided: { gate: Schema.String, pass: Schema.Boolean, detail: Schema.optionalKey(Schema.Json) },
  /** What a room on top (council, mission, swarm) records about one of its calls; see the room. */
  RoomRecorded: { ...callRef, room: Schema.String, kind: Schema.String, data: Schema.Json },
  RunSuspended: {
    reason: SuspendReason,
    until: Schema.optionalKey(Schema.Number),
    items: Schema.Array(Schema.String),
    error: Schema.optionalKey(ModelErrorInfo)
  },
  /** `tookOver`: the process before this one died without a word, and its lock was taken over. */
  RunResumed: { tookOver: Schema.optionalKey(Schema.Boolean) },
  /**
   * The failed calls so far are dropped: they, and what followed from them, run again. `only`: these calls alone are
   * dropped. `also`: besides the failed ones, these, whose answers nobody could use.
   */
  RunReopened: {
    failed: Schema.Int,
    only: Schema.optionalKey(Schema.Array(Schema.Struct(callRef))),
    also: Schema.optionalKey(Schema.Array(Schema.Struct(callRef)))
  },
  RunInterrupted: { signal: Schema.String },
  /**
   * The end of the log was given up. What it told of calls that were made stays counted, over what the log that is left
   * tells: dollars that were spent, those that may have been, calls and tokens.
   */
  RunRepaired: {
    spentUsd: Schema.Number,
    unknownUsd: Schema.Number,
    calls: Schema.Int,
    outputTokens: Schema.Int,
    tokens: Schema.Int
  },
  RunCompleted: {
    status: Schema.Literals(["completed", "incomplete"]),
    result: Schema.optionalKey(Schema.Json),
    resultBlob: Schema.optionalKey(BlobRef),
    /** What of the result was given its usual JSON form (a Date, undefined in an array); absent: nothing. */
    notices: Schema.optionalKey(Schema.Array(Schema.String)),
    coverage: Coverage
  },
  RunFailed: {
    status: Schema.Literals(["failed", "refused", "invalid"]),
    error: RunErrorInfo,
    findings: Schema.optionalKey(Schema.Array(Finding)),
    result: Schema.optionalKey(Schema.Json),
    resultBlob: Schema.optionalKey(BlobRef),
    notices: Schema.optionalKey(Schema.Array(Schema.String)),
    coverage: Coverage
  }
} as const

const fields = <const Type extends string, const Fields extends Schema.Struct.Fields>(
  type: Type,
  payload: Fields
) => Schema.Struct({ type: Schema.Literal(type), ...payload })

const sealed = <const Type extends string, const Fields extends Schema.Struct.Fields>(
  type: Type,
  payload: Fields
) =>
  Schema.Struct({
    seq: Schema.Int,
    at: Schema.Number,
    prev: Schema.String,
    type: Schema.Literal(type),
    ...payload
  })

/** What is decided: an event before it has its place in the log. */
export const RunEventBody = Schema.Union([
  fields("RunStarted", body.RunStarted),
  fields("PhaseStarted", body.PhaseStarted),
  fields("CallScheduled", body.CallScheduled),
  fields("AttemptStarted", body.AttemptStarted),
  fields("AttemptEnded", body.AttemptEnded),
  fields("CallCompleted", body.CallCompleted),
  fields("CallCancelled", body.CallCancelled),
  fields("CallLate", body.CallLate),
  fields("CallParked", body.CallParked),
  fields("Logged", body.Logged),
  fields("QuestionAsked", body.QuestionAsked),
  fields("QuestionAnswered", body.QuestionAnswered),
  fields("GateDecided", body.GateDecided),
  fields("RoomRecorded", body.RoomRecorded),
  fields("RunSuspended", body.RunSuspended),
  fields("RunResumed", body.RunResumed),
  fields("RunReopened", body.RunReopened),
  fields("RunInterrupted", body.RunInterrupted),
  fields("RunRepaired", body.RunRepaired),
  fields("RunCompleted", body.RunCompleted),
  fields("RunFailed", body.RunFailed)
])
export type RunEventBody = typeof RunEventBody.Type

/**
 * An event in the log. `seq` counts from 1, `at` is milliseconds of the run's Clock, `prev` is the SHA-256 of the
 * line before without its newline (64 zeros for the first).
 */
export const RunEvent = Schema.Union([
  sealed("RunStarted", body.RunStarted),
  sealed("PhaseStarted", body.PhaseStarted),
  sealed("CallScheduled", body.CallScheduled),
  sealed("AttemptStarted", body.AttemptStarted),
  sealed("AttemptEnded", body.AttemptEnded),
  sealed("CallCompleted", body.CallCompleted),
  sealed("CallCancelled", body.CallCancelled),
  sealed("CallLate", body.CallLate),
  sealed("CallParked", body.CallParked),
  sealed("Logged", body.Logged),
  sealed("QuestionAsked", body.QuestionAsked),
  sealed("QuestionAnswered", body.QuestionAnswered),
  sealed("GateDecided", body.GateDecided),
  sealed("RoomRecorded", body.RoomRecorded),
  sealed("RunSuspended", body.RunSuspended),
  sealed("RunResumed", body.RunResumed),
  sealed("RunReopened", body.RunReopened),
  sealed("RunInterrupted", body.RunInterrupted),
  sealed("RunRepaired", body.RunRepaired),
  sealed("RunCompleted", body.RunCompleted),
  sealed("RunFailed", body.RunFailed)
])
export type RunEvent = typeof RunEvent.Type
export type RunEventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>
