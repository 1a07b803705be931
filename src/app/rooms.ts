// The layers that commands ask for: settings whose texts are still to be read, and errors as a command tells them.
// Loaded when a command first needs one of them. What they put together is engine.ts's.
import { Effect, Layer } from "effect"
import type { AdapterRegistry } from "../adapters/registry/AdapterRegistry.ts"
import { parseConfig, type AlembicConfig } from "../adapters/registry/Config.ts"
import { parseFixtures, type Fixtures } from "../adapters/registry/Fixtures.ts"
import type { Guards } from "../adapters/guard/Guards.ts"
import type { ModelCatalog } from "../adapters/registry/ModelCatalog.ts"
import { badInput, fromRegistry, type CommandError } from "../cli/CommandError.ts"
import type { EngineSettings, ModelSettings } from "../cli/Host.ts"
import { defined } from "../domain/defined.ts"
import { Alembic } from "../engine/Alembic.ts"
import * as PlansNode from "../plan/plans.node.ts"
import { journalLayer, missionsLayer, modelsOf, versionsLayer } from "./engine.ts"

export { journalLayer }

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

/** The models that a command's settings describe, and what guards them. */
export const modelsLayer = (
  settings: ModelSettings
): Layer.Layer<AdapterRegistry | ModelCatalog | Guards, CommandError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { config: _, fixtures: __, ...rest } = settings
      const config = yield* configOf(settings.config, settings.configName ?? "alembic.json")
      const fixtures = yield* fixturesOf(settings.fixtures)
      return modelsOf({ ...rest, config, ...defined({ fixtures }) })
    })
  ).pipe(Layer.catchTag("RegistryError", (error) => failing(fromRegistry(error))))

/** All that a run works with, for a command. */
export const engineLayer = (settings: EngineSettings) =>
  Alembic.layerNoDeps.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        modelsLayer(settings),
        journalLayer(settings.baseDir),
        PlansNode.layer,
        versionsLayer,
        missionsLayer(settings)
      )
    )
  )

export { checkups } from "./checkups.ts"
export { pageCode } from "./person/pageCode.ts"
