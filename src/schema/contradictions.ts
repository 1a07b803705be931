// Whether anything can satisfy a JSON Schema: one that contradicts itself would be paid for three times and then fail.
// "No contradiction" is no proof that a value exists; a contradiction is a proof that none does. Pure, and within a
// budget: a schema too large to be explored is taken as it is, the answers will tell.
import { Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { Budget, SchemaLimitError } from "./Budget.ts"
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
  sameValue,
  type SchemaNode,
  type SchemaObject,
  stringsOf,
  type TypeName
} from "./document.ts"
import { at, type SchemaProblem } from "./schemaPath.ts"
import { mayMatch } from "./pattern/mayMatch.ts"

/** Steps of merging and comparing that looking for contradictions may take. */
const maxExplored = 1_000_000

/** Why no value of this type can satisfy the keywords for it, or undefined. */
export const emptyType = (schema: SchemaObject, type: TypeName): string | undefined => {
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

class Contradictions {
  private readonly root: SchemaNode
  private readonly budget = new Budget("steps", maxExplored)
  constructor(root: SchemaNode) {
    this.root = root
  }

  /**
   * Why nothing satisfies the schema, or undefined. `seen` are the references that had to be followed to get here:
   * one that is needed again on its own way asks for a value without end.
   */
  empty(given: SchemaNode, path: string, seen: ReadonlyArray<string>): SchemaProblem | undefined {
    this.budget.spend(1)
    if (isRecord(given) && typeof given["$ref"] === "string" && seen.includes(given["$ref"])) {
      return { path, problem: "needs itself, again and again: no finite value can satisfy it" }
    }
    const flat = flatten(this.root, given, this.budget, seen)
    const { schema } = flat
    if (schema === false) return { path, problem: "nothing can satisfy it" }
    if (schema === true) return undefined
    if (schema["not"] === true || (isRecord(schema["not"]) && Object.keys(schema["not"]).length === 0)) {
      return { path, problem: "not of everything leaves nothing" }
    }
    const { anyOf, oneOf, ...rest } = schema
    for (const [key, options] of [["anyOf", nodesOf(anyOf)] as const, ["oneOf", nodesOf(oneOf)] as const]) {
      if (options.length === 0) continue
      const reasons = options.map((option) =>
        this.empty(merge(rest, option, this.budget), at(path, key), flat.seen)
      )
      if (reasons.every((reason) => reason !== undefined)) {
        return {
          path: at(path, key),
          problem: `none of its branches can be satisfied (${reasons[0]?.problem ?? ""})`
        }
      }
    }
    return this.emptyPlain(rest, path, flat.seen)
  }

  private emptyPlain(
    schema: SchemaObject,
    path: string,
    seen: ReadonlyArray<string>
  ): SchemaProblem | undefined {
    const types = allowedTypes(schema)
    const named = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
    if (isList(named)) {
      const possible = named.filter((value) => hasType(value, types))
      if (named.length === 0) return { path, problem: "its enum names no value" }
      if (possible.length === 0)
        return { path, problem: "none of the values it names is of a type it allows" }
      const { enum: listed } = schema
      if (schema["const"] !== undefined && isList(listed)) {
        const wanted = schema["const"]
        const among = listed.some((value) => sameValue(value, wanted, this.budget))
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
      if (typeof pattern === "string" && !mayMatch(pattern, value)) return refused("pattern")
    }
    return undefined
  }

  private emptyOfType(
    schema: SchemaObject,
    type: TypeName,
    path: string,
    seen: ReadonlyArray<string>
  ): SchemaProblem | undefined {
    const plain = emptyType(schema, type)
    if (plain !== undefined) return { path, problem: plain }
    if (type === "array") return this.emptyArray(schema, path, seen)
    return type === "object" ? this.emptyObject(schema, path, seen) : undefined
  }

  private emptyArray(
    schema: SchemaObject,
    path: string,
    seen: ReadonlyArray<string>
  ): SchemaProblem | undefined {
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
  ): SchemaProblem | undefined {
    const properties = new Map(membersOf(schema["properties"]))
    const patterns = membersOf(schema["patternProperties"])
    const required = [...new Set(stringsOf(schema["required"]))]
    const max = numberOf(schema["maxProperties"])
    if (max !== undefined && required.length > max) {
      return { path, problem: `it requires ${required.length} properties and allows ${max}` }
    }
    for (const key of required) {
      const own = properties.get(key)
      const matching = patterns.filter(([pattern]) => mayMatch(pattern, key)).map(([, node]) => node)
      if (own === undefined && matching.length === 0) {
        if (schema["additionalProperties"] === false) {
          return {
            path,
            problem: `it requires ${JSON.stringify(key)}, which additionalProperties: false forbids`
          }
        }
        continue
      }
      const node = [...(own === undefined ? [] : [own]), ...matching].reduce((a, b) =>
        merge(a, b, this.budget)
      )
      const reason = this.empty(node, at(at(path, "properties"), key), seen)
      if (reason !== undefined) return reason
    }
    return undefined
  }
}

/** Why nothing can satisfy the schema, as far as that can be told. */
export const contradiction = (schema: SchemaNode): SchemaProblem | undefined =>
  Result.getOrThrow(
    Result.try({
      try: () => new Contradictions(schema).empty(schema, "$", []),
      catch: (cause) => cause
    }).pipe(
      Result.orElse((cause) =>
        cause instanceof SchemaLimitError || cause instanceof RangeError
          ? Result.succeed(undefined)
          : Result.fail(cause)
      )
    )
  )
