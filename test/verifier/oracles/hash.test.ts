// hash: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import { ask, file, json, number, ran } from "../ask.ts"

describe("hash", () => {
  it("of bytes, of a stream, of canonical JSON", () => {
    assert.strictEqual(ask("hash", { value: sha256("abc") }, file("abc")), "proven")
    assert.strictEqual(ask("hash", { value: sha256("out") }, ran(0, "out")), "proven")
    assert.strictEqual(ask("hash", { value: sha256(`{"a":1,"b":2}`) }, json({ b: 2, a: 1 })), "proven")
  })

  it("all 64 digits", () => {
    assert.strictEqual(ask("hash", { value: sha256("abc").slice(0, 63) }, file("abc")), "unproven:bad_args")
    assert.strictEqual(ask("hash", { value: sha256("abd") }, file("abc")), "refuted:differs")
  })

  it("a text that its hash does not fit is not believed", () => {
    assert.strictEqual(
      ask(
        "hash",
        { value: sha256("abc") },
        { kind: "file", id: "e", path: "e", bytes: 3, text: "xyz", sha256: sha256("abc") }
      ),
      "unproven:evidence_inconsistent"
    )
    assert.strictEqual(ask("hash", { value: sha256("1") }, number(1)), "unproven:wrong_kind")
  })
})
