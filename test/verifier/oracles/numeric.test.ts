// numeric: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json, number } from "../ask.ts"

describe("numeric", () => {
  it("compares in exact decimals", () => {
    assert.strictEqual(ask("numeric", { op: "eq", value: "0.3" }, number("0.30")), "proven")
    assert.strictEqual(ask("numeric", { op: "eq", value: 0.3 }, number(0.1 + 0.2)), "refuted:differs")
    assert.strictEqual(ask("numeric", { op: "gt", value: "1e-400" }, number("2e-400")), "proven")
  })

  it("a tolerance includes its edge and no more", () => {
    assert.strictEqual(
      ask("numeric", { op: "eq", value: 10, tolerance: { abs: "0.1" } }, number("10.1")),
      "proven"
    )
    assert.strictEqual(
      ask("numeric", { op: "eq", value: 10, tolerance: { abs: "0.1" } }, number("10.10000001")),
      "refuted:differs"
    )
    assert.strictEqual(
      ask("numeric", { op: "ne", value: 10, tolerance: { abs: 1 } }, number(10.5)),
      "refuted:differs"
    )
    assert.strictEqual(
      ask("numeric", { op: "eq", value: -200, tolerance: { rel: 0.05 } }, number(-190)),
      "proven"
    )
  })

  it("a tolerance belongs to equality and is not negative", () => {
    assert.strictEqual(
      ask("numeric", { op: "lt", value: 1, tolerance: { abs: 1 } }, number(1)),
      "unproven:bad_args"
    )
    assert.strictEqual(
      ask("numeric", { op: "eq", value: 1, tolerance: { abs: -1 } }, number(5)),
      "unproven:bad_args"
    )
    assert.strictEqual(
      ask("numeric", { op: "eq", value: 1, tolerance: { abs: 1, rel: 1 } }, number(1)),
      "unproven:bad_args"
    )
  })

  it("units are converted exactly, or not at all", () => {
    assert.strictEqual(ask("numeric", { op: "eq", value: 1.5, unit: "h" }, number(90, "min")), "proven")
    assert.strictEqual(ask("numeric", { op: "eq", value: 8, unit: "kbit" }, number(1, "kB")), "proven")
    assert.strictEqual(
      ask("numeric", { op: "eq", value: 1, unit: "USD" }, number(1, "EUR")),
      "unproven:unit_incomparable"
    )
    assert.strictEqual(
      ask("numeric", { op: "eq", value: 1, unit: "s", tolerance: { abs: 1 } }, number(1000, "ms")),
      "unproven:unit_incomparable"
    )
  })

  it("a unit on one side only decides nothing", () => {
    assert.strictEqual(ask("numeric", { op: "eq", value: 1, unit: "s" }, number(1)), "unproven:unit_missing")
    assert.strictEqual(ask("numeric", { op: "eq", value: 1 }, number(1, "s")), "unproven:unit_missing")
  })

  it("reads only numbers in JSON's form", () => {
    assert.strictEqual(ask("numeric", { op: "eq", value: 1234 }, file("1,234")), "unproven:not_a_number")
    assert.strictEqual(ask("numeric", { op: "eq", value: 42 }, file("٤٢")), "unproven:not_a_number")
    assert.strictEqual(ask("numeric", { op: "eq", value: 16 }, file("0x10")), "unproven:not_a_number")
    assert.strictEqual(ask("numeric", { op: "eq", value: 42 }, file("42\n")), "proven")
    assert.strictEqual(ask("numeric", { op: "eq", value: "1,5" }, json(1)), "unproven:bad_args")
    assert.strictEqual(ask("numeric", { op: "eq", value: 1 }, json(true)), "unproven:not_a_number")
  })

  it("numbers out of bounds are not compared", () => {
    assert.strictEqual(ask("numeric", { op: "gt", value: 1 }, number("1e999999")), "unproven:not_a_number")
    assert.strictEqual(ask("numeric", { op: "gt", value: "9".repeat(500) }, number(1)), "unproven:bad_args")
  })
})
