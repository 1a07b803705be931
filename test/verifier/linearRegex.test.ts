// Linear-time patterns: the time does not explode, and what cannot be done in linear time is refused.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { linearRegex } from "../../src/verifier/linearRegex.ts"

const compiled = (pattern: string, flags?: string) => Result.getOrThrow(linearRegex(pattern, flags))

describe("linearRegex", () => {
  it("finds from left to right, groups with their places", () => {
    assert.deepStrictEqual(compiled("a(b+)").matches("ab abb", 10), [
      { start: 0, end: 2, group: { text: "b", start: 1, end: 2 } },
      { start: 3, end: 6, group: { text: "bb", start: 4, end: 6 } }
    ])
    assert.strictEqual(compiled("a").matches("aaaa", 2).length, 2)
    assert.deepStrictEqual(compiled("a|(b)").matches("a", 9), [{ start: 0, end: 1 }])
  })

  it("counts places in UTF-16 code units", () => {
    assert.deepStrictEqual(compiled("x").matches("😀x", 9), [{ start: 2, end: 3 }])
  })

  it("flags mean what they say", () => {
    assert.isTrue(compiled("^b$", "m").test("a\nb"))
    assert.isFalse(compiled("^b$").test("a\nb"))
    assert.isTrue(compiled("a.b", "s").test("a\nb"))
    assert.isTrue(compiled("A", "i").test("a"))
  })

  it("refuses back-references, look-around, broken and oversized patterns", () => {
    for (const pattern of [
      "(a)\\1",
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(?<!a)",
      "[",
      "a**",
      "(a{999}){999}",
      "x".repeat(1_001)
    ]) {
      assert.isTrue(Result.isFailure(linearRegex(pattern)), pattern)
    }
  })

  it("answers patterns that explode a backtracking engine", () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "(.*a){20}b"]) {
      assert.isFalse(compiled(pattern).test(`${"a".repeat(20_000)}!`), pattern)
    }
  })
})
