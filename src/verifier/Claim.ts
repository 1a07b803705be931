// Claim: one atomic statement, the oracle that decides it, and the evidence it stands on. The statement is for
// people; no oracle is ever given it. Reading claims from a file's text is here, deciding them is checkClaims.ts.
import { Result, Schema } from "effect"
import { Assertion } from "../domain/Contract.ts"
import { issuesOf, pathText } from "../domain/schemaIssues.ts"
import { placeOf, UserJsonError, withoutSchema } from "../domain/json/userJson.ts"
import { strictJson } from "../domain/json/strictJson.ts"

/** A claim has the shape of a contract's assertion: id, statement, oracle, args, evidence id. */
export const Claim = Schema.Struct(Assertion.fields)
export type Claim = typeof Claim.Type

/** What of a claim decides its finding. The prose is not part of it, so that it cannot. */
export type Question = Pick<Claim, "oracle" | "args" | "evidence">

/** Claims or evidence that cannot be loaded. `path` is the place in the file, `$[3].id`. */
export class VerifierError extends Schema.TaggedError<VerifierError>()("VerifierError", {
  code: Schema.Literals(["claims_unparsable", "claims_invalid", "duplicate_claim"]),
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.code} at ${this.path}: ${this.problem}`
  }
}

const decodeFile = Schema.decodeUnknownResult(
  Schema.Union([Schema.Array(Claim), Schema.Struct({ claims: Schema.Array(Claim) })]),
  { onExcessProperty: "error" }
)

/**
 * Claims from the text of a file: a JSON array of claims, or `{ "claims": [...] }`. A repeated key, a number that a
 * double cannot carry, an unknown key or a repeated id is an error; nothing is dropped.
 */
export const loadClaims = (text: string): Result.Result<ReadonlyArray<Claim>, VerifierError> =>
  Result.gen(function* () {
    const document = yield* Result.mapError(
      strictJson(text),
      ({ offset, problem }) =>
        new VerifierError({
          code: "claims_unparsable",
          path: "$",
          problem: new UserJsonError({ ...placeOf(text, offset), problem }).message
        })
    )
    const lossy = document.lossy[0]
    if (lossy !== undefined) {
      return yield* Result.fail(
        new VerifierError({
          code: "claims_unparsable",
          path: lossy,
          problem: "a number with too many digits"
        })
      )
    }
    const file = yield* Result.mapError(decodeFile(withoutSchema(document.value)), (error) => {
      const [first = { path: [], message: "not claims" }] = issuesOf(error)
      return new VerifierError({
        code: "claims_invalid",
        path: pathText(first.path),
        problem: first.message
      })
    })
    const claims = "claims" in file ? file.claims : file
    const seen = new Set<string>()
    for (const [index, claim] of claims.entries()) {
      if (seen.has(claim.id)) {
        return yield* Result.fail(
          new VerifierError({
            code: "duplicate_claim",
            path: `$[${index}].id`,
            problem: `"${claim.id}" stands twice`
          })
        )
      }
      seen.add(claim.id)
    }
    return claims
  })
