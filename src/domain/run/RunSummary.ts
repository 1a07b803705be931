// The summary of a run: the last line of `run` and `resume`, and what `runPlan` returns. Stable; see spec 11.
import { Schema } from "effect"
import { Finding } from "../Finding.ts"
import { ModelErrorInfo } from "../ModelError.ts"
import { Coverage, RunErrorInfo, SuspendReason } from "./RunEvent.ts"
import { RunStatus } from "./RunStatus.ts"

/**
 * `calls.total = live + cached + replayed`, of this process; `failed` and `inDoubt` are subsets; `live` counts
 * calls, not attempts. `usage` and all costs are of the whole run. `costUsd` is absent if a call is unpriced; else it is
 * `spentUsd`, `heldUsd` and what was held for calls of unknown cost, together.
 */
export const RunSummary = Schema.Struct({
  type: Schema.Literal("RunSummary"),
  ok: Schema.Boolean,
  runId: Schema.optionalKey(Schema.String),
  status: RunStatus,
  result: Schema.optionalKey(Schema.Json),
  /** What of the result was given its usual JSON form. */
  notices: Schema.optionalKey(Schema.Array(Schema.String)),
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
  /** Known cost of what has ended. */
  spentUsd: Schema.Number,
  /** Held for calls that are in flight or in doubt: `heldCalls` of them. */
  heldUsd: Schema.Number,
  heldCalls: Schema.Int,
  /** Calls that ended at a cost that is not known. `unknownCostUsd`: the most they came to; absent if that is not known. */
  unknownCostCalls: Schema.Int,
  unknownCostUsd: Schema.optionalKey(Schema.Number),
  unpricedCalls: Schema.Int,
  durationMs: Schema.Number,
  dir: Schema.String
})
export type RunSummary = typeof RunSummary.Type
