// combine: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { ask, ran } from "../ask.ts"

const yes = { oracle: "exit_code", args: { code: 0 } }
const no = { oracle: "exit_code", args: { code: 1 } }
const unknown = { oracle: "trust", args: {} }
const nested = (depth: number): Json =>
  depth === 0 ? yes : { oracle: "not", args: { of: nested(depth - 1) } }

describe("combine", () => {
  it("all: refuted before unproven before proven", () => {
    assert.strictEqual(ask("all", { of: [yes, yes] }, ran(0)), "proven")
    assert.strictEqual(ask("all", { of: [yes, unknown, no] }, ran(0)), "refuted:differs")
    assert.strictEqual(ask("all", { of: [yes, unknown] }, ran(0)), "unproven:unknown_oracle")
  })

  it("any: proven before unproven before refuted", () => {
    assert.strictEqual(ask("any", { of: [no, unknown, yes] }, ran(0)), "proven")
    assert.strictEqual(ask("any", { of: [no, unknown] }, ran(0)), "unproven:unknown_oracle")
    assert.strictEqual(ask("any", { of: [no, no] }, ran(0)), "refuted:differs")
  })

  it("not: turns proven and refuted round and keeps unproven", () => {
    assert.strictEqual(ask("not", { of: yes }, ran(0)), "refuted:differs")
    assert.strictEqual(ask("not", { of: no }, ran(0)), "proven")
    assert.strictEqual(ask("not", { of: unknown }, ran(0)), "unproven:unknown_oracle")
    assert.strictEqual(
      ask("not", { of: { oracle: "containment", args: { value: "x" } } }, ran(0, "", { truncated: true })),
      "unproven:evidence_truncated"
    )
  })

  it("of nothing is vacuous", () => {
    assert.strictEqual(ask("all", { of: [] }, ran(0)), "unproven:vacuous")
    assert.strictEqual(ask("any", { of: [] }, ran(0)), "unproven:vacuous")
  })

  it("depth and number of parts are bounded", () => {
    assert.strictEqual(ask("not", { of: nested(7) }, ran(0)), "proven")
    assert.strictEqual(ask("not", { of: nested(20) }, ran(0)), "unproven:too_complex")
    assert.strictEqual(
      ask("all", { of: Array.from({ length: 1_001 }, () => yes) }, ran(0)),
      "unproven:too_complex"
    )
  })
})
