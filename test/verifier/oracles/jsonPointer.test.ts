// jsonPointer: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, json } from "../ask.ts"

describe("jsonPointer", () => {
  it("something, nothing, or this value stands there", () => {
    assert.strictEqual(ask("json_pointer", { pointer: "/a/1" }, json({ a: [1, 2] })), "proven")
    assert.strictEqual(ask("json_pointer", { pointer: "/a/2" }, json({ a: [1, 2] })), "refuted:absent")
    assert.strictEqual(ask("json_pointer", { pointer: "/a/2", exists: false }, json({ a: [1, 2] })), "proven")
    assert.strictEqual(
      ask("json_pointer", { pointer: "/a/0", value: 2 }, json({ a: [1, 2] })),
      "refuted:differs"
    )
    assert.strictEqual(ask("json_pointer", { pointer: "", value: 1 }, json(1)), "proven")
  })

  it("a null that is there exists", () => {
    assert.strictEqual(
      ask("json_pointer", { pointer: "/a", exists: false }, json({ a: null })),
      "refuted:differs"
    )
    assert.strictEqual(ask("json_pointer", { pointer: "/a", value: null }, json({ a: null })), "proven")
  })

  it("a document with two meanings has none", () => {
    assert.strictEqual(
      ask("json_pointer", { pointer: "/b" }, file(`{"a":1,"a":2,"b":3}`)),
      "unproven:not_json"
    )
    assert.strictEqual(
      ask("json_pointer", { pointer: "/a" }, file(`{"a":12345678901234567890}`)),
      "unproven:inexact_number"
    )
  })

  it("bad pointers and contradictions are refused", () => {
    assert.strictEqual(ask("json_pointer", { pointer: "a" }, json({ a: 1 })), "unproven:bad_args")
    assert.strictEqual(ask("json_pointer", { pointer: "/~2" }, json({ a: 1 })), "unproven:bad_args")
    assert.strictEqual(
      ask("json_pointer", { pointer: "/a", value: 1, exists: false }, json({ a: 1 })),
      "unproven:bad_args"
    )
  })
})
