// Findings for people: what was claimed, whether it is proven, and what stands there instead where it is refuted.
import type { Claim } from "../../verifier/Claim.ts"
import type { Finding } from "../../verifier/Finding.ts"
import { plural } from "./numbers.ts"
import { clip, type Style } from "../terminal/style.ts"

const mark = ({ finding }: Finding, style: Style): string => {
  switch (finding) {
    case "proven":
      return style.green("proven  ")
    case "refuted":
      return style.red("refuted ")
    case "unproven":
      return style.yellow("unproven")
  }
}

/** Counter-evidence, in place. It was bounded by the verifier. */
const counter = (finding: Finding): ReadonlyArray<string> =>
  finding.finding === "refuted" ? [`  ${finding.evidence} says: ${JSON.stringify(finding.counter)}`] : []

export const findingText = (claim: Claim, finding: Finding, style: Style): string =>
  [
    `${mark(finding, style)} ${style.bold(claim.id)}  ${clip(claim.statement, 160)}`,
    ...(finding.finding === "proven"
      ? []
      : [`  ${finding.oracle}: ${finding.reason} ${style.dim(`[${finding.code}]`)}`]),
    ...counter(finding)
  ].join("\n")

export interface ClaimsTally {
  readonly ok: boolean
  readonly proven: number
  readonly refuted: number
  readonly unproven: number
}

export const tallyText = ({ ok, proven, refuted, unproven }: ClaimsTally, style: Style): string => {
  const all = proven + refuted + unproven
  if (all === 0) return style.yellow("there is no claim to prove")
  const said = `${proven} of ${plural(all, "claim")} proven, ${refuted} refuted, ${unproven} unproven`
  return ok ? style.green(said) : style.red(said)
}
