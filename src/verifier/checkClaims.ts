// checkClaims: claims and evidence in, findings out. Pure and total: it snapshots what it is given, works on frozen
// copies, and knows no adapter. The statement of a claim is set aside before anything is decided.
import { Result, Schema } from "effect"
import { canonicalJson } from "../domain/json/canonicalJson.ts"
import { Claim, type Question } from "./Claim.ts"
import { Evidence } from "./Evidence.ts"
import { unproven, type Finding, type Outcome } from "./Finding.ts"
import { deepFreeze } from "./deepFreeze.ts"
import { noOracle, oracleNamed } from "./oracleKit.ts"

const maxDepth = 8
const maxParts = 1_000
/** Longest arguments of one claim, in UTF-16 code units of canonical JSON. */
const maxArgs = 500_000

const decodeClaim = Schema.decodeUnknownResult(Schema.fromJsonString(Claim), { onExcessProperty: "error" })
const decodeEvidence = Schema.decodeUnknownResult(Schema.fromJsonString(Evidence), {
  onExcessProperty: "error"
})

/** A frozen copy that shares nothing with what was given: what its owner does to it later changes nothing. */
const snapshot = <A, E>(value: unknown, decode: (text: unknown) => Result.Result<A, E>): A | undefined => {
  const text = canonicalJson(value)
  if (Result.isFailure(text)) return undefined
  return Result.match(decode(text.success), { onFailure: () => undefined, onSuccess: deepFreeze })
}

/** Sealed evidence by id. An id that stands twice names nothing. */
export interface SealedEvidence {
  readonly byId: (id: string) => Evidence | "ambiguous" | undefined
}

const idOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "string" ? value.id : ""

/** Snapshots and freezes evidence. What is not well formed becomes `unreadable` under its id. */
export const sealEvidence = (evidence: ReadonlyArray<Evidence>): SealedEvidence => {
  const sealed = new Map<string, Evidence | "ambiguous">()
  for (const piece of evidence) {
    const copy = snapshot(piece, decodeEvidence) ?? unreadable(idOf(piece))
    sealed.set(copy.id, sealed.has(copy.id) ? "ambiguous" : copy)
  }
  return Object.freeze({ byId: (id: string) => sealed.get(id) })
}

const unreadable = (id: string): Evidence =>
  Object.freeze({ kind: "unreadable", id, reason: "the evidence is not plain, well-formed data" })

class Session {
  private parts = 0
  private readonly evidence: SealedEvidence
  constructor(evidence: SealedEvidence) {
    this.evidence = evidence
  }

  decide(question: Question, depth: number): Outcome {
    if (depth > maxDepth || ++this.parts > maxParts)
      return unproven("too_complex", "too many parts in one claim")
    const oracle = oracleNamed(question.oracle)
    if (oracle === undefined) return unproven("unknown_oracle", noOracle(question.oracle))
    const evidence = this.evidence.byId(question.evidence)
    if (evidence === "ambiguous") return unproven("evidence_ambiguous", "two pieces of evidence have this id")
    return oracle.decide(question.args, {
      evidence,
      ask: (part) =>
        this.decide(
          { oracle: part.oracle, args: part.args, evidence: part.evidence ?? question.evidence },
          depth + 1
        )
    })
  }
}

const find = (claim: Claim, evidence: SealedEvidence): Finding => {
  const question = deepFreeze({ oracle: claim.oracle, args: claim.args, evidence: claim.evidence })
  const size = Result.getOrElse(
    Result.map(canonicalJson(claim.args), (text) => text.length),
    () => Infinity
  )
  const outcome =
    size > maxArgs
      ? unproven("too_large", `arguments of more than ${maxArgs} characters`)
      : Result.getOrElse(
          Result.try(() => new Session(evidence).decide(question, 0)),
          () => unproven("undecided", "the oracle could not finish")
        )
  return deepFreeze({ claim: claim.id, oracle: claim.oracle, evidence: claim.evidence, ...outcome })
}

/**
 * One finding for each claim, in the claims' order. Never throws: a claim that is not well formed is `unproven`.
 * The findings are frozen.
 */
export const checkClaims = (
  claims: ReadonlyArray<Claim>,
  evidence: ReadonlyArray<Evidence>
): ReadonlyArray<Finding> => {
  const sealed = sealEvidence(evidence)
  return Object.freeze(
    claims.map((claim): Finding => {
      const copy = snapshot(claim, decodeClaim)
      return copy === undefined
        ? deepFreeze({
            claim: idOf(claim),
            oracle: "",
            evidence: "",
            ...unproven("bad_claim", "the claim is not plain, well-formed data")
          })
        : find(copy, sealed)
    })
  )
}

/** How many findings of each kind; `ok` only if there is at least one and all are proven. */
export const tally = (findings: ReadonlyArray<Finding>) => {
  const of = (kind: Finding["finding"]) => findings.filter(({ finding }) => finding === kind).length
  const counts = { proven: of("proven"), refuted: of("refuted"), unproven: of("unproven") }
  return { ...counts, ok: findings.length > 0 && counts.proven === findings.length }
}
