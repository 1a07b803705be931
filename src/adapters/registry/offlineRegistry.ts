// The offline registry: every reference is answered by the offline adapter, under its own model id. For hermetic
// runs, dry runs and tests; which names exist is not its business.
import { Effect, Layer } from "effect"
import type { AgentOptions, CallIdentity } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import { AdapterRegistry } from "./AdapterRegistry.ts"
import { fixturesHash, type Fixtures } from "./Fixtures.ts"
import { makeOfflineAdapter } from "../providers/offline.ts"

/** The identity of an `agent` call from its options, all of them resolved. */
export const identityOf = (options: AgentOptions, model: string): CallIdentity => ({
  verb: "agent",
  prompt: options.prompt,
  model,
  ...defined({
    system: options.system,
    schema: options.schema,
    maxOutputTokens: options.maxOutputTokens,
    temperature: options.temperature,
    providerOptions: options.providerOptions
  })
})

/** All references offline. Rules of the fixtures are used up over the layer's life. */
export const layerOffline = (fixtures?: Fixtures): Layer.Layer<AdapterRegistry> =>
  Layer.sync(AdapterRegistry, () => {
    const adapter = makeOfflineAdapter(fixtures)
    return AdapterRegistry.of({
      resolve: (options) => Effect.succeed(identityOf(options, options.model ?? "offline")),
      bind: (reference) => Effect.succeed([{ adapter, modelId: reference }]),
      identity: {
        default: "offline",
        ...(fixtures === undefined ? {} : { fixtures: fixturesHash(fixtures) })
      }
    })
  })

/** The same, under the name that tests look for. */
export const scripted = (fixtures: Fixtures): Layer.Layer<AdapterRegistry> => layerOffline(fixtures)
