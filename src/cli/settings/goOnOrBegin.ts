// goOnOrBegin: runs what a command describes: a new run with the settings given, or, where the run is there already,
// on with those it has kept and the ones given now over them. So `run` again and `resume` do the same.
import { Effect, Result, type Option } from "effect"
import { defined } from "../../domain/defined.ts"
import type { RunPlanRequest } from "../../engine/Engine.ts"
import { preparePlan, runPrepared } from "../../engine/launch/runPlanFile.ts"
import { Journal } from "../../journal/Journal.ts"
import { badInput } from "../CommandError.ts"
import { Host, type EngineSettings } from "../Host.ts"
import { Output } from "../Output.ts"
import { sameAgain } from "../render/nextCommand.ts"
import { notifyingOf } from "../running/notify.ts"
import { lower, performRun, type RunTerms } from "../running/performRun.ts"
import { howOf, keptBlobs, modelsOf, over, typedOf, type Settings } from "./runSettings.ts"
import { storedRunOf } from "./storedRun.ts"
import { agree } from "../trust/agree.ts"
import { takenUp } from "../trust/takenUp.ts"
import { claiming, countingOnly, originOf, requirementsOfRun } from "../trust/origin.ts"
import { requirementsOf } from "../trust/requirements.ts"
import { foreign } from "../trust/TrustStore.ts"

export interface Described {
  readonly request: Omit<RunPlanRequest, "extra" | "concurrency" | "maxUsd" | "acceptLoss" | "approve">
  readonly given: Settings
  /** Of the engine, besides how models are reached. */
  readonly engine: EngineSettings
  readonly terms: Omit<RunTerms, "maxUsd" | "fixtures" | "trust" | "claiming">
  /** `--trust`. */
  readonly trusted: ReadonlyArray<string>
  /** The cap that the contract sets. */
  readonly contractUsd: number | undefined
  /** `--notify`. */
  readonly notify: Option.Option<string>
}

/** On the host's engine for `engine`. */
export const goOnOrBegin = Effect.fnUntraced(function* ({
  contractUsd,
  engine,
  given,
  notify,
  request,
  terms,
  trusted
}: Described) {
  const host = yield* Host
  const output = yield* Output
  const prepared = yield* Effect.result(preparePlan(request))
  const known = Result.isSuccess(prepared) && prepared.success.found.known
  const runId = known ? prepared.success.found.runId : undefined
  const stored = runId === undefined ? undefined : yield* storedRunOf(runId)
  const origin = runId === undefined ? foreign : yield* originOf(runId)
  const settings = stored === undefined ? given : over(countingOnly(origin, stored), given)
  const { contract } = request.inputs
  const hermetic = request.hermetic === true
  const requirements =
    stored === undefined
      ? requirementsOf({ config: hermetic ? undefined : given.config, contract })
      : requirementsOfRun({ origin, contract, stored, given, hermetic })
  const runs = runId !== undefined && origin === foreign ? [yield* takenUp(runId)] : undefined
  const asked = { ...requirements, ...defined({ runs }) }
  const again = sameAgain(output.args)
  // A run that has ended is preflighted no more: whose end it is, is asked before it is told.
  if (runs !== undefined) {
    const untrusted = yield* agree({ requirements: asked, given: trusted, again })
    if (untrusted !== undefined)
      return yield* badInput(untrusted.code, untrusted.message, { cure: untrusted.cure ?? "alembic trust" })
  }
  const performed = performRun(
    (watch) =>
      Result.isFailure(prepared)
        ? Effect.succeed(prepared.failure)
        : runPrepared(prepared.success, {
            ...request,
            ...howOf(settings),
            ...watch,
            foreignUntil: origin.foreignUntil,
            extra: keptBlobs(settings)
          }),
    {
      ...terms,
      trust: { requirements: asked, given: trusted, again },
      claiming: yield* claiming(runId, origin),
      ...(runId === undefined ? {} : { before: (yield* Journal).events(runId) }),
      typed: typedOf(settings.kept),
      maxUsd: lower(settings.kept.maxUsd, contractUsd),
      notifying: notifyingOf(notify, settings.config),
      fixtures: settings.fixtures !== undefined
    }
  )
  // What a run has kept of its models is known only once it is known which run it is.
  return yield* known
    ? Effect.provide(performed, host.models({ ...engine, ...modelsOf(settings) }))
    : performed
}, Effect.scoped)
