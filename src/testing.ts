/**
 * `alembic/testing`: fakes that are real implementations, for tests of plans and of programs that run them. Nothing
 * here reaches a network or a disk, and every answer is free.
 *
 * @example
 * ```ts
 * it.effect("keeps what two of three agree on", () =>
 *   Effect.gen(function* () {
 *     const summary = yield* Alembic.runProgram({ program: "vote", goal: "g" }, vote)
 *     assert.deepStrictEqual(summary.result, "yes")
 *   }).pipe(Effect.provide(engineTest({ fixtures: { default: { text: "yes" } } })))
 * )
 * ```
 */
// This file owns what `alembic/testing` exports, and how its parts make an engine.
import { Effect, Layer } from "effect"
import type { AdapterRegistry } from "./adapters/registry/AdapterRegistry.ts"
import type { Fixtures } from "./adapters/registry/Fixtures.ts"
import { Guards, type GuardsOptions } from "./adapters/guard/Guards.ts"
import { layerOffline } from "./adapters/registry/offlineRegistry.ts"
import { Alembic } from "./engine/Alembic.ts"
import type { EngineServices } from "./engine/Engine.ts"
import { EngineVersions } from "./engine/EngineVersions.ts"
import { Journal } from "./journal/Journal.ts"
import { MemoryDisk } from "./kernel/files/FsPort.memory.ts"
import { HostIdentity } from "./kernel/HostIdentity.ts"
import { IdFactory } from "./kernel/IdFactory.ts"
import * as PlansNode from "./plan/plans.node.ts"
import * as PlanCache from "./plan/prelude/PlanCache.ts"

export { SimulatedCrash, type CrashKind, type RecordedStep } from "./kernel/files/FsPort.memory.ts"
export { makeLogicalClock, type LogicalClock } from "./kernel/LogicalClock.ts"
export { answered, failed, recordedHooks } from "./plan/hooks/recordedHooks.ts"
export type { HooksRecord, RecordedCall } from "./plan/hooks/recordedHooks.ts"
export type { FixtureAnswer, FixtureMatch, FixtureRule, Fixtures } from "./adapters/registry/Fixtures.ts"
export { scripted } from "./adapters/registry/offlineRegistry.ts"
export { replayFrozen } from "./app/testing/frozenRuns.ts"
export { HostIdentity, IdFactory, layerOffline, MemoryDisk }

export interface EngineTestOptions {
  /** What the offline model answers; without them, by rule from the prompt. */
  readonly fixtures?: Fixtures
  /** Any other models instead. */
  readonly models?: Layer.Layer<AdapterRegistry>
  /** Where runs are kept: give the same disk to two engines, and the second finds what the first one left. */
  readonly disk?: MemoryDisk
  /** Names the process: after a crash, the next engine on a disk needs another one. */
  readonly pid?: number
  readonly guards?: GuardsOptions
}

/**
 * Everything a run works with: files in memory, an offline model, counted ids, pinned versions. Only a plan in a
 * file, if you run one, is really read, and runs in a real process of its own.
 */
export const engineTest = (options: EngineTestOptions = {}): Layer.Layer<EngineServices | Alembic> =>
  Layer.unwrap(
    Effect.sync(() => {
      const disk = options.disk ?? MemoryDisk.make()
      const self = { pid: options.pid ?? 1, started: "0", boot: "boot", host: "host" }
      const parts = Layer.mergeAll(
        Journal.layer({ baseDir: "/alembic" }),
        options.models ?? layerOffline(options.fixtures),
        Guards.layer(options.guards),
        Layer.succeed(EngineVersions, { engine: "0", node: "0", v8: "0", icu: "0" }),
        Layer.provide(PlansNode.layerNoCache, PlanCache.layerFs("/alembic/cache"))
      )
      return Alembic.layerNoDeps.pipe(
        Layer.provideMerge(parts),
        Layer.provide(Layer.mergeAll(disk.layer, HostIdentity.layerTest({ self }), IdFactory.layerCounter))
      )
    })
  )

/** The same as one service: `Alembic` on fakes. */
export const layerTest = (options: EngineTestOptions = {}): Layer.Layer<Alembic> => engineTest(options)
