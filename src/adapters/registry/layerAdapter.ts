// layerAdapter: the registry of a program that has one adapter: its own `LanguageModel`, or anything with an
// `attempt`. Every model a call names is that adapter's; names, profiles and keys are ConfiguredRegistry's business.
import { Effect, Layer } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Adapter } from "../Adapter.ts"
import { AdapterRegistry, type Binding } from "./AdapterRegistry.ts"
import { identityOf } from "./offlineRegistry.ts"

export interface LayerAdapterOptions {
  /** The model of a call that names none. It is part of what a run is; the adapter's id unless given. */
  readonly model?: string
  /** What the model costs. Without one, and unless the adapter is free, nothing runs under a cost bound. */
  readonly price?: Binding["price"]
}

export const layerAdapter = (
  adapter: Adapter,
  options: LayerAdapterOptions = {}
): Layer.Layer<AdapterRegistry> => {
  const { model = adapter.id, price } = options
  return Layer.succeed(AdapterRegistry, {
    resolve: (call) => Effect.succeed(identityOf(call, call.model ?? model)),
    bind: (reference) => Effect.succeed([{ adapter, modelId: reference, ...defined({ price }) }]),
    identity: { default: model, adapter: adapter.id }
  })
}
