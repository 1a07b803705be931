// Token counts as each provider means them, read from foreign JSON. Garbage gives absent, never 0, never NaN,
// and never fails a good answer. Prices are elsewhere.
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { TokenUsage } from "../../domain/ModelError.ts"
import { asObject, at } from "./readJson.ts"

/** A count: a non-negative safe integer, or a string of digits. Anything else is garbage. */
export const readCount = (value: Json | undefined): number | undefined => {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** A part that may be missing or null (then 0); undefined where it is there but garbage. */
const readPart = (value: Json | undefined): number | undefined =>
  value === undefined || value === null ? 0 : readCount(value)

interface Counts {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly total?: number | undefined
  readonly cached?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

/** Without both sides there is no usage: half a count priced would be a wrong price. */
const makeUsage = ({
  cacheWrite,
  cached,
  input,
  output,
  reasoning,
  total
}: Counts): TokenUsage | undefined => {
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const part = (value: number | undefined, whole: number) =>
    value !== undefined && value > 0 && value <= whole ? value : undefined
  const cachedInputTokens = part(cached, input)
  const cacheWriteInputTokens = part(cacheWrite, input)
  const reasoningTokens = part(reasoning, output)
  return {
    inputTokens: input,
    outputTokens: output,
    ...(total !== undefined && total >= input && { totalTokens: total }),
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cacheWriteInputTokens !== undefined && { cacheWriteInputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens })
  }
}

/** OpenAI (chat and Responses) and compatible: the prompt count includes the cached tokens. */
export const readOpenAiUsage = (usage: Json | undefined): TokenUsage | undefined =>
  asObject(usage) === undefined
    ? undefined
    : makeUsage({
        input: readCount(at(usage, "prompt_tokens") ?? at(usage, "input_tokens")),
        output: readCount(at(usage, "completion_tokens") ?? at(usage, "output_tokens")),
        total: readCount(at(usage, "total_tokens")),
        cached: readCount(
          at(usage, "prompt_tokens_details", "cached_tokens") ??
            at(usage, "input_tokens_details", "cached_tokens") ??
            at(usage, "prompt_cache_hit_tokens") ??
            at(usage, "cached_input_tokens")
        ),
        reasoning: readCount(
          at(usage, "completion_tokens_details", "reasoning_tokens") ??
            at(usage, "output_tokens_details", "reasoning_tokens") ??
            at(usage, "reasoning_output_tokens")
        )
      })

/** Anthropic: `input_tokens` excludes what was read from and written to the cache; ours is the grand total. */
export const readAnthropicUsage = (usage: Json | undefined): TokenUsage | undefined => {
  if (asObject(usage) === undefined) return undefined
  const plain = readCount(at(usage, "input_tokens"))
  const cached = readPart(at(usage, "cache_read_input_tokens"))
  const cacheWrite = readPart(at(usage, "cache_creation_input_tokens"))
  const known = plain !== undefined && cached !== undefined && cacheWrite !== undefined
  return makeUsage({
    input: known ? plain + cached + cacheWrite : undefined,
    output: readCount(at(usage, "output_tokens")),
    cached,
    cacheWrite,
    reasoning: readCount(at(usage, "output_tokens_details", "thinking_tokens"))
  })
}

/** Gemini: the prompt count includes cached tokens, the candidates' count excludes the thoughts. */
export const readGeminiUsage = (usage: Json | undefined): TokenUsage | undefined => {
  if (asObject(usage) === undefined) return undefined
  const prompt = readCount(at(usage, "promptTokenCount"))
  const toolPrompt = readPart(at(usage, "toolUsePromptTokenCount"))
  const thoughts = readPart(at(usage, "thoughtsTokenCount"))
  const listed = at(usage, "candidatesTokenCount")
  // A candidate without any text has no count of its own; then the thoughts are all there was.
  const candidates =
    listed === undefined && at(usage, "thoughtsTokenCount") !== undefined ? 0 : readCount(listed)
  return makeUsage({
    input: prompt === undefined || toolPrompt === undefined ? undefined : prompt + toolPrompt,
    output: candidates === undefined || thoughts === undefined ? undefined : candidates + thoughts,
    total: readCount(at(usage, "totalTokenCount")),
    cached: readCount(at(usage, "cachedContentTokenCount")),
    reasoning: thoughts
  })
}

/** Ollama's own format. */
export const readOllamaUsage = (body: Json | undefined): TokenUsage | undefined =>
  makeUsage({ input: readCount(at(body, "prompt_eval_count")), output: readCount(at(body, "eval_count")) })

/** What the provider says it billed, in US dollars. */
export const readCost = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
