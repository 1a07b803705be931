// What a Schema refused, in one line: every problem with its path in the form `$.rules[0].match`. Pure.
import { type Schema, SchemaIssue } from "effect"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const maxIssues = 5
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/

const keyOf = (segment: unknown): PropertyKey => {
  if (typeof segment === "object" && segment !== null && "key" in segment) return keyOf(segment.key)
  return typeof segment === "string" || typeof segment === "number" || typeof segment === "symbol"
    ? segment
    : ""
}

const pathOf = (segments: ReadonlyArray<unknown>): string =>
  segments.map(keyOf).reduce<string>((path, key) => {
    const isIndex = typeof key === "number"
    if (isIndex) return `${path}[${key}]`
    const text = String(key)
    return plainKey.test(text) ? `${path}.${text}` : `${path}[${JSON.stringify(text)}]`
  }, "$")

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Every problem with its path, at most ten. */
export const schemaIssues = (
  error: Schema.SchemaError
): ReadonlyArray<{ readonly path: string; readonly problem: string }> =>
  issuesOf(error.issue)
    .issues.slice(0, 10)
    .map(({ message, path }) => ({ path: pathOf(path ?? []), problem: lowerFirst(message) }))

/** `$.models.fast.price: missing key; $.modles: expected no excess property`. */
export const schemaMessage = (error: Schema.SchemaError): string => {
  const { issues } = issuesOf(error.issue)
  const lines = issues.map(({ message, path }) => `${pathOf(path ?? [])}: ${lowerFirst(message)}`)
  const distinct = [...new Set(lines)]
  const more = distinct.length - maxIssues
  return distinct.slice(0, maxIssues).join("; ") + (more > 0 ? `; and ${more} more` : "")
}
