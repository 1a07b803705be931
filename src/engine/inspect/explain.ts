// explain: why a run or a call ended as it did, in a sentence and in the steps that led there. Pure: it says what the
// log tells, and guesses nothing.
import { durationText } from "../../domain/durationText.ts"
import type { ModelErrorInfo } from "../../domain/ModelError.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { AttemptDetail, CallDetail } from "./callDetails.ts"
import { againWords, wasCut, type CallRecord } from "./CallRecord.ts"
import type { Inspection } from "./inspectRun.ts"
import { isLost } from "./selectCalls.ts"
import type { WordEdit } from "./wordDiff.ts"

export interface Explanation {
  /** One sentence. */
  readonly verdict: string
  /** What led there, in order. */
  readonly steps: ReadonlyArray<string>
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

/** `2 × rate_limited, 1 × timeout`, the most frequent first. */
export const failuresText = (calls: ReadonlyArray<CallRecord>): string =>
  [...Map.groupBy(calls.filter(isLost), ({ error = "failed" }) => error)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([code, group]) => `${group.length} × ${code}`)
    .join(", ")

const took = ({ endedAt, scheduledAt }: Pick<CallRecord, "endedAt" | "scheduledAt">): number =>
  endedAt === undefined ? 0 : Math.max(0, endedAt - scheduledAt)

/** Milliseconds between an attempt's end and the next one, of all attempts together. */
const waits = (tries: ReadonlyArray<Pick<AttemptDetail, "again" | "endedAt" | "startedAt">>): number =>
  tries.reduce((sum, attempt, at) => {
    const before = tries[at - 1]?.endedAt
    return before === undefined || attempt.again !== undefined
      ? sum
      : sum + Math.max(0, attempt.startedAt - before)
  }, 0)

const largest = (
  calls: ReadonlyArray<CallRecord>,
  of: (call: CallRecord) => number
): CallRecord | undefined =>
  calls.reduce<CallRecord | undefined>(
    (best, call) => (of(call) > (best === undefined ? 0 : of(best)) ? call : best),
    undefined
  )

const named = ({ name, number }: CallRecord): string => `call ${number} (${name})`

/** What took long, was dear, was tried again, was cut, was taken from elsewhere. */
const course = (calls: ReadonlyArray<CallRecord>): ReadonlyArray<string> => {
  const models = calls.filter(({ verb }) => verb === undefined)
  const again = models.filter(({ tries }) => tries.length > 1)
  const attempts = again.reduce((sum, { tries }) => sum + tries.length - 1, 0)
  const waited = models.reduce((sum, { tries }) => sum + waits(tries), 0)
  const reused = models.filter((call) => call.reused === true).length
  const cut = models.filter(wasCut)
  const slowest = largest(models, took)
  const dearest = largest(models, ({ costUsd = 0 }) => costUsd)
  return [
    again.length === 0
      ? ""
      : `${count(again.length, "call")} took ${count(attempts, "further attempt")}${waited > 0 ? `, with waits of ${durationText(waited)} in all` : ""}`,
    cut.length === 0
      ? ""
      : `${count(cut.length, "answer")} cut at the output limit: ${cut.slice(0, 3).map(named).join(", ")}`,
    reused === 0 ? "" : `${count(reused, "answer")} taken from a cache or another run, and not paid`,
    slowest === undefined ? "" : `slowest: ${named(slowest)}, ${durationText(took(slowest))}`,
    dearest?.costUsd === undefined ? "" : `dearest: ${named(dearest)}, $${dearest.costUsd}`
  ].filter((line) => line !== "")
}

const verdictOf = (
  { coverage, status, suspended }: Inspection["run"],
  error: RunErrorInfo | undefined,
  calls: ReadonlyArray<CallRecord>
): string => {
  const lost = failuresText(calls)
  switch (status) {
    case "completed":
      return lost === "" ? "completed: nothing was lost" : `completed, although calls failed: ${lost}`
    case "incomplete":
      return `incomplete: ${(coverage?.of ?? 0) - (coverage?.done ?? 0)} of ${coverage?.of ?? 0} items were lost${lost === "" ? "" : ` (${lost})`}`
    case "failed":
    case "refused":
    case "invalid":
      return `${status}: ${error?.message ?? "no reason is in its log"}${error === undefined ? "" : ` [${error.code}]`}${lost === "" ? "" : `; calls that failed: ${lost}`}`
    case "suspended":
      return `waits: ${suspended?.reason.replace("_", " ") ?? "for something"}${suspended === undefined || suspended.items.length === 0 ? "" : ` (${suspended.items.slice(0, 3).join(", ")}${suspended.items.length > 3 ? ", …" : ""})`}`
    case "interrupted":
      return "interrupted: a signal or its caller stopped it; what was answered is kept"
    case "running":
      return "running: a process works on it"
    default:
      return "open: the process that worked on it is gone; what was answered is kept"
  }
}

/** Failures of the same code told once, with the first of their messages. */
const lostSteps = (calls: ReadonlyArray<CallRecord>): ReadonlyArray<string> =>
  [...Map.groupBy(calls.filter(isLost), ({ error = "failed" }) => error)].map(([code, group]) => {
    const [first] = group
    const message = first?.failure?.message
    return `${group.length} × ${code}: first ${first === undefined ? "" : named(first)}${message === undefined ? "" : `: ${message}`}`
  })

export const explainRun = ({ calls, run }: Inspection): Explanation => ({
  verdict: verdictOf(run, run.error, calls),
  steps: [...lostSteps(calls), ...course(calls)]
})

const errorText = ({ code, httpStatus, message }: ModelErrorInfo): string =>
  `${code}${httpStatus === undefined ? "" : ` (${httpStatus})`}: ${message}`

const since = (start: number, at: number): string => `+${durationText(Math.max(0, at - start))}`

/** When it was made first. */
const begunAt = ({ scheduledAt, tries }: CallDetail): number => tries[0]?.startedAt ?? scheduledAt

const attemptStep = (call: CallDetail, attempt: AttemptDetail, at: number): string => {
  const { adapterId, again, endedAt, error, finishReason, kind, modelId, said, startedAt } = attempt
  const failure = error ?? (at === call.tries.length - 1 ? call.failure : undefined)
  const who = adapterId === undefined ? "" : ` of ${adapterId}:${modelId ?? ""}`
  const why = again === undefined ? (kind === undefined ? "" : ` (${kind})`) : ` (${againWords[again]})`
  const outcome =
    failure !== undefined
      ? errorText(failure)
      : said !== undefined
        ? `its answer is not of the form that was asked for${finishReason === "length" ? ", cut at the output limit" : ""}`
        : endedAt === undefined
          ? "nobody knows how it ended"
          : "answered"
  return `${since(begunAt(call), startedAt)}  attempt ${at + 1}${why}${who}: ${outcome}`
}

/** The call that is most like one that was made anew, and in what its key differs. */
export interface NearestCall {
  readonly runId: string
  readonly number: number
  readonly parts: ReadonlyArray<{ readonly part: string; readonly words: ReadonlyArray<WordEdit> }>
}

const callVerdict = (call: CallDetail): string => {
  const { error, failure, name, number, reused, status, tries } = call
  const who = `call ${number} (${name})`
  if (reused === true) return `${who} was not made: its answer was known from a cache or another run`
  switch (status) {
    case "failed":
      return `${who} failed${tries.length > 1 ? ` after ${tries.length} attempts` : ""}: ${failure === undefined ? (error ?? "no reason is in its log") : errorText(failure)}`
    case "parked":
      return `${who} waits for a resume: ${failure === undefined ? (error ?? "") : errorText(failure)}`
    case "cancelled":
      return `${who} was given up by the plan before it was answered`
    case "scheduled":
      return `${who} has no answer: it is in flight, or in doubt if its process is gone`
    case "completed":
      if (error !== undefined) return `${who} was answered, and its answer says that it is not done: ${error}`
      return wasCut(call)
        ? `${who} was answered, and the answer is cut at the output limit`
        : `${who} was answered${tries.length > 1 ? ` by attempt ${tries.length}` : ""}`
  }
}

export const explainCall = (call: CallDetail, nearest?: NearestCall): Explanation => ({
  verdict: callVerdict(call),
  steps: [
    ...(call.site === undefined
      ? []
      : [
          `made at ${call.site.file}:${call.site.line}:${call.site.column}${call.phase === undefined ? "" : `, in the phase ${call.phase}`}`
        ]),
    ...(call.parent === undefined ? [] : [`made by call ${call.parent}`]),
    ...call.tries.map((attempt, at) => attemptStep(call, attempt, at)),
    ...(waits(call.tries) > 0
      ? [`${durationText(waits(call.tries))} of it were waits between attempts`]
      : []),
    ...(call.endedAt === undefined ? [] : [`${since(begunAt(call), call.endedAt)}  ended`]),
    ...(call.costUsd === undefined ? [] : [`it cost $${call.costUsd}`]),
    ...(nearest === undefined
      ? []
      : [
          nearest.parts.length === 0
            ? `the same call is call ${nearest.number} of ${nearest.runId}`
            : `not taken from call ${nearest.number} of ${nearest.runId}, the nearest known one: its ${nearest.parts.map(({ part }) => part).join(", ")} ${nearest.parts.length === 1 ? "differs" : "differ"}`
        ]),
    ...(call.usedIn.length === 0
      ? []
      : [`its answer stands in the prompts of calls ${call.usedIn.join(", ")}`])
  ]
})
