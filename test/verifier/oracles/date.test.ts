// date: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json, number } from "../ask.ts"

describe("date", () => {
  it("instants in any zone", () => {
    assert.strictEqual(
      ask("date", { op: "at", instant: "2026-03-01T00:00:00Z" }, json("2026-02-28T19:00:00-05:00")),
      "proven"
    )
    assert.strictEqual(
      ask("date", { op: "before", instant: "2026-03-01T00:00:00Z" }, json("2026-03-01T00:30:00+01:00")),
      "proven"
    )
  })

  it("a day is not an instant", () => {
    assert.strictEqual(
      ask("date", { op: "before", instant: "2026-03-01T12:00:00Z", zone: "Z" }, json("2026-03-01")),
      "unproven:imprecise_date"
    )
    assert.strictEqual(
      ask("date", { op: "after", instant: "2026-02-28T23:59:59Z", zone: "Z" }, json("2026-03-01")),
      "proven"
    )
    assert.strictEqual(
      ask("date", { op: "at", instant: "2026-03-01", zone: "Z" }, json("2026-03-01T05:00:00Z")),
      "proven"
    )
  })

  it("not before and not after include the instant", () => {
    assert.strictEqual(
      ask("date", { op: "not_before", instant: "2026-03-01T00:00:00Z" }, json("2026-03-01T00:00:00Z")),
      "proven"
    )
    assert.strictEqual(
      ask("date", { op: "not_after", instant: "2026-03-01T00:00:00Z" }, json("2026-03-01T00:00:01Z")),
      "refuted:differs"
    )
  })

  it("a tolerance in milliseconds, for two instants", () => {
    assert.strictEqual(
      ask(
        "date",
        { op: "at", instant: "2026-03-01T00:00:00Z", toleranceMs: 1000 },
        json("2026-03-01T00:00:01Z")
      ),
      "proven"
    )
    assert.strictEqual(
      ask(
        "date",
        { op: "at", instant: "2026-03-01T00:00:00Z", toleranceMs: 999 },
        json("2026-03-01T00:00:01Z")
      ),
      "refuted:differs"
    )
    assert.strictEqual(
      ask(
        "date",
        { op: "before", instant: "2026-03-01T00:00:00Z", toleranceMs: 1 },
        json("2026-03-01T00:00:01Z")
      ),
      "unproven:bad_args"
    )
    assert.strictEqual(
      ask(
        "date",
        { op: "at", instant: "2026-03-01T00:00:00Z", toleranceMs: 1, zone: "Z" },
        json("2026-03-01")
      ),
      "unproven:imprecise_date"
    )
  })

  it("a number is a date only as the claim says, and never with a unit", () => {
    const at = (evidence: Parameters<typeof ask>[2]) =>
      ask("date", { op: "at", instant: "1970-01-01T00:00:01Z", epoch: "s" }, evidence)
    assert.strictEqual(at(number(1)), "proven")
    assert.strictEqual(at(number(1, "min")), "unproven:wrong_kind")
    assert.strictEqual(at(json(1000)), "refuted:differs")
  })

  it("ambiguous and impossible dates decide nothing", () => {
    assert.strictEqual(
      ask("date", { op: "before", instant: "2027-01-01T00:00:00Z" }, json("01/02/2026")),
      "unproven:ambiguous_date"
    )
    assert.strictEqual(
      ask("date", { op: "before", instant: "2027-01-01T00:00:00Z" }, json("2026-01-02")),
      "unproven:ambiguous_date"
    )
    assert.strictEqual(
      ask("date", { op: "before", instant: "2027-01-01T00:00:00Z" }, json("2026-02-30T00:00:00Z")),
      "unproven:not_an_instant"
    )
    assert.strictEqual(
      ask("date", { op: "before", instant: "soon" }, json("2026-02-03T00:00:00Z")),
      "unproven:bad_args"
    )
    assert.strictEqual(
      ask("date", { op: "before", instant: "2027-01-01T00:00:00Z" }, file("yesterday")),
      "unproven:not_an_instant"
    )
  })
})
