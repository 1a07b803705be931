// Finding: what the verifier says of a claim. Proven, refuted with the counter-evidence, or unproven with the
// reason; unproven never counts as proven. Built here, decided by the oracles.
import { Schema } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"

/** Why a claim stays unproven, or was refuted, in one word. */
export const FindingCode = Schema.Literals([
  // refuted
  "differs",
  "absent",
  "cut_word",
  "invalid",
  // unproven
  "bad_claim",
  "unknown_oracle",
  "bad_args",
  "vacuous",
  "evidence_missing",
  "evidence_ambiguous",
  "evidence_unreadable",
  "evidence_inconsistent",
  "evidence_truncated",
  "evidence_doubtful",
  "other_command",
  "wrong_kind",
  "not_json",
  "not_a_number",
  "not_an_instant",
  "inexact_number",
  "ambiguous_date",
  "imprecise_date",
  "unit_missing",
  "unit_incomparable",
  "pointer_missing",
  "extract_ambiguous",
  "other_type",
  "pattern_unsupported",
  "schema_unsupported",
  "too_large",
  "too_complex",
  "undecided"
])
export type FindingCode = typeof FindingCode.Type

/** What an oracle answers. `counter` is the counter-evidence: what stands there instead. */
export const Outcome = Schema.Union([
  Schema.Struct({ finding: Schema.Literal("proven") }),
  Schema.Struct({
    finding: Schema.Literal("refuted"),
    code: FindingCode,
    reason: Schema.String,
    counter: Schema.Json
  }),
  Schema.Struct({ finding: Schema.Literal("unproven"), code: FindingCode, reason: Schema.String })
])
export type Outcome = typeof Outcome.Type

const claim = { claim: Schema.String, oracle: Schema.String, evidence: Schema.String }

/** An outcome with the ids of claim and evidence. */
export const Finding = Schema.Union([
  Schema.Struct({ ...claim, ...Outcome.members[0].fields }),
  Schema.Struct({ ...claim, ...Outcome.members[1].fields }),
  Schema.Struct({ ...claim, ...Outcome.members[2].fields })
])
export type Finding = typeof Finding.Type

/** Longest text quoted in a finding, in UTF-16 code units. */
const maxExcerpt = 300

export const excerpt = (text: string): string =>
  text.length <= maxExcerpt ? text : `${text.slice(0, maxExcerpt).toWellFormed()}…`

/** Counter-evidence of a bounded size: a long text is cut, a large structure is described. */
const bounded = (counter: Json): Json => {
  if (typeof counter === "string") return excerpt(counter)
  if (counter === null || typeof counter !== "object") return counter
  const text = JSON.stringify(counter)
  return text.length <= 4 * maxExcerpt ? counter : excerpt(text)
}

export const proven: Outcome = Object.freeze({ finding: "proven" })

export const refuted = (code: FindingCode, reason: string, counter: Json): Outcome => ({
  finding: "refuted",
  code,
  reason: excerpt(reason),
  counter: bounded(counter)
})

export const unproven = (code: FindingCode, reason: string): Outcome & { readonly finding: "unproven" } => ({
  finding: "unproven",
  code,
  reason: excerpt(reason)
})

/** Proven if it holds, else refuted with what stands there. */
export const holds = (held: boolean, reason: string, counter: Json): Outcome =>
  held ? proven : refuted("differs", reason, counter)
