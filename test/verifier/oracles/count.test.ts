// count: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json, number } from "../ask.ts"

describe("count", () => {
  it("lines, with or without a last line end", () => {
    assert.strictEqual(ask("count", { of: "lines", op: "eq", value: 2 }, file("a\nb")), "proven")
    assert.strictEqual(ask("count", { of: "lines", op: "eq", value: 2 }, file("a\nb\n")), "proven")
    assert.strictEqual(ask("count", { of: "lines", op: "eq", value: 0 }, file("")), "proven")
  })

  it("code points are not code units, bytes are neither", () => {
    assert.strictEqual(ask("count", { of: "code_points", op: "eq", value: 1 }, file("😀")), "proven")
    assert.strictEqual(ask("count", { of: "bytes", op: "eq", value: 4 }, file("😀")), "proven")
  })

  it("matches and occurrences do not overlap", () => {
    assert.strictEqual(
      ask("count", { of: "occurrences", what: "aa", op: "eq", value: 2 }, file("aaaa")),
      "proven"
    )
    assert.strictEqual(
      ask("count", { of: "matches", what: "a+", op: "eq", value: 2 }, file("aa b a")),
      "proven"
    )
  })

  it("items and members", () => {
    assert.strictEqual(ask("count", { of: "items", op: "eq", value: 0 }, json([])), "proven")
    assert.strictEqual(ask("count", { of: "members", op: "ge", value: 2 }, json({ a: 1 })), "refuted:differs")
    assert.strictEqual(
      ask("count", { of: "items", op: "eq", value: 1 }, json({ a: 1 })),
      "unproven:wrong_kind"
    )
  })

  it("arguments that do not fit together are refused", () => {
    assert.strictEqual(
      ask("count", { of: "lines", what: "x", op: "eq", value: 1 }, file("x")),
      "unproven:bad_args"
    )
    assert.strictEqual(ask("count", { of: "matches", op: "eq", value: 1 }, file("x")), "unproven:bad_args")
    assert.strictEqual(ask("count", { of: "lines", op: "eq", value: 1.5 }, file("x")), "unproven:bad_args")
    assert.strictEqual(
      ask("count", { of: "lines", op: "eq", value: 1 }, number(1, "s")),
      "unproven:wrong_kind"
    )
  })

  it("more matches than can be counted in time is unproven", () => {
    assert.strictEqual(
      ask("count", { of: "matches", what: "a", op: "ge", value: 1 }, file("a".repeat(200_000))),
      "unproven:too_large"
    )
  })
})
