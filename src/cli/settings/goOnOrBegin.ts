// goOnOrBegin: runs what a command describes: a new run with the settings given, or, where the run is there already,
// on with those it has kept and the ones given now over them. So `run` again and `resume` do the same.
import { Effect, Result } from "effect"
import type { RunPlanRequest } from "../../engine/Engine.ts"
import { preparePlan, runPrepared } from "../../engine/runPlanFile.ts"
import { Host, type EngineSettings } from "../Host.ts"
import { lower, performRun, type RunTerms } from "../performRun.ts"
import { howOf, keptBlobs, modelsOf, over, type Settings } from "./runSettings.ts"
import { storedRunOf } from "./storedRun.ts"

export interface Described {
  readonly request: Omit<RunPlanRequest, "extra" | "concurrency" | "maxUsd" | "acceptLoss" | "approve">
  readonly given: Settings
  /** Of the engine, besides how models are reached. */
  readonly engine: EngineSettings
  readonly terms: Omit<RunTerms, "maxUsd" | "fixtures">
  /** The cap that the contract sets. */
  readonly contractUsd: number | undefined
}

/** On the host's engine for `engine`. */
export const goOnOrBegin = Effect.fnUntraced(function* ({
  contractUsd,
  engine,
  given,
  request,
  terms
}: Described) {
  const host = yield* Host
  const prepared = yield* Effect.result(preparePlan(request))
  const known = Result.isSuccess(prepared) && prepared.success.found.known
  const settings = known ? over(yield* storedRunOf(prepared.success.found.runId), given) : given
  const performed = performRun(
    (watch) =>
      Result.isFailure(prepared)
        ? Effect.succeed(prepared.failure)
        : runPrepared(prepared.success, {
            ...request,
            ...howOf(settings),
            ...watch,
            extra: keptBlobs(settings)
          }),
    {
      ...terms,
      maxUsd: lower(settings.kept.maxUsd, contractUsd),
      fixtures: settings.fixtures !== undefined
    }
  )
  // What a run has kept of its models is known only once it is known which run it is.
  return yield* known
    ? Effect.provide(performed, host.models({ ...engine, ...modelsOf(settings) }))
    : performed
}, Effect.scoped)
