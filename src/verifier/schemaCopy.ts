// A JSON Schema made safe to run: a copy that the validator may annotate, in which every keyword is known and well
// formed, every pattern runs in linear time, and every application of a sub-schema is counted against a budget.
// What the validator would ignore or misread is refused, because it would then accept what the schema does not.
import { Result, Schema } from "effect"
import type { Json } from "../domain/canonicalJson.ts"
import { linearRegex } from "./linearRegex.ts"
import { isArray } from "./pointer.ts"

export class SchemaUnsupportedError extends Schema.TaggedError<SchemaUnsupportedError>()(
  "SchemaUnsupportedError",
  {
    pointer: Schema.String,
    problem: Schema.String
  }
) {
  override get message() {
    return `${this.pointer === "" ? "the schema" : this.pointer}: ${this.problem}`
  }
}

export class OverBudgetError extends Schema.TaggedError<OverBudgetError>()("OverBudgetError", {}) {}

type Kind =
  | "schema"
  | "schemas"
  | "schemaMap"
  | "items"
  | "number"
  | "size"
  | "strings"
  | "stringMap"
  | "flag"
  | "text"
type Keyword = Kind | "type" | "enum" | "pattern" | "patternMap" | "format" | "any"

const group = (kind: Keyword, ...names: ReadonlyArray<string>): ReadonlyArray<readonly [string, Keyword]> =>
  names.map((name) => [name, kind])

/** The keywords of draft 2020-12 that are decided here, by the form of their value. */
const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...group("schema", "additionalProperties", "unevaluatedProperties", "propertyNames", "contains"),
  ...group("schema", "unevaluatedItems", "not", "if", "then", "else", "items"),
  ...group("schemas", "prefixItems", "allOf", "anyOf", "oneOf"),
  ...group("schemaMap", "$defs", "definitions", "properties", "dependentSchemas"),
  ...group("number", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
  ...group("size", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
  ...group("size", "minContains", "maxContains"),
  ...group("strings", "required"),
  ...group("stringMap", "dependentRequired"),
  ...group("flag", "uniqueItems", "deprecated", "readOnly", "writeOnly"),
  ...group("text", "$ref", "$schema", "$anchor", "$comment", "title", "description"),
  ...group("any", "const", "default", "examples"),
  ["type", "type"],
  ["enum", "enum"],
  ["pattern", "pattern"],
  ["patternProperties", "patternMap"],
  ["format", "format"]
])

const types = new Set(["null", "boolean", "object", "array", "number", "integer", "string"])
const isText = (value: Json): value is string => typeof value === "string"
const isRecord = (value: Json): value is { readonly [key: string]: Json } =>
  value !== null && typeof value === "object" && !isArray(value)

/** How the formats that stand for patterns begin. */
export const patternFormat = "linear-time pattern"

export interface SafeSchema {
  readonly schema: boolean | Record<string, unknown>
  /** Formats that stand for patterns: to be known to the validator while it runs. */
  readonly patterns: ReadonlyMap<string, (text: string) => boolean>
  /** A format, or a pattern for names: run by the platform's own engine, so only on short texts. */
  readonly usesNativePattern: boolean
  readonly usesUniqueItems: boolean
}

/** A native pattern for member names: plain enough (at most one repetition) that it cannot blow up. */
const plainPattern = (pattern: string): boolean =>
  pattern.length <= 200 &&
  (pattern.match(/[*+?{(]/g)?.length ?? 0) <= 1 &&
  Result.isSuccess(linearRegex(pattern))

/** So many steps of a pattern cost as much as one look at a schema. */
const stepsForOne = 200

class Copier {
  readonly patterns = new Map<string, (text: string) => boolean>()
  usesNativePattern = false
  usesUniqueItems = false
  private readonly formats: ReadonlySet<string>
  private readonly spend: (cost: number) => void
  constructor(formats: ReadonlySet<string>, spend: (cost: number) => void) {
    this.formats = formats
    this.spend = spend
  }

  private refuse(pointer: string, problem: string): never {
    throw new SchemaUnsupportedError({ pointer, problem })
  }

  copy(schema: Json, pointer: string): boolean | Record<string, unknown> {
    if (typeof schema === "boolean") return schema
    if (!isRecord(schema)) return this.refuse(pointer, "a schema is an object or a boolean")
    const copied: Record<string, unknown> = {}
    let cost = 1
    for (const [key, value] of Object.entries(schema)) {
      const kind = keywords.get(key)
      const at = `${pointer}/${key}`
      if (kind === undefined) return this.refuse(at, "a keyword that is not decided here")
      cost += isArray(value) ? value.length : isRecord(value) ? Object.keys(value).length : 1
      if (kind !== "pattern") copied[key] = this.member(kind, value, at)
    }
    if (isText(schema["pattern"] ?? null)) {
      const linear = { format: this.linear(String(schema["pattern"]), pointer) }
      copied["allOf"] = [...(Array.isArray(copied["allOf"]) ? copied["allOf"] : []), linear]
    } else if (schema["pattern"] !== undefined) this.refuse(`${pointer}/pattern`, "not a text")
    // The validator reads this keyword at every application of the schema, and nobody writes it: it keeps count.
    const get = (): undefined => void this.spend(cost)
    Object.defineProperty(copied, "$recursiveAnchor", { enumerable: false, get })
    return copied
  }

  private linear(pattern: string, pointer: string): string {
    const compiled = linearRegex(pattern)
    if (Result.isFailure(compiled)) return this.refuse(`${pointer}/pattern`, compiled.failure.message)
    const name = `${patternFormat} ${pattern}`
    const { steps, test } = compiled.success
    this.patterns.set(name, (text) => {
      this.spend(Math.ceil(steps(text.length) / stepsForOne))
      return test(text)
    })
    return name
  }

  private member(kind: Exclude<Keyword, "pattern">, value: Json, at: string): unknown {
    const need = (held: boolean, problem: string) => (held ? value : this.refuse(at, problem))
    switch (kind) {
      case "schema":
      case "items":
        return this.copy(value, at)
      case "schemas":
        if (!isArray(value) || value.length === 0) return this.refuse(at, "not a list of schemas")
        return value.map((schema, index) => this.copy(schema, `${at}/${index}`))
      case "schemaMap":
      case "patternMap":
        if (!isRecord(value)) return this.refuse(at, "not a map of schemas")
        this.usesNativePattern ||= kind === "patternMap"
        if (kind === "patternMap" && !Object.keys(value).every(plainPattern)) {
          return this.refuse(at, "a pattern for names that may not run in linear time")
        }
        return Object.fromEntries(
          Object.entries(value).map(([key, schema]) => [key, this.copy(schema, `${at}/${key}`)])
        )
      case "number":
        return need(typeof value === "number", "not a number")
      case "size":
        return need(Number.isInteger(value) && Number(value) >= 0, "not a whole number")
      case "strings":
        return need(isArray(value) && value.every(isText), "not a list of texts")
      case "stringMap":
        return need(
          isRecord(value) && Object.values(value).every((names) => isArray(names) && names.every(isText)),
          "not a map of lists of texts"
        )
      case "flag":
        this.usesUniqueItems ||= at.endsWith("/uniqueItems") && value === true
        return need(typeof value === "boolean", "not true or false")
      case "text":
        return need(isText(value), "not a text")
      case "type":
        return need(
          (isArray(value) ? value : [value]).every((name) => isText(name) && types.has(name)),
          "not a type, or a list of types"
        )
      case "enum":
        return need(isArray(value), "not a list")
      case "format":
        this.usesNativePattern = true
        return need(isText(value) && this.formats.has(value), "a format that is not decided here")
      case "any":
        return value
    }
  }
}

/** Copies a schema, or says at which pointer it holds what cannot be decided soundly. */
export const schemaCopy = (
  schema: Json,
  formats: ReadonlySet<string>,
  spend: (cost: number) => void
): Result.Result<SafeSchema, SchemaUnsupportedError> => {
  const copier = new Copier(formats, spend)
  return Result.try({
    try: () => ({
      schema: copier.copy(schema, ""),
      patterns: copier.patterns,
      usesNativePattern: copier.usesNativePattern,
      usesUniqueItems: copier.usesUniqueItems
    }),
    catch: (cause) =>
      cause instanceof SchemaUnsupportedError
        ? cause
        : new SchemaUnsupportedError({ pointer: "", problem: "the schema cannot be read" })
  })
}
