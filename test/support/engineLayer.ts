// The engine on fakes: files in memory, an offline registry that echoes, counted ids.
import { Layer } from "effect"
import { Guards } from "../../src/adapters/Guards.ts"
import type { Fixtures } from "../../src/adapters/Fixtures.ts"
import { layerOffline } from "../../src/adapters/offlineRegistry.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { layerMemory } from "../../src/kernel/FsPort.memory.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"

export const echo: Fixtures = { rules: [], default: { text: "echo:{{prompt}}" } }

const self = { pid: 1, started: "0", boot: "boot", host: "host" }

export const engineLayer = (fixtures: Fixtures = echo) =>
  Layer.mergeAll(
    Journal.layer({ baseDir: "/base" }),
    layerOffline(fixtures),
    Guards.layer(),
    Layer.succeed(EngineVersions, { engine: "0", node: "0", v8: "0", icu: "0" })
  ).pipe(Layer.provide(Layer.mergeAll(layerMemory, HostIdentity.layerTest({ self }), IdFactory.layerCounter)))
