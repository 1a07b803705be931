// `alembic council BOARD QUESTION`: a debate as a run of the engine: journaled, resumed, replayed, paid once. The
// exit code is the run's: 0 says that the debate was held. What it decided is in the verdict.
import { Effect, FileSystem, Path } from "effect"
import { Argument } from "effect/cli"
import { defined } from "../../../domain/defined.ts"
import type { Json } from "../../../domain/json/canonicalJson.ts"
import { notStarted } from "../../../engine/run/summarize.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { boardModels, boardValues, checkBoardModels, oneBoard } from "../../inputs/boards.ts"
import { configPathOf } from "../../inputs/boardsOf.ts"
import { badInput, errorInfo } from "../../CommandError.ts"
import { councilBoard, councilPlan, councilPlanName } from "../../running/councilPlan.ts"
import { defineCommand } from "../../defineCommand.ts"
import { dryRun } from "../../rehearsal/dryRun.ts"
import * as flags from "../../flags.ts"
import { goOnOrBegin } from "../../settings/goOnOrBegin.ts"
import { Host } from "../../Host.ts"
import { readAttachments } from "../../inputs/attachments.ts"
import { Output } from "../../Output.ts"
import { agreedAgain, typedAfter } from "../../render/nextCommand.ts"
import { givenRun } from "../../inputs/runReference.ts"
import { verdictShown } from "../../render/run/verdictShown.ts"
import { givenSettings, modelsOf } from "../../settings/runSettings.ts"

const config = {
  board: flags.pathArgument("board", "A board's file (YAML or JSON), or a name in alembic.json's boards"),
  question: Argument.String("question").pipe(Argument.withDescription("What the board is to decide")),
  attach: flags.repeated(
    "attach",
    "<glob>",
    "Files that members read, and claims stand on; may be given again"
  ),
  attachSecrets: flags.toggle("attach-secrets", "Attach files that look as if they held keys"),
  option: flags.repeated("option", "<id=text>", "An option that the ballot ranks; may be given again"),
  model: flags.optionalText("model", "<ref>", "Model of members that name none; offline unless named"),
  baseUrl: flags.baseUrlFlag,
  config: flags.configFlag,
  offlineFixtures: flags.fixturesFlag,
  fresh: flags.toggle("fresh", "Another debate on the same question"),
  reuse: flags.optionalText("reuse", "<run>", "Take that debate's answers for what has not changed"),
  concurrency: flags.concurrencyFlag,
  maxUsd: flags.dollars("max-usd", "Spend at most that much; 0 means free models only"),
  dry: flags.toggle("dry", "Forecast calls, tokens and cost; nothing is spent or kept"),
  notify: flags.notifyFlag,
  trust: flags.trustFlag,
  yes: flags.yesFlag
}

/** `id=text`, each id once. */
const readOptions = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const cure = "--option a='keep it' --option b='build it anew'"
  const seen = new Set<string>()
  const options: Array<Json> = []
  for (const option of given) {
    const [, id = "", text = ""] = /^([^=\s]+)=(.*)$/s.exec(option) ?? []
    if (id === "" || text.trim() === "") {
      return yield* badInput("usage", `--option ${JSON.stringify(option)} is not of the form id=text`, {
        cure
      })
    }
    if (seen.has(id)) return yield* badInput("usage", `--option ${id} is given twice`, { cure })
    seen.add(id)
    options.push({ id, text })
  }
  return options
})

/** The plan as a file, for as long as the command runs: the run keeps its own copy. */
const planFile = Effect.gen(function* () {
  const host = yield* Host
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.join(yield* host.temporaryDirectory, councilPlanName)
  yield* Effect.mapError(fs.writeFileString(path, councilPlan), ({ message }) =>
    badInput("unreadable", `the temporary directory: ${message}`, { cure: "alembic doctor" })
  )
  return path
})

export default defineCommand({
  name: "council",
  description:
    "Let a board debate a question: openings, critique, revision, the contrarian last, then the ballot. The verdict is the result of a run, which resumes and replays like any other. Exit code 0 says that the debate was held, not that it said GO: see decision and conclusive in the result.",
  config,
  examples: [
    {
      command: 'alembic council boards/technical-decision.yaml "Do we move to event sourcing?" --dry',
      description: "What it would cost (alembic init --board writes that board)"
    },
    {
      command:
        'alembic council tech "Which queue?" --option a="keep it" --option b="buy one" --attach "docs/*.md" --yes',
      description: "A board named in alembic.json, ranking two options, with files to stand on"
    }
  ],
  failureLine: (error) => notStarted(error.status, errorInfo(error)),
  handler: Effect.fn("cli.council")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const baseDir = yield* baseDirectory
    if (input.question.trim() === "") {
      return yield* badInput("usage", "the question is empty", { cure: 'alembic council BOARD "question"' })
    }
    const said = yield* givenSettings(input, "alembic.json")
    const typed = typedAfter("council", output.args)
    const given = { ...said, kept: { ...said.kept, command: "council" as const, typed } }
    const models = modelsOf(given)
    const configPath = yield* configPathOf(input.config, "alembic.json")
    const boards = { [councilBoard]: yield* oneBoard(input.board, models.config, configPath) }
    const options = yield* readOptions(input.option)
    const { attachments, notices } = yield* readAttachments(input.attach, {
      baseDir,
      secrets: input.attachSecrets
    })
    for (const notice of notices) yield* output.note(notice)
    const reuse = yield* givenRun(input.reuse)
    const request = {
      plan: yield* planFile,
      planName: councilPlanName,
      inputs: {
        goal: input.question,
        attachments,
        ...(options.length === 0 ? {} : { args: { options } })
      },
      boards: boardValues(boards),
      fresh: input.fresh,
      ...defined({ reuse })
    }
    const settings = { ...models, baseDir }
    yield* Effect.provide(checkBoardModels(boards), host.models(settings))
    if (input.dry) return yield* dryRun({ models, baseDir, request })
    yield* goOnOrBegin({
      request,
      given,
      trusted: input.trust,
      notify: input.notify,
      engine: settings,
      terms: {
        agreed: input.yes,
        again: agreedAgain(output.args),
        models: boardModels(boards),
        show: verdictShown
      },
      contractUsd: undefined
    }).pipe(Effect.provide(host.engine(settings)))
  }, Effect.scoped)
})
