// Fixtures: the scripted answers of the offline adapter, as a file or a value. Shape only, checked with the path of
// what is wrong; matching and answering is providers/offline.ts's.
import { Effect, Result, Schema } from "effect"
import { canonicalJson } from "../domain/canonicalJson.ts"
import { sha256 } from "../domain/fingerprint.ts"
import { ErrorCode, TokenUsage } from "../domain/ModelError.ts"

const NonNegative = Schema.Number.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

const isRegularExpression = Schema.makeFilter<string>((source) =>
  Result.isSuccess(Result.try(() => new RegExp(source, "u"))) ? undefined : "a regular expression (flag u)"
)

/** On the prompt, except `key`: on the call's cache key, in hex. */
export const FixtureMatch = Schema.Union([
  Schema.Struct({ exact: Schema.String }),
  Schema.Struct({ includes: Schema.String }),
  Schema.Struct({ regex: Schema.String.pipe(Schema.check(isRegularExpression)) }),
  Schema.Struct({ key: Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]+$/))) })
])
export type FixtureMatch = typeof FixtureMatch.Type

export const FixtureAnswer = Schema.Union([
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({ object: Schema.Json }),
  Schema.Struct({
    failure: Schema.Struct({
      code: ErrorCode,
      message: Schema.String,
      retryAfterMs: Schema.optionalKey(NonNegative)
    })
  }),
  Schema.Struct({ hang: Schema.Literal(true) })
])
export type FixtureAnswer = typeof FixtureAnswer.Type

/** `delayMs` is waited for on the Clock before the answer. A rule with `times` answers that often, then no more. */
export const FixtureRule = Schema.Struct({
  match: FixtureMatch,
  answer: FixtureAnswer,
  usage: Schema.optionalKey(TokenUsage),
  costUsd: Schema.optionalKey(NonNegative),
  delayMs: Schema.optionalKey(NonNegative),
  times: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))))
})
export type FixtureRule = typeof FixtureRule.Type

/** The first rule that matches answers; without one `default`, in whose text `{{prompt}}` is the prompt. */
export const Fixtures = Schema.Struct({
  rules: Schema.Array(FixtureRule),
  default: Schema.optionalKey(FixtureAnswer)
})
export type Fixtures = typeof Fixtures.Type

/** Fixtures that are none. `message` names the path. */
export class FixturesError extends Schema.TaggedError<FixturesError>()("FixturesError", {
  message: Schema.String
}) {}

const options = { onExcessProperty: "error", errors: "all" } as const
const decodeValue = Schema.decodeUnknownEffect(Fixtures)
const decodeText = Schema.decodeUnknownEffect(Schema.fromJsonString(Fixtures))

export const readFixtures = (value: unknown): Effect.Effect<Fixtures, FixturesError> =>
  decodeValue(value, options).pipe(Effect.mapError(({ message }) => new FixturesError({ message })))

/** From the text of a fixtures file. */
export const parseFixtures = (text: string): Effect.Effect<Fixtures, FixturesError> =>
  decodeText(text.replace(/^\uFEFF/, ""), options).pipe(
    Effect.mapError(({ message }) => new FixturesError({ message }))
  )

/** SHA-256 of their canonical JSON: part of a run's identity. */
export const fixturesHash = (fixtures: Fixtures): string =>
  sha256(Result.getOrElse(canonicalJson(fixtures), () => JSON.stringify(fixtures)))
