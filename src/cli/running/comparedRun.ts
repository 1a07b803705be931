// comparedRun: a run with all that its journal has of its calls, for `diff` and reports.
import { Effect, Option } from "effect"
import { defined } from "../../domain/defined.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { callDetails } from "../../engine/inspect/callDetails.ts"
import type { ComparedRun } from "../../engine/inspect/diffRuns.ts"
import { recordsOf } from "../../engine/inspect/inspectRun.ts"
import { Journal } from "../../journal/Journal.ts"
import { digestOf } from "../../journal/state/Checkpoint.ts"
import { costOfRun, knownCost } from "../../journal/state/RunState.ts"
import { fromJournal } from "../CommandError.ts"

export const comparedRun = Effect.fnUntraced(
  function* (runId: RunId) {
    const journal = yield* (yield* Journal).open(runId, "read")
    const { calls } = yield* recordsOf(journal)
    const state = journal.state()
    const result = yield* Effect.option(journal.result)
    const run: ComparedRun = {
      runId,
      status: digestOf(state).status,
      calls: yield* callDetails(journal, calls, calls),
      ...defined({ result: Option.getOrUndefined(result), costUsd: knownCost(costOfRun(state)).costUsd }),
      durationMs: Math.max(0, state.lastAt - (state.startedAt ?? state.lastAt))
    }
    return run
  },
  Effect.scoped,
  Effect.catchTag("JournalError", (error) => Effect.fail(fromJournal(error)))
)
