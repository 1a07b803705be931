// What a Schema refused in something that a person wrote: every problem with its place, and for a key that is not known
// the keys there are. Pure.
import { type Schema, SchemaAST, SchemaIssue } from "effect"

export interface Issue {
  /** Keys and indices from the top. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

const maxIssues = 5
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/

const keyOf = (segment: unknown): string | number => {
  if (typeof segment === "object" && segment !== null && "key" in segment) return keyOf(segment.key)
  return typeof segment === "number" ? segment : String(segment)
}

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    const keys = issue._tag === "UnexpectedKey" ? keysOf(issue.ast) : []
    return keys.length === 0
      ? SchemaIssue.defaultLeafHook(issue)
      : `there is no such key; there are ${keys.join(", ")}`
  }
})

/** Each problem once, in the order they were found. */
export const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  format(error.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map(keyOf),
    message: `${message.charAt(0).toLowerCase()}${message.slice(1)}`
  }))

/** `$.units[2].dependsOn`, with keys that are no names in brackets. */
export const pathText = (path: Issue["path"]): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number"
        ? `${text}[${key}]`
        : `${text}${plainKey.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`,
    "$"
  )

/** `$.budget.uds: there is no such key; there are usd, calls, …`, on one line. */
export const issuesText = (error: Schema.SchemaError): string => {
  const lines = [...new Set(issuesOf(error).map(({ message, path }) => `${pathText(path)}: ${message}`))]
  const more = lines.length - maxIssues
  return lines.slice(0, maxIssues).join("; ") + (more > 0 ? `; and ${more} more` : "")
}
