// nearestCall: for a call that was made, and paid, the call of an earlier run that it is most like, and what of it is
// another: why no cache knew its answer.
import { Effect } from "effect"
import type { RunId } from "../../domain/run/RunSpec.ts"
import type { CallDetail } from "../../engine/inspect/callDetails.ts"
import { pairChanges } from "../../engine/inspect/diffRuns.ts"
import type { NearestCall } from "../../engine/inspect/explain.ts"
import { Journal } from "../../journal/Journal.ts"
import { textOfRole } from "../../engine/launch/keptText.ts"
import { fromJournal } from "../CommandError.ts"
import { runsByDate } from "../inputs/runReference.ts"
import { comparedRun } from "./comparedRun.ts"

/** The run that this one took answers from, else the one written last of the others. */
const earlierRun = Effect.fnUntraced(function* (runId: RunId) {
  const store = yield* Journal
  const described = yield* Effect.mapError(store.describe(runId), fromJournal)
  const lender = yield* Effect.mapError(textOfRole(described, "reuse"), fromJournal)
  const others = (yield* runsByDate()).filter((run) => run.runId !== runId && run.status !== "damaged")
  return (others.find((run) => run.runId === lender) ?? others[0])?.runId
})

/** Undefined: there is no other run, or none of its calls is like this one. */
export const nearestCall = Effect.fnUntraced(function* (runId: RunId, call: CallDetail) {
  if (call.reused === true || call.verb !== undefined) return undefined
  const other = yield* earlierRun(runId)
  if (other === undefined) return undefined
  const { calls } = yield* comparedRun(other)
  const models = calls.filter(({ verb }) => verb === undefined)
  const like =
    models.find(({ key }) => key === call.key) ??
    models.find(({ label }) => label !== undefined && label === call.label) ??
    models.find(
      ({ site }) => site !== undefined && site.line === call.site?.line && site.file === call.site.file
    )
  if (like === undefined) return undefined
  const nearest: NearestCall = {
    runId: other,
    number: like.number,
    parts: like.key === call.key ? [] : pairChanges(like, call)
  }
  return nearest
})
