// Run settings: how a run reaches its models and how it is run, from the command line and from what the run's directory
// has kept. What was given once holds whenever the run goes on, unless it is given anew; then that holds from then on.
// Keys are never kept: the environment is read anew every time.
import { Effect, Option, Schema } from "effect"
import { decodeConfigText } from "../../adapters/registry/Config.ts"
import { baseUrlVariables } from "../../adapters/registry/Endpoints.ts"
import { defined } from "../../domain/defined.ts"
import { nameRole, tagsRole } from "../../journal/maintenance/listRuns.ts"
import type { RunOptions } from "../../engine/Engine.ts"
import { badInput } from "../CommandError.ts"
import { Host, type ModelSettings } from "../Host.ts"
import { checkAddresses, mayKeep } from "./addresses.ts"
import { readConfigText, readFixturesText } from "../inputs/runInputs.ts"
import { readText } from "../inputs/textFiles.ts"

export interface ModelFlags {
  readonly model: Option.Option<string>
  readonly baseUrl: Option.Option<string>
  readonly config: Option.Option<string>
  readonly offlineFixtures: Option.Option<string>
}

const isOffline = (model: string): boolean => model === "offline" || model.startsWith("offline:")

/** What of the settings a run keeps besides the texts of its files, so that it can go on as it was begun. */
const Kept = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  maxUsd: Schema.optionalKey(Schema.Number),
  acceptLoss: Schema.optionalKey(Schema.Boolean),
  /** `--brake`; absent: as the configuration says. */
  brake: Schema.optionalKey(Schema.Literal("off")),
  concurrency: Schema.optionalKey(Schema.Int),
  /** What was approved of beforehand: gates, parked units. */
  approve: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `--base-url`: of the default model's providers. Runs of before have none. */
  baseUrl: Schema.optionalKey(Schema.String),
  /** By built-in provider, what the environment said; it holds where the environment says nothing now. */
  baseUrls: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** What was typed after `alembic run` or `alembic council`, as far as it says what is run: to run it again, edited. */
  typed: Schema.optionalKey(Schema.String),
  /** What the person called the configuration, for messages. */
  configName: Schema.optionalKey(Schema.String),
  /** `--name`, `--tag`: what the person calls the run, and files it under. */
  name: Schema.optionalKey(Schema.String),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command that made the run, where it was not `run`: how its result is shown. */
  command: Schema.optionalKey(Schema.Literal("council"))
})
export type Kept = typeof Kept.Type

/** What is typed after `alembic` to run again what the run ran, edited. */
export const typedOf = ({ command, typed = "" }: Kept): string => `${command ?? "run"} ${typed}`.trimEnd()

const KeptText = Schema.fromJsonString(Kept)
const encodeKept = Schema.encodeSync(KeptText)
const decodeKept = Schema.decodeUnknownOption(KeptText)

/** A run of before Alembic kept anything has no such text. */
export const readKept = (text: string | undefined): Kept =>
  text === undefined ? {} : Option.getOrElse(decodeKept(text), () => ({}))

/** All that a run is begun, or gone on, with: the texts of its files and the rest. */
export interface Settings {
  readonly config: string | undefined
  readonly fixtures: string | undefined
  readonly kept: Kept
}

/** Texts by role, for the run's directory. */
export const keptBlobs = ({ config, fixtures, kept }: Settings): Readonly<Record<string, string>> => ({
  ...defined({
    config,
    fixtures,
    [nameRole]: kept.name,
    [tagsRole]: kept.tags === undefined ? undefined : JSON.stringify(kept.tags)
  }),
  settings: encodeKept(kept)
})

/** How the settings say that models are reached. */
export const modelsOf = ({ config, fixtures, kept }: Settings): ModelSettings => {
  const { baseUrl, baseUrls, configName, model } = kept
  return {
    ...defined({ config, fixtures, model, baseUrl, baseUrls, configName })
  }
}

/** A configuration that is none is refused where models are made of it. */
const maxJournalBytes = (config: string | undefined): Pick<RunOptions, "maxJournalBytes"> => {
  const read = config === undefined ? undefined : Option.getOrUndefined(decodeConfigText(config))
  const max = read?.journal?.maxBytes
  return defined({ maxJournalBytes: max })
}

/** How the settings say that the run is run, for the engine. */
export const howOf = ({
  config,
  kept: { acceptLoss, approve, brake, concurrency, maxUsd }
}: Settings): Pick<
  RunOptions,
  "acceptLoss" | "approve" | "brake" | "concurrency" | "maxUsd" | "maxJournalBytes"
> => ({
  ...maxJournalBytes(config),
  ...defined({ brake, acceptLoss, approve, concurrency, maxUsd })
})

export interface HowFlags {
  readonly concurrency: Option.Option<number>
  readonly maxUsd: Option.Option<number>
  readonly acceptLoss?: boolean
  readonly brake?: Option.Option<"off">
  readonly approve?: ReadonlyArray<string>
  readonly name?: Option.Option<string>
  readonly tag?: ReadonlyArray<string>
}

const keptHow = ({
  acceptLoss,
  approve = [],
  brake = Option.none(),
  concurrency,
  maxUsd,
  name = Option.none(),
  tag = []
}: HowFlags): Kept => ({
  ...defined({ name: Option.getOrUndefined(name) }),
  ...(tag.length === 0 ? {} : { tags: [...new Set(tag)].toSorted() }),
  ...(Option.isNone(brake) ? {} : { brake: brake.value }),
  ...(acceptLoss === true ? { acceptLoss } : {}),
  ...(approve.length === 0 ? {} : { approve }),
  ...(Option.isNone(concurrency) ? {} : { concurrency: concurrency.value }),
  ...(Option.isNone(maxUsd) ? {} : { maxUsd: maxUsd.value })
})

/** Where the environment says that built-in providers are reached. One that holds a key, or is no URL, is not kept. */
const environmentUrls = Effect.map(Host, ({ environment }): Kept => {
  const found: Record<string, string> = {}
  for (const [provider, variable] of baseUrlVariables) {
    const url = environment(variable)?.trim() ?? ""
    if (mayKeep(url, environment)) found[provider] = url
  }
  return Object.keys(found).length === 0 ? {} : { baseUrls: found }
})

/** What the command line, alembic.json and the environment say. `planPath`: alembic.json is looked for beside it. */
export const givenSettings = Effect.fnUntraced(function* (
  flags: ModelFlags & HowFlags & { readonly hermetic?: boolean },
  planPath: string
) {
  const config = yield* readConfigText(flags.config, planPath)
  const configName = Option.getOrElse(flags.config, () => "alembic.json")
  yield* checkAddresses(flags.baseUrl, config, configName)
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
  const chosen = model ?? (fixtures === undefined ? undefined : "offline")
  const settings: Settings = {
    config,
    fixtures,
    kept: {
      ...keptHow(flags),
      // A hermetic run calls nobody, and is the same on every machine.
      ...(flags.hermetic === true ? {} : yield* environmentUrls),
      ...defined({ model: chosen }),
      ...(Option.isSome(flags.baseUrl) ? { baseUrl: flags.baseUrl.value.trim() } : {}),
      ...(Option.isSome(flags.config) ? { configName: flags.config.value } : {})
    }
  }
  return settings
})

/** The same of a command that runs no plan. */
export const modelSettings = (flags: ModelFlags, planPath: string) =>
  Effect.map(
    givenSettings({ ...flags, concurrency: Option.none(), maxUsd: Option.none() }, planPath),
    modelsOf
  )

/** What was kept, with what is given now over it. The same approval given again is the one that was given. */
export const over = (kept: Settings, given: Settings): Settings => {
  const before = kept.kept.approve ?? []
  const approve = [...before, ...(given.kept.approve ?? []).filter((name) => !before.includes(name))]
  const baseUrls = { ...kept.kept.baseUrls, ...given.kept.baseUrls }
  return {
    config: given.config ?? kept.config,
    fixtures: given.fixtures ?? kept.fixtures,
    kept: {
      ...kept.kept,
      ...given.kept,
      ...(approve.length === 0 ? {} : { approve }),
      ...(Object.keys(baseUrls).length === 0 ? {} : { baseUrls })
    }
  }
}

/** The settings a run was begun with, and what is given now; files named now must say what the run's own did. */
export const resumedSettings = Effect.fnUntraced(function* (
  flags: Omit<ModelFlags, "model"> & HowFlags,
  kept: Settings
) {
  const cure = "leave it out: the run has kept its own"
  const config = Option.isSome(flags.config)
    ? yield* readText("configuration", flags.config.value, cure)
    : undefined
  const configName = Option.getOrElse(flags.config, () => "the run's configuration")
  yield* checkAddresses(flags.baseUrl, config ?? kept.config, configName)
  const given: Settings = {
    config,
    fixtures: yield* readFixturesText(flags.offlineFixtures),
    kept: {
      ...keptHow(flags),
      ...(yield* environmentUrls),
      ...(Option.isSome(flags.baseUrl) ? { baseUrl: flags.baseUrl.value.trim() } : {}),
      ...(Option.isSome(flags.config) ? { configName: flags.config.value } : {})
    }
  }
  // Each approval is for one decision: one that is given to a resume is another than those the run was begun with.
  const approve = [...(kept.kept.approve ?? []), ...(given.kept.approve ?? [])]
  const settings = over(kept, given)
  return approve.length === 0 ? settings : { ...settings, kept: { ...settings.kept, approve } }
})
