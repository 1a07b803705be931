// The shared provider cases as typed values, and the one way an attempt's end is compared with what a case expects.
import { assert } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import type { AttemptSuccess } from "../../src/adapters/Adapter.ts"
import { breakerOutcome, ErrorCode, type ModelError } from "../../src/domain/ModelError.ts"

const Outcome = Schema.Struct({
  ok: Schema.Boolean,
  code: Schema.NullOr(ErrorCode),
  retryable: Schema.Boolean,
  breaker: Schema.Literals(["success", "failure", "neutral"]),
  retryAfterMs: Schema.optionalKey(Schema.Number),
  text: Schema.optionalKey(Schema.String),
  usage: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
  costUsd: Schema.optionalKey(Schema.Number),
  finishReason: Schema.optionalKey(Schema.String),
  truncated: Schema.optionalKey(Schema.Boolean),
  modelVersionUsed: Schema.optionalKey(Schema.String),
  clock: Schema.optionalKey(Schema.String)
})

const ProviderCase = Schema.Struct({
  id: Schema.String,
  provider: Schema.Literals(["openai", "anthropic", "gemini", "openai-compatible", "command"]),
  why: Schema.String,
  cli: Schema.optionalKey(Schema.String),
  http: Schema.optionalKey(
    Schema.Struct({
      status: Schema.Int,
      headers: Schema.Record(Schema.String, Schema.String),
      body: Schema.String,
      bodyEncoding: Schema.optionalKey(Schema.Literal("base64")),
      fault: Schema.optionalKey(Schema.String)
    })
  ),
  request: Schema.optionalKey(Schema.Struct({ apiKey: Schema.optionalKey(Schema.String) })),
  process: Schema.optionalKey(
    Schema.Struct({
      exitCode: Schema.NullOr(Schema.Int),
      signal: Schema.NullOr(Schema.String),
      stdout: Schema.String,
      stdoutEncoding: Schema.optionalKey(Schema.Literal("base64")),
      stderr: Schema.String,
      killedBy: Schema.optionalKey(Schema.String),
      fault: Schema.optionalKey(Schema.String),
      spawnError: Schema.optionalKey(
        Schema.Struct({
          code: Schema.String,
          syscall: Schema.String,
          thrownSynchronously: Schema.optionalKey(Schema.Boolean)
        })
      )
    })
  ),
  expect: Outcome
})
export type ProviderCase = typeof ProviderCase.Type

const decodeCases = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(ProviderCase)))

/** All cases of a case file under test/fixtures, numbered in their order. */
export const readProviderCases = (
  file: URL
): ReadonlyArray<{ readonly name: string; readonly it: ProviderCase }> =>
  decodeCases(readFileSync(file, "utf8")).map((it, index) => ({
    name: `P${String(index + 1).padStart(3, "0")} ${it.id}: ${it.why}`,
    it
  }))

export const sharedCases = new URL("../fixtures/cases/provider.json", import.meta.url)

export const bytesOf = (text: string, encoding: "base64" | undefined): Uint8Array =>
  Buffer.from(text, encoding ?? "utf8")

/** Fails the test unless the attempt ended as expected. What a case does not name must be absent where it counts. */
export const assertOutcome = (
  outcome: Result.Result<AttemptSuccess, ModelError>,
  expected: ProviderCase["expect"]
): void => {
  if (Result.isSuccess(outcome)) {
    const answer = outcome.success
    assert.isTrue(expected.ok, `an answer where ${expected.code} was expected: ${JSON.stringify(answer)}`)
    assert.strictEqual(answer.text, expected.text)
    if (expected.finishReason !== undefined) assert.strictEqual(answer.finishReason, expected.finishReason)
    assert.strictEqual(answer.finishReason === "length", expected.truncated === true)
    if (expected.modelVersionUsed !== undefined)
      assert.strictEqual(answer.modelVersionUsed, expected.modelVersionUsed)
    if (expected.usage === undefined) assert.isUndefined(answer.usage)
    else assert.deepInclude(answer.usage, expected.usage)
    assert.strictEqual(answer.costUsd, expected.costUsd)
    return
  }
  const error = outcome.failure
  assert.isFalse(expected.ok, `${error.code} where an answer was expected: ${error.message}`)
  assert.deepStrictEqual(
    {
      code: error.code,
      retryable: error.retryable,
      breaker: error.breaker ?? breakerOutcome(error.code),
      retryAfterMs: error.retryAfterMs
    },
    {
      code: expected.code ?? undefined,
      retryable: expected.retryable,
      breaker: expected.breaker,
      retryAfterMs: expected.retryAfterMs
    },
    error.message
  )
  if (expected.usage !== undefined) assert.deepInclude(error.usage, expected.usage)
  if (expected.finishReason !== undefined)
    assert.deepInclude(error.detail, { finishReason: expected.finishReason })
}
