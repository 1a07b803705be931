// Run settings: how a run reaches its models, from the command line and from what the run's directory has kept. What
// is part of the run's identity (default model, configuration, fixtures) is kept there; keys and addresses never are.
import { Effect, Option, Schema } from "effect"
import { badInput } from "./CommandError.ts"
import type { ModelSettings } from "./Host.ts"
import { readConfigText, readFixturesText } from "./inputs.ts"
import { readText } from "./inputsText.ts"

export interface ModelFlags {
  readonly model: Option.Option<string>
  readonly baseUrl: Option.Option<string>
  readonly config: Option.Option<string>
  readonly offlineFixtures: Option.Option<string>
}

const isOffline = (model: string): boolean => model === "offline" || model.startsWith("offline:")

/** Refuses an address that is none before anything else is looked at. */
const checkBaseUrl = (baseUrl: Option.Option<string>) =>
  Option.isSome(baseUrl) && !/^https?:\/\/[^\s/]/.test(baseUrl.value)
    ? Effect.fail(
        badInput(
          "invalid_base_url",
          `--base-url ${JSON.stringify(baseUrl.value.slice(0, 120))} is not an http(s) URL`,
          { cure: "--base-url http://127.0.0.1:11434/v1" }
        )
      )
    : Effect.void

/** What the command line says of models. `planPath`: alembic.json is looked for beside it. */
export const modelSettings = Effect.fnUntraced(function* (flags: ModelFlags, planPath: string) {
  yield* checkBaseUrl(flags.baseUrl)
  const model = Option.getOrUndefined(flags.model)
  const fixtures = yield* readFixturesText(flags.offlineFixtures)
  if (fixtures !== undefined && model !== undefined && !isOffline(model)) {
    return yield* badInput(
      "usage",
      `--offline-fixtures are answers of the offline model, and --model is ${model}`,
      {
        cure: "leave one of the two out"
      }
    )
  }
  const config = yield* readConfigText(flags.config, planPath)
  const chosen = model ?? (fixtures === undefined ? undefined : "offline")
  const settings: ModelSettings = {
    ...(config === undefined ? {} : { config }),
    ...(fixtures === undefined ? {} : { fixtures }),
    ...(chosen === undefined ? {} : { model: chosen }),
    ...(Option.isSome(flags.baseUrl) ? { baseUrl: flags.baseUrl.value } : {})
  }
  return settings
})

/** What of the settings a run keeps besides the texts of its files, so that it can be resumed as it was begun. */
const Kept = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  maxUsd: Schema.optionalKey(Schema.Number),
  acceptLoss: Schema.optionalKey(Schema.Boolean),
  concurrency: Schema.optionalKey(Schema.Int),
  /** What was approved of beforehand: gates, parked units. */
  approve: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command that made the run, where it was not `run`: how its result is shown. */
  command: Schema.optionalKey(Schema.Literal("council"))
})
export type Kept = typeof Kept.Type

const KeptText = Schema.fromJsonString(Kept)
const encodeKept = Schema.encodeSync(KeptText)
const decodeKept = Schema.decodeUnknownOption(KeptText)

/** Blobs by role, for the run's directory. */
export const keptBlobs = (
  { config, fixtures }: ModelSettings,
  kept: Kept
): Readonly<Record<string, string>> => ({
  ...(config === undefined ? {} : { config }),
  ...(fixtures === undefined ? {} : { fixtures }),
  settings: encodeKept(kept)
})

export const readKept = (text: string | undefined): Kept =>
  text === undefined ? {} : Option.getOrElse(decodeKept(text), () => ({}))

/** What a run's directory says of how it was begun. */
export interface Stored {
  readonly config: string | undefined
  readonly fixtures: string | undefined
  readonly kept: Kept
}

/** The settings a run was begun with; files named now stand in for its own, and must say the same. */
export const overKept = Effect.fnUntraced(function* (
  flags: Omit<ModelFlags, "model">,
  { config, fixtures, kept }: Stored
) {
  yield* checkBaseUrl(flags.baseUrl)
  const cure = "leave it out: the run has kept its own"
  const given = Option.isSome(flags.config)
    ? yield* readText("configuration", flags.config.value, cure)
    : config
  const answers = (yield* readFixturesText(flags.offlineFixtures)) ?? fixtures
  const settings: ModelSettings = {
    ...(given === undefined ? {} : { config: given }),
    ...(answers === undefined ? {} : { fixtures: answers }),
    ...(kept.model === undefined ? {} : { model: kept.model }),
    ...(Option.isSome(flags.baseUrl) ? { baseUrl: flags.baseUrl.value } : {})
  }
  return settings
})
