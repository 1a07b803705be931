// `alembic resume RUN`: goes on with a run from its own directory: plan, inputs and models as they were kept there.
// What is given now holds from now on; keys come from the environment again.
import { Effect } from "effect"
import { resumeRun } from "../../../engine/launch/resumeRun.ts"
import { notStarted } from "../../../engine/run/summarize.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { errorInfo } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { Output } from "../../Output.ts"
import { notifyingOf } from "../../running/notify.ts"
import { lower, performRun } from "../../running/performRun.ts"
import { agreedAgain, sameAgain } from "../../render/nextCommand.ts"
import { Journal } from "../../../journal/Journal.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { howOf, keptBlobs, modelsOf, resumedSettings, typedOf } from "../../settings/runSettings.ts"
import { storedRun } from "../../settings/storedRun.ts"
import { claiming, countingOnly, madeElsewhere, originOf, requirementsOfRun } from "../../trust/origin.ts"

const config = {
  run: flags.runArgument,
  retryFailed: flags.toggle("retry-failed", "Make the failed calls, and what followed from them, again"),
  acceptLoss: flags.toggle("accept-loss", "Lost items do not make the run incomplete"),
  baseUrl: flags.baseUrlFlag,
  config: flags.configFlag,
  offlineFixtures: flags.fixturesFlag,
  concurrency: flags.concurrencyFlag,
  maxUsd: flags.dollars("max-usd", "Another cap than the run was begun with"),
  brake: flags.brakeFlag,
  approve: flags.approveFlag,
  notify: flags.notifyFlag,
  trust: flags.trustFlag,
  yes: flags.yesFlag
}

export default defineCommand({
  name: "resume",
  description: "Go on with a run from its own directory. Nothing that was answered is asked, or paid, again.",
  config,
  examples: [
    { command: "alembic resume @last", description: "Go on with the last run" },
    { command: "alembic resume run-3fa --retry-failed", description: "Make the failed calls again" }
  ],
  failureLine: (error) => notStarted(error.status, errorInfo(error)),
  handler: Effect.fn("cli.resume")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const baseDir = yield* baseDirectory
    const stored = yield* onJournal(storedRun(input.run))
    const origin = yield* onJournal(originOf(stored.runId))
    if (!origin.own) yield* output.note(`${stored.runId}: ${madeElsewhere}`)
    const given = yield* resumedSettings(input, { config: undefined, fixtures: undefined, kept: {} })
    const settled = yield* resumedSettings(input, countingOnly(origin, stored))
    const { contract, hermetic } = stored
    const requirements = requirementsOfRun({ origin, contract, stored, given, hermetic })
    const settings = {
      ...modelsOf(settled),
      baseDir,
      directory: host.cwd,
      ...(stored.hermetic ? { hermetic: true, offline: "always" as const } : {})
    }
    const shown =
      stored.kept.command === "council"
        ? { show: (yield* Effect.promise(() => import("../../render/run/verdictShown.ts"))).verdictShown }
        : {}
    yield* performRun(
      (watch) =>
        resumeRun(stored.runId, {
          retryFailed: input.retryFailed,
          ...howOf(settled),
          ...watch,
          foreignUntil: origin.foreignUntil,
          extra: keptBlobs(settled)
        }),
      {
        agreed: input.yes,
        maxUsd: lower(settled.kept.maxUsd, stored.contractUsd),
        again: agreedAgain(output.args),
        trust: { requirements, given: input.trust, again: sameAgain(output.args) },
        claiming: yield* onJournal(claiming(stored.runId, origin)),
        before: (yield* onJournal(Journal)).events(stored.runId),
        models: stored.boardModels,
        typed: typedOf(settled.kept),
        notifying: notifyingOf(input.notify, settled.config),
        fixtures: settled.fixtures !== undefined,
        ...shown
      }
    ).pipe(Effect.provide(host.engine(settings)))
  })
})
