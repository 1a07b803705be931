// Fixtures: the scripted answers of the offline adapter, as a file or a value. Shape only, checked with the path of
// what is wrong; matching and answering is providers/offline.ts's.
import { Effect, Result, Schema } from "effect"
import { canonicalJson } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { ErrorCode, TokenUsage } from "../../domain/ModelError.ts"
import { issuesText } from "../../domain/schemaIssues.ts"
import { linearPattern } from "../../schema/pattern/linearPattern.ts"
import { userJson, withoutSchema } from "../../domain/json/userJson.ts"

const NonNegative = Schema.Finite.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

const isRegularExpression = Schema.makeFilter<string>((source) =>
  Result.match(linearPattern(source), {
    onFailure: ({ problem }) => `a pattern that can be matched in linear time (${problem})`,
    onSuccess: () => undefined
  })
)

const exactlyOne = Schema.makeFilter<object>((value) => {
  const given = Object.keys(value).length
  return given === 1 ? undefined : `exactly one of its keys is wanted, ${given} are given`
})

/** Exactly one of these. On the prompt, except `key`: on the call's cache key, in hex. */
export const FixtureMatch = Schema.Struct({
  exact: Schema.optionalKey(Schema.String),
  includes: Schema.optionalKey(Schema.String),
  regex: Schema.optionalKey(Schema.String.pipe(Schema.check(isRegularExpression))),
  key: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]+$/u))))
}).pipe(Schema.check(exactlyOne))
export type FixtureMatch = typeof FixtureMatch.Type

/** Exactly one of these. */
export const FixtureAnswer = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  object: Schema.optionalKey(Schema.Json),
  failure: Schema.optionalKey(
    Schema.Struct({
      code: ErrorCode,
      message: Schema.String,
      retryAfterMs: Schema.optionalKey(NonNegative)
    })
  ),
  hang: Schema.optionalKey(Schema.Literal(true))
}).pipe(Schema.check(exactlyOne))
export type FixtureAnswer = typeof FixtureAnswer.Type

/**
 * `delayMs` is waited for on the Clock before the answer. A rule with `times` answers that often, then no more.
 * `finishReason`: how the answer ended, `stop` unless given; `length` is one that was cut.
 */
export const FixtureRule = Schema.Struct({
  match: FixtureMatch,
  answer: FixtureAnswer,
  usage: Schema.optionalKey(TokenUsage),
  costUsd: Schema.optionalKey(NonNegative),
  finishReason: Schema.optionalKey(Schema.Literals(["stop", "length"])),
  delayMs: Schema.optionalKey(NonNegative),
  times: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))))
})
export type FixtureRule = typeof FixtureRule.Type

/** The first rule that matches answers; without one `default`, in whose text `{{prompt}}` is the prompt. */
export const Fixtures = Schema.Struct({
  rules: Schema.optionalKey(Schema.Array(FixtureRule)),
  default: Schema.optionalKey(FixtureAnswer)
})
export type Fixtures = typeof Fixtures.Type

/** Fixtures that are none. `message` names the path. */
export class FixturesError extends Schema.TaggedError<FixturesError>()("FixturesError", {
  message: Schema.String
}) {}

const options = { onExcessProperty: "error", errors: "all" } as const
const decodeValue = Schema.decodeUnknownEffect(Fixtures)

export const readFixtures = (value: unknown): Effect.Effect<Fixtures, FixturesError> =>
  decodeValue(withoutSchema(value), options).pipe(
    Effect.mapError((error) => new FixturesError({ message: issuesText(error) }))
  )

/** From the text of a fixtures file. */
export const parseFixtures = (text: string): Effect.Effect<Fixtures, FixturesError> =>
  Effect.fromResult(userJson(text)).pipe(
    Effect.mapError(({ message }) => new FixturesError({ message: `not JSON: ${message}` })),
    Effect.flatMap(readFixtures)
  )

/** SHA-256 of their canonical JSON: part of a run's identity. */
export const fixturesHash = (fixtures: Fixtures): string =>
  sha256(Result.getOrElse(canonicalJson(fixtures), () => JSON.stringify(fixtures)))
