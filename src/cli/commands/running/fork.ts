// `alembic fork RUN --at CALL --set …`: another run of the same plan with one call changed. What does not depend on that
// call is taken from the run; only the rest is made.
import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { whyUnusable } from "../../../adapters/providers/human.ts"
import type { Json } from "../../../domain/json/canonicalJson.ts"
import type { ForkSet } from "../../../domain/run/Fork.ts"
import { forkRun } from "../../../engine/launch/forkRun.ts"
import { callDetails } from "../../../engine/inspect/callDetails.ts"
import { recordsOf } from "../../../engine/inspect/inspectRun.ts"
import { selectCalls } from "../../../engine/inspect/selectCalls.ts"
import { notStarted } from "../../../engine/run/summarize.ts"
import { Journal } from "../../../journal/Journal.ts"
import { badInput, errorInfo, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { readText } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { agreedAgain, sameAgain } from "../../render/nextCommand.ts"
import { notifyingOf } from "../../running/notify.ts"
import { lower, performRun } from "../../running/performRun.ts"
import { howOf, keptBlobs, modelsOf, resumedSettings, typedOf } from "../../settings/runSettings.ts"
import { storedRun } from "../../settings/storedRun.ts"
import { claiming, countingOnly, madeElsewhere, originOf, requirementsOfRun } from "../../trust/origin.ts"
import { foreign } from "../../trust/TrustStore.ts"

const config = {
  run: flags.runArgument,
  at: flags.requiredText(
    "at",
    "<call>",
    "The call that is another: its number, label, or the beginning of its key"
  ),
  set: Flag.atLeast(
    Flag.String("set").pipe(
      Flag.withMetavar("<what=value>"),
      Flag.withDescription(
        "output=TEXT, model=REF or prompt=TEXT; @FILE for the text of a file; may be given again"
      )
    ),
    1
  ),
  baseUrl: flags.baseUrlFlag,
  config: flags.configFlag,
  offlineFixtures: flags.fixturesFlag,
  concurrency: flags.concurrencyFlag,
  maxUsd: flags.dollars("max-usd", "Spend at most that much; 0 means free models only"),
  acceptLoss: flags.toggle("accept-loss", "Lost items do not make the run incomplete"),
  brake: flags.brakeFlag,
  approve: flags.approveFlag,
  name: flags.nameFlag,
  tag: flags.tagFlag,
  notify: flags.notifyFlag,
  trust: flags.trustFlag,
  yes: flags.yesFlag
}

const cure = "alembic fork RUN --at CALL --set output=@FILE (or model=REF, prompt=@FILE)"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** An answer is JSON where the call had a schema and the text is any; else the text. */
const outputOf = (text: string, hasSchema: boolean): Json =>
  hasSchema ? Option.getOrElse(decodeJson(text), (): Json => text) : text

const valueOf = (text: string) =>
  text.startsWith("@") ? readText("value", text.slice(1), cure) : Effect.succeed(text)

const setOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>, hasSchema: boolean) {
  let set: ForkSet = {}
  for (const one of given) {
    const at = one.indexOf("=")
    const what = one.slice(0, Math.max(0, at))
    if (what !== "output" && what !== "model" && what !== "prompt") {
      return yield* badInput(
        "usage",
        `--set ${JSON.stringify(one.slice(0, 40))} sets nothing that a call has`,
        { cure }
      )
    }
    const value = yield* valueOf(one.slice(at + 1))
    if (value === "") return yield* badInput("usage", `--set ${what} is empty`, { cure })
    set = { ...set, [what]: what === "output" ? outputOf(value, hasSchema) : value }
  }
  if (set.output !== undefined && (set.model !== undefined || set.prompt !== undefined)) {
    return yield* badInput("usage", "--set output says what the call answered: it is asked no more", { cure })
  }
  return set
})

/** The one call that is meant, and whether it has a schema. */
const forkedCall = Effect.fnUntraced(function* (runId: string, named: string) {
  const store = yield* Journal
  const journal = yield* Effect.mapError(
    Effect.flatMap(store.runId(runId), (id) => store.open(id, "read")),
    fromJournal
  )
  const { calls } = yield* Effect.mapError(recordsOf(journal), fromJournal)
  const [call, ...more] = selectCalls(calls, named)
  if (call === undefined || more.length > 0) {
    return yield* badInput(
      call === undefined ? "call_missing" : "ambiguous_call",
      call === undefined
        ? `${runId} has no call ${JSON.stringify(named.slice(0, 60))}`
        : `${more.length + 1} calls are named so: ${[call, ...more].map(({ number }) => number).join(", ")}`,
      { cure: `alembic inspect ${runId} (numbers its calls)` }
    )
  }
  const [detail] = yield* Effect.mapError(callDetails(journal, [], [call]), fromJournal)
  return {
    call,
    schema: detail?.call?.schema,
    // A council or a mission asks as its rules say: the plan has no word in it.
    isAskedByPlan: detail?.call?.verb === "agent" && detail.call.spec === undefined
  }
}, Effect.scoped)

export default defineCommand({
  name: "fork",
  description: "Another run of the same plan with one call changed: only what depends on it is made again",
  config,
  examples: [
    {
      command: "alembic fork @last --at review --set output=@better.txt",
      description: "As if it had answered that"
    },
    {
      command: "alembic fork @last --at 3 --set model=openai:gpt-5 --max-usd 1",
      description: "Asked of another model"
    }
  ],
  failureLine: (error) => notStarted(error.status, errorInfo(error)),
  handler: Effect.fn("cli.fork")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const baseDir = yield* baseDirectory
    const stored = yield* onJournal(storedRun(input.run))
    const origin = yield* onJournal(originOf(stored.runId))
    if (!origin.own) yield* output.note(`${stored.runId}: ${madeElsewhere}`)
    const { call, isAskedByPlan, schema } = yield* onJournal(forkedCall(stored.runId, input.at))
    const set = yield* setOf(input.set, schema !== undefined)
    const unusable =
      set.output === undefined || schema === undefined ? undefined : whyUnusable(set.output, schema)
    if (unusable !== undefined) {
      return yield* badInput("bad_answer", `the output does not answer call ${call.number}: ${unusable}`, {
        cure: `--set output=@FILE, JSON of its schema (alembic show ${stored.runId} ${call.number} has it)`
      })
    }
    if (!isAskedByPlan && set.output === undefined) {
      return yield* badInput(
        "usage",
        `the plan does not ask call ${call.number} itself: only its output can be set`,
        {
          cure
        }
      )
    }
    const given = yield* resumedSettings(input, { config: undefined, fixtures: undefined, kept: {} })
    const settled = yield* resumedSettings(input, countingOnly(origin, stored))
    const { contract, hermetic } = stored
    const settings = {
      ...modelsOf(settled),
      baseDir,
      directory: host.cwd,
      ...(stored.hermetic ? { hermetic: true, offline: "always" as const } : {})
    }
    const { key, occurrence } = call
    yield* performRun(
      (watch) =>
        forkRun(stored.runId, { key, occurrence }, set, {
          ...howOf(settled),
          ...watch,
          extra: keptBlobs(settled)
        }),
      {
        agreed: input.yes,
        maxUsd: lower(settled.kept.maxUsd, stored.contractUsd),
        again: agreedAgain(output.args),
        trust: {
          requirements: requirementsOfRun({ origin, contract, stored, given, hermetic }),
          given: input.trust,
          again: sameAgain(output.args)
        },
        claiming: yield* onJournal(claiming(undefined, foreign)),
        models: stored.boardModels,
        typed: typedOf(settled.kept),
        notifying: notifyingOf(input.notify, settled.config),
        fixtures: settled.fixtures !== undefined
      }
    ).pipe(Effect.provide(host.engine(settings)))
  })
})
