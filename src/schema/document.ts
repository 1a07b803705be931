// Reading JSON Schema documents as data: references, merging, possible types. What is made of them (refusing,
// sampling, checking values) stands in the files that use this. Pure; merging spends from a budget, because schemas
// that refer to each other can be merged for ever.
import { Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { Budget } from "./Budget.ts"

export type SchemaObject = { readonly [key: string]: Json }
export type SchemaNode = boolean | SchemaObject

export const typeNames = ["null", "boolean", "integer", "number", "string", "array", "object"] as const
export type TypeName = (typeof typeNames)[number]

export const isRecord = (value: Json | undefined): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** A member that is a schema; anything else is undefined. */
export const nodeOf = (value: Json | undefined): SchemaNode | undefined =>
  typeof value === "boolean" || isRecord(value) ? value : undefined

export const nodesOf = (value: Json | undefined): ReadonlyArray<SchemaNode> =>
  isList(value) ? value.map(nodeOf).filter((one) => one !== undefined) : []

export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined

export const stringsOf = (value: Json | undefined): ReadonlyArray<string> =>
  isList(value) ? value.filter((one) => typeof one === "string") : []

export const membersOf = (value: Json | undefined): ReadonlyArray<readonly [string, SchemaNode]> =>
  isRecord(value)
    ? Object.entries(value).flatMap(([key, member]) => {
        const node = nodeOf(member)
        return node === undefined ? [] : [[key, node] as const]
      })
    : []

/** Keywords that hold a schema, lists of them, and maps of them. */
export const oneSchema = [
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
] as const
export const manySchemas = ["allOf", "anyOf", "oneOf", "prefixItems"] as const
export const namedSchemas = [
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas"
] as const

/** The schemas right within one, each with the steps to it. */
export const within = (
  schema: SchemaObject
): ReadonlyArray<readonly [steps: ReadonlyArray<string | number>, node: SchemaNode]> => [
  ...oneSchema.flatMap((key) => {
    const node = nodeOf(schema[key])
    return node === undefined ? [] : [[[key], node] as const]
  }),
  ...manySchemas.flatMap((key) => nodesOf(schema[key]).map((node, index) => [[key, index], node] as const)),
  ...namedSchemas.flatMap((key) => membersOf(schema[key]).map(([name, node]) => [[key, name], node] as const))
]

const anchored = (node: SchemaNode, name: string): SchemaNode | undefined => {
  if (!isRecord(node)) return undefined
  if (node["$anchor"] === name) return node
  for (const [, inner] of within(node)) {
    const found = anchored(inner, name)
    if (found !== undefined) return found
  }
  return undefined
}

const unescape = (part: string): string => {
  const plain = Result.getOrElse(
    Result.try(() => decodeURIComponent(part)),
    () => part
  )
  return plain.replaceAll("~1", "/").replaceAll("~0", "~")
}

/** What a local reference (`#`, `#/$defs/a`, `#anchor`) points at, or undefined. */
export const resolveRef = (root: SchemaNode, ref: string): SchemaNode | undefined => {
  if (!ref.startsWith("#")) return undefined
  if (ref === "#") return root
  if (!ref.startsWith("#/")) {
    const name = ref.slice(1)
    return anchored(root, name)
  }
  let at: Json | undefined = root
  for (const part of ref.slice(2).split("/").map(unescape)) {
    if (isRecord(at)) at = Object.hasOwn(at, part) ? at[part] : undefined
    else if (isList(at)) at = at[Number(part)]
    else return undefined
  }
  return nodeOf(at)
}

const jsonType = (value: Json): TypeName => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value === "object" ? "object" : typeof value === "boolean" ? "boolean" : "string"
}

const isTypeName = (value: Json): value is TypeName => typeNames.some((name) => name === value)

/** The types the `type` keyword allows (all without one); `number` stands for integers too. */
export const allowedTypes = (schema: SchemaObject): ReadonlyArray<TypeName> => {
  const { type } = schema
  if (type === undefined) return typeNames.filter((name) => name !== "integer")
  return (isList(type) ? type : [type]).filter(isTypeName)
}

export const hasType = (value: Json, types: ReadonlyArray<TypeName>): boolean => {
  const type = jsonType(value)
  return types.includes(type) || (type === "integer" && types.includes("number"))
}

const bothTypes = (a: ReadonlyArray<TypeName>, b: ReadonlyArray<TypeName>): ReadonlyArray<TypeName> => {
  const allowed = (type: TypeName, others: ReadonlyArray<TypeName>) =>
    others.includes(type) || (type === "integer" && others.includes("number"))
  return [...new Set([...a.filter((type) => allowed(type, b)), ...b.filter((type) => allowed(type, a))])]
}

/** Whether two values are the same JSON, members in any order. */
export const sameValue = (a: Json, b: Json, budget: Budget): boolean => {
  budget.spend(1)
  if (a === b) return true
  if (isList(a)) {
    return (
      isList(b) && a.length === b.length && a.every((one, index) => sameValue(one, b[index] ?? null, budget))
    )
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key] ?? null, b[key] ?? null, budget))
  )
}

const smaller = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
  "maxContains"
])
const larger = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
  "minContains"
])

/** A copy to put members into; `__proto__` is an ordinary name in JSON. */
const copyOf = (schema: SchemaObject, budget: Budget): Record<string, Json> => {
  const copy: Record<string, Json> = Object.create(null)
  for (const [key, value] of Object.entries(schema)) copy[key] = value
  budget.spend(1 + Object.keys(copy).length)
  return copy
}

const mergeMembers = (a: SchemaObject, b: SchemaObject, budget: Budget): SchemaObject => {
  const merged = copyOf(a, budget)
  for (const [key, value] of Object.entries(b)) {
    const mine = nodeOf(merged[key])
    const theirs = nodeOf(value)
    merged[key] = mine === undefined || theirs === undefined ? value : merge(mine, theirs, budget)
  }
  return merged
}

const mergeKeyword = (key: string, a: Json, b: Json, budget: Budget): Json => {
  if (sameValue(a, b, budget)) return a
  if (smaller.has(key) || larger.has(key)) {
    if (typeof a !== "number" || typeof b !== "number") return b
    return smaller.has(key) ? Math.min(a, b) : Math.max(a, b)
  }
  switch (key) {
    case "required":
      return [...new Set([...stringsOf(a), ...stringsOf(b)])]
    case "enum":
      return isList(a) && isList(b) ? a.filter((one) => b.some((other) => sameValue(one, other, budget))) : b
    case "properties":
    case "patternProperties":
    case "$defs":
      return isRecord(a) && isRecord(b) ? mergeMembers(a, b, budget) : b
    case "uniqueItems":
      return a === true || b === true
    case "allOf":
      return isList(a) && isList(b) ? [...a, ...b] : b
    default: {
      const [mine, theirs] = [nodeOf(a), nodeOf(b)]
      return mine === undefined || theirs === undefined ? b : merge(mine, theirs, budget)
    }
  }
}

/** Keywords of which a schema holds one, but two at once need both: the second goes under `allOf`. */
const unmergeable = new Set([
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "pattern",
  "multipleOf",
  "$ref",
  "contains"
])

/** A schema that asks for both, as one object where the keywords can be combined. */
export const merge = (a: SchemaNode, b: SchemaNode, budget: Budget): SchemaNode => {
  if (a === false || b === false) return false
  if (a === true) return b
  if (b === true) return a
  const merged = copyOf(a, budget)
  const rest: Record<string, Json> = {}
  for (const [key, value] of Object.entries(b)) {
    const mine = merged[key]
    if (mine === undefined) merged[key] = value
    else if (unmergeable.has(key) && !sameValue(mine, value, budget)) rest[key] = value
    else if (key !== "type") merged[key] = mergeKeyword(key, mine, value, budget)
  }
  if (a["type"] !== undefined && b["type"] !== undefined) {
    merged["type"] = bothTypes(allowedTypes(a), allowedTypes(b))
  }
  if (a["const"] !== undefined && b["const"] !== undefined && !sameValue(a["const"], b["const"], budget)) {
    return false
  }
  if (Object.keys(rest).length > 0) merged["allOf"] = [...nodesOf(merged["allOf"]), rest]
  return merged
}

/**
 * `schema` with `$ref` and `allOf` merged into it, as far as they can be. `seen` are the references on the way
 * here: one that comes back to itself asks for nothing finite and is `false`.
 */
export const flatten = (
  root: SchemaNode,
  schema: SchemaNode,
  budget: Budget,
  seen: ReadonlyArray<string> = []
): { readonly schema: SchemaNode; readonly seen: ReadonlyArray<string> } => {
  budget.spend(1 + seen.length)
  if (typeof schema === "boolean") return { schema, seen }
  const { $ref, allOf, ...rest } = schema
  let merged: SchemaNode = rest
  let refs = seen
  if (typeof $ref === "string") {
    const target = seen.includes($ref) ? false : resolveRef(root, $ref)
    if (target === undefined) return { schema: false, seen }
    const inner = flatten(root, target, budget, [...seen, $ref])
    refs = inner.seen
    merged = merge(merged, inner.schema, budget)
  }
  for (const part of nodesOf(allOf)) {
    const inner = flatten(root, part, budget, seen)
    refs = [...new Set([...refs, ...inner.seen])]
    merged = merge(merged, inner.schema, budget)
  }
  // Merging may have put what cannot be combined under a new `allOf`: it stays there for who can check it.
  return { schema: merged, seen: refs }
}
