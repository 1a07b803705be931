// What single keywords of a JSON Schema ask of a value: types, bounds, lengths, patterns, formats, equality. The parts
// that hold other schemas are applicators.ts's.
import type { Json } from "../domain/json/canonicalJson.ts"
import {
  allowedTypes,
  hasType,
  isList,
  isRecord,
  numberOf,
  sameValue,
  type SchemaObject,
  stringsOf
} from "./document.ts"
import type { Spot, Walk } from "./Walk.ts"

/** A double as it prints: whole coefficient and power of ten. */
const decimal = (value: number): readonly [coefficient: bigint, power: number] => {
  const [mantissa = "0", power = "0"] = Math.abs(value).toString().split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  return [BigInt(whole + fraction), Number(power) - fraction.length]
}

/** Exact for the decimals that the doubles print as: 0.3 is a multiple of 0.1. */
export const isMultipleOf = (value: number, step: number): boolean => {
  if (!(step > 0)) return false
  const [a, powerA] = decimal(value)
  const [b, powerB] = decimal(step)
  const least = Math.min(powerA, powerB)
  return (a * 10n ** BigInt(powerA - least)) % (b * 10n ** BigInt(powerB - least)) === 0n
}

const typeOf = (value: Json): string => (value === null ? "null" : isList(value) ? "array" : typeof value)

/** `type`, `const`, `enum`. */
export const identity = (walk: Walk, schema: SchemaObject, value: Json, spot: Spot): void => {
  const { const: only, enum: listed, type } = schema
  if (type !== undefined && !hasType(value, allowedTypes(schema))) {
    const wanted = (isList(type) ? type : [type]).join('", "')
    walk.issue(spot, "type", `Instance type "${typeOf(value)}" is invalid. Expected "${wanted}".`)
  }
  if (only !== undefined && !sameValue(value, only, walk.budget))
    walk.issue(spot, "const", `Instance does not match ${JSON.stringify(only)}.`)
  if (isList(listed) && !listed.some((one) => sameValue(value, one, walk.budget)))
    walk.issue(spot, "enum", `Instance does not match any of ${JSON.stringify(listed)}.`)
}

export const number = (walk: Walk, schema: SchemaObject, value: number, spot: Spot): void => {
  const bound = (keyword: string, broken: (limit: number) => boolean, problem: string) => {
    const limit = numberOf(schema[keyword])
    if (limit !== undefined && broken(limit)) walk.issue(spot, keyword, `${value} is ${problem} ${limit}.`)
  }
  bound("minimum", (limit) => value < limit, "less than")
  bound("maximum", (limit) => value > limit, "greater than")
  bound("exclusiveMinimum", (limit) => value <= limit, "less than")
  bound("exclusiveMaximum", (limit) => value >= limit, "greater than or equal to")
  bound("multipleOf", (limit) => !isMultipleOf(value, limit), "not a multiple of")
}

/** Code points: the only length of a text that JSON Schema knows. */
const lengthOf = (text: string): number => {
  let length = 0
  for (let at = 0; at < text.length; length++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return length
}

export const text = (walk: Walk, schema: SchemaObject, value: string, spot: Spot): void => {
  const least = numberOf(schema["minLength"])
  const most = numberOf(schema["maxLength"])
  if (least !== undefined || most !== undefined) {
    walk.budget.spend(Math.ceil(value.length / 1_000))
    const length = lengthOf(value)
    if (least !== undefined && length < least)
      walk.issue(spot, "minLength", `String is too short (${length} < ${least}).`)
    if (most !== undefined && length > most)
      walk.issue(spot, "maxLength", `String is too long (${length} > ${most}).`)
  }
  const { format, pattern } = schema
  if (typeof pattern === "string" && !walk.matches(pattern, value))
    walk.issue(spot, "pattern", `String does not match pattern ${pattern}.`)
  if (typeof format === "string" && !walk.hasFormat(format, value))
    walk.issue(spot, "format", `String does not match format "${format}".`)
}

export const list = (walk: Walk, schema: SchemaObject, value: ReadonlyArray<Json>, spot: Spot): void => {
  const least = numberOf(schema["minItems"])
  const most = numberOf(schema["maxItems"])
  if (most !== undefined && value.length > most)
    walk.issue(spot, "maxItems", `Array has too many items (${value.length} > ${most}).`)
  if (least !== undefined && value.length < least)
    walk.issue(spot, "minItems", `Array has too few items (${value.length} < ${least}).`)
  if (schema["uniqueItems"] !== true) return
  const seen = new Map<string, number>()
  for (const [index, one] of value.entries()) {
    const key = walk.keyOf(one)
    const earlier = seen.get(key)
    if (earlier !== undefined)
      return walk.issue(spot, "uniqueItems", `Duplicate items at indexes ${earlier} and ${index}.`)
    seen.set(key, index)
  }
}

export const object = (walk: Walk, schema: SchemaObject, value: SchemaObject, spot: Spot): void => {
  for (const name of stringsOf(schema["required"])) {
    if (!Object.hasOwn(value, name))
      walk.issue(spot, "required", `Instance does not have required property "${name}".`)
  }
  const least = numberOf(schema["minProperties"])
  const most = numberOf(schema["maxProperties"])
  const count = Object.keys(value).length
  if (least !== undefined && count < least)
    walk.issue(spot, "minProperties", `Instance does not have at least ${least} properties.`)
  if (most !== undefined && count > most)
    walk.issue(spot, "maxProperties", `Instance has more than ${most} properties.`)
  const dependent = schema["dependentRequired"]
  if (!isRecord(dependent)) return
  for (const [name, needed] of Object.entries(dependent)) {
    if (!Object.hasOwn(value, name)) continue
    for (const other of stringsOf(needed)) {
      if (!Object.hasOwn(value, other))
        walk.issue(spot, "dependentRequired", `Instance has "${name}" but does not have "${other}".`)
    }
  }
}
