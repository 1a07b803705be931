// The engine on fakes: files in memory, an offline registry that echoes, counted ids, retries without waiting.
import { Effect, Layer } from "effect"
import type { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import type { Fixtures } from "../../src/adapters/registry/Fixtures.ts"
import { Guards, type GuardsOptions } from "../../src/adapters/guard/Guards.ts"
import { layerOffline } from "../../src/adapters/registry/offlineRegistry.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import type { Versions } from "../../src/journal/store/RunMeta.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"

export const echo: Fixtures = { rules: [], default: { text: "echo:{{prompt}}" } }

const process = (pid: number) => ({ pid, started: "0", boot: "boot", host: "host" })

/** One process of the engine. A later process on the same disk finds the earlier ones dead. */
export const engineOn = (
  disk: MemoryDisk,
  registry: Layer.Layer<AdapterRegistry>,
  more: {
    readonly pid?: number
    readonly guards?: GuardsOptions
    readonly versions?: Versions
    /** Other processes of the machine that live. */
    readonly alive?: ReadonlyArray<number>
    /** The journal as the test has it. */
    readonly journal?: Effect.Effect<(typeof Journal)["Service"], never, Journal>
    readonly endLeft?: (typeof HostIdentity)["Service"]["endLeft"]
  } = {}
) =>
  Alembic.layerPrograms
    .pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          more.journal === undefined
            ? Journal.layer({ baseDir: "/base" })
            : Layer.provide(Layer.effect(Journal, more.journal), Journal.layer({ baseDir: "/base" })),
          registry,
          Guards.layer(more.guards),
          Layer.succeed(EngineVersions, more.versions ?? { engine: "0", node: "0", v8: "0", icu: "0" })
        )
      )
    )
    .pipe(
      Layer.provide(
        Layer.mergeAll(
          disk.layer,
          HostIdentity.layerTest({
            self: process(more.pid ?? 1),
            others: (more.alive ?? []).map(process),
            ...(more.endLeft === undefined ? {} : { endLeft: more.endLeft })
          }),
          IdFactory.layerCounter
        )
      )
    )

export const engineLayer = (fixtures: Fixtures = echo) =>
  Layer.unwrap(Effect.sync(() => engineOn(MemoryDisk.make(), layerOffline(fixtures))))
