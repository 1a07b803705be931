// Retry hints: every legal form, their order, and that garbage is absent: never 0, negative, NaN or a date that a
// host's parser made up.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  parseDuration,
  parseHttpDate,
  parseInstant,
  readRetryHint
} from "../../../src/adapters/classify/retryHint.ts"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"

const now = Date.parse("2026-01-01T00:00:00Z")

const hint = (headers: Record<string, string>, errors: ReadonlyArray<Json> = [], message?: string) =>
  readRetryHint({ headers, errors, message }, now)

const header = (value: string) => hint({ "retry-after": value })

describe("Retry-After", () => {
  const forms: ReadonlyArray<readonly [string, number | undefined]> = [
    ["6", 6000],
    ["0.5", 500],
    ["1.5", 1500],
    [" 17 ", 17_000],
    ["99999999999", 99_999_999_999_000],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Thursday, 01-Jan-26 00:01:00 GMT", 60_000],
    ["Thu Jan  1 00:00:10 2026", 10_000],
    ["0", undefined],
    ["0.0", undefined],
    ["-3", undefined],
    ["+3", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["", undefined],
    ["soon", undefined],
    ["5s", undefined],
    ["5, 6", undefined],
    ["2026", 2_026_000],
    ["2026-01-01T00:00:30Z", undefined],
    ["Wed, 31 Dec 2025 23:59:00 GMT", undefined],
    ["Thu, 01 Jan 2026 00:00:00 GMT", undefined],
    ["Thu, 32 Jan 2026 00:00:30 GMT", undefined],
    ["Thu, 01 Foo 2026 00:00:30 GMT", undefined],
    ["9".repeat(400), undefined]
  ]
  for (const [value, expected] of forms) {
    it(`${JSON.stringify(value.slice(0, 40))} is ${expected ?? "absent"}`, () =>
      assert.strictEqual(header(value), expected))
  }

  it.prop("any text gives a positive finite number of ms, or nothing", [Schema.String], ([value]) => {
    for (const ms of [
      header(value),
      hint({ "retry-after-ms": value }),
      hint({}, [], `try again in ${value}`),
      hint({}, [{ retry_after: value }])
    ]) {
      assert.isTrue(ms === undefined || (Number.isSafeInteger(ms) && ms > 0))
    }
  })
  it.prop("any number gives a positive finite number of ms, or nothing", [Schema.Number], ([value]) => {
    for (const ms of [
      header(String(value)),
      hint({}, [{ estimated_time: Number.isFinite(value) ? value : null }])
    ]) {
      assert.isTrue(ms === undefined || (Number.isSafeInteger(ms) && ms > 0))
    }
  })
})

describe("the order of the forms", () => {
  const anthropic = {
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:20Z",
    "anthropic-ratelimit-tokens-remaining": "0",
    "anthropic-ratelimit-tokens-reset": "2026-01-01T00:00:25Z",
    "anthropic-ratelimit-input-tokens-remaining": "5",
    "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:10:00Z"
  }
  const retryInfo = { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" }] }
  const message = "Please try again in 9m38.016s."
  const layers: ReadonlyArray<readonly [string, () => number | undefined, number]> = [
    [
      "retry-after-ms",
      () =>
        hint(
          { "retry-after-ms": "250", "x-ms-retry-after-ms": "300", "retry-after": "6" },
          [retryInfo],
          message
        ),
      250
    ],
    [
      "x-ms-retry-after-ms",
      () => hint({ "x-ms-retry-after-ms": "300", "retry-after": "6" }, [retryInfo], message),
      300
    ],
    ["retry-after", () => hint({ "retry-after": "6", ...anthropic }, [retryInfo], message), 6000],
    ["RetryInfo", () => hint(anthropic, [retryInfo], message), 37_000],
    [
      "the latest exhausted Anthropic window",
      () => hint(anthropic, [{ estimated_time: 20 }], message),
      25_000
    ],
    ["estimated_time", () => hint({}, [{ estimated_time: 20, resets_in_seconds: 30 }], message), 20_000],
    ["resets_in_seconds", () => hint({}, [{ resets_in_seconds: 30 }], message), 30_000],
    ["the message", () => hint({}, [], message), 578_016]
  ]
  for (const [what, read, expected] of layers) it(what, () => assert.strictEqual(read(), expected))

  it("a form that is garbage gives way to the next", () => {
    assert.strictEqual(
      hint({ "retry-after-ms": "-1", "retry-after": "NaN" }, [{ details: [{ retryDelay: "x" }] }], message),
      578_016
    )
  })
  it("the clock may be ahead of the provider's", () => {
    assert.isUndefined(
      hint({
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2025-12-31T23:00:00Z"
      })
    )
  })
})

describe("durations and dates", () => {
  const durations: ReadonlyArray<readonly [string, number | undefined]> = [
    ["37s", 37_000],
    ["36.4s", 36_400],
    ["0.5s", 500],
    ["500ms", 500],
    ["1h2m3s", 3_723_000],
    ["1m0.5s", 60_500],
    ["20 seconds", 20_000],
    ["1 minute", 60_000],
    ["0s", undefined],
    ["-5s", undefined],
    ["s", undefined],
    ["5 parsecs", undefined]
  ]
  for (const [text, expected] of durations)
    it(`duration ${text}`, () => assert.strictEqual(parseDuration(text), expected))

  it("RetryInfo as an object of seconds and nanos", () => {
    assert.strictEqual(hint({}, [{ details: [{ retryDelay: { seconds: 5, nanos: 500_000_000 } }] }]), 5500)
  })
  const messages: ReadonlyArray<readonly [string, number | undefined]> = [
    ["Please retry in 36.4s.", 36_400],
    ["Please try again in 20s.", 20_000],
    ["try again in 2 minutes", 120_000],
    ["Please retry after 6 seconds.", 6000],
    ["Try again at 12:16 PM.", undefined],
    ["please wait before trying again", undefined]
  ]
  for (const [text, expected] of messages)
    it(`message: ${text}`, () => assert.strictEqual(hint({}, [], text), expected))

  it("HTTP dates and instants agree with the host where both read them", () => {
    for (const text of ["Thu, 01 Jan 2026 00:00:30 GMT", "Sun, 29 Feb 2032 23:59:59 GMT"]) {
      assert.strictEqual(parseHttpDate(text), Date.parse(text))
    }
    for (const text of [
      "2026-01-01T00:00:17Z",
      "2026-06-30T12:00:00.250+02:00",
      "2026-06-30T12:00:00-05:30"
    ]) {
      assert.strictEqual(parseInstant(text), Date.parse(text))
    }
  })
})
