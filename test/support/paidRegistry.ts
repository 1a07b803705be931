// A registry whose one adapter costs money, and counts: the only trusted witness of a call made twice.
import { Effect, Layer } from "effect"
import type { Adapter, AttemptSuccess } from "../../src/adapters/Adapter.ts"
import { AdapterRegistry, type Price } from "../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import type { ModelError } from "../../src/domain/ModelError.ts"
import type { ModelRunInput } from "../../src/domain/ModelRun.ts"

export interface PaidOptions {
  readonly answer?: (input: ModelRunInput, made: number) => Effect.Effect<AttemptSuccess, ModelError>
  readonly hasSideEffects?: boolean
  readonly free?: boolean
  /** `unknown`: it has none. */
  readonly price?: Price | "unknown"
}

export const said = (text: string): AttemptSuccess => ({
  text,
  finishReason: "stop",
  usage: { inputTokens: 10, outputTokens: 5 }
})

/** `made` lists every attempt's prompt, in order; `keys` its idempotency key. */
export const paidRegistry = (options: PaidOptions = {}) => {
  const made: Array<string> = []
  const keys: Array<string> = []
  const adapter: Adapter = {
    id: "paid",
    free: options.free ?? false,
    hasSideEffects: options.hasSideEffects ?? false,
    attempt: (input) =>
      Effect.suspend(() => {
        made.push(input.prompt)
        keys.push(input.idempotencyKey ?? "")
        return options.answer?.(input, made.length) ?? Effect.succeed(said(`echo:${input.prompt}`))
      })
  }
  const price = options.price ?? { inputUsdPerMillion: 1, outputUsdPerMillion: 2 }
  const layer = Layer.succeed(AdapterRegistry, {
    resolve: (given) => Effect.succeed(identityOf(given, given.model ?? "paid:m")),
    bind: () => Effect.succeed([{ adapter, modelId: "m", ...(price === "unknown" ? {} : { price }) }]),
    identity: { default: "paid:m" }
  })
  return { made, keys, layer }
}
