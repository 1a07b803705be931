// ModelCatalog: what is configured, for people to look at (`alembic models`, `doctor`, preflight, forecasts). Keys
// are present or absent, never shown.
import { Context, type Effect } from "effect"
import type { Price } from "./AdapterRegistry.ts"
import type { AdapterLimits } from "../guard/Limits.ts"

export interface CatalogLink {
  readonly reference: string
  readonly adapterId: string
  readonly modelId: string
  readonly key: "present" | "absent" | "not_needed"
  /** The environment variable of the key. */
  readonly keyVariable?: string
  /** Where it is reached, if that is not its provider's own address. */
  readonly baseUrl?: string
  readonly price?: Price
  /** Exactly 0, whatever is asked. */
  readonly free: boolean
  readonly limits?: AdapterLimits
  readonly outputLimit?: number
  /** Why it cannot be called now. */
  readonly problem?: string
  readonly cure?: string
}

export interface CatalogEntry {
  /** The name it is configured under; the reference itself for the default model. */
  readonly name: string
  readonly kind: "default" | "model" | "alias" | "profile"
  readonly reference: string
  readonly links: ReadonlyArray<CatalogLink>
}

/** One of the providers that Alembic knows without configuration, or that the configuration adds. */
export interface CatalogProvider {
  readonly provider: string
  readonly key: "present" | "absent" | "not_needed"
  readonly keyVariable?: string
  readonly baseUrlVariable?: string
  readonly baseUrl: "set" | "default" | "absent"
}

export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    readonly defaultModel: string
    readonly entries: Effect.Effect<ReadonlyArray<CatalogEntry>>
    readonly providers: ReadonlyArray<CatalogProvider>
  }
>()("alembic/adapters/ModelCatalog") {}
