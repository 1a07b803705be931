// What people have answered so far, as the `human` adapter sees it. The engine provides it from the journal on
// resume; without it nobody has answered anything.
import { Context, Effect, type Option } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"

/** Answers by the idempotency key of the call that asked. */
export const Answers = Context.Reference<{
  readonly lookup: (idempotencyKey: string) => Effect.Effect<Option.Option<Json>>
}>("alembic/adapters/Answers", { defaultValue: () => ({ lookup: () => Effect.succeedNone }) })
