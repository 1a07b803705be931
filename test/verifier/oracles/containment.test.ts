// containment: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json, number } from "../ask.ts"

describe("containment", () => {
  it("a text contains a passage", () => {
    assert.strictEqual(ask("containment", { value: "needle" }, file("hay needle hay")), "proven")
    assert.strictEqual(ask("containment", { value: "Needle" }, file("hay needle hay")), "refuted:differs")
  })

  it("an array contains an equal element", () => {
    assert.strictEqual(ask("containment", { value: { a: [1] } }, json([{ a: [1] }])), "proven")
    assert.strictEqual(ask("containment", { value: 1 }, json(["1"])), "refuted:differs")
  })

  it("an object contains equal members", () => {
    assert.strictEqual(ask("containment", { value: { a: 1 } }, json({ a: 1, b: 2 })), "proven")
    assert.strictEqual(ask("containment", { value: { a: 1, c: 3 } }, json({ a: 1, b: 2 })), "refuted:differs")
    assert.strictEqual(ask("containment", { value: { toString: null } }, json({ a: 1 })), "refuted:differs")
  })

  it("what everything contains proves nothing", () => {
    assert.strictEqual(ask("containment", { value: "" }, file("x")), "unproven:vacuous")
    assert.strictEqual(ask("containment", { value: {} }, json({ a: 1 })), "unproven:vacuous")
  })

  it("what contains nothing decides nothing", () => {
    assert.strictEqual(ask("containment", { value: 1 }, json(12)), "unproven:wrong_kind")
    assert.strictEqual(ask("containment", { value: 1 }, number(12)), "unproven:wrong_kind")
    assert.strictEqual(ask("containment", { value: 1 }, number(12, "s")), "unproven:wrong_kind")
  })
})
