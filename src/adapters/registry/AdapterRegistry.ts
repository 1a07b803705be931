// AdapterRegistry: from the names a plan uses to adapters that can be called. Aliases, profiles, defaults and
// chains are resolved here; keys and base URLs stay inside.
import { Context, Schema, type Effect } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { AgentOptions, CallIdentity } from "../../domain/Call.ts"
import type { Adapter } from "../Adapter.ts"

/** A reference that names nothing, or one that lacks its key or base URL. `cure` says what to set. */
export class RegistryError extends Schema.TaggedError<RegistryError>()("RegistryError", {
  reference: Schema.String,
  code: Schema.Literals(["unknown_model", "unknown_profile", "auth", "missing_base_url", "invalid_config"]),
  message: Schema.String,
  cure: Schema.String
}) {}

/** US dollars a million tokens. */
export interface Rates {
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  readonly cachedInputUsdPerMillion?: number
  readonly cacheWriteUsdPerMillion?: number
}

/** Rates, and those that hold instead for requests of more than so many input tokens (in rising order). */
export interface Price extends Rates {
  readonly tiers?: ReadonlyArray<Rates & { readonly aboveInputTokens: number }>
}

/** One link of a chain: which adapter, which of its models, at which price (absent: unknown). */
export interface Binding {
  readonly adapter: Adapter
  readonly modelId: string
  readonly price?: Price
  /** The model's own output limit in configuration, in tokens. */
  readonly maxOutputTokens?: number
  /** An in-doubt call may run again although the adapter acts. */
  readonly retryInDoubt?: boolean
}

export class AdapterRegistry extends Context.Service<
  AdapterRegistry,
  {
    /** The call's identity: profile, alias and default model resolved into reference, system and options. */
    readonly resolve: (options: AgentOptions) => Effect.Effect<CallIdentity, RegistryError>
    /** The chain behind a resolved reference, first link first; never empty. */
    readonly bind: (reference: string) => Effect.Effect<ReadonlyArray<Binding>, RegistryError>
    /**
     * `RunSpec.models`: default, names, aliases and profiles, resolved; what commands and providers of one's own are;
     * hash of offline fixtures. No secrets.
     */
    readonly identity: Json
  }
>()("alembic/adapters/AdapterRegistry") {}
