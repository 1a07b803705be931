// What is kept of an error that a plan's own code ended with: message, tag and, as far as it is plain data, the error
// itself. Shared by a program's end, its steps and its lost slots. Pure.
import { Cause, Result, Schema } from "effect"
import { defined } from "../../domain/defined.ts"
import { canonicalJson, maxValueDepth, type Json } from "../../domain/json/canonicalJson.ts"

export interface Thrown {
  readonly message: string
  /** Its `_tag`, or the name of its class where that says more than `Error`. */
  readonly tag?: string
  /** The error as JSON: as its schema encodes it, else its own members. */
  readonly value?: Json
}

const asJson = (value: unknown): Json | undefined =>
  Result.match(canonicalJson(value, { maxDepth: maxValueDepth }), {
    onSuccess: (text): Json => JSON.parse(text),
    onFailure: () => undefined
  })

/** A value as `schema` encodes it, in JSON; undefined if it does not. */
export const encodedBy = (schema: Schema.Constraint, value: unknown): Json | undefined => {
  const encoder: Schema.Encoder<unknown> = Schema.make(Schema.toCodecJson(Schema.make(schema.ast)).ast)
  const encoded = Result.try(() => Schema.encodeUnknownResult(encoder)(value))
  return Result.isSuccess(encoded) && Result.isSuccess(encoded.success)
    ? asJson(encoded.success.success)
    : undefined
}

const tagOf = (error: unknown): string | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  return error instanceof Error && error.name !== "Error" ? error.name : undefined
}

/** Members that every error has, and that say where it was made rather than what it is. */
const ambient: ReadonlySet<string> = new Set(["stack", "cause", "name", "message"])

const valueOf = (error: unknown, schema: Schema.Constraint | undefined): Json | undefined => {
  if (schema !== undefined) return encodedBy(schema, error)
  if (typeof error !== "object" || error === null) return asJson(error)
  if (Schema.isSchema(error.constructor)) return encodedBy(error.constructor, error)
  const members = Object.entries(error).filter(([name]) => !(error instanceof Error && ambient.has(name)))
  return members.length === 0 ? undefined : asJson(Object.fromEntries(members))
}

const maxShown = 400

/** What is kept of one error. */
export const thrownOf = (error: unknown, schema?: Schema.Constraint): Thrown => {
  const tag = tagOf(error)
  const value = valueOf(error, schema)
  const own = error instanceof Error ? error.message : typeof error === "string" ? error : ""
  const shown =
    value === undefined || tag === undefined ? "" : `: ${JSON.stringify(value).slice(0, maxShown)}`
  return {
    message: own !== "" ? own : tag === undefined ? String(JSON.stringify(value) ?? error) : `${tag}${shown}`,
    ...defined({ tag, value })
  }
}

/** What is kept of a cause: of its first failure, else of its first defect. */
export const thrownBy = (cause: Cause.Cause<unknown>, schema?: Schema.Constraint): Thrown => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return thrownOf(failure.error, schema)
  return Cause.hasInterruptsOnly(cause) ? { message: "interrupted" } : thrownOf(Cause.squash(cause))
}
