// Names that mean what the configuration says, answered by the offline adapter alone: for hermetic and dry runs.
// Prices stay, so that a dry run can say what the real one may cost; keys and base URLs are not needed.
import { ConfigProvider, Effect, Layer } from "effect"
import { AdapterRegistry, type Binding } from "../adapters/registry/AdapterRegistry.ts"
import type { Fixtures } from "../adapters/registry/Fixtures.ts"
import type { ModelCatalog } from "../adapters/registry/ModelCatalog.ts"
import { makeOfflineAdapter } from "../adapters/providers/offline.ts"
import { defined } from "../domain/defined.ts"

/** Anything will do for a key, and for the address of a server of one's own, where nothing is called. */
const standIn = (name: string): string | undefined => {
  if (name === "OPENAI_COMPATIBLE_BASE_URL") return "http://offline.invalid/v1"
  return name.endsWith("_BASE_URL") ? undefined : "offline"
}

/** The environment, and where it says nothing, what makes every name bindable. */
const pretended = ConfigProvider.layer(
  Effect.map(ConfigProvider.ConfigProvider, (environment) =>
    ConfigProvider.orElse(
      environment,
      ConfigProvider.make((path) => {
        const value = standIn(String(path.at(-1)))
        return Effect.succeed(value === undefined ? undefined : ConfigProvider.makeValue(value))
      })
    )
  )
)

/**
 * The same names on the offline adapter. `free`: whether it says of itself that it is; in a dry run a call is as
 * free as its model would be.
 */
export const withoutNetwork = <E>(
  configured: Layer.Layer<AdapterRegistry | ModelCatalog, E>,
  options: { readonly fixtures: Fixtures | undefined; readonly free: "always" | "as_its_model" }
): Layer.Layer<AdapterRegistry | ModelCatalog, E> =>
  Layer.effect(
    AdapterRegistry,
    Effect.map(AdapterRegistry, (registry) => {
      const { reserveUsd: _, ...offline } = makeOfflineAdapter(options.fixtures)
      const standsFor = (link: Binding): Binding => ({
        ...link,
        adapter: {
          ...offline,
          free: options.free === "always" || link.adapter.free,
          ...(options.free === "always" ? {} : defined({ reserveUsd: link.adapter.reserveUsd }))
        }
      })
      return AdapterRegistry.of({
        ...registry,
        bind: (reference) => Effect.map(registry.bind(reference), (links) => links.map(standsFor))
      })
    })
  ).pipe(Layer.provideMerge(configured), Layer.provide(pretended))
