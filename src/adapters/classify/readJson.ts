// Reading foreign JSON without trusting it: parse, look up, narrow. Pure; knows no provider.
import { Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"

export type JsonObject = { readonly [key: string]: Json }

const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** The value of a JSON text, or undefined where it is not JSON. A leading byte order mark is ignored. */
export const parseJson = (text: string): Json | undefined => {
  const parsed = Result.try((): Json => JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text))
  return Result.isSuccess(parsed) ? parsed.success : undefined
}

export const asObject = (value: Json | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !isList(value) ? value : undefined

export const asList = (value: Json | undefined): ReadonlyArray<Json> => (isList(value) ? value : [])

export const asString = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

/** An own member: `at(body, "error", "code")`; undefined where anything on the way is not an object. */
export const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined => {
  let here = value
  for (const key of path) {
    const object = asObject(here)
    if (object === undefined || !Object.hasOwn(object, key)) return undefined
    here = object[key]
  }
  return here
}

/**
 * Whether a text that is not JSON is the beginning of one: it opens a container and never closes it. Tells a cut
 * answer, worth another try, from text that is something else.
 */
export const isCutJson = (text: string): boolean => {
  const body = text.trimStart()
  if (body[0] !== "{" && body[0] !== "[") return false
  let depth = 0
  let inString = false
  for (let index = 0; index < body.length; index++) {
    const char = body[index]
    if (inString) {
      if (char === "\\") index++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === "{" || char === "[") depth++
    else if (char === "}" || char === "]") {
      depth--
      if (depth === 0) return false
    }
  }
  return true
}
