// What is wrong with a file that a person wrote says what would be right: the keys there are, the values, the oracles.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { loadBoard } from "../../src/council/loadBoard.ts"
import { issuesText } from "../../src/domain/schemaIssues.ts"
import { decodeContract } from "../../src/engine/launch/planSpec.ts"
import { loadMission } from "../../src/mission/loadMission.ts"
import { checkClaims } from "../../src/verifier/checkClaims.ts"
import { loadClaims } from "../../src/verifier/Claim.ts"

const messageOf = <A, E extends { readonly message: string }>(result: Result.Result<A, E>): string =>
  Result.isFailure(result) ? result.failure.message : ""

describe("an error names what there is", () => {
  it("contract: every wrong key with the keys of its place", () => {
    const read = decodeContract({ buget: {}, budget: { uds: 1 }, coverage: { min: 2 } })
    const text = Result.isFailure(read) ? issuesText(read.failure) : ""
    assert.include(text, "$.buget: there is no such key; there are budget, coverage, assertions, proofs")
    assert.include(text, "$.budget.uds: there is no such key; there are usd, calls, outputTokens, tokens, ms")
    assert.include(text, "$.coverage.min: expected a value between 0 and 1")
    assert.notInclude(text, "\n")
  })

  it("claims: the place of a wrong or missing key, and the oracles", () => {
    const claim = { id: "a", statement: "", oracle: "trust", args: {}, evidence: "e" }
    assert.include(
      messageOf(loadClaims(JSON.stringify([{ ...claim, arg: 1 }]))),
      "claims_invalid at $[0].arg: there is no such key; there are id, statement, oracle, args, evidence"
    )
    assert.include(messageOf(loadClaims(`{"claims":[{"id":"a"}]}`)), "$.claims[0].statement: missing key")
    const [finding] = checkClaims([claim], [])
    assert.include(JSON.stringify(finding), "there are equality, numeric, containment")
    const [args] = checkClaims([{ ...claim, oracle: "exit_code", args: { cod: 0 } }], [])
    assert.match(
      JSON.stringify(args),
      /args\.cod: there is no such key; there are code|args\.code: missing key/
    )
  })

  it("missions: keys, tiers, units, proofs, commands and oracles", () => {
    const unit = { id: "u", prompt: "p", proof: ["tests"] }
    const contract = { proofs: [{ id: "tests", command: ["node", "--test"] }], commands: ["npm test"] }
    const said = (spec: unknown, given: Parameters<typeof loadMission>[1] = contract) =>
      messageOf(loadMission(spec, given))
    assert.include(
      said({ title: "t", units: [{ ...unit, depends: [] }] }),
      "$.units[0].depends: there is no such key; there are id, prompt, proof, fulfills, dependsOn, tier"
    )
    assert.include(said({ title: "t", units: [{ ...unit, tier: "T9" }] }), '"T0" | "T1"')
    assert.include(
      said({ title: "t", units: [{ ...unit, dependsOn: ["w"] }] }),
      'there is no unit "w"; there are u'
    )
    assert.include(
      said({ title: "t", units: [{ ...unit, proof: ["make"] }] }),
      "does not allow `make`; its proofs are tests, its commands npm test"
    )
    const assertions = [{ id: "a", statement: "", oracle: "trust", args: {}, evidence: "e" }]
    assert.include(
      said({ title: "t", units: [{ ...unit, fulfills: ["a"] }] }, { ...contract, assertions }),
      'there is no oracle "trust"; there are equality'
    )
  })

  it("boards: keys and phases, with their line", () => {
    const board = "members:\n  - { id: a, rol: x, role: y }\n"
    assert.match(
      messageOf(loadBoard(board)),
      /\$\.members\[0\]\.rol \(2:\d+\): there is no such key; there are id, role, model/
    )
    assert.include(
      messageOf(loadBoard("members: []\nphases: [openning]\n")),
      "there are opening, critique, revision, contrarian, ballot"
    )
  })
})
