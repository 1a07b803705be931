// The live layers of the rooms: runs on disk, plans in a process of their own, models by configuration. Loaded when
// a command first needs one of them.
import process from "node:process"
import { Effect, Layer } from "effect"
import type { AdapterRegistry, RegistryError } from "../adapters/registry/AdapterRegistry.ts"
import { layerConfigured } from "../adapters/registry/ConfiguredRegistry.ts"
import { guardsOptions, parseConfig, type AlembicConfig } from "../adapters/registry/Config.ts"
import { parseFixtures, type Fixtures } from "../adapters/registry/Fixtures.ts"
import { Guards } from "../adapters/guard/Guards.ts"
import type { ModelCatalog } from "../adapters/registry/ModelCatalog.ts"
import { badInput, fromRegistry, type CommandError } from "../cli/CommandError.ts"
import type { EngineSettings, ModelSettings } from "../cli/Host.ts"
import { Alembic } from "../engine/Alembic.ts"
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
import * as PlanBundlerNode from "../plan/bundler/PlanBundler.node.ts"
import * as PlanVmNode from "../plan/host/PlanVm.node.ts"
import * as PreludeNode from "../plan/prelude/Prelude.node.ts"
import { withoutNetwork } from "./offlineModels.ts"
import { version } from "./version.ts"

const files = Layer.mergeAll(FsPortNode.layer, HostIdentityNode.layer)

export const journalLayer = (baseDir: string): Layer.Layer<Journal> =>
  Journal.layer({ baseDir }).pipe(Layer.provide(files))

const configOf = (text: string | undefined, name: string) =>
  text === undefined
    ? Effect.succeed<AlembicConfig>({})
    : Effect.mapError(parseConfig(text), ({ message }) =>
        badInput("invalid_config", `${name}: ${message}`, {
          cure: `correct ${name} (alembic init --schema prints its schema)`
        })
      )

const fixturesOf = (text: string | undefined) =>
  text === undefined
    ? Effect.succeed<Fixtures | undefined>(undefined)
    : Effect.mapError(parseFixtures(text), ({ message }) =>
        badInput("invalid_fixtures", `offline fixtures: ${message}`, { cure: "correct the fixtures file" })
      )

const failing = (error: CommandError): Layer.Layer<AdapterRegistry | ModelCatalog | Guards, CommandError> =>
  Layer.effectContext(Effect.fail(error))

/** The models that settings describe whose texts were read, and what guards them. */
const modelsOf = (
  settings: Omit<ModelSettings, "config" | "fixtures"> & Pick<AlembicSettings, "config" | "fixtures">
): Layer.Layer<AdapterRegistry | ModelCatalog | Guards, RegistryError> => {
  const { baseUrl, baseUrls, config = {}, configName, fixtures, maxAttempts, model, offline } = settings
  const configured = layerConfigured({
    config,
    ...(configName === undefined ? {} : { configName }),
    ...(model === undefined ? {} : { defaultModel: model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(baseUrls === undefined ? {} : { baseUrls }),
    ...(fixtures === undefined ? {} : { fixtures }),
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

/** The models that a command's settings describe, and what guards them. */
export const modelsLayer = (
  settings: ModelSettings
): Layer.Layer<AdapterRegistry | ModelCatalog | Guards, CommandError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { config: _, fixtures: __, ...rest } = settings
      const config = yield* configOf(settings.config, settings.configName ?? "alembic.json")
      const fixtures = yield* fixturesOf(settings.fixtures)
      return modelsOf({ ...rest, config, ...(fixtures === undefined ? {} : { fixtures }) })
    })
  ).pipe(Layer.catchTag("RegistryError", (error) => failing(fromRegistry(error))))

const versionsLayer = Layer.succeed(
  EngineVersions,
  EngineVersions.of({
    engine: version,
    node: process.versions.node,
    v8: process.versions.v8,
    icu: process.versions.icu ?? ""
  })
)

/** What an app's engine is made of, as values: see `AlembicConfig` and `Fixtures` for reading them from JSON. */
export interface AlembicSettings {
  /** Where runs are kept. */
  readonly baseDir: string
  /** What alembic.json would say, decoded. */
  readonly config?: AlembicConfig
  /** What the offline model answers. */
  readonly fixtures?: Fixtures
  /** The default model; `offline` unless this or the configuration names one. */
  readonly model?: string
  readonly baseUrl?: string
  /** Where missions read files and run proofs; the process's working directory unless given. */
  readonly directory?: string
}

/** In a forecast no command is run: every proof passes. */
const proofsUnrun = ProofRunner.layerScripted(({ command, id }) =>
  Effect.succeed({ id, command, exitCode: 0, stdout: "", stderr: "" })
)

/** The rooms that runs have, missions among them: their files and proof commands are those of the directory. */
const missionsLayer = ({
  baseDir,
  directory = process.cwd(),
  offline
}: Pick<EngineSettings, "baseDir" | "directory" | "offline">) => {
  const proofs = offline === "as_its_model" ? proofsUnrun : ProofRunnerNode.layer(directory)
  return layerWithMissions(directory, baseDir).pipe(
    Layer.provide(Layer.mergeAll(GivenFilesNode.layer, FolderHashesNode.layer, proofs))
  )
}

const plansLayer = Layer.mergeAll(PlanBundlerNode.layer, PlanVmNode.layer, PreludeNode.layer)

/** All that a run works with, for a command. */
export const engineLayer = (settings: EngineSettings) =>
  Alembic.layerNoDeps.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        modelsLayer(settings),
        journalLayer(settings.baseDir),
        plansLayer,
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
  Alembic.layerNoDeps.pipe(
    Layer.provide(
      Layer.mergeAll(
        modelsOf(settings),
        journalLayer(settings.baseDir),
        plansLayer,
        versionsLayer,
        missionsLayer(settings)
      )
    )
  )

export { checkups } from "./checkups.ts"
