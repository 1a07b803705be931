// Findings: bounded counter-evidence, one of three words.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Finding, holds, refuted, unproven } from "../../src/verifier/Finding.ts"
import { findingOf, json } from "./ask.ts"

describe("Finding", () => {
  it("counter-evidence is cut to a readable size, and stays JSON", () => {
    const long = refuted("differs", "r", "x".repeat(10_000))
    const wide = refuted("differs", "r", { list: Array.from({ length: 10_000 }, (_, n) => n) })
    assert.isBelow(JSON.stringify(long).length, 600)
    assert.isBelow(JSON.stringify(wide).length, 600)
    assert.deepInclude(refuted("differs", "r", { a: 1 }), { counter: { a: 1 } })
  })

  it("holds is proven or refuted, never in between", () => {
    assert.strictEqual(holds(true, "r", 1).finding, "proven")
    assert.strictEqual(holds(false, "r", 1).finding, "refuted")
    assert.strictEqual(unproven("undecided", "r").finding, "unproven")
  })

  it("every finding decodes by its Schema", () => {
    const decode = Schema.decodeUnknownSync(Finding, { onExcessProperty: "error" })
    for (const value of [1, 2, "x"]) decode(findingOf("equality", { value: 1 }, json(value)))
    decode(findingOf("equality", {}, json(1)))
  })
})
