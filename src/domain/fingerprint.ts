// Fingerprints: SHA-256, lower-case hex. `node:crypto` is used here as what it is, a pure function from bytes to
// bytes; it is five times faster than the same written in JavaScript, and every journal line is hashed.
import { createHash, hash } from "node:crypto"
import { Result } from "effect"
import { canonicalJson, type CanonicalOptions, type NotCanonicalError } from "./json/canonicalJson.ts"

/** The same as browsers write it in a policy: base64. */
export const sha256Base64 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** SHA-256 of bytes, or of the UTF-8 form of a string: 64 lower-case hex digits. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")

/** SHA-256 fed piece by piece, for what does not fit in memory at once. */
export const sha256Stream = (): { update: (data: string | Uint8Array) => void; digest: () => string } => {
  const state = createHash("sha256")
  return { update: (data) => void state.update(data), digest: () => state.digest("hex") }
}

/** SHA-256 over the canonical JSON of `value`. */
export const fingerprint = (
  value: unknown,
  options?: CanonicalOptions
): Result.Result<string, NotCanonicalError> => Result.map(canonicalJson(value, options), sha256)
