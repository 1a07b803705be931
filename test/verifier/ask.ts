// One question to one oracle, for tests: the outcome as "proven", or "refuted:code", "unproven:code".
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import { sha256 } from "../../src/domain/fingerprint.ts"
import { checkClaims } from "../../src/verifier/checkClaims.ts"
import type { Evidence } from "../../src/verifier/Evidence.ts"
import type { Finding } from "../../src/verifier/Finding.ts"

export const file = (text: string): Evidence => ({
  kind: "file",
  id: "e",
  path: "e",
  sha256: sha256(text),
  bytes: new TextEncoder().encode(text).length,
  text
})
export const json = (value: Json): Evidence => ({ kind: "json", id: "e", value })
export const number = (value: number | string, unit?: string): Evidence =>
  unit === undefined ? { kind: "number", id: "e", value } : { kind: "number", id: "e", value, unit }
export const ran = (
  exitCode: number | null,
  stdout = "",
  rest: { readonly stderr?: string; readonly truncated?: boolean; readonly timedOut?: boolean } = {}
): Evidence => ({ kind: "command", id: "e", command: ["npm", "test"], exitCode, stdout, stderr: "", ...rest })

export const findingOf = (oracle: string, args: Json, ...evidence: ReadonlyArray<Evidence>): Finding => {
  const [finding] = checkClaims([{ id: "c", statement: "prose", oracle, args, evidence: "e" }], evidence)
  if (finding === undefined) throw new Error("a claim without a finding")
  return finding
}

export const ask = (oracle: string, args: Json, ...evidence: ReadonlyArray<Evidence>): string => {
  const finding = findingOf(oracle, args, ...evidence)
  return finding.finding === "proven" ? "proven" : `${finding.finding}:${finding.code}`
}
