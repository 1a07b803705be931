// quote: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, findingOf, json, ran } from "../ask.ts"

describe("quote", () => {
  it("stands verbatim, as whole words", () => {
    assert.strictEqual(ask("quote", { quote: "it works" }, file("we say: it works.")), "proven")
    assert.strictEqual(ask("quote", { quote: "it works" }, file("it  works")), "refuted:absent")
    assert.strictEqual(ask("quote", { quote: "works" }, file("it reworks")), "refuted:cut_word")
  })

  it("a later whole occurrence counts after a cut one", () => {
    assert.strictEqual(ask("quote", { quote: "safe" }, file("unsafe, then safe")), "proven")
  })

  it("white space may differ only where the claim says so", () => {
    assert.strictEqual(ask("quote", { quote: "a b", whitespace: "collapsed" }, file("x a\n   b y")), "proven")
    assert.strictEqual(ask("quote", { quote: "a b" }, file("x a\n   b y")), "refuted:absent")
  })

  it("a quote of no letter and no digit is vacuous", () => {
    assert.strictEqual(ask("quote", { quote: " — " }, file("a — b")), "unproven:vacuous")
    assert.strictEqual(ask("quote", { quote: "" }, file("a")), "unproven:vacuous")
  })

  it("only texts are quoted", () => {
    assert.strictEqual(ask("quote", { quote: "a" }, json("a")), "unproven:wrong_kind")
    assert.strictEqual(ask("quote", { quote: "a", stream: "stderr" }, file("a")), "unproven:wrong_kind")
    assert.strictEqual(
      ask("quote", { quote: "late", stream: "stderr" }, ran(0, "", { stderr: "late" })),
      "proven"
    )
  })

  it("the counter-evidence of an absent quote says where the two part", () => {
    const finding = findingOf(
      "quote",
      { quote: "the rate is 5 % now" },
      file("line one\nthe rate is 6 % now")
    )
    assert.deepStrictEqual(finding.finding === "refuted" ? finding.counter : null, {
      matched: "the rate is ",
      source: "the rate is 6 % now",
      line: 2
    })
  })
})
