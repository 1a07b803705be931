// The cache key: everything that is asked is in it, nothing else is, and it does not depend on order.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { callId, computeCacheKey, type CallIdentity } from "../../src/domain/Call.ts"
import { sha256 } from "../../src/domain/fingerprint.ts"

const keyOf = (call: CallIdentity) => Result.getOrThrow(computeCacheKey(call))
const base: CallIdentity = { verb: "agent", prompt: "hello", model: "offline" }

describe("computeCacheKey", () => {
  it("is SHA-256 over canonical JSON of { v: 1, ...identity }", () => {
    assert.strictEqual(keyOf(base), sha256('{"model":"offline","prompt":"hello","v":1,"verb":"agent"}'))
  })

  it("differs with everything that is asked", () => {
    const variants: ReadonlyArray<CallIdentity> = [
      base,
      { ...base, verb: "swarm" },
      { ...base, prompt: "hello " },
      { ...base, model: "anthropic:x" },
      { ...base, system: "be brief" },
      { ...base, schema: { type: "object" } },
      { ...base, schema: { type: "string" } },
      { ...base, maxOutputTokens: 10 },
      { ...base, temperature: 0 },
      { ...base, temperature: 1 },
      { ...base, providerOptions: { openai: { effort: "low" } } },
      { ...base, spec: { items: [] } },
      // What a separator could fuse: the same text, cut elsewhere.
      { ...base, prompt: 'hello","system":"x' },
      { ...base, prompt: "hello", system: "x" }
    ]
    assert.strictEqual(new Set(variants.map(keyOf)).size, variants.length)
  })

  it("does not depend on the order of members, nor on normal forms being equal to the eye", () => {
    assert.strictEqual(keyOf({ model: "offline", prompt: "hello", verb: "agent" }), keyOf(base))
    assert.notStrictEqual(keyOf({ ...base, prompt: "caf\u00e9" }), keyOf({ ...base, prompt: "cafe\u0301" }))
  })

  it("refuses an identity that JSON cannot carry", () => {
    const result = computeCacheKey({ ...base, prompt: "\udc00" })
    assert.strictEqual(Result.isFailure(result) ? result.failure.path : "", "$.prompt")
  })
})

it("callId tells occurrences apart", () => {
  assert.notStrictEqual(callId({ key: "a", occurrence: 1 }), callId({ key: "a", occurrence: 11 }))
  assert.strictEqual(callId({ key: "a", occurrence: 2 }), "a#2")
})
