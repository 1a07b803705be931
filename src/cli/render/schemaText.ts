// A JSON Schema in short, for a person who is to answer by it: `{ "n": integer 1 to 5, "why"?: string }`. What the form
// has no words for is shown as the keyword. Pure.
import type { Json } from "../../domain/json/canonicalJson.ts"
import { clip } from "../terminal/style.ts"

const maxDepth = 4
const maxLength = 200

type Members = { readonly [key: string]: Json }
const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const bounds = (schema: Members): string => {
  const { maximum, minimum } = schema
  if (typeof minimum === "number" && typeof maximum === "number") return ` ${minimum} to ${maximum}`
  if (typeof minimum === "number") return ` from ${minimum}`
  return typeof maximum === "number" ? ` to ${maximum}` : ""
}

const objectText = (schema: Members, depth: number): string => {
  const properties = isMembers(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<Json> = Array.isArray(schema["required"]) ? schema["required"] : []
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${shortForm(member, depth + 1)}`
  )
  return members.length === 0 ? "{…}" : `{ ${members.join(", ")} }`
}

const shortForm = (schema: Json, depth: number): string => {
  if (!isMembers(schema)) return schema === false ? "nothing" : "any JSON"
  if (depth > maxDepth) return "…"
  const { anyOf, enum: values, items, oneOf, type } = schema
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
  const either = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(either)) return either.map((one: Json) => shortForm(one, depth)).join(" | ")
  if (Array.isArray(type)) return type.map((one) => shortForm({ ...schema, type: one }, depth)).join(" | ")
  if (type === "object" || (type === undefined && schema["properties"] !== undefined))
    return objectText(schema, depth)
  if (type === "array") return `[${items === undefined ? "any JSON" : shortForm(items, depth + 1)}, …]`
  if (typeof type === "string") return `${type}${bounds(schema)}`
  const reference = schema["$ref"]
  return typeof reference === "string" ? reference.replace(/^.*\//, "") : "any JSON"
}

/** At most 200 characters, on one line. */
export const schemaText = (schema: Json): string => clip(shortForm(schema, 0), maxLength)
