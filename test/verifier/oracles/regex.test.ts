// regex: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json, number } from "../ask.ts"

describe("regex", () => {
  it("searches, or matches from end to end", () => {
    assert.strictEqual(ask("regex", { pattern: "b+" }, file("abbc")), "proven")
    assert.strictEqual(ask("regex", { pattern: "b+", match: "full" }, file("abbc")), "refuted:differs")
    assert.strictEqual(ask("regex", { pattern: "B+", flags: "i" }, file("abbc")), "proven")
  })

  it("what RE2 cannot do in linear time is unproven", () => {
    assert.strictEqual(ask("regex", { pattern: "(a)\\1" }, file("aa")), "unproven:pattern_unsupported")
    assert.strictEqual(ask("regex", { pattern: "a(?=b)" }, file("ab")), "unproven:pattern_unsupported")
    assert.strictEqual(ask("regex", { pattern: "(?<=a)b" }, file("ab")), "unproven:pattern_unsupported")
    assert.strictEqual(ask("regex", { pattern: "(" }, file("(")), "unproven:pattern_unsupported")
    assert.strictEqual(
      ask("regex", { pattern: "a".repeat(2_000) }, file("a")),
      "unproven:pattern_unsupported"
    )
    assert.strictEqual(
      ask("regex", { pattern: "((a{100}){100}){100}" }, file("a")),
      "unproven:pattern_unsupported"
    )
  })

  it("a pattern that matches nothing at all is vacuous in a search", () => {
    assert.strictEqual(ask("regex", { pattern: "x*" }, file("abc")), "unproven:vacuous")
    assert.strictEqual(ask("regex", { pattern: "" }, file("abc")), "unproven:bad_args")
  })

  it("a pattern that would explode a backtracking engine is answered", () => {
    assert.strictEqual(
      ask("regex", { pattern: "^(a+)+$" }, file(`${"a".repeat(50_000)}!`)),
      "refuted:differs"
    )
    assert.strictEqual(ask("regex", { pattern: "(x+x+)+y" }, file("x".repeat(50_000))), "refuted:differs")
  })

  it("only texts match", () => {
    assert.strictEqual(ask("regex", { pattern: "1" }, json(1)), "unproven:wrong_kind")
    assert.strictEqual(ask("regex", { pattern: "14" }, number("14.20", "USD")), "unproven:wrong_kind")
    assert.strictEqual(ask("regex", { pattern: "a", flags: "g" }, file("a")), "unproven:bad_args")
  })

  it("a text over the limit is not searched", () => {
    assert.strictEqual(
      ask("regex", { pattern: "[ab]{20}c" }, file("a".repeat(8_000_000))),
      "unproven:too_large"
    )
  })
})
