// Token counts as each provider means them. Garbage is absent: never 0, never NaN, never a failure.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  readAnthropicUsage,
  readCost,
  readGeminiUsage,
  readOpenAiUsage
} from "../../../src/adapters/classify/usage.ts"

describe("what the counts mean", () => {
  it("OpenAI's prompt count includes cached tokens, its completion count the reasoning", () =>
    assert.deepStrictEqual(
      readOpenAiUsage({
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 80 },
        completion_tokens_details: { reasoning_tokens: 40 }
      }),
      { inputTokens: 100, outputTokens: 50, totalTokens: 150, cachedInputTokens: 80, reasoningTokens: 40 }
    ))
  it("the Responses API says the same in other words", () =>
    assert.deepStrictEqual(
      readOpenAiUsage({
        input_tokens: 100,
        output_tokens: 50,
        input_tokens_details: { cached_tokens: 80 },
        output_tokens_details: { reasoning_tokens: 40 }
      }),
      { inputTokens: 100, outputTokens: 50, cachedInputTokens: 80, reasoningTokens: 40 }
    ))
  it("Anthropic's input count leaves the cache out", () =>
    assert.deepStrictEqual(
      readAnthropicUsage({
        input_tokens: 3,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 900,
        output_tokens: 5
      }),
      { inputTokens: 1003, outputTokens: 5, cachedInputTokens: 900, cacheWriteInputTokens: 100 }
    ))
  it("Gemini's candidates leave the thoughts out", () =>
    assert.deepStrictEqual(
      readGeminiUsage({
        promptTokenCount: 12,
        cachedContentTokenCount: 10,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 30,
        totalTokenCount: 47
      }),
      { inputTokens: 12, outputTokens: 35, totalTokens: 47, cachedInputTokens: 10, reasoningTokens: 30 }
    ))
  it("Gemini counts no candidate where all went into thoughts", () =>
    assert.deepInclude(readGeminiUsage({ promptTokenCount: 12, thoughtsTokenCount: 30 }), {
      outputTokens: 30
    }))
  it("digits in strings count", () =>
    assert.deepInclude(readOpenAiUsage({ prompt_tokens: "12", completion_tokens: "5" }), {
      inputTokens: 12,
      outputTokens: 5
    }))
})

describe("garbage", () => {
  const garbage = [null, -1, 1.5, "1.5", "-3", "twelve", "", true, [], {}, 1e300, "9".repeat(30)]
  for (const value of garbage) {
    it(`${JSON.stringify(value).slice(0, 20)} is no count`, () => {
      assert.isUndefined(readOpenAiUsage({ prompt_tokens: value, completion_tokens: 5 }))
      assert.isUndefined(readOpenAiUsage({ prompt_tokens: 5, completion_tokens: value }))
      assert.isUndefined(readAnthropicUsage({ input_tokens: value, output_tokens: 5 }))
      assert.isUndefined(readGeminiUsage({ promptTokenCount: value, candidatesTokenCount: 5 }))
      if (value !== null)
        assert.isUndefined(
          readAnthropicUsage({ input_tokens: 3, cache_read_input_tokens: value, output_tokens: 5 })
        )
    })
  }
  it("a part that is larger than its whole is left out", () =>
    assert.deepStrictEqual(
      readOpenAiUsage({
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 80 }
      }),
      { inputTokens: 10, outputTokens: 5 }
    ))
  it("all zeros mean that nothing was counted", () =>
    assert.isUndefined(readOpenAiUsage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })))

  it.prop("whatever a usage holds, what comes out is whole and not negative", [Schema.Json], ([value]) => {
    for (const read of [readOpenAiUsage, readAnthropicUsage, readGeminiUsage]) {
      const usages = [
        read(value),
        read({ prompt_tokens: value, completion_tokens: value }),
        read({ input_tokens: value, output_tokens: value })
      ]
      for (const usage of usages) {
        for (const count of Object.values(usage ?? {}))
          assert.isTrue(Number.isSafeInteger(count) && count >= 0)
      }
    }
    const cost = readCost(value)
    assert.isTrue(cost === undefined || (Number.isFinite(cost) && cost >= 0))
  })
})
