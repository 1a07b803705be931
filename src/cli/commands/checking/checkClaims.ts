// `alembic check-claims CLAIMS --evidence DIR`: each claim against the evidence, by its oracle. No model is asked and
// nothing written; the prose of a claim is shown and never read.
import { Effect, Result } from "effect"
import { checkClaims, tally } from "../../../verifier/checkClaims.ts"
import { loadClaims } from "../../../verifier/Claim.ts"
import { badInput } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { pathArgument, requiredText } from "../../flags.ts"
import { readEvidence } from "../../inputs/evidenceFiles.ts"
import { readProofEvidence } from "../../inputs/proofEvidence.ts"
import { readText } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { findingText, tallyText } from "../../render/claimsText.ts"

const readClaims = Effect.fnUntraced(function* (file: string) {
  const cure = 'a JSON array of claims: [{ "id", "statement", "oracle", "args", "evidence" }]'
  const claims = loadClaims(yield* readText("claims", file, cure))
  if (Result.isSuccess(claims)) return claims.success
  const { code, message, path } = claims.failure
  return yield* badInput(code, `claims ${file}: ${message}`, { file, path, cure: `correct ${file}` })
})

export default defineCommand({
  name: "check-claims",
  description:
    "Prove or refute claims from the files of a directory. Exit code 0 when all are proven, 1 when one is refuted or unproven (evidence that is missing proves nothing), 2 when something cannot be read.",
  config: {
    claims: pathArgument(
      "claims",
      "A JSON file: an array of claims { id, statement, oracle, args, evidence }"
    ),
    evidence: requiredText(
      "evidence",
      "<dir>",
      "Files are evidence under their path; *.evidence.json holds numbers, documents and sources under ids of its own. What a command did is evidence of a run: run:RUN/proof:ID in the claim"
    )
  },
  examples: [
    {
      command: "alembic check-claims claims.json --evidence build/",
      description: "What is proven, and what is not"
    },
    {
      command: "alembic check-claims claims.json --evidence build/ --json",
      description: "One JSON object a claim, then the summary"
    }
  ],
  handler: Effect.fn("cli.checkClaims")(function* (input) {
    const output = yield* Output
    const claims = yield* readClaims(input.claims)
    const evidence = [...(yield* readEvidence(input.evidence)), ...(yield* readProofEvidence(claims))]
    const findings = checkClaims(claims, evidence)
    for (const [index, finding] of findings.entries()) {
      const claim = claims[index]
      if (claim === undefined) continue
      yield* output.emit({ type: "Finding", ...finding, statement: claim.statement })
      yield* output.print(findingText(claim, finding, output.style))
    }
    const counts = tally(findings)
    const { ok, ...rest } = counts
    yield* output.emit({ type: "ClaimsSummary", ok, claims: claims.length, ...rest, pieces: evidence.length })
    yield* output.print(tallyText(counts, output.style))
    yield* output.exitWith(ok ? 0 : 1)
  })
})
