// The summary of a run: the last line of `run` and `resume`, and what `runPlan` returns. Stable; see spec 11.
import { Schema } from "effect"
import { Finding } from "./Finding.ts"
import { ModelErrorInfo } from "./ModelError.ts"
import { Coverage, RunErrorInfo, SuspendReason } from "./RunEvent.ts"

export const RunStatus = Schema.Literals([
  "completed",
  "incomplete",
  "failed",
  "invalid",
  "refused",
  "suspended",
  "damaged",
  "locked",
  "interrupted"
])
export type RunStatus = typeof RunStatus.Type

/**
 * `calls.total = live + cached + replayed`, of this process; `failed` and `inDoubt` are subsets; `live` counts
 * calls, not attempts. `usage` and `costUsd` are of the whole run; `costUsd` is absent if a call is unpriced.
 */
export const RunSummary = Schema.Struct({
  type: Schema.Literal("RunSummary"),
  ok: Schema.Boolean,
  runId: Schema.optionalKey(Schema.String),
  status: RunStatus,
  result: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(RunErrorInfo),
  findings: Schema.optionalKey(Schema.Array(Finding)),
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  coverage: Coverage,
  suspended: Schema.optionalKey(
    Schema.Struct({
      reason: SuspendReason,
      until: Schema.optionalKey(Schema.Number),
      items: Schema.Array(Schema.String),
      error: Schema.optionalKey(ModelErrorInfo)
    })
  ),
  calls: Schema.Struct({
    total: Schema.Int,
    live: Schema.Int,
    cached: Schema.Int,
    replayed: Schema.Int,
    failed: Schema.Int,
    inDoubt: Schema.Int
  }),
  usage: Schema.Struct({ inputTokens: Schema.Int, outputTokens: Schema.Int }),
  costUsd: Schema.optionalKey(Schema.Number),
  costUsdNow: Schema.optionalKey(Schema.Number),
  unpricedCalls: Schema.Int,
  durationMs: Schema.Number,
  dir: Schema.String
})
export type RunSummary = typeof RunSummary.Type

/** Process exit code of a status. Signals: 128 + number. */
export const exitCodeOf = (status: RunStatus, signal?: string): number => {
  switch (status) {
    case "completed":
      return 0
    case "incomplete":
    case "failed":
      return 1
    case "invalid":
      return 2
    case "refused":
      return 3
    case "suspended":
      return 4
    case "damaged":
    case "locked":
      return 5
    case "interrupted":
      return signal === "SIGTERM" ? 143 : 130
  }
}
