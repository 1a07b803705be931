// The kept price table (@pydantic/genai-prices), as it was installed: loaded when a price is first asked for, never
// refreshed over the network, so that the same version gives the same prices.
import { Clock, Effect } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Price, Rates } from "../registry/AdapterRegistry.ts"

/** The table's own names of providers. */
const tableProviders: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google"
}

interface Tiered {
  readonly base: number
  readonly tiers: ReadonlyArray<{ readonly start: number; readonly price: number }>
}

const isTiered = (value: unknown): value is Tiered =>
  typeof value === "object" && value !== null && "base" in value && "tiers" in value

/** The rate for requests of more than `above` input tokens. */
const rateAbove = (value: unknown, above: number): number | undefined => {
  if (typeof value === "number") return value
  if (!isTiered(value)) return undefined
  const reached = value.tiers.filter(({ start }) => start <= above)
  return reached.at(-1)?.price ?? value.base
}

const ratesAbove = (prices: Readonly<Record<string, unknown>>, above: number): Rates | undefined => {
  const input = rateAbove(prices["input_mtok"], above)
  const output = rateAbove(prices["output_mtok"], above)
  const cached = rateAbove(prices["cache_read_mtok"], above)
  const written = rateAbove(prices["cache_write_mtok"], above)
  if (input === undefined || output === undefined) return undefined
  return {
    inputUsdPerMillion: input,
    outputUsdPerMillion: output,
    ...defined({ cachedInputUsdPerMillion: cached, cacheWriteUsdPerMillion: written })
  }
}

/** From the table's form to ours; undefined when it does not price input and output tokens. */
export const priceOf = (prices: Readonly<Record<string, unknown>>): Price | undefined => {
  const base = ratesAbove(prices, -1)
  if (base === undefined) return undefined
  const starts = [
    ...new Set(
      Object.values(prices).flatMap((value) => (isTiered(value) ? value.tiers.map(({ start }) => start) : []))
    )
  ].sort((a, b) => a - b)
  const tiers = starts.flatMap((start) => {
    const rates = ratesAbove(prices, start)
    return rates === undefined ? [] : [{ aboveInputTokens: start, ...rates }]
  })
  return tiers.length === 0 ? base : { ...base, tiers }
}

/**
 * The price of a provider's model today, or undefined. Of a base URL only those that the table knows (OpenRouter
 * and such) are priced where `provider` is openai-compatible.
 */
export const lookupPrice = Effect.fnUntraced(
  function* (
    provider: string,
    modelId: string,
    baseUrl: string | undefined
  ): Effect.fn.Return<Price | undefined, unknown> {
    const providerId = tableProviders[provider]
    if (providerId === undefined && baseUrl === undefined) return undefined
    const now = yield* Clock.currentTimeMillis
    const { calcPrice } = yield* Effect.tryPromise(() => import("@pydantic/genai-prices"))
    const where = providerId === undefined ? { providerApiUrl: baseUrl ?? "" } : { providerId }
    const found = yield* Effect.try({
      try: () =>
        calcPrice({ input_tokens: 1, output_tokens: 1 }, modelId, { timestamp: new Date(now), ...where }),
      catch: (cause) => cause
    })
    return found === null ? undefined : priceOf(found.model_price)
  },
  // No table, or a model it cannot read: the price is unknown, which is what undefined says.
  Effect.catch(() => Effect.succeed(undefined))
)
