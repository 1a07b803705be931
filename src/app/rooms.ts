// The live layers of the rooms: runs on disk, plans in a process of their own, models by configuration. Loaded when
// a command first needs one of them.
import process from "node:process"
import { Effect, Layer } from "effect"
import type { AdapterRegistry } from "../adapters/AdapterRegistry.ts"
import { layerConfigured } from "../adapters/ConfiguredRegistry.ts"
import { guardsOptions, parseConfig, type AlembicConfig } from "../adapters/Config.ts"
import { parseFixtures, type Fixtures } from "../adapters/Fixtures.ts"
import { Guards } from "../adapters/Guards.ts"
import type { ModelCatalog } from "../adapters/ModelCatalog.ts"
import { badInput, fromRegistry, type CommandError } from "../cli/CommandError.ts"
import type { EngineSettings, ModelSettings } from "../cli/Host.ts"
import { Alembic } from "../engine/Alembic.ts"
import { EngineVersions } from "../engine/EngineVersions.ts"
import { layerWithMissions } from "../engine/rooms/layerWithMissions.ts"
import { Journal } from "../journal/Journal.ts"
import * as FolderHashesNode from "../kernel/folder/FolderHashes.node.ts"
import * as FsPortNode from "../kernel/FsPort.node.ts"
import * as GivenFilesNode from "../kernel/GivenFiles.node.ts"
import * as HostIdentityNode from "../kernel/HostIdentity.node.ts"
import { IdFactory } from "../kernel/IdFactory.ts"
import { ProofRunner } from "../mission/ProofRunner.ts"
import * as ProofRunnerNode from "../mission/ProofRunner.node.ts"
import * as PlanBundlerNode from "../plan/PlanBundler.node.ts"
import * as PlanVmNode from "../plan/PlanVm.node.ts"
import * as PreludeNode from "../plan/Prelude.node.ts"
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

/** The models that `settings` describe, and what guards them. */
export const modelsLayer = (
  settings: ModelSettings
): Layer.Layer<AdapterRegistry | ModelCatalog | Guards, CommandError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const config = yield* configOf(settings.config, settings.configName ?? "alembic.json")
      const fixtures = yield* fixturesOf(settings.fixtures)
      const options = {
        config,
        ...(settings.configName === undefined ? {} : { configName: settings.configName }),
        ...(settings.model === undefined ? {} : { defaultModel: settings.model }),
        ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
        ...(settings.baseUrls === undefined ? {} : { baseUrls: settings.baseUrls }),
        ...(fixtures === undefined ? {} : { fixtures }),
        project: [process.cwd(), ...(settings.planFolder === undefined ? [] : [settings.planFolder])]
      }
      const configured = layerConfigured(options)
      const { offline } = settings
      const models =
        offline === undefined ? configured : withoutNetwork(configured, { fixtures, free: offline })
      const ids = settings.hermetic === true ? IdFactory.layerCounter : IdFactory.layerMonotonic
      const guarded = guardsOptions(config)
      const { maxAttempts } = settings
      const guards = Guards.layer(
        maxAttempts === undefined ? guarded : { ...guarded, retry: { ...guarded.retry, maxAttempts } }
      ).pipe(Layer.provide(ids))
      return Layer.merge(models, guards)
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

/** In a forecast no command is run: every proof passes. */
const proofsUnrun = ProofRunner.layerScripted(({ command, id }) =>
  Effect.succeed({ id, command, exitCode: 0, stdout: "", stderr: "" })
)

/** The rooms that runs have, missions among them: their files and proof commands are those of the directory. */
const missionsLayer = ({ baseDir, directory = process.cwd(), offline }: EngineSettings) => {
  const proofs = offline === "as_its_model" ? proofsUnrun : ProofRunnerNode.layer(directory)
  return layerWithMissions(directory, baseDir).pipe(
    Layer.provide(Layer.mergeAll(GivenFilesNode.layer, FolderHashesNode.layer, proofs))
  )
}

/** All that a run works with. */
export const engineLayer = (settings: EngineSettings) => {
  const plans = Layer.mergeAll(PlanBundlerNode.layer, PlanVmNode.layer, PreludeNode.layer)
  return Alembic.layerNoDeps.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        modelsLayer(settings),
        journalLayer(settings.baseDir),
        plans,
        versionsLayer,
        missionsLayer(settings)
      )
    )
  )
}

export { checkups } from "./checkups.ts"
