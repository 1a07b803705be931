// The claims corpus: more than four hundred claims, half of them false and argued for. A false accept is a defect
// whatever the prose says; the table is printed so that a change shows.
import { assert, describe, it } from "@effect/vitest"
import { checkClaims } from "../../src/verifier/checkClaims.ts"
import type { Case } from "./corpus/cases.ts"
import { corpusEvidence } from "./corpus/evidence.ts"
import { kindCases, kindEvidence } from "./corpus/kinds.ts"
import { textCases } from "./corpus/texts.ts"
import { valueCases } from "./corpus/values.ts"

const cases: ReadonlyArray<Case> = [...textCases, ...valueCases, ...kindCases]
const findings = checkClaims(
  cases.map(({ claim }) => claim),
  [...corpusEvidence, ...kindEvidence]
)
const results = cases.map((entry, index) => ({ ...entry, finding: findings[index] }))
const table = (truth: boolean) => {
  const of = results.filter((entry) => entry.truth === truth)
  const count = (kind: string) => of.filter(({ finding }) => finding?.finding === kind).length
  return {
    claims: of.length,
    proven: count("proven"),
    refuted: count("refuted"),
    unproven: count("unproven")
  }
}

describe("the claims corpus", () => {
  it("has at least four hundred claims, at least a hundred and fifty of each truth, each with an id of its own", () => {
    assert.isAtLeast(results.length, 400)
    assert.isAtLeast(table(false).claims, 200)
    assert.isAtLeast(table(true).claims, 150)
    assert.strictEqual(new Set(cases.map(({ claim }) => claim.id)).size, cases.length)
  })

  it("no false claim is proven", () => {
    // oxlint-disable-next-line no-console -- the confusion table is what this test is read for
    console.table({ "true claims": table(true), "false claims": table(false) })
    const accepted = results.filter(({ finding, truth }) => !truth && finding?.finding === "proven")
    assert.deepStrictEqual(
      accepted.map(({ claim, why }) => `${claim.id}: ${why}`),
      []
    )
  })

  it("at least 98 % of the true claims are proven", () => {
    const missed = results.filter(({ finding, truth }) => truth && finding?.finding !== "proven")
    assert.isAtMost(
      missed.length / table(true).claims,
      0.02,
      JSON.stringify(missed.map(({ finding }) => finding))
    )
  })

  it("no true claim is refuted", () => {
    assert.deepStrictEqual(
      results
        .filter(({ finding, truth }) => truth && finding?.finding === "refuted")
        .map(({ claim }) => claim.id),
      []
    )
  })

  it("every refutation carries its counter-evidence and every unproven one its reason", () => {
    for (const { finding } of results) {
      if (finding?.finding === "refuted") assert.property(finding, "counter")
      if (finding?.finding === "unproven") assert.isAbove(finding.reason.length, 0)
    }
  })
})
