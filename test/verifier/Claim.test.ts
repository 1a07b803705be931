// Claims from a file: all of them, or a named error with its place.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { loadClaims } from "../../src/verifier/Claim.ts"

const claim = { id: "a", statement: "s", oracle: "exit_code", args: { code: 0 }, evidence: "e" }
const code = (text: string) =>
  Result.match(loadClaims(text), {
    onFailure: (error) => `${error.code} ${error.path}`,
    onSuccess: () => "ok"
  })

describe("loadClaims", () => {
  it("a list, or a list under `claims`", () => {
    assert.deepStrictEqual(Result.getOrThrow(loadClaims(JSON.stringify([claim]))), [claim])
    assert.deepStrictEqual(Result.getOrThrow(loadClaims(JSON.stringify({ claims: [claim] }))), [claim])
  })

  it("named errors", () => {
    assert.strictEqual(code("[{]"), "claims_unparsable $")
    assert.strictEqual(code('[{"id":"a","id":"b"}]'), "claims_unparsable $")
    assert.strictEqual(
      code(`[${JSON.stringify(claim).replace('"code":0', '"code":9007199254740993')}]`),
      "claims_unparsable /0/args/code"
    )
    assert.strictEqual(code(JSON.stringify([{ ...claim, finding: "proven" }])), "claims_invalid $[0].finding")
    assert.strictEqual(code(JSON.stringify([{ ...claim, id: "" }])), "claims_invalid $[0].id")
    assert.strictEqual(code(JSON.stringify([claim, { ...claim }])), "duplicate_claim $[1].id")
  })
})
