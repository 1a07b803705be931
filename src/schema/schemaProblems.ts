// What is wrong with a JSON Schema before any value is held against it: it is malformed, it holds what is not decided
// here, or it contradicts itself (contradictions.ts). Every pattern must be one of the linear language. Pure.
import { Result } from "effect"
import { canonicalJson, type Json } from "../domain/json/canonicalJson.ts"
import { contradiction, emptyType } from "./contradictions.ts"
import {
  allowedTypes,
  isList,
  isRecord,
  manySchemas,
  namedSchemas,
  nodeOf,
  oneSchema,
  resolveRef,
  type SchemaNode,
  type SchemaObject,
  typeNames,
  within
} from "./document.ts"
import { formats } from "./formats.ts"
import { linearPattern } from "./pattern/linearPattern.ts"
import { at, type SchemaProblem } from "./schemaPath.ts"

const maxProblems = 10
/** Longest schema, in characters of its canonical JSON. */
const maxSchemaText = 1_000_000

const counts = [
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains"
]
const numbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
const isTexts = (value: Json): boolean => isList(value) && value.every((one) => typeof one === "string")
const texts = ["$schema", "$anchor", "$comment", "title", "description", "format"]
const flags = ["uniqueItems", "deprecated", "readOnly", "writeOnly"]
const annotations = ["default", "examples", "const"]
const decided: ReadonlySet<string> = new Set([
  "type",
  "required",
  "enum",
  "pattern",
  "$ref",
  "dependentRequired",
  ...[counts, numbers, texts, flags, annotations, oneSchema, manySchemas, namedSchemas].flat()
])

/** Keywords that change what a schema means and are not followed. */
const notFollowed: Readonly<Record<string, string>> = {
  dependencies: "is of an older draft: write dependentRequired or dependentSchemas",
  $dynamicRef: "is not followed: write $ref"
}

/** Why a pattern cannot be used, or undefined. It must be one of ECMAScript too, as the draft says. */
export const patternProblem = (pattern: string): string | undefined => {
  if (Result.isFailure(Result.try(() => new RegExp(pattern, "u")))) return "is not a regular expression"
  return Result.match(linearPattern(pattern), {
    onFailure: ({ problem }) => `cannot be matched in linear time (${problem})`,
    onSuccess: () => undefined
  })
}

const malformedKeyword = (key: string, value: Json, root: SchemaNode): string | undefined => {
  if (key === "type") {
    const named = isList(value) ? value : [value]
    const known = (one: Json) => typeNames.some((name) => name === one)
    return named.length > 0 && named.every(known) ? undefined : `must be one of ${typeNames.join(", ")}`
  }
  if (counts.includes(key)) {
    return typeof value === "number" && Number.isInteger(value) && value >= 0 ? undefined : "must be a count"
  }
  if (numbers.includes(key)) {
    if (typeof value !== "number") return "must be a number"
    return key === "multipleOf" && value <= 0 ? "must be greater than 0" : undefined
  }
  if (key === "required") {
    return isList(value) && value.every((one) => typeof one === "string")
      ? undefined
      : "must be a list of names"
  }
  if (key === "enum") return isList(value) ? undefined : "must be a list"
  if (key === "pattern") {
    if (typeof value !== "string") return "must be a regular expression"
    return patternProblem(value)
  }
  if (key === "$ref") {
    if (typeof value !== "string") return "must be a reference"
    if (!value.startsWith("#"))
      return `points outside the schema (${value}): only references within it are followed`
    return resolveRef(root, value) === undefined ? `points at nothing (${value})` : undefined
  }
  if (key === "$recursiveRef") return value === "#" ? undefined : "points at nothing but the root: #"
  if (oneSchema.some((name) => name === key))
    return nodeOf(value) === undefined ? "must be a schema" : undefined
  if (manySchemas.some((name) => name === key)) {
    const good = isList(value) && value.length > 0 && value.every((one) => nodeOf(one) !== undefined)
    return good ? undefined : "must be a list of schemas that is not empty"
  }
  if (namedSchemas.some((name) => name === key)) {
    const good = isRecord(value) && Object.values(value).every((one) => nodeOf(one) !== undefined)
    if (!good) return "must hold schemas by name"
    if (key !== "patternProperties") return undefined
    const bad = Object.keys(value).find((name) => patternProblem(name) !== undefined)
    return bad === undefined ? undefined : `has a name that ${patternProblem(bad) ?? ""}: ${bad}`
  }
  return Object.hasOwn(notFollowed, key) ? notFollowed[key] : undefined
}

/** What a keyword must also be where everything in a schema has to be decided, annotations too. */
const undecidedKeyword = (key: string, value: Json): string | undefined => {
  if (!decided.has(key)) return "a keyword that is not decided here"
  if (flags.includes(key)) return typeof value === "boolean" ? undefined : "must be true or false"
  if (texts.includes(key) && typeof value !== "string") return "must be a text"
  if (key === "format" && typeof value === "string" && !formats.has(value))
    return `a format that is not decided here (${value})`
  if (key === "dependentRequired")
    return isRecord(value) && Object.values(value).every(isTexts) ? undefined : "must hold lists of names"
  return undefined
}

/** `strict`: what is not decided here is a problem, where otherwise it is an annotation. */
export interface Strictness {
  readonly strict?: boolean
}

/** Every place with a malformed keyword, or with bounds that exclude each other, required or not. */
const walk = (
  node: SchemaObject,
  path: string,
  root: SchemaNode,
  strict: boolean,
  found: Array<SchemaProblem>
): void => {
  if (found.length >= maxProblems) return
  const before = found.length
  for (const [key, value] of Object.entries(node)) {
    const problem = malformedKeyword(key, value, root) ?? (strict ? undecidedKeyword(key, value) : undefined)
    if (problem !== undefined) found.push({ path: at(path, key), problem })
  }
  if (path !== "$" && typeof node["$id"] === "string")
    found.push({ path: at(path, "$id"), problem: "a schema within a schema has no $id of its own here" })
  if (found.length > before) return
  const named = node["const"] !== undefined || node["enum"] !== undefined
  const types = allowedTypes(node)
  const reasons = named || strict ? [undefined] : types.map((type) => emptyType(node, type))
  if (reasons.length > 0 && reasons.every((reason) => reason !== undefined)) {
    found.push({ path, problem: `contradicts itself: ${reasons[0] ?? ""}` })
  }
  for (const [steps, inner] of within(node)) {
    if (isRecord(inner)) walk(inner, steps.reduce(at, path), root, strict, found)
  }
}

/**
 * What is wrong with the schema; empty when it can be used. At most ten problems. A schema to prove something with
 * (`strict`) may contradict itself: then it refutes everything.
 */
export const schemaProblems = (
  schema: SchemaNode,
  { strict = false }: Strictness = {}
): ReadonlyArray<SchemaProblem> => {
  const canonical = canonicalJson(schema, { maxDepth: 200 })
  if (Result.isFailure(canonical)) {
    return [{ path: canonical.failure.path, problem: canonical.failure.problem }]
  }
  if (canonical.success.length > maxSchemaText)
    return [{ path: "$", problem: `is a schema of more than ${maxSchemaText} characters` }]
  if (!isRecord(schema)) return []
  const malformed: Array<SchemaProblem> = []
  walk(schema, "$", schema, strict, malformed)
  if (malformed.length > 0 || strict) return malformed
  const empty = contradiction(schema)
  return empty === undefined ? [] : [{ path: empty.path, problem: `contradicts itself: ${empty.problem}` }]
}
