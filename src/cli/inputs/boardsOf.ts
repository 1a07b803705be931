// The boards of a run, where it has any. Reading one brings a YAML parser with it, so that is loaded only for a
// configuration or a contract that names a board.
import { Effect, Option, Path } from "effect"
import type { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { CommandError } from "../CommandError.ts"

export interface RunBoards {
  /** By name, as the engine takes them. */
  readonly values: Readonly<Record<string, Json>>
  /** What their members are bound to, for the preflight. */
  readonly models: ReadonlyArray<string>
  /** Refuses a member whose model names nothing. */
  readonly check?: Effect.Effect<void, CommandError, AdapterRegistry>
}

const none: RunBoards = { values: {}, models: [] }

/** Where alembic.json is: `--config`, or beside the plan. */
export const configPathOf = Effect.fnUntraced(function* (given: Option.Option<string>, planPath: string) {
  const paths = yield* Path.Path
  return Option.getOrElse(given, () => paths.join(paths.dirname(planPath), "alembic.json"))
})

/** `config`: the text of alembic.json. `wanted`: the board that the contract's council names. */
export const boardsOf = Effect.fnUntraced(function* (
  config: string | undefined,
  flags: { readonly config: Option.Option<string>; readonly plan: string },
  wanted: string | undefined
) {
  if (wanted === undefined && config?.includes('"boards"') !== true) return none
  const { boardsOfRun } = yield* Effect.promise(() => import("./boards.ts"))
  return yield* boardsOfRun(config, yield* configPathOf(flags.config, flags.plan), wanted)
})
