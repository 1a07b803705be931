// `alembic run`: a plan, with its goal, contract, arguments and attachments, as a run: a new one, or the same one
// where it stopped. Everything given is checked before anything is written or spent.
import { Effect, Option, Path } from "effect"
import { defined } from "../../../domain/defined.ts"
import { notStarted } from "../../../engine/run/summarize.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { boardsOf } from "../../inputs/boardsOf.ts"
import { badInput, errorInfo } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { lower } from "../../running/performRun.ts"
import { dryRun } from "../../rehearsal/dryRun.ts"
import * as flags from "../../flags.ts"
import { goOnOrBegin } from "../../settings/goOnOrBegin.ts"
import { Host } from "../../Host.ts"
import { readInputs } from "../../inputs/runInputs.ts"
import { resolvePath } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { agreedAgain, typedAfter } from "../../render/nextCommand.ts"
import { givenRun } from "../../inputs/runReference.ts"
import { givenSettings, modelsOf } from "../../settings/runSettings.ts"

const config = {
  goal: flags.textOr("goal", "<file>", "What the run is for", "GOAL.md"),
  plan: flags.textOr("plan", "<file>", "The plan module or workflow script", "alembic.plan.ts"),
  contract: flags.optionalText("contract", "<file>", "Budget, coverage, assertions, proofs (JSON)"),
  args: flags.optionalText("args", "<json|@file>", "Arguments the plan sees as input.args"),
  attach: flags.repeated("attach", "<glob>", "Files the plan sees as input.files; may be given again"),
  attachSecrets: flags.toggle("attach-secrets", "Attach files that look as if they held keys"),
  model: flags.optionalText(
    "model",
    "<ref>",
    "Default model, such as anthropic:<model>; offline unless named"
  ),
  baseUrl: flags.baseUrlFlag,
  config: flags.configFlag,
  offlineFixtures: flags.fixturesFlag,
  hermetic: flags.toggle("hermetic", "Offline, in logical time: the same bytes on every machine"),
  fresh: flags.toggle("fresh", "Another run of the same spec"),
  reuse: flags.optionalText("reuse", "<run>", "Take the answers of that run for calls that have not changed"),
  resume: flags.optionalText("resume", "<run>", "Go on with that run; the inputs must be its own"),
  noCache: flags.toggle("no-cache", "Neither read nor write the call cache"),
  concurrency: flags.concurrencyFlag,
  maxUsd: flags.dollars("max-usd", "Spend at most that much; 0 means free models only"),
  acceptLoss: flags.toggle("accept-loss", "Lost items do not make the run incomplete"),
  brake: flags.brakeFlag,
  approve: flags.approveFlag,
  name: flags.nameFlag,
  tag: flags.tagFlag,
  sweep: flags.toggle("sweep", "Also refuse what only reads like a non-deterministic call"),
  dry: flags.toggle("dry", "Forecast calls, tokens and cost; nothing is spent or kept"),
  notify: flags.notifyFlag,
  trust: flags.trustFlag,
  yes: flags.yesFlag
}

export default defineCommand({
  name: "run",
  description:
    "Run a plan, or go on with its run where it stopped. Without flags: alembic.plan.ts on GOAL.md, on the offline model.",
  config,
  examples: [
    { command: "alembic run --yes", description: "Run alembic.plan.ts on GOAL.md" },
    {
      command: "alembic run --attach 'src/**/*.ts' --model anthropic:claude-sonnet-4-5 --max-usd 2",
      description: "On a real model, with a cap"
    },
    { command: "alembic run --dry", description: "What it would cost" }
  ],
  failureLine: (error) => notStarted(error.status, errorInfo(error)),
  handler: Effect.fn("cli.run")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const baseDir = yield* baseDirectory
    if (input.fresh && Option.isSome(input.resume)) {
      return yield* badInput("usage", "--fresh makes another run, --resume goes on with one", {
        cure: "leave one of the two out"
      })
    }
    const said = yield* givenSettings(input, input.plan)
    const typed = typedAfter("run", output.args)
    // A hermetic run is the same on every machine, wherever its files are.
    const given = input.hermetic || typed === "" ? said : { ...said, kept: { ...said.kept, typed } }
    const models = modelsOf(given)
    const { inputs, notices } = yield* readInputs({ ...input, baseDir })
    for (const notice of notices) yield* output.note(notice)
    const boards = yield* boardsOf(models.config, input, inputs.contract?.council?.board)
    const expectRun = yield* givenRun(input.resume)
    const reuse = yield* givenRun(input.reuse)
    const plan = yield* resolvePath(input.plan)
    const settings = {
      ...models,
      planFolder: (yield* Path.Path).dirname(plan),
      baseDir,
      directory: host.cwd,
      ...(input.hermetic ? { hermetic: true, offline: "always" as const } : {})
    }
    const request = {
      plan,
      planName: input.plan,
      inputs,
      boards: boards.values,
      hermetic: input.hermetic,
      fresh: input.fresh,
      noCache: input.noCache,
      sweep: input.sweep,
      ...defined({ expectRun, reuse })
    }
    if (boards.check !== undefined) yield* Effect.provide(boards.check, host.models(settings))
    if (input.dry)
      return yield* dryRun({
        models,
        baseDir,
        request: {
          ...request,
          acceptLoss: input.acceptLoss,
          ...defined({ concurrency: Option.getOrUndefined(input.concurrency) })
        },
        ...defined({ maxUsd: lower(Option.getOrUndefined(input.maxUsd), inputs.contract?.budget?.usd) })
      })
    yield* goOnOrBegin({
      request,
      given,
      trusted: input.trust,
      notify: input.notify,
      engine: settings,
      terms: { agreed: input.yes, again: agreedAgain(output.args), models: boards.models },
      contractUsd: inputs.contract?.budget?.usd
    }).pipe(Effect.provide(host.engine(settings)))
  })
})
