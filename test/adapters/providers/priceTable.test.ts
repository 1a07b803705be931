// The kept price table: known models are priced, tiers and all; unknown ones are not, and nothing goes over the wire.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { lookupPrice, priceOf } from "../../../src/adapters/providers/priceTable.ts"

const at2026 = TestClock.setTime(Date.UTC(2026, 0, 15))

describe("lookupPrice", () => {
  it.effect("prices models of the three providers", () =>
    Effect.gen(function* () {
      yield* at2026
      assert.deepStrictEqual(yield* lookupPrice("openai", "gpt-4o", undefined), {
        inputUsdPerMillion: 2.5,
        outputUsdPerMillion: 10,
        cachedInputUsdPerMillion: 1.25
      })
      const sonnet = yield* lookupPrice("anthropic", "claude-sonnet-4-5", undefined)
      assert.deepInclude(sonnet, {
        inputUsdPerMillion: 3,
        outputUsdPerMillion: 15,
        cacheWriteUsdPerMillion: 3.75
      })
      assert.nestedPropertyVal(sonnet, "tiers[0].aboveInputTokens", 200_000)
      assert.nestedPropertyVal(sonnet, "tiers[0].inputUsdPerMillion", 6)
      assert.isDefined(yield* lookupPrice("google", "gemini-2.5-pro", undefined))
    })
  )

  it.effect("knows no price for unknown models, local servers and other adapters", () =>
    Effect.gen(function* () {
      yield* at2026
      assert.isUndefined(yield* lookupPrice("openai", "no-such-model", undefined))
      assert.isUndefined(yield* lookupPrice("openai-compatible", "gpt-4o", "http://127.0.0.1:11434/v1"))
      assert.isUndefined(yield* lookupPrice("openai-compatible", "gpt-4o", undefined))
    })
  )

  it("a table entry that prices no tokens is no price", () => {
    assert.isUndefined(priceOf({ web_searches_kcount: 10 }))
    assert.isUndefined(priceOf({ input_mtok: 1 }))
  })
})
