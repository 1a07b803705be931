// exitCode: what it proves, what it refutes with counter-evidence, and what it leaves unproven.
import { assert, describe, it } from "@effect/vitest"
import { ask, file, ran } from "../ask.ts"

describe("exitCode", () => {
  it("the code, exactly", () => {
    assert.strictEqual(ask("exit_code", { code: 0 }, ran(0)), "proven")
    assert.strictEqual(ask("exit_code", { code: 0 }, ran(1)), "refuted:differs")
    assert.strictEqual(ask("exit_code", { code: 256 }, ran(0)), "unproven:bad_args")
  })

  it("killed or out of time is no code", () => {
    assert.strictEqual(ask("exit_code", { code: 0 }, ran(null)), "refuted:differs")
    assert.strictEqual(ask("exit_code", { code: 0 }, ran(0, "", { timedOut: true })), "refuted:differs")
  })

  it("of the command that was claimed", () => {
    assert.strictEqual(ask("exit_code", { code: 0, command: ["npm", "test"] }, ran(0)), "proven")
    assert.strictEqual(ask("exit_code", { code: 0, command: ["true"] }, ran(0)), "unproven:other_command")
    const of = { oracle: "exit_code", args: { code: 1, command: ["true"] } }
    assert.strictEqual(ask("not", { of }, ran(0)), "unproven:other_command")
    assert.strictEqual(ask("exit_code", { code: 0 }, file("0")), "unproven:wrong_kind")
  })

  it("output that is not whole does not matter to it", () => {
    assert.strictEqual(ask("exit_code", { code: 0 }, ran(0, "", { truncated: true })), "proven")
  })
})
