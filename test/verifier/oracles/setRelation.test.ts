// setRelation: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json } from "../ask.ts"

describe("setRelation", () => {
  it("order and repetition do not count", () => {
    assert.strictEqual(ask("set", { relation: "equal", value: [1, 2, 2] }, json([2, 1, 1])), "proven")
    assert.strictEqual(ask("set", { relation: "equal", value: ["b", "a"] }, file("a\r\nb\r\n")), "proven")
  })

  it("each relation holds and fails", () => {
    assert.strictEqual(ask("set", { relation: "subset", value: [1, 2] }, json([1])), "proven")
    assert.strictEqual(ask("set", { relation: "subset", value: [1] }, json([1, 2])), "refuted:differs")
    assert.strictEqual(ask("set", { relation: "superset", value: [1] }, json([1, 2])), "proven")
    assert.strictEqual(ask("set", { relation: "superset", value: [3] }, json([1, 2])), "refuted:differs")
    assert.strictEqual(ask("set", { relation: "disjoint", value: [3] }, json([1, 2])), "proven")
    assert.strictEqual(ask("set", { relation: "disjoint", value: [2] }, json([1, 2])), "refuted:differs")
    assert.strictEqual(ask("set", { relation: "intersects", value: [2, 3] }, json([1, 2])), "proven")
    assert.strictEqual(ask("set", { relation: "intersects", value: [3] }, json([1, 2])), "refuted:differs")
  })

  it("what holds of nothing proves nothing", () => {
    assert.strictEqual(ask("set", { relation: "subset", value: [1] }, json([])), "unproven:vacuous")
    assert.strictEqual(ask("set", { relation: "superset", value: [] }, json([1])), "unproven:vacuous")
    assert.strictEqual(ask("set", { relation: "disjoint", value: [1] }, json([])), "unproven:vacuous")
  })

  it("elements are equal as JSON", () => {
    assert.strictEqual(
      ask("set", { relation: "equal", value: [{ a: 1, b: 2 }] }, json([{ b: 2, a: 1 }])),
      "proven"
    )
    assert.strictEqual(ask("set", { relation: "equal", value: ["1"] }, json([1])), "refuted:differs")
    assert.strictEqual(ask("set", { relation: "equal", value: [1] }, json({})), "unproven:wrong_kind")
  })
})
