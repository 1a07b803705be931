// The engine on real files and real plan processes, in a folder of its own; models are the caller's.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer, Path } from "effect"
import type { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { Guards, type GuardsOptions } from "../../src/adapters/guard/Guards.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as FsPortNode from "../../src/kernel/files/FsPort.node.ts"
import * as HostIdentityNode from "../../src/kernel/HostIdentity.node.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import * as PlansNode from "../../src/plan/plans.node.ts"

/** A folder that goes with the scope. */
export const temporaryFolder = FileSystem.FileSystem.use((fs) =>
  fs.makeTempDirectoryScoped({ prefix: "alembic-test-" })
).pipe(Effect.provide(NodeServices.layer), Effect.orDie)

/** Writes files under `folder`; the path of the first. */
export const writeFiles = Effect.fnUntraced(
  function* (folder: string, files: Readonly<Record<string, string>>) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const written: Array<string> = []
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, name)
      yield* fs.makeDirectory(path.dirname(file), { recursive: true })
      yield* fs.writeFileString(file, text)
      written.push(file)
    }
    return written[0] ?? folder
  },
  Effect.provide(NodeServices.layer),
  Effect.orDie
)

export const liveEngine = (
  baseDir: string,
  registry: Layer.Layer<AdapterRegistry>,
  guards: GuardsOptions = {}
) =>
  Layer.mergeAll(
    Journal.layer({ baseDir }),
    registry,
    Guards.layer(guards),
    PlansNode.layer,
    Layer.succeed(EngineVersions, { engine: "0", node: "0", v8: "0", icu: "0" })
  ).pipe(
    (parts) => Layer.provideMerge(Alembic.layerNoDeps, parts),
    Layer.provide(
      Layer.mergeAll(FsPortNode.layer, HostIdentityNode.layer, IdFactory.layerMonotonic, NodeServices.layer)
    )
  )
