// Reading JSON Schema documents as data: references, merging, possible types. What is made of them (refusing,
// sampling, checking answers) stands in the files that use this. Pure.
import type { Json } from "../domain/canonicalJson.ts"

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

const unescape = (part: string): string => {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~")
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** What a local reference (`#`, `#/$defs/a`, `#anchor`) points at, or undefined. */
export const resolveRef = (root: SchemaNode, ref: string): SchemaNode | undefined => {
  if (!ref.startsWith("#")) return undefined
  if (ref === "#") return root
  if (!ref.startsWith("#/")) {
    const name = ref.slice(1)
    if (!isRecord(root)) return undefined
    return [...membersOf(root["$defs"]), ...membersOf(root["definitions"])].find(
      ([, node]) => isRecord(node) && node["$anchor"] === name
    )?.[1]
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
  const within = (type: TypeName, others: ReadonlyArray<TypeName>) =>
    others.includes(type) || (type === "integer" && others.includes("number"))
  return [...new Set([...a.filter((type) => within(type, b)), ...b.filter((type) => within(type, a))])]
}

const equal = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)

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

const mergeMembers = (a: SchemaObject, b: SchemaObject): SchemaObject => {
  const merged: Record<string, Json> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const mine = nodeOf(merged[key])
    const theirs = nodeOf(value)
    merged[key] = mine === undefined || theirs === undefined ? value : merge(mine, theirs)
  }
  return merged
}

const mergeKeyword = (key: string, a: Json, b: Json): Json => {
  if (equal(a, b)) return a
  if (smaller.has(key) || larger.has(key)) {
    if (typeof a !== "number" || typeof b !== "number") return b
    return smaller.has(key) ? Math.min(a, b) : Math.max(a, b)
  }
  switch (key) {
    case "required":
      return [...new Set([...stringsOf(a), ...stringsOf(b)])]
    case "enum":
      return isList(a) && isList(b) ? a.filter((one) => b.some((other) => equal(one, other))) : b
    case "properties":
    case "patternProperties":
    case "$defs":
      return isRecord(a) && isRecord(b) ? mergeMembers(a, b) : b
    case "uniqueItems":
      return a === true || b === true
    case "allOf":
      return isList(a) && isList(b) ? [...a, ...b] : b
    default: {
      const [mine, theirs] = [nodeOf(a), nodeOf(b)]
      return mine === undefined || theirs === undefined ? b : merge(mine, theirs)
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
export const merge = (a: SchemaNode, b: SchemaNode): SchemaNode => {
  if (a === false || b === false) return false
  if (a === true) return b
  if (b === true) return a
  const merged: Record<string, Json> = { ...a }
  const rest: Record<string, Json> = {}
  for (const [key, value] of Object.entries(b)) {
    const mine = merged[key]
    if (mine === undefined) merged[key] = value
    else if (unmergeable.has(key) && !equal(mine, value)) rest[key] = value
    else if (key !== "type") merged[key] = mergeKeyword(key, mine, value)
  }
  if (a["type"] !== undefined && b["type"] !== undefined) {
    merged["type"] = bothTypes(allowedTypes(a), allowedTypes(b))
  }
  if (a["const"] !== undefined && b["const"] !== undefined && !equal(a["const"], b["const"])) return false
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
  seen: ReadonlyArray<string> = []
): { readonly schema: SchemaNode; readonly seen: ReadonlyArray<string> } => {
  if (typeof schema === "boolean") return { schema, seen }
  const { $ref, allOf, ...rest } = schema
  let merged: SchemaNode = rest
  let refs = seen
  if (typeof $ref === "string") {
    const target = seen.includes($ref) ? false : resolveRef(root, $ref)
    if (target === undefined) return { schema: false, seen }
    const inner = flatten(root, target, [...seen, $ref])
    refs = inner.seen
    merged = merge(merged, inner.schema)
  }
  for (const part of nodesOf(allOf)) {
    const inner = flatten(root, part, refs)
    refs = [...new Set([...refs, ...inner.seen])]
    merged = merge(merged, inner.schema)
  }
  // Merging may have put what cannot be combined under a new `allOf`: it stays there for who can check it.
  return { schema: merged, seen: refs }
}
