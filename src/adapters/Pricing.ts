// Pricing: what a call cost, and the most it can cost before it is made. Prices come with a binding, from the
// configuration or from the kept table (PriceTable.ts); what has no price has no cost, never a cost of 0.
import { ceilNanos } from "../domain/budget/nanos.ts"
import type { Amount } from "../domain/budget/Spending.ts"
import type { ModelError, TokenUsage } from "../domain/ModelError.ts"
import type { ModelRunInput } from "../domain/ModelRun.ts"
import type { Binding, Price, Rates } from "./registry/AdapterRegistry.ts"
import { isPricedAsListed, thinkingTokens } from "./registry/providerOptions.ts"

/** Output tokens of a call that names no bound, where the model's own limit is not configured either. */
export const defaultOutputTokens = 4096

/** Every message costs a few tokens of its own, whatever it says. */
const bytesPerMessage = 64

/** The most a repair shows the model of its own wrong answer, and of what is wrong with it, in UTF-8 bytes. */
export const maxShownAnswerBytes = 8192
export const maxShownIssuesBytes = 2048
const repairFrameBytes = 512

/** What an adapter without a native schema mode says around a schema. */
const schemaFrameBytes = 512

const utf8 = new TextEncoder()
export const utf8Bytes = (text: string): number => utf8.encode(text).length

/** Rates that apply to a request of this many input tokens. */
const ratesFor = (price: Price, inputTokens: number) => {
  let rates: Rates = price
  for (const tier of price.tiers ?? []) if (inputTokens > tier.aboveInputTokens) rates = tier
  return rates
}

/**
 * US dollars of one answered request; undefined when price or usage is not known. Cached tokens without a rate of
 * their own cost what other input costs.
 */
export const costOf = (binding: Binding, usage: TokenUsage | undefined): number | undefined => {
  if (binding.price === undefined || usage === undefined) return undefined
  const { inputTokens, outputTokens } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const rates = ratesFor(binding.price, inputTokens)
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens)
  const written = Math.min(usage.cacheWriteInputTokens ?? 0, inputTokens - cached)
  const input =
    (inputTokens - cached - written) * rates.inputUsdPerMillion +
    cached * (rates.cachedInputUsdPerMillion ?? rates.inputUsdPerMillion) +
    written * (rates.cacheWriteUsdPerMillion ?? rates.inputUsdPerMillion)
  return (input + outputTokens * rates.outputUsdPerMillion) / 1_000_000
}

/** What an answered request of the call cost; undefined also where its options change the price. */
export const costOfAnswer = (
  binding: Binding,
  input: ModelRunInput,
  usage: TokenUsage | undefined
): number | undefined => (isPricedAsListed(input.providerOptions) ? costOf(binding, usage) : undefined)

/** The bound of output tokens that is sent: the call's own, else the model's in the configuration, else 4,096. */
export const sentOutputBound = (binding: Binding, input: ModelRunInput): number =>
  input.maxOutputTokens ?? binding.maxOutputTokens ?? defaultOutputTokens

/** The most output tokens a request can be billed: the bound that is sent, and the thinking that comes on top. */
export const outputBound = (binding: Binding, input: ModelRunInput): number =>
  sentOutputBound(binding, input) + thinkingTokens(input.providerOptions)

/** Upper bound of the input tokens of one request: a token is at least one byte. */
export const inputBound = (input: ModelRunInput): number =>
  utf8Bytes(input.prompt) +
  bytesPerMessage +
  (input.system === undefined ? 0 : utf8Bytes(input.system) + bytesPerMessage) +
  (input.schema === undefined ? 0 : utf8Bytes(JSON.stringify(input.schema)) + schemaFrameBytes) +
  (input.providerOptions === undefined ? 0 : utf8Bytes(JSON.stringify(input.providerOptions)))

/** The dearest rates that a request of at most this many input tokens can be billed at. */
const dearestUpTo = (
  price: Price,
  inputTokens: number
): { readonly input: number; readonly output: number } => {
  let input = 0
  let output = 0
  for (const rates of [price, ...(price.tiers ?? []).filter((tier) => tier.aboveInputTokens < inputTokens)]) {
    const { cacheWriteUsdPerMillion = 0, cachedInputUsdPerMillion = 0, inputUsdPerMillion } = rates
    input = Math.max(input, inputUsdPerMillion, cacheWriteUsdPerMillion, cachedInputUsdPerMillion)
    output = Math.max(output, rates.outputUsdPerMillion)
  }
  return { input, output }
}

/**
 * The most one attempt can cost, in US dollars: bytes of all that is sent and the output bound, at the dearest rates
 * that so many input tokens can reach. Undefined without a known price.
 */
export const reserveUsd = (binding: Binding, input: ModelRunInput): number | undefined => {
  if (binding.adapter.reserveUsd !== undefined) return binding.adapter.reserveUsd(input)
  if (binding.adapter.free) return 0
  if (binding.price === undefined) return undefined
  const tokens = inputBound(input)
  const rates = dearestUpTo(binding.price, tokens)
  return (tokens * rates.input + outputBound(binding, input) * rates.output) / 1_000_000
}

/** The most one attempt can cost and bring; undefined where it is free. A person is. */
export const worstOfAttempt = (binding: Binding, input: ModelRunInput): Amount | undefined => {
  if (binding.adapter.free) return undefined
  const usd = reserveUsd(binding, input)
  const output = outputBound(binding, input)
  return {
    usd: usd === undefined ? undefined : ceilNanos(usd),
    outputTokens: output,
    tokens: output + inputBound(input)
  }
}

/**
 * The most a call can cost that is answered at the first attempt of its dearest link, after that many repairs. For
 * forecasts: nothing is held for it. Undefined when a link has no known price.
 */
export const forecastUsd = (
  chain: ReadonlyArray<Binding>,
  input: ModelRunInput,
  maxRepairs: number
): number | undefined => {
  const repairs = input.schema === undefined ? 0 : maxRepairs
  const shown = maxShownAnswerBytes + maxShownIssuesBytes + repairFrameBytes
  let total = 0
  for (const binding of chain) {
    const first = reserveUsd(binding, input)
    if (first === undefined) return undefined
    const rates =
      binding.price === undefined ? undefined : dearestUpTo(binding.price, inputBound(input) + shown)
    const again = binding.adapter.free ? 0 : first + (shown * (rates?.input ?? 0)) / 1_000_000
    total = Math.max(total, first + repairs * again)
  }
  return total
}

/** What a failed attempt is known to have cost: 0 where nothing was billed, undefined where that is not known. */
export const costOfFailure = (
  binding: Binding,
  error: ModelError,
  input?: ModelRunInput
): number | undefined => {
  if (error.costUsd !== undefined) return error.costUsd
  if (binding.adapter.free) return 0
  if (error.usage !== undefined) {
    return isPricedAsListed(input?.providerOptions) ? costOf(binding, error.usage) : undefined
  }
  return mayBeBilled(error) ? undefined : 0
}

const neverSent = new Set<ModelError["code"]>([
  "circuit_open",
  "invalid_input",
  "budget_exceeded",
  "not_available",
  "awaiting_answer"
])

/** An answer with an error status is not billed by any provider; one that was cut off, or never came, may be. */
const mayBeBilled = (error: ModelError): boolean => {
  if (neverSent.has(error.code)) return false
  if (error.httpStatus !== undefined && error.httpStatus >= 300) return false
  if (error.sent === false) return false
  return true
}
