// The names that workflow scripts have for models (`haiku`, `opus`, …) belong to the tool they were written for. One
// that the configuration explains is that model; any other means the default model, and stays part of what is asked.
import { Effect } from "effect"
import type { AgentOptions } from "../../domain/Call.ts"
import type { AdapterRegistry } from "./AdapterRegistry.ts"

const nested = (options: AgentOptions, model: string): AgentOptions => {
  const { model: _, providerOptions = {}, ...rest } = options
  const workflow = providerOptions["workflow"]
  const known = typeof workflow === "object" && workflow !== null && !Array.isArray(workflow) ? workflow : {}
  return { ...rest, providerOptions: { ...providerOptions, workflow: { ...known, model } } }
}

/** The registry as a workflow script sees it. */
export const withScriptModels = (registry: AdapterRegistry["Service"]): AdapterRegistry["Service"] => ({
  ...registry,
  resolve: (options) => {
    const { model } = options
    if (model === undefined) return registry.resolve(options)
    const named = Effect.tap(registry.resolve(options), (identity) => registry.bind(identity.model ?? model))
    return Effect.catchIf(
      named,
      ({ code }) => code === "unknown_model",
      () => registry.resolve(nested(options, model))
    ).pipe(
      // A model that is known and lacks its key is still that model: the call says what is missing.
      Effect.catchIf(
        ({ code }) => code !== "unknown_profile",
        () => registry.resolve(options)
      )
    )
  }
})
