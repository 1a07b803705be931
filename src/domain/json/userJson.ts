// Files of JSON that a person writes by hand: what is wrong is said by line and column, and `$schema`, by which an
// editor knows what the file is, may stand in any of them.
import { Result, Schema } from "effect"
import { maxValueDepth, type Json } from "./canonicalJson.ts"
import { strictJson } from "./strictJson.ts"

export class UserJsonError extends Schema.TaggedError<UserJsonError>()("UserJsonError", {
  /** From 1. */
  line: Schema.Int,
  column: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    return `line ${this.line}, column ${this.column}: ${this.problem}`
  }
}

/** The place of an offset, counted as editors do. */
export const placeOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const number = /-?\d[\d.eE+-]*/y

/** The first number of a text of JSON that is too large to be one here, such as `1e400`. */
const tooLarge = (text: string) => {
  let quoted = false
  for (let offset = 0; offset < text.length; offset++) {
    if (text[offset] === '"') quoted = !quoted
    else if (quoted) offset += text[offset] === "\\" ? 1 : 0
    else {
      number.lastIndex = offset
      const token = number.exec(text)?.[0]
      if (token === undefined) continue
      if (Math.abs(Number(token)) === Infinity)
        return { offset, problem: `the number ${token.slice(0, 40)} is too large` }
      offset += token.length - 1
    }
  }
  return undefined
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** The value of a text, or where it stops being JSON. A byte order mark is no part of it. */
export const userJson = (given: string): Result.Result<Json, UserJsonError> => {
  const text = given.replace(/^\uFEFF/, "")
  return Result.mapError(decode(text), () => {
    const { offset, problem } = Result.match(strictJson(text, maxValueDepth), {
      onFailure: (error) => error,
      // What the strict reader takes and the other does not, there is not.
      onSuccess: () => tooLarge(text) ?? { offset: 0, problem: "not JSON" }
    })
    return new UserJsonError({
      ...placeOf(text, offset),
      problem: text.trim() === "" ? "there is nothing" : problem
    })
  })
}

/** The value without the `$schema` that stands in it for an editor. */
export const withoutSchema = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  if (!("$schema" in value) || typeof value.$schema !== "string") return value
  const { $schema: _, ...rest } = value
  return rest
}
