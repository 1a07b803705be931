// Prelude: the modules that a plan imports from Alembic instead of bringing them, as one script: `effect` and
// `alembic/plan`. Built once for each set of imports, known by its content. How it is built is Prelude.node.ts's.
import { Context, Schema, type Effect } from "effect"

/** One script whose value is a `PreludeModule` (inside/driver.ts). `sha256` is of `code`. */
export const PreludeBundle = Schema.Struct({
  sha256: Schema.String,
  code: Schema.String,
  /** Sorted. */
  imports: Schema.Array(Schema.String)
})
export type PreludeBundle = typeof PreludeBundle.Type

/** A module that the prelude does not have, or a cache folder that cannot be used. */
export class PreludeError extends Schema.TaggedError<PreludeError>()("PreludeError", {
  message: Schema.String
}) {}

export class Prelude extends Context.Service<
  Prelude,
  {
    /**
     * The prelude with at least these modules (`effect`, `effect/…`, `alembic/plan`).
     */
    readonly load: (imports: ReadonlyArray<string>) => Effect.Effect<PreludeBundle, PreludeError>
  }
>()("alembic/plan/Prelude") {}
