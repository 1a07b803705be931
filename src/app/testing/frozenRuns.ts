// Frozen runs, for tests: an archive that `alembic test --from` wrote, replayed on the plan of today. Nothing is asked, and
// nothing stays behind.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { layerOffline } from "../../adapters/registry/offlineRegistry.ts"
import { Guards } from "../../adapters/guard/Guards.ts"
import { replayRun } from "../../engine/replay/replayRun.ts"
import { Journal } from "../../journal/Journal.ts"
import { IdFactory } from "../../kernel/IdFactory.ts"
import * as PlansNode from "../../plan/plans.node.ts"
import { journalLayer, versionsLayer } from "../engine.ts"

const pathOf = (file: string | URL): string => (typeof file === "string" ? file : fileURLToPath(file))

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "alembic-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const replayed = (archive: string, plan: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const baseDir = yield* temporary
      const layer = Layer.mergeAll(
        journalLayer(baseDir),
        layerOffline(),
        Guards.layer().pipe(Layer.provide(IdFactory.layerMonotonic)),
        PlansNode.layer,
        versionsLayer
      )
      const replay = Effect.gen(function* () {
        const { runId } = yield* (yield* Journal).import(archive)
        return yield* replayRun(runId, { plan })
      })
      const { divergence, error, identical } = yield* Effect.provide(replay, layer)
      if (identical) return "identical"
      const was =
        divergence?.journaled === undefined ? "" : `\n  then: ${JSON.stringify(divergence.journaled)}`
      const now = divergence?.now === undefined ? "" : `\n  now: ${JSON.stringify(divergence.now)}`
      return `${divergence?.message ?? error?.message ?? "diverged"}${was}${now}`
    })
  )

/**
 * `identical`, or the first place where the plan of today does otherwise than the frozen run: the call, the line of the
 * plan, what differs. Rejects where the archive cannot be read.
 */
export const replayFrozen = (archive: string | URL, plan: string | URL): Promise<string> =>
  Effect.runPromise(replayed(pathOf(archive), pathOf(plan)))
