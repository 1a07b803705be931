// The first difference between two JSON values, by JSON pointer (RFC 6901). Used to explain a divergence.
import { defined } from "../defined.ts"
import type { Json } from "./canonicalJson.ts"

export interface JsonDifference {
  /** RFC 6901 pointer; the empty string is the whole value. */
  readonly pointer: string
  /** Absent where that side has nothing there. */
  readonly left?: Json
  readonly right?: Json
}

const escape = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1")

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Depth first, members in key order. `undefined` when the values are equal. */
export const jsonDifference = (
  left: Json | undefined,
  right: Json | undefined,
  pointer = ""
): JsonDifference | undefined => {
  if (left === undefined || right === undefined) {
    if (left === right) return undefined
    return { pointer, ...defined({ left, right }) }
  }
  if (isList(left) && isList(right)) {
    const length = Math.max(left.length, right.length)
    for (let index = 0; index < length; index++) {
      const found = jsonDifference(left[index], right[index], `${pointer}/${index}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (isObject(left) && isObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
    for (const key of keys) {
      const found = jsonDifference(
        Object.hasOwn(left, key) ? left[key] : undefined,
        Object.hasOwn(right, key) ? right[key] : undefined,
        `${pointer}/${escape(key)}`
      )
      if (found !== undefined) return found
    }
    return undefined
  }
  return left === right ? undefined : { pointer, left, right }
}
