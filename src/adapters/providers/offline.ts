// The offline adapter: no network, no cost, the same answer to the same question. It answers from fixtures, and
// what they leave open from the prompt's hash. It is a real adapter: the spine treats it like any other.
import { Effect, Result } from "effect"
import { defined } from "../../domain/defined.ts"
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { makeError } from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import type { Adapter, AttemptSuccess } from "../Adapter.ts"
import type { FixtureAnswer, FixtureMatch, FixtureRule, Fixtures } from "../registry/Fixtures.ts"
import { linearPattern, maxPatternSteps } from "../../schema/pattern/linearPattern.ts"
import { schemaProblems } from "../../schema/schemaProblems.ts"
import { sampleOf } from "../../schema/schemaSample.ts"

const matcher = (match: FixtureMatch): ((input: ModelRunInput) => boolean) => {
  const { exact, includes, key, regex } = match
  if (exact !== undefined) return ({ prompt }) => prompt === exact
  if (includes !== undefined) return ({ prompt }) => prompt.includes(includes)
  if (key !== undefined) return ({ cacheKey }) => cacheKey === key
  if (regex === undefined) return () => false
  const { steps, test } = Result.getOrThrow(linearPattern(regex))
  return ({ prompt }) => steps(prompt.length) <= maxPatternSteps && test(prompt)
}

/** Four bytes a token: a made-up answer still shows in a forecast what a real one might use. */
const tokens = (text: string): number => Math.ceil(text.length / 4)

const madeText = (
  input: ModelRunInput,
  seed: string
): Result.Result<string, ReturnType<typeof makeError>> => {
  const { schema } = input
  if (schema === undefined) return Result.succeed(`offline answer ${seed.slice(0, 12)}`)
  // A schema with problems is refused by the spine; what is said to it is of no account.
  if (schemaProblems(schema).length > 0) return Result.succeed("null")
  return Result.mapBoth(sampleOf(schema, seed), {
    onSuccess: canonicalJsonOf,
    onFailure: ({ message }) =>
      makeError("invalid_input", `no answer can be made up for the schema: ${message}`)
  })
}

/** An answer made up by rule: it depends on what was asked and on nothing else. */
const derived = (input: ModelRunInput): Result.Result<AttemptSuccess, ReturnType<typeof makeError>> => {
  const { prompt, schema, system } = input
  return Result.map(madeText(input, sha256(canonicalJsonOf({ prompt, system, schema }))), (text) => ({
    text,
    finishReason: "stop" as const,
    usage: { inputTokens: tokens(prompt) + tokens(system ?? ""), outputTokens: tokens(text) },
    costUsd: 0
  }))
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
  const billed = { ...defined({ usage: rule?.usage }), costUsd: rule?.costUsd ?? 0 }
  const finishReason = rule?.finishReason ?? "stop"
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
    return Effect.succeed({ text: canonicalJsonOf(given.object), finishReason, ...billed })
  }
  // Only the default is a template: a rule's text is what it says.
  const said = given.text ?? ""
  const text = rule === undefined ? said.replaceAll("{{prompt}}", () => input.prompt) : said
  return Effect.succeed({ text, finishReason, ...billed })
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
        ? Effect.fromResult(derived(input))
        : answer(fixtures.default, input, undefined)
    })

  /** The dearest matching rule. */
  const reserveUsd = (input: ModelRunInput): number => {
    const matching = rules.filter(({ left, matches }) => left > 0 && matches(input))
    return Math.max(0, ...matching.map(({ rule }) => rule.costUsd ?? 0))
  }

  return { id: "offline", free: true, hasSideEffects: false, attempt, reserveUsd }
}
