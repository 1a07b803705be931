// rehearsedRun: a run's plan as it is now, on the run's own inputs and answers. What it asks that the run has no answer to
// is answered by the offline model, in a directory that is thrown away: nothing is asked, paid or kept.
import { Effect } from "effect"
import type { RunId } from "../../domain/run/RunSpec.ts"
import type { ComparedRun } from "../../engine/inspect/diffRuns.ts"
import { storedPlan } from "../../engine/launch/planLaunch.ts"
import { runPlanFile } from "../../engine/launch/runPlanFile.ts"
import { Journal } from "../../journal/Journal.ts"
import { CommandError, fromJournal } from "../CommandError.ts"
import { Host } from "../Host.ts"
import { settingsOf, type StoredRun } from "../settings/storedRun.ts"
import { comparedRun } from "../running/comparedRun.ts"
import { lendRun } from "./lendRun.ts"
import { untilSignalled } from "../running/untilSignalled.ts"

const inputsOf = (runId: RunId) =>
  Effect.mapError(
    Effect.flatMap(Journal, (journal) => Effect.flatMap(journal.describe(runId), storedPlan)),
    fromJournal
  )

/** What the plan at `path` would do; calls that it would ask are `supposed`. */
export const rehearsedRun = (stored: StoredRun, path: string, planName: string, baseDir: string) =>
  untilSignalled(
    Effect.gen(function* () {
      const host = yield* Host
      const temporary = yield* host.temporaryDirectory
      yield* lendRun(baseDir, temporary, stored.runId)
      const { inputs, spec } = yield* Effect.provide(inputsOf(stored.runId), host.journal(baseDir))
      const rehearsal = Effect.gen(function* () {
        const { error, runId, status } = yield* runPlanFile({
          plan: path,
          planName,
          inputs,
          boards: spec.boards ?? {},
          hermetic: stored.hermetic,
          fresh: true,
          noCache: true,
          reuse: stored.runId,
          approve: "all"
        })
        if (runId === undefined)
          return yield* new CommandError({
            code: error?.code ?? "not_begun",
            message: error?.message ?? "the plan cannot be run",
            status,
            ...(error?.cure === undefined ? {} : { cure: error.cure })
          })
        return yield* comparedRun(yield* Effect.mapError((yield* Journal).runId(runId), fromJournal))
      })
      const run = yield* Effect.provide(rehearsal, host.engine({ ...settingsOf(stored), baseDir: temporary }))
      const asked = run.calls.filter(({ reused, verb }) => verb === undefined && reused !== true)
      const rehearsed: ComparedRun = { ...run, supposed: new Set(asked.map(({ number }) => number)) }
      return rehearsed
    })
  )
