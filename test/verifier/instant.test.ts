// Instants: the calendar agrees with the platform's, and nothing lenient is read.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { intervalOf } from "../../src/verifier/instant.ts"

const Ms = Schema.Int.pipe(
  Schema.check(Schema.isBetween({ minimum: -62_167_219_200_000, maximum: 253_402_300_799_999 }))
)

describe("intervalOf", () => {
  it.prop("agrees with the platform's calendar from year 0 to 9999", [Ms], ([ms]) => {
    const { from, to } = Result.getOrThrow(intervalOf(new Date(ms).toISOString()))
    assert.strictEqual(from, BigInt(ms) * 1_000_000n)
    assert.strictEqual(to, from)
  })

  it("a day and a minute are intervals", () => {
    const day = Result.getOrThrow(intervalOf("2026-03-01", "Z"))
    assert.strictEqual(day.to - day.from, 86_399_999_999_999n)
    const minute = Result.getOrThrow(intervalOf("2026-03-01T10:00Z"))
    assert.strictEqual(minute.to - minute.from, 59_999_999_999n)
  })

  it("a written zone wins over the claim's", () => {
    assert.deepStrictEqual(intervalOf("2026-03-01T10:00:00Z", "+05:00"), intervalOf("2026-03-01T10:00:00Z"))
  })

  it("refuses what is not strictly a date", () => {
    const bad = [
      "2026-3-1T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:00:60Z",
      "2026-01-01T00:00:00+25:00",
      "20260101T000000Z",
      "Thu, 01 Jan 2026 00:00:00 GMT",
      "2026-01-01T00:00:00.1234567890Z",
      ""
    ]
    for (const text of bad) assert.isTrue(Result.isFailure(intervalOf(text, "Z")), text)
  })

  it("reads numbers only as what the claim says they are", () => {
    assert.isTrue(Result.isFailure(intervalOf(0)))
    assert.deepStrictEqual(intervalOf(1.5, undefined, "s"), intervalOf(1500, undefined, "ms"))
  })
})
