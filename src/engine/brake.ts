// The brake: when calls to one adapter fail systemically, no further call is dispatched to it. Pure; the engine
// asks it after every outcome and before every dispatch. What is parked waits for a resume.
//
// Invariants:
// B1  A closed adapter stays closed for the rest of the process (a resume starts a fresh brake).
// B2  An adapter closes exactly when its last `threshold` outcomes are failures of one kind.
// B3  A success resets the count; outcomes of one adapter never change another's.
// B4  Cancelled calls, unanswered questions and refusals before a dispatch change nothing.
import type { ErrorCode, ModelErrorInfo } from "../domain/ModelError.ts"
import type { SuspendReason } from "../domain/RunEvent.ts"

/** Failures in a row that close an adapter. */
export const brakeThreshold = 3

/** Why an adapter is closed. `until`: milliseconds of the run's clock, where the provider said so. */
export interface Closed {
  readonly reason: Extract<SuspendReason, "outage" | "quota" | "parked">
  readonly error: ModelErrorInfo
  readonly until?: number
}

interface Lane {
  readonly kind: string
  readonly count: number
  readonly closed?: Closed
}

export type Brake = ReadonlyMap<string, Lane>

export const emptyBrake: Brake = new Map()

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

/** Whether a failure of this code counts at all. */
export const isSystemic = (code: ErrorCode): boolean => !silent.has(code)

/** Whether a failure of this code says something of the provider, whatever was asked. */
export const isProvidersOwn = (code: ErrorCode): boolean =>
  outage.has(code) || code === "quota_exhausted" || code === "auth"

export const closedLane = (self: Brake, adapterId: string): Closed | undefined => self.get(adapterId)?.closed

/** The brake after a success of `adapterId`. */
export const released = (self: Brake, adapterId: string): Brake => {
  const lane = self.get(adapterId)
  if (lane === undefined || lane.closed !== undefined) return self
  const next = new Map(self)
  next.delete(adapterId)
  return next
}

/** The brake after a failure of `adapterId` at `now`. */
export const failed = (self: Brake, adapterId: string, error: ModelErrorInfo, now: number): Brake => {
  const lane = self.get(adapterId)
  if (!isSystemic(error.code) || lane?.closed !== undefined) return self
  const kind = kindOf(error.code)
  const count = lane?.kind === kind ? lane.count + 1 : 1
  const closed: Closed | undefined =
    count < brakeThreshold
      ? undefined
      : {
          reason: error.code === "quota_exhausted" ? "quota" : outage.has(error.code) ? "outage" : "parked",
          error,
          ...(error.retryAfterMs === undefined ? {} : { until: now + error.retryAfterMs })
        }
  return new Map(self).set(adapterId, { kind, count, ...(closed === undefined ? {} : { closed }) })
}
