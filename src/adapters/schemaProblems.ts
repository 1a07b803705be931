// What is wrong with a JSON Schema before any answer is asked for: it is malformed, or it contradicts itself. A
// schema that nothing can satisfy would be paid for three times and then fail. Pure; "no problem" is no proof that a
// value exists, a problem is a proof that none does.
import { Result } from "effect"
import { canonicalJson, type Json } from "../domain/canonicalJson.ts"
import type { JsonSchemaDocument } from "../domain/ModelRun.ts"
import {
  allowedTypes,
  flatten,
  hasType,
  isList,
  isRecord,
  membersOf,
  merge,
  nodeOf,
  nodesOf,
  numberOf,
  resolveRef,
  type SchemaNode,
  type SchemaObject,
  stringsOf,
  typeNames,
  type TypeName
} from "./jsonSchema.ts"
import { matches, patternProblem } from "./schemaPatterns.ts"

/** `path` is a place in the schema, as in `$.properties.age`. */
export interface SchemaProblem {
  readonly path: string
  readonly problem: string
}

const maxProblems = 10

const at = (path: string, key: string | number): string =>
  typeof key === "number" || !/^[A-Za-z_$][\w$-]*$/.test(key)
    ? `${path}[${JSON.stringify(key)}]`
    : `${path}.${key}`

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
const oneSchema = [
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties"
]
const manySchemas = ["allOf", "anyOf", "oneOf", "prefixItems"]
const namedSchemas = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]

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
  if (oneSchema.includes(key)) return nodeOf(value) === undefined ? "must be a schema" : undefined
  if (manySchemas.includes(key)) {
    const good = isList(value) && value.length > 0 && value.every((one) => nodeOf(one) !== undefined)
    return good ? undefined : "must be a list of schemas that is not empty"
  }
  if (namedSchemas.includes(key)) {
    const good = isRecord(value) && Object.values(value).every((one) => nodeOf(one) !== undefined)
    if (!good) return "must hold schemas by name"
    if (key !== "patternProperties") return undefined
    const bad = Object.keys(value).find((name) => patternProblem(name) !== undefined)
    return bad === undefined ? undefined : `has a name that ${patternProblem(bad) ?? ""}: ${bad}`
  }
  return undefined
}

/** Why no value of this type can satisfy the keywords for it, or undefined. */
const emptyType = (schema: SchemaObject, type: TypeName): string | undefined => {
  const pair = (low: string, high: string): string | undefined => {
    const [min, max] = [numberOf(schema[low]), numberOf(schema[high])]
    return min !== undefined && max !== undefined && min > max
      ? `${low} ${min} is above ${high} ${max}`
      : undefined
  }
  switch (type) {
    case "string":
      return pair("minLength", "maxLength")
    case "array":
      return pair("minItems", "maxItems") ?? pair("minContains", "maxContains")
    case "object":
      return pair("minProperties", "maxProperties")
    case "integer":
    case "number":
      return emptyRange(schema, type)
    default:
      return undefined
  }
}

const emptyRange = (schema: SchemaObject, type: "integer" | "number"): string | undefined => {
  const over = numberOf(schema["exclusiveMinimum"]) ?? -Infinity
  const under = numberOf(schema["exclusiveMaximum"]) ?? Infinity
  const least = numberOf(schema["minimum"]) ?? -Infinity
  const most = numberOf(schema["maximum"]) ?? Infinity
  const nothing = "there is no number between its bounds"
  if (least > most || over >= under || over >= most || least >= under) return nothing
  const step = numberOf(schema["multipleOf"]) ?? (type === "integer" ? 1 : undefined)
  if (step === undefined || (type === "integer" && !Number.isInteger(step))) return undefined
  const low = Math.max(least, over)
  const high = Math.min(most, under)
  if (!Number.isFinite(low) || !Number.isFinite(high)) return undefined
  let first = Math.ceil(low / step)
  if (first * step <= over) first += 1
  const last = first * step
  const wanted = step === 1 ? "whole number" : `multiple of ${step}`
  return last > most || last >= under ? `there is no ${wanted} between its bounds` : undefined
}

interface Emptiness {
  readonly path: string
  readonly problem: string
}

class Contradictions {
  private readonly root: SchemaNode
  private left = 5_000
  constructor(root: SchemaNode) {
    this.root = root
  }

  /**
   * Why nothing satisfies the schema, or undefined. `seen` are the references that had to be followed to get here:
   * one that is needed again on its own way asks for a value without end.
   */
  empty(given: SchemaNode, path: string, seen: ReadonlyArray<string>): Emptiness | undefined {
    // A schema too large to be explored is taken as it is: the answers will tell.
    if (this.left-- <= 0) return undefined
    if (isRecord(given) && typeof given["$ref"] === "string" && seen.includes(given["$ref"])) {
      return { path, problem: "needs itself, again and again: no finite value can satisfy it" }
    }
    const flat = flatten(this.root, given, seen)
    const { schema } = flat
    if (schema === false) return { path, problem: "nothing can satisfy it" }
    if (schema === true) return undefined
    if (schema["not"] === true || (isRecord(schema["not"]) && Object.keys(schema["not"]).length === 0)) {
      return { path, problem: "not of everything leaves nothing" }
    }
    const { anyOf, oneOf, ...rest } = schema
    for (const [key, options] of [["anyOf", nodesOf(anyOf)] as const, ["oneOf", nodesOf(oneOf)] as const]) {
      if (options.length === 0) continue
      const reasons = options.map((option) => this.empty(merge(rest, option), at(path, key), flat.seen))
      if (reasons.every((reason) => reason !== undefined)) {
        return {
          path: at(path, key),
          problem: `none of its branches can be satisfied (${reasons[0]?.problem ?? ""})`
        }
      }
    }
    return this.emptyPlain(rest, path, flat.seen)
  }

  private emptyPlain(schema: SchemaObject, path: string, seen: ReadonlyArray<string>): Emptiness | undefined {
    const types = allowedTypes(schema)
    const named = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
    if (isList(named)) {
      const possible = named.filter((value) => hasType(value, types))
      if (named.length === 0) return { path, problem: "its enum names no value" }
      if (possible.length === 0)
        return { path, problem: "none of the values it names is of a type it allows" }
      const { enum: listed } = schema
      if (schema["const"] !== undefined && isList(listed)) {
        const wanted = canonicalJson(schema["const"])
        const among = listed.some(
          (value) => Result.getOrNull(canonicalJson(value)) === Result.getOrNull(wanted)
        )
        if (!among) return { path, problem: "its const is not in its enum" }
      }
      const reasons = possible.map((value) => this.refusesValue(schema, value))
      return reasons.every((reason) => reason !== undefined) ? { path, problem: reasons[0] ?? "" } : undefined
    }
    const reasons = types.map((type) => this.emptyOfType(schema, type, path, seen))
    const [first] = reasons
    if (types.length === 0) return { path, problem: "it allows no type" }
    return reasons.every((reason) => reason !== undefined) ? first : undefined
  }

  private refusesValue(schema: SchemaObject, value: Json): string | undefined {
    const refused = (problem: string) => `the value it names does not fit its ${problem}`
    if (typeof value === "number") {
      if (value < (numberOf(schema["minimum"]) ?? -Infinity)) return refused("minimum")
      if (value > (numberOf(schema["maximum"]) ?? Infinity)) return refused("maximum")
    }
    if (typeof value === "string") {
      const length = [...value].length
      if (length < (numberOf(schema["minLength"]) ?? 0)) return refused("minLength")
      if (length > (numberOf(schema["maxLength"]) ?? Infinity)) return refused("maxLength")
      const { pattern } = schema
      if (typeof pattern === "string" && !matches(pattern, value)) return refused("pattern")
    }
    return undefined
  }

  private emptyOfType(
    schema: SchemaObject,
    type: TypeName,
    path: string,
    seen: ReadonlyArray<string>
  ): Emptiness | undefined {
    const plain = emptyType(schema, type)
    if (plain !== undefined) return { path, problem: plain }
    if (type === "array") return this.emptyArray(schema, path, seen)
    return type === "object" ? this.emptyObject(schema, path, seen) : undefined
  }

  private emptyArray(schema: SchemaObject, path: string, seen: ReadonlyArray<string>): Emptiness | undefined {
    const min = numberOf(schema["minItems"]) ?? 0
    const prefix = nodesOf(schema["prefixItems"])
    for (const [index, node] of prefix.slice(0, min).entries()) {
      const reason = this.empty(node, at(at(path, "prefixItems"), index), seen)
      if (reason !== undefined) return reason
    }
    const items = nodeOf(schema["items"])
    if (items !== undefined && min > prefix.length) {
      if (items === false)
        return { path, problem: `minItems ${min} is above the ${prefix.length} items it allows` }
      return this.empty(items, at(path, "items"), seen)
    }
    return undefined
  }

  private emptyObject(
    schema: SchemaObject,
    path: string,
    seen: ReadonlyArray<string>
  ): Emptiness | undefined {
    const properties = new Map(membersOf(schema["properties"]))
    const patterns = membersOf(schema["patternProperties"])
    const required = [...new Set(stringsOf(schema["required"]))]
    const max = numberOf(schema["maxProperties"])
    if (max !== undefined && required.length > max) {
      return { path, problem: `it requires ${required.length} properties and allows ${max}` }
    }
    for (const key of required) {
      const own = properties.get(key)
      const matching = patterns.filter(([pattern]) => matches(pattern, key)).map(([, node]) => node)
      if (own === undefined && matching.length === 0) {
        if (schema["additionalProperties"] === false) {
          return {
            path,
            problem: `it requires ${JSON.stringify(key)}, which additionalProperties: false forbids`
          }
        }
        continue
      }
      const node = [...(own === undefined ? [] : [own]), ...matching].reduce(merge)
      const reason = this.empty(node, at(at(path, "properties"), key), seen)
      if (reason !== undefined) return reason
    }
    return undefined
  }
}

/** Every place with a malformed keyword, or with bounds that exclude each other, required or not. */
const walk = (node: Json, path: string, root: SchemaNode, found: Array<SchemaProblem>): void => {
  if (!isRecord(node) || found.length >= maxProblems) return
  const before = found.length
  for (const [key, value] of Object.entries(node)) {
    const problem = malformedKeyword(key, value, root)
    if (problem !== undefined) found.push({ path: at(path, key), problem })
  }
  if (found.length > before) return
  const named = node["const"] !== undefined || node["enum"] !== undefined
  const types = allowedTypes(node)
  const reasons = named ? [undefined] : types.map((type) => emptyType(node, type))
  if (reasons.length > 0 && reasons.every((reason) => reason !== undefined)) {
    found.push({ path, problem: `contradicts itself: ${reasons[0] ?? ""}` })
  }
  for (const key of oneSchema) if (isRecord(node[key])) walk(node[key], at(path, key), root, found)
  for (const key of manySchemas) {
    for (const [index, one] of nodesOf(node[key]).entries()) walk(one, at(at(path, key), index), root, found)
  }
  for (const key of namedSchemas) {
    for (const [name, one] of membersOf(node[key])) walk(one, at(at(path, key), name), root, found)
  }
}

/** What is wrong with the schema; empty when it can be used. At most ten problems. */
export const schemaProblems = (schema: JsonSchemaDocument): ReadonlyArray<SchemaProblem> => {
  const canonical = canonicalJson(schema, { maxDepth: 200 })
  if (Result.isFailure(canonical)) {
    return [{ path: canonical.failure.path, problem: canonical.failure.problem }]
  }
  const malformed: Array<SchemaProblem> = []
  walk(schema, "$", schema, malformed)
  if (malformed.length > 0) return malformed
  const empty = new Contradictions(schema).empty(schema, "$", [])
  return empty === undefined ? [] : [{ path: empty.path, problem: `contradicts itself: ${empty.problem}` }]
}
