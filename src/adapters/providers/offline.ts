// The offline adapter: no network, no cost, the same answer to the same question. It answers from fixtures, and
// what they leave open from the prompt's hash. It is a real adapter: the spine treats it like any other.
import { Effect, Result } from "effect"
import { canonicalJsonOf, type Json } from "../../domain/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { makeError } from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import type { Adapter, AttemptSuccess } from "../Adapter.ts"
import type { FixtureAnswer, FixtureMatch, FixtureRule, Fixtures } from "../Fixtures.ts"
import { compileSchema } from "../structuredOutput.ts"
import { sampleOf } from "./schemaSample.ts"

const matcher = (match: FixtureMatch): ((input: ModelRunInput) => boolean) => {
  const { exact, includes, key, regex } = match
  if (exact !== undefined) return ({ prompt }) => prompt === exact
  if (includes !== undefined) return ({ prompt }) => prompt.includes(includes)
  if (key !== undefined) return ({ cacheKey }) => cacheKey === key
  if (regex === undefined) return () => false
  const pattern = new RegExp(regex, "u")
  return ({ prompt }) => pattern.test(prompt)
}

/** Four bytes a token: a made-up answer still shows in a forecast what a real one might use. */
const tokens = (text: string): number => Math.ceil(text.length / 4)

const madeText = (input: ModelRunInput, seed: string): string => {
  if (input.schema === undefined) return `offline answer ${seed.slice(0, 12)}`
  const schema = compileSchema(input.schema)
  const fits = (value: Json) => Result.isSuccess(schema) && schema.success.issuesOf(value).length === 0
  return canonicalJsonOf(sampleOf(input.schema, seed, fits))
}

/** An answer made up by rule: it depends on what was asked and on nothing else. */
const derived = (input: ModelRunInput): AttemptSuccess => {
  const { prompt, schema, system } = input
  const text = madeText(input, sha256(canonicalJsonOf({ prompt, system, schema })))
  return {
    text,
    finishReason: "stop",
    usage: { inputTokens: tokens(prompt) + tokens(system ?? ""), outputTokens: tokens(text) },
    costUsd: 0
  }
}

interface LiveRule {
  readonly rule: FixtureRule
  readonly matches: (input: ModelRunInput) => boolean
  left: number
}

const usable = (rules: ReadonlyArray<LiveRule>, input: ModelRunInput): LiveRule | undefined =>
  rules.find(({ left, matches }) => left > 0 && matches(input))

const answer = (
  given: FixtureAnswer,
  input: ModelRunInput,
  rule: FixtureRule | undefined
): Effect.Effect<AttemptSuccess, ReturnType<typeof makeError>> => {
  const billed = {
    ...(rule?.usage === undefined ? {} : { usage: rule.usage }),
    costUsd: rule?.costUsd ?? 0
  }
  if (given.hang === true) return Effect.never
  if (given.failure !== undefined) {
    const { code, message, retryAfterMs } = given.failure
    return Effect.fail(
      makeError(code, message, {
        ...billed,
        ...(retryAfterMs === undefined || retryAfterMs === 0 ? {} : { retryAfterMs })
      })
    )
  }
  if (given.object !== undefined) {
    // With a schema the spine decodes the text; without one its JSON is the text.
    return Effect.succeed({ text: canonicalJsonOf(given.object), finishReason: "stop", ...billed })
  }
  // Only the default is a template: a rule's text is what it says.
  const said = given.text ?? ""
  const text = rule === undefined ? said.replaceAll("{{prompt}}", () => input.prompt) : said
  return Effect.succeed({ text, finishReason: "stop", ...billed })
}

/**
 * A new offline adapter. Rules with `times` are used up by its attempts in the order they are made.
 * It is free: unless a fixture says that an answer costs something, everything it does costs exactly 0.
 */
export const makeOfflineAdapter = (fixtures: Fixtures = {}): Adapter => {
  const rules = (fixtures.rules ?? []).map((rule): LiveRule => ({
    rule,
    matches: matcher(rule.match),
    left: rule.times ?? Infinity
  }))

  const attempt: Adapter["attempt"] = (input) =>
    Effect.suspend(() => {
      const found = usable(rules, input)
      if (found !== undefined) {
        found.left -= 1
        const { rule } = found
        const answered = answer(rule.answer, input, rule)
        return rule.delayMs === undefined || rule.delayMs === 0
          ? answered
          : Effect.delay(answered, rule.delayMs)
      }
      return fixtures.default === undefined
        ? Effect.succeed(derived(input))
        : answer(fixtures.default, input, undefined)
    })

  /** The dearest matching rule. */
  const reserveUsd = (input: ModelRunInput): number => {
    const matching = rules.filter(({ left, matches }) => left > 0 && matches(input))
    return Math.max(0, ...matching.map(({ rule }) => rule.costUsd ?? 0))
  }

  return { id: "offline", free: true, acts: false, attempt, reserveUsd }
}
