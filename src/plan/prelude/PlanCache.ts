// PlanCache: what is made for plans and can be made again, by name: a bundled prelude, the code that V8 compiled of it.
// Live, it is the user's own cache (PlanCache.node.ts). Without a layer nothing is kept.
import { Context, Effect, Layer, Option } from "effect"
import { FsPort } from "../../kernel/files/FsPort.ts"

export interface PlanCacheStore {
  /** The text under `name`, if it is kept. */
  readonly read: (name: string) => Effect.Effect<string | undefined>
  /** Keeps the text whole or not at all; a cache that cannot be written is done without. */
  readonly keep: (name: string, text: string) => Effect.Effect<void>
  /** Where a plan's process may keep the file `name` itself: only on a real disk. */
  readonly pathFor: (name: string) => string | undefined
}

const nothingKept: PlanCacheStore = {
  read: () => Effect.succeed(undefined),
  keep: () => Effect.void,
  pathFor: () => undefined
}

export const PlanCache = Context.Reference<PlanCacheStore>("alembic/plan/PlanCache", {
  defaultValue: () => nothingKept
})

/** Kept in `directory` of an FsPort of one's own, in memory for one: no process of a plan writes there. */
export const layerFs = (directory: string): Layer.Layer<never, never, FsPort> =>
  Layer.effect(
    PlanCache,
    Effect.map(FsPort, (fs): PlanCacheStore => ({
      read: (name) =>
        fs.readFile(`${directory}/${name}`).pipe(
          Effect.map((bytes) => new TextDecoder().decode(bytes)),
          Effect.option,
          Effect.map(Option.getOrUndefined)
        ),
      keep: (name, text) =>
        fs
          .makeDirectory(directory)
          .pipe(
            Effect.andThen(fs.replace(`${directory}/${name}`, new TextEncoder().encode(text))),
            Effect.ignore
          ),
      pathFor: () => undefined
    }))
  )
