// The brake: when calls to one adapter fail for what is the provider's own, or when nothing works from the start, no
// further call is dispatched to it. Pure; the engine asks it after every outcome and before every dispatch. What is
// parked waits for a resume.
//
// Invariants (each has its property test):
// B1  A closed adapter stays closed for the rest of the process (a resume starts a fresh brake).
// B2  An adapter closes when its last `threshold` outcomes are failures of one kind, of codes that count: those that
//     say something of the provider (key, quota, credit, unreachable, overloaded), unless `codes` names others.
// B3  A success, and a failure of another kind, begin the row anew; outcomes of one adapter never change another's row.
// B4  An adapter closes when nothing of the run has succeeded yet and its first `alike` failures were of one kind, of
//     whatever code; a success of any adapter ends this for all. `alike` 0: never.
// B5  Only failures of calls that were sent count, and a circuit that is open. Budget, input, cancelled calls and
//     unanswered questions change nothing.
// B6  A brake that is off never closes: every failure is an answer.
import type { BrakePolicy } from "../../adapters/guard/Guards.ts"
import { boundMessage, type ErrorCode, type ModelErrorInfo } from "../../domain/ModelError.ts"
import type { ModelRunFailure } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { SuspendReason } from "../../domain/run/RunEvent.ts"

/** Why an adapter is closed. `until`: milliseconds of the run's clock, where the provider said so. */
export interface Closed {
  readonly reason: Extract<SuspendReason, "outage" | "quota" | "parked">
  readonly error: ModelErrorInfo
  readonly until?: number
}

interface Lane {
  /** Failures in a row of one kind, of codes that count. */
  readonly row: { readonly kind: string; readonly count: number } | undefined
  /** The first failures, as long as all are of one kind. */
  readonly first: { readonly kind: string; readonly count: number } | "mixed" | undefined
  readonly closed?: Closed
}

export interface Brake {
  readonly policy: BrakePolicy | "off"
  /** A call of the run has succeeded, in this process or before. */
  readonly succeeded: boolean
  readonly lanes: ReadonlyMap<string, Lane>
}

export const makeBrake = (policy: BrakePolicy | "off", succeeded = false): Brake => ({
  policy,
  succeeded,
  lanes: new Map()
})

const silent: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "cancelled",
  "awaiting_answer",
  "budget_exceeded",
  "not_available",
  "invalid_input"
])

const outage: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "server_error",
  "timeout",
  "network",
  "circuit_open",
  "rate_limited"
])

/** The kind of a failure: all outages are one kind, every other code is its own. */
const kindOf = (code: ErrorCode) => (outage.has(code) ? "outage" : code)

/** Whether a failure of this code says something of the provider, whatever was asked. */
const isProvidersOwn = (code: ErrorCode): boolean =>
  outage.has(code) || code === "quota_exhausted" || code === "auth"

/** Whether a failure of this code may be part of what closes the brake, so that its call is made again after it. */
export const counts = ({ policy }: Brake, code: ErrorCode): boolean =>
  policy !== "off" &&
  !silent.has(code) &&
  (policy.codes === undefined ? isProvidersOwn(code) : policy.codes.includes(code))

export const closedLane = (self: Brake, adapterId: string): Closed | undefined =>
  self.lanes.get(adapterId)?.closed

/** Whether the adapter's last outcomes were failures that count. */
export const isFailing = (self: Brake, adapterId: string): boolean =>
  self.lanes.get(adapterId)?.row !== undefined

/** The brake after a success of `adapterId`. */
export const released = (self: Brake, adapterId: string): Brake => {
  const lane = self.lanes.get(adapterId)
  if (self.succeeded && (lane?.row === undefined || lane.closed !== undefined)) return self
  const lanes = new Map(self.lanes)
  if (lane !== undefined && lane.closed === undefined) lanes.delete(adapterId)
  return { ...self, succeeded: true, lanes }
}

const goOn = "--brake off makes every failure an answer"

const closedBy = (why: string, error: ModelErrorInfo, now: number): Closed => ({
  reason: error.code === "quota_exhausted" ? "quota" : outage.has(error.code) ? "outage" : "parked",
  error: { ...error, message: boundMessage(why) },
  ...(error.retryAfterMs === undefined ? {} : { until: now + error.retryAfterMs })
})

const more = (
  row: { readonly kind: string; readonly count: number } | undefined,
  kind: string
): { readonly kind: string; readonly count: number } => ({
  kind,
  count: row?.kind === kind ? row.count + 1 : 1
})

/** Longest part of a provider's own words in why the brake closed. */
const shown = (message: string) =>
  message.length <= 240 ? message : `${message.slice(0, 239).toWellFormed()}…`

/** The brake after a failure of `adapterId` at `now`. */
export const failed = (
  self: Brake,
  adapterId: string,
  { attempts, error }: Pick<ModelRunFailure, "attempts" | "error">,
  now: number
): Brake => {
  const { policy } = self
  const lane = self.lanes.get(adapterId)
  const { code, message } = error
  if (policy === "off" || silent.has(code) || lane?.closed !== undefined) return self
  if (attempts === 0 && code !== "circuit_open") return self
  const kind = kindOf(code)
  const row = counts(self, code) ? more(lane?.row, kind) : undefined
  const before = lane?.first
  const first =
    before === "mixed" || (before !== undefined && before.kind !== kind) ? "mixed" : more(before, kind)
  const closed =
    row !== undefined && row.count >= policy.threshold
      ? closedBy(
          `${row.count} calls to ${adapterId} failed in a row, the last one so: ${shown(message)}. ${goOn}`,
          error,
          now
        )
      : !self.succeeded && policy.alike > 0 && first !== "mixed" && first.count >= policy.alike
        ? closedBy(
            `nothing has succeeded yet, and the first ${first.count} calls to ${adapterId} failed alike, the last one so: ${shown(message)}. resume --retry-failed makes them again; ${goOn}`,
            error,
            now
          )
        : undefined
  const next: Lane = { row, first, ...defined({ closed }) }
  return { ...self, lanes: new Map(self.lanes).set(adapterId, next) }
}
