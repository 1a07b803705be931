// The engine, live, as an app or a command puts it together: runs on disk, plans in a process of their own, models by
// configuration. What it is made of comes as values; reading them from files is the command's (rooms.ts).
import process from "node:process"
import { Config, Effect, Layer, Schema } from "effect"
import type { AdapterRegistry, RegistryError } from "../adapters/registry/AdapterRegistry.ts"
import { layerConfigured } from "../adapters/registry/ConfiguredRegistry.ts"
import { AlembicConfig, guardsOptions } from "../adapters/registry/Config.ts"
import { Fixtures } from "../adapters/registry/Fixtures.ts"
import { Guards } from "../adapters/guard/Guards.ts"
import type { ModelCatalog } from "../adapters/registry/ModelCatalog.ts"
import type { EngineSettings, ModelSettings } from "../cli/Host.ts"
import { defined } from "../domain/defined.ts"
import { Alembic } from "../engine/Alembic.ts"
import type { EngineServices } from "../engine/Engine.ts"
import { EngineVersions } from "../engine/EngineVersions.ts"
import { layerWithMissions } from "../engine/subflows/layerWithMissions.ts"
import { Journal } from "../journal/Journal.ts"
import * as FolderHashesNode from "../kernel/folder/FolderHashes.node.ts"
import * as FsPortNode from "../kernel/files/FsPort.node.ts"
import * as GivenFilesNode from "../kernel/files/GivenFiles.node.ts"
import * as HostIdentityNode from "../kernel/HostIdentity.node.ts"
import { IdFactory } from "../kernel/IdFactory.ts"
import { ProofRunner } from "../mission/proofs/ProofRunner.ts"
import * as ProofRunnerNode from "../mission/proofs/ProofRunner.node.ts"
import * as PlansNode from "../plan/plans.node.ts"
import { withoutNetwork } from "./offlineModels.ts"
import { version } from "./version.ts"

const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema.annotate({ description }))

/** What an app's engine is made of. Keys and base URLs are not in it: they come from the ConfigProvider. */
export const AlembicSettings = Schema.Struct({
  baseDir: Schema.NonEmptyString.annotate({ description: "Where runs are kept" }),
  config: optional(AlembicConfig, "What alembic.json would say"),
  fixtures: optional(Fixtures, "What the offline model answers"),
  model: optional(
    Schema.NonEmptyString,
    "The default model; offline unless this or the configuration names one"
  ),
  baseUrl: optional(Schema.NonEmptyString, "Base URL of the model's provider, over the environment's"),
  directory: optional(
    Schema.NonEmptyString,
    "Where missions read files and run proofs; the process's working directory unless given"
  )
})
export type AlembicSettings = typeof AlembicSettings.Type

/** How models are reached, its texts read. */
type DecodedModelSettings = Omit<ModelSettings, "config" | "fixtures"> &
  Pick<AlembicSettings, "config" | "fixtures">

const files = Layer.mergeAll(FsPortNode.layer, HostIdentityNode.layer)

export const journalLayer = (baseDir: string): Layer.Layer<Journal> =>
  Journal.layer({ baseDir }).pipe(Layer.provide(files))

/** The models that settings describe, and what guards them. */
export const modelsOf = (
  settings: DecodedModelSettings
): Layer.Layer<AdapterRegistry | ModelCatalog | Guards, RegistryError> => {
  const { baseUrl, baseUrls, config = {}, configName, fixtures, maxAttempts, model, offline } = settings
  const configured = layerConfigured({
    config,
    ...defined({ configName, defaultModel: model, baseUrl, baseUrls, fixtures }),
    project: [process.cwd(), ...(settings.planFolder === undefined ? [] : [settings.planFolder])]
  })
  const models = offline === undefined ? configured : withoutNetwork(configured, { fixtures, free: offline })
  const ids = settings.hermetic === true ? IdFactory.layerCounter : IdFactory.layerMonotonic
  const guarded = guardsOptions(config)
  const guards = Guards.layer(
    maxAttempts === undefined ? guarded : { ...guarded, retry: { ...guarded.retry, maxAttempts } }
  ).pipe(Layer.provide(ids))
  return Layer.merge(models, guards)
}

export const versionsLayer = Layer.succeed(
  EngineVersions,
  EngineVersions.of({
    engine: version,
    node: process.versions.node,
    v8: process.versions.v8,
    icu: process.versions.icu ?? ""
  })
)

/** In a forecast no command is run: every proof passes. */
const proofsUnrun = ProofRunner.layerScripted(({ command, id }) =>
  Effect.succeed({ id, command, exitCode: 0, stdout: "", stderr: "" })
)

/** The rooms that runs have, missions among them: their files and proof commands are those of the directory. */
export const missionsLayer = ({
  baseDir,
  directory = process.cwd(),
  offline
}: Pick<EngineSettings, "baseDir" | "directory" | "offline">) => {
  const proofs = offline === "as_its_model" ? proofsUnrun : ProofRunnerNode.layer(directory)
  return layerWithMissions(directory, baseDir).pipe(
    Layer.provide(Layer.mergeAll(GivenFilesNode.layer, FolderHashesNode.layer, proofs))
  )
}

/**
 * All that a run works with, each part a service of its own, and `Alembic` on top of them. For an app that only calls
 * `Alembic`, `Alembic.layer` is the same without the parts.
 */
export const engineLayer = (
  settings: AlembicSettings
): Layer.Layer<Alembic | EngineServices | ModelCatalog, RegistryError> =>
  Alembic.layerNoDeps.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        modelsOf(settings),
        journalLayer(settings.baseDir),
        PlansNode.layer,
        versionsLayer,
        missionsLayer(settings)
      )
    )
  )

/**
 * The engine, live: runs on disk, plans in a process of their own, models by configuration. Keys and base URLs are read
 * from the ConfigProvider, when a model is first called.
 */
export const alembicLayer = (settings: AlembicSettings): Layer.Layer<Alembic, RegistryError> =>
  engineLayer(settings)

/** The same by what the ConfigProvider says: `{ baseDir: Config.String("RUNS") }`, or a `Config` of it all. */
export const alembicLayerConfig = (
  settings: Config.Wrap<AlembicSettings>
): Layer.Layer<Alembic, RegistryError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(Config.unwrap(settings), alembicLayer))
