// What `providerOptions` may say. They go to the provider nearly as they are, so that without a rule they could say
// again what the engine has decided, or make a call dearer than what was reserved for it. Pure; who asks is the
// waist (every call) and Pricing (its worst case).
import type { Json } from "../../domain/json/canonicalJson.ts"
import { asObject } from "../classify/readJson.ts"

export type ProviderOptions = Readonly<Record<string, Json>>

/** `max_output_tokens`, `maxOutputTokens` and `max-output-tokens` are one name. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const words = (...lines: ReadonlyArray<string>): ReadonlySet<string> => new Set(lines.join(" ").split(" "))

/** What the engine decides, and where it is to be said instead. */
const decided: ReadonlyArray<readonly [instead: string, names: ReadonlySet<string>]> = [
  ["use the call's model", words("model models modelid modelname engine fallbacks")],
  ["use the call's prompt", words("prompt messages input contents history suffix continuationtoken")],
  [
    "use the call's system",
    words("system systemprompt systeminstruction systemmessage instructions developer")
  ],
  [
    "one answer is asked for",
    words(
      "n bestof candidatecount numcandidates samplecount",
      "numreturnsequences numcompletions numgenerations"
    )
  ],
  ["answers are read whole", words("stream streamoptions background")],
  [
    "use the call's schema",
    words(
      "schema jsonschema jsonobject responseformat responseschema responsejsonschema responsemimetype text",
      "textformat outputformat outputconfig outputschema format grammar",
      "guidedjson guidedregex guidedchoice guidedgrammar"
    )
  ]
]

/** `max_tokens`, `maxCompletionTokens`, `max_new_tokens`, `num_predict`, … */
const boundsOutput = (name: string): boolean =>
  (name.startsWith("max") && name.includes("token", 3)) ||
  /^(?:max(?:gen|new|output|completion|response)?len(?:gth)?|num?predict)$/.test(name)

/** Members that some servers read as if their own members stood at the top. */
const containers = words("options extrabody generationconfig parameters config")

/**
 * The first member that would say again what the engine decides, as words; undefined where there is none. The call
 * says these things in its own options, where they are counted and part of what it is.
 */
export const optionProblem = (
  options: ProviderOptions | undefined,
  path = "providerOptions"
): string | undefined => {
  for (const [name, value] of Object.entries(options ?? {})) {
    const word = plain(name)
    const instead = boundsOutput(word)
      ? "use the call's maxOutputTokens"
      : decided.find(([, names]) => names.has(word))?.[0]
    const member = `${path}.${name}`
    if (instead !== undefined) return `${member} is not for providerOptions: ${instead}`
    const inner = containers.has(word) ? optionProblem(asObject(value), member) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Options that cannot raise what a request costs beyond its input, its output bound and thinkingTokens. */
const harmless = words(
  // Alembic's own, and how a schema or a system text is passed on.
  "alembic api structuredoutputs workflow strictjsonschema structuredoutputmode",
  // Thinking within the output bound, or with a budget that thinkingTokens counts.
  "thinking thinkingconfig reasoning reasoningeffort effort forcereasoning sendreasoning",
  // Sampling.
  "temperature topp topk topa minp typicalp seed randomseed stop stopsequences presencepenalty frequencypenalty",
  "repetitionpenalty repeatpenalty logitbias logprobs toplogprobs ignoreeos mintokens textverbosity verbosity",
  // Who asks, what is kept, what is filtered.
  "user metadata labels safetyidentifier store safetysettings threshold safeprompt promptcachekey",
  "paralleltoolcalls disableparalleltooluse truncation keepalive"
)

/** Options under which a token does not cost what the price table says, or not only tokens cost. */
const repriced = words(
  "servicetier speed inferencegeo sharedrequesttype requesttype performanceconfig anthropicbeta cachecontrol tools",
  "websearchoptions searchparameters plugins mcpservers container provider route transforms extrabody",
  "promptcacheretention reasoningmode"
)

const ordinaryTier = new Set<Json>(["default", "standard", "standard_only"])

const isOrdinaryTier = (word: string, value: Json): boolean =>
  word === "servicetier" && ordinaryTier.has(value)

const dearer = (member: string): string =>
  `${member} cannot be used under a cost bound: it may make the call dearer than is known`

const thinkers = words("thinking thinkingconfig reasoning")
const budgets = words("budgettokens thinkingbudget maxtokens")
const thinkingWords = words("type display enabled exclude effort summary includethoughts thinkinglevel")

/** A member of a thinking option that is neither harmless nor a budget that can be counted. */
const thinkingProblem = (value: Json, path: string): string | undefined => {
  const unknown = Object.entries(asObject(value) ?? {}).find(([name, member]) =>
    budgets.has(plain(name))
      ? typeof member !== "number"
      : !thinkingWords.has(plain(name)) || asObject(member) !== undefined || Array.isArray(member)
  )
  return unknown === undefined ? undefined : dearer(`${path}.${unknown[0]}`)
}

/**
 * The first member that may make the call dearer than its reserve, as words. An allow-list: what is not known to be
 * harmless may raise the cost.
 */
export const costProblem = (options: ProviderOptions | undefined): string | undefined => {
  for (const [name, value] of Object.entries(options ?? {})) {
    const word = plain(name)
    const member = `providerOptions.${name}`
    if (!harmless.has(word) && !isOrdinaryTier(word, value)) return dearer(member)
    const inner = thinkers.has(word) ? thinkingProblem(value, member) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Whether what the answer cost follows from its tokens and the table's price. */
export const isPricedAsListed = (options: ProviderOptions | undefined): boolean =>
  Object.entries(options ?? {}).every(([name, value]) => {
    const word = plain(name)
    return !repriced.has(word) || isOrdinaryTier(word, value)
  })

/** What the Anthropic package asks for where thinking is enabled without a budget. */
const unsaidBudget = 1024

/** Output tokens that a thinking budget adds to the output bound of a request. */
export const thinkingTokens = (options: ProviderOptions | undefined): number => {
  let tokens = 0
  for (const [name, value] of Object.entries(options ?? {})) {
    const option = thinkers.has(plain(name)) ? asObject(value) : undefined
    if (option === undefined) continue
    const given = Object.entries(option).flatMap(([member, budget]) =>
      budgets.has(plain(member)) && typeof budget === "number" ? [Math.max(0, Math.ceil(budget))] : []
    )
    tokens +=
      given.length === 0 && option["type"] === "enabled"
        ? unsaidBudget
        : given.reduce((sum, one) => sum + one, 0)
  }
  return tokens
}
