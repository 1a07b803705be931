// order: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json } from "../ask.ts"

describe("order", () => {
  it("sorted as numbers, texts or instants", () => {
    assert.strictEqual(ask("order", { direction: "ascending", as: "number" }, json([2, 10])), "proven")
    assert.strictEqual(ask("order", { direction: "ascending", as: "string" }, json(["10", "2"])), "proven")
    assert.strictEqual(
      ask(
        "order",
        { direction: "descending", as: "instant" },
        json(["2026-01-01T01:00:00Z", "2026-01-01T01:00:00+01:00"])
      ),
      "proven"
    )
  })

  it("ties are in order unless strict", () => {
    assert.strictEqual(ask("order", { direction: "ascending", as: "number" }, json([1, 1])), "proven")
    assert.strictEqual(
      ask("order", { direction: "ascending", as: "number", strict: true }, json([1, 1])),
      "refuted:differs"
    )
  })

  it("elements of another kind decide nothing", () => {
    assert.strictEqual(
      ask("order", { direction: "ascending", as: "number" }, json(["1", "2"])),
      "unproven:wrong_kind"
    )
    assert.strictEqual(
      ask("order", { direction: "ascending", as: "number", by: "/n" }, json([{ n: 1 }, {}])),
      "unproven:pointer_missing"
    )
    assert.strictEqual(ask("order", { direction: "ascending", as: "number" }, json([1])), "unproven:vacuous")
    assert.strictEqual(
      ask(
        "order",
        { direction: "ascending", as: "instant" },
        json(["2026-01-01T10:00:00", "2026-01-02T10:00:00"])
      ),
      "unproven:ambiguous_date"
    )
  })

  it("dates that overlap are in no order, the same one twice is", () => {
    const instants = (...at: ReadonlyArray<string>) =>
      ask("order", { direction: "ascending", as: "instant" }, json([...at]))
    assert.strictEqual(instants("2026-01-01T10:00Z", "2026-01-01T10:00:30Z"), "unproven:imprecise_date")
    assert.strictEqual(instants("2026-01-01T10:00Z", "2026-01-01T10:00Z"), "proven")
    assert.strictEqual(instants("2026-01-01T10:00Z", "2026-01-01T10:01Z"), "proven")
  })

  it("a sequence, each thing exactly once", () => {
    assert.strictEqual(ask("order", { sequence: ["a", "c"] }, json(["a", "b", "c"])), "proven")
    assert.strictEqual(ask("order", { sequence: ["c", "a"] }, json(["a", "b", "c"])), "refuted:differs")
    assert.strictEqual(ask("order", { sequence: ["a", "d"] }, json(["a", "b", "c"])), "refuted:absent")
    assert.strictEqual(
      ask("order", { sequence: ["a", "b"] }, json(["a", "b", "a"])),
      "unproven:evidence_ambiguous"
    )
    assert.strictEqual(ask("order", { sequence: ["one", "two"] }, file("one, two")), "proven")
    assert.strictEqual(ask("order", { sequence: ["one"] }, file("one")), "unproven:bad_args")
  })
})
