// Pricing: what a call cost, and the most it can cost before it is made. Prices come with a binding, from the
// configuration or from the kept table (PriceTable.ts); what has no price has no cost, never a cost of 0.
import type { ModelError, TokenUsage } from "../domain/ModelError.ts"
import type { ModelRunInput } from "../domain/ModelRun.ts"
import type { ReservePolicy } from "./Adapter.ts"
import type { Binding, Price, Rates } from "./AdapterRegistry.ts"
import { isPricedAsListed, thinkingTokens } from "./providerOptions.ts"

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

const dearest = (price: Price): { readonly input: number; readonly output: number } => {
  let input = 0
  let output = 0
  for (const rates of [price, ...(price.tiers ?? [])]) {
    input = Math.max(input, rates.inputUsdPerMillion, rates.cacheWriteUsdPerMillion ?? 0)
    output = Math.max(output, rates.outputUsdPerMillion)
  }
  return { input, output }
}

/** The most one link can cost; undefined without a known price. */
export const reserveOfLink = (
  binding: Binding,
  input: ModelRunInput,
  policy: ReservePolicy
): number | undefined => {
  if (binding.adapter.reserveUsd !== undefined) return binding.adapter.reserveUsd(input, policy)
  if (binding.adapter.free) return 0
  if (binding.price === undefined) return undefined
  const rates = dearest(binding.price)
  const repairs = input.schema === undefined ? 0 : policy.maxRepairs
  const requests = 1 + repairs
  const shown = repairs * (maxShownAnswerBytes + maxShownIssuesBytes + repairFrameBytes)
  const tokensIn = requests * inputBound(input) + shown
  const tokensOut = requests * outputBound(binding, input)
  return (policy.maxAttempts * (tokensIn * rates.input + tokensOut * rates.output)) / 1_000_000
}

/**
 * The most a call can cost, in US dollars: bytes of all that is sent and the output bound at the dearest rates,
 * times attempts, times one and the repairs (with what they show). Of a chain the dearest link: runBound does not
 * fall back where what may have been billed already leaves no room for the next. Undefined when a link has no
 * known price.
 */
export const reserveUsd = (
  chain: ReadonlyArray<Binding>,
  input: ModelRunInput,
  policy: ReservePolicy
): number | undefined => {
  let total = 0
  for (const binding of chain) {
    const link = reserveOfLink(binding, input, policy)
    if (link === undefined) return undefined
    total = Math.max(total, link)
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
  return true
}
