// Linear-time patterns: the time does not explode, and what cannot be done in linear time is refused.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { linearPattern } from "../../../src/schema/pattern/linearPattern.ts"

const compiled = (pattern: string, flags?: string) => Result.getOrThrow(linearPattern(pattern, flags))

describe("linearPattern", () => {
  it("finds from left to right, groups with their places", () => {
    assert.deepStrictEqual(compiled("a(b+)").matches("ab abb".split("\n")), [
      { start: 0, end: 2, group: { text: "b", start: 1, end: 2 } },
      { start: 3, end: 6, group: { text: "bb", start: 4, end: 6 } }
    ])
    assert.deepStrictEqual(compiled("a|(b)").matches("a".split("\n")), [{ start: 0, end: 1 }])
  })

  it("matches line by line, and an empty match is one for each place", () => {
    assert.deepStrictEqual(compiled("^b").matches("b\nab\nb".split("\n")), [
      { start: 0, end: 1 },
      { start: 5, end: 6 }
    ])
    assert.deepStrictEqual(compiled("a\\sb").matches("a\nb".split("\n")), [])
    assert.strictEqual(compiled("x*").matches("ab".split("\n"))?.length, 3)
  })

  it("gives up over its budget of steps, and only there", () => {
    assert.strictEqual(compiled("a").matches("a".repeat(1_000).split("\n"))?.length, 1_000)
    assert.isUndefined(compiled("a").matches("a".repeat(100_000).split("\n")))
    assert.strictEqual(compiled("ERROR").matches("ERROR x\n".repeat(50_000).split("\n"))?.length, 50_000)
    assert.isAbove(compiled("(a|b){100}").steps(10), compiled("a").steps(10))
  })

  it("counts places in UTF-16 code units", () => {
    assert.deepStrictEqual(compiled("x").matches("😀x".split("\n")), [{ start: 2, end: 3 }])
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
      assert.isTrue(Result.isFailure(linearPattern(pattern)), pattern)
    }
  })

  it("answers patterns that explode a backtracking engine", () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "(.*a){20}b"]) {
      assert.isFalse(compiled(pattern).test(`${"a".repeat(20_000)}!`), pattern)
    }
  })
})
