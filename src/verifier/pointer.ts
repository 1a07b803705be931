// JSON pointers (RFC 6901) into plain values. Only own members are seen; array indexes have no leading zeros.
import { Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { unproven, type Outcome } from "./Finding.ts"

const index = /^(?:0|[1-9][0-9]*)$/
const badEscape = /~(?![01])/

const step = (value: Json, token: string): Json | undefined => {
  if (value === null || typeof value !== "object") return undefined
  if (isArray(value)) return index.test(token) ? value[Number(token)] : undefined
  return Object.hasOwn(value, token) ? value[token] : undefined
}

export const isArray = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** The value there, `undefined` where there is none; a malformed pointer leaves the claim unproven. */
export const pointAt = (
  value: Json,
  pointer: string
): Result.Result<Json | undefined, Outcome & { readonly finding: "unproven" }> => {
  if ((pointer !== "" && !pointer.startsWith("/")) || badEscape.test(pointer)) {
    return Result.fail(unproven("bad_args", `${JSON.stringify(pointer)} is not a JSON pointer`))
  }
  const tokens = pointer.split("/").slice(1)
  return Result.succeed(
    tokens.reduce<Json | undefined>(
      (at, token) =>
        at === undefined ? undefined : step(at, token.replaceAll("~1", "/").replaceAll("~0", "~")),
      value
    )
  )
}
