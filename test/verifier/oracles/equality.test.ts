// equality: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json, number, ran } from "../ask.ts"

describe("equality", () => {
  it("compares texts by code unit, without normalisation", () => {
    assert.strictEqual(ask("equality", { value: "é" }, json("é")), "proven")
    assert.strictEqual(ask("equality", { value: "e\u0301" }, json("\u00e9")), "refuted:differs")
    assert.strictEqual(ask("equality", { value: "a" }, json("A")), "refuted:differs")
  })

  it("members in any order, elements in theirs", () => {
    assert.strictEqual(ask("equality", { value: { a: 1, b: 2 } }, json({ b: 2, a: 1 })), "proven")
    assert.strictEqual(ask("equality", { value: [1, 2] }, json([2, 1])), "refuted:differs")
  })

  it("never equates types", () => {
    assert.strictEqual(ask("equality", { value: "1" }, json(1)), "refuted:differs")
    assert.strictEqual(ask("equality", { value: false }, json(0)), "refuted:differs")
    assert.strictEqual(ask("equality", { value: null }, json("")), "refuted:differs")
  })

  it("trims only when asked", () => {
    assert.strictEqual(ask("equality", { value: "ok" }, ran(0, "ok\n")), "refuted:differs")
    assert.strictEqual(ask("equality", { value: "ok", trim: true }, ran(0, "ok\n")), "proven")
  })

  it("a number with a unit is not a bare number", () => {
    assert.strictEqual(ask("equality", { value: 5 }, number(5, "ms")), "unproven:unit_missing")
  })

  it("refuses arguments it does not know", () => {
    assert.strictEqual(ask("equality", { value: 1, fuzzy: true }, json(1)), "unproven:bad_args")
    assert.strictEqual(ask("equality", {}, json(1)), "unproven:bad_args")
    assert.strictEqual(ask("equality", null, file("")), "unproven:bad_args")
  })
})
