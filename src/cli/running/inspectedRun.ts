// inspectedRun: one run as the command tells of it: what the engine knows, when it was written, and what this machine can
// prove of it.
import { Effect } from "effect"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { inspectRun } from "../../engine/inspect/inspectRun.ts"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import { writtenAt } from "../inputs/runReference.ts"
import { provenance, provenIn } from "../trust/origin.ts"

export const inspectedRun = Effect.fnUntraced(function* (runId: RunId) {
  const store = yield* Journal
  const journal = yield* Effect.mapError(store.open(runId, "read"), fromJournal)
  const { run, ...rest } = yield* Effect.mapError(inspectRun(runId), fromJournal)
  const { status, goal, ...facts } = run
  return {
    ...rest,
    run: {
      ...facts,
      status,
      goal,
      writtenAt: yield* writtenAt(runId),
      ...provenance(yield* provenIn(runId), journal)
    }
  }
}, Effect.scoped)
