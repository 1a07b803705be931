// The engine's service with its live layer: what `alembic` exports. The service itself is the engine's; only here may
// live implementations be picked.
import { Alembic as Engine } from "../engine/Alembic.ts"
import { alembicLayer, alembicLayerConfig } from "./engine.ts"

/**
 * The engine as a service, with `Alembic.layer` for everything live, by settings, or by a `Config` of them.
 *
 * @example
 * ```ts
 * const run = Alembic.runProgram({ program: "sky-1", goal: "One answer" }, program)
 * const summary = await Effect.runPromise(run.pipe(Effect.provide(Alembic.layer({ baseDir: ".alembic" }))))
 * ```
 */
export const Alembic = Object.assign(Engine, {
  layer: alembicLayer,
  layerConfig: alembicLayerConfig
})
export type Alembic = Engine
