// Made-up values that fit a JSON Schema, for the offline adapter: the same schema and seed give the same value. It
// builds what the keywords ask for, checks the value, and tries again with another draw where it does not fit. What it
// makes, and the work on the way, spend from a budget: a few lines of schema can ask for more than a host has.
import { Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { sha256 } from "../domain/fingerprint.ts"
import type { JsonSchemaDocument } from "../domain/ModelRun.ts"
import { Budget, SchemaLimitError } from "./Budget.ts"
import {
  allowedTypes,
  flatten,
  isList,
  isRecord,
  membersOf,
  merge,
  nodeOf,
  nodesOf,
  numberOf,
  type SchemaNode,
  type SchemaObject,
  stringsOf,
  type TypeName,
  within
} from "./document.ts"
import { mayMatch } from "./pattern/mayMatch.ts"
import { Validator } from "./validator.ts"
import { type Draw, patternSample } from "./pattern/patternSample.ts"

/** Numbers in [0, 1) that depend on the seed alone (SplitMix32). */
const drawFrom = (seed: string): Draw => {
  let state = Number.parseInt(sha256(seed).slice(0, 8), 16)
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

const words = (
  "offline answer made by rule not by a model amber basin cedar delta ember fjord grove harbor inlet juniper " +
  "kelp lagoon meadow north orchid prairie quartz ridge summit tundra upland valley willow"
).split(" ")

/** Deeper than this only what is required is made. */
const deep = 4
/** Deeper than this nothing is: the schema has no small value. */
const tooDeep = 40

/** Largest value that is made up: the characters of its texts, and twenty for each value in it. */
const maxSampleSize = 500_000
const sizeOfValue = 20
/** Steps of merging schemas that one value may take. */
const maxSampleSteps = 1_000_000

class Sampler {
  private readonly root: SchemaNode
  private readonly draw: Draw
  private readonly steps = new Budget("steps", maxSampleSteps)
  private readonly size = new Budget("size", maxSampleSize)
  constructor(root: SchemaNode, draw: Draw) {
    this.root = root
    this.draw = draw
  }

  private pick<A>(from: ReadonlyArray<A>): A | undefined {
    return from[Math.floor(this.draw() * from.length)]
  }

  private between(low: number, high: number): number {
    return low + Math.floor(this.draw() * (high - low + 1))
  }

  make(given: SchemaNode, depth: number): Json {
    this.size.spend(sizeOfValue)
    const { schema } = flatten(this.root, given, this.steps)
    if (typeof schema === "boolean") return this.phrase(1, 3)
    if (depth > tooDeep) return null
    if (schema["const"] !== undefined) return schema["const"]
    const branched = this.branch(schema, depth)
    if (branched !== schema) return this.make(branched, depth)
    if (isList(schema["enum"])) return this.pick(schema["enum"]) ?? null
    return this.ofType(schema, this.typeOf(schema), depth)
  }

  /** One way through `anyOf`, `oneOf` and `if`, merged into the rest. */
  private branch(schema: SchemaObject, depth: number): SchemaNode {
    const { anyOf, oneOf, if: condition, then, else: otherwise, ...rest } = schema
    let merged: SchemaNode = rest
    for (const options of [nodesOf(anyOf), nodesOf(oneOf)]) {
      if (options.length === 0) continue
      // Deep down the first branch without a reference ends a recursion.
      const flat = depth > deep ? options.filter((option) => !this.refers(option)) : options
      const chosen = this.pick(flat.length > 0 ? flat : options)
      if (chosen !== undefined) merged = merge(merged, chosen, this.steps)
    }
    const test = nodeOf(condition)
    if (test !== undefined) {
      const met = this.draw() < 0.5
      if (met) merged = merge(merged, test, this.steps)
      merged = merge(merged, nodeOf(met ? then : otherwise) ?? true, this.steps)
    }
    const changed = anyOf !== undefined || oneOf !== undefined || test !== undefined
    return changed ? merged : schema
  }

  private refers(node: SchemaNode): boolean {
    this.steps.spend(1)
    return (
      isRecord(node) && (node["$ref"] !== undefined || within(node).some(([, inner]) => this.refers(inner)))
    )
  }

  private typeOf(schema: SchemaObject): TypeName {
    if (schema["type"] === undefined) {
      const has = (...keys: ReadonlyArray<string>) => keys.some((key) => schema[key] !== undefined)
      if (has("properties", "required", "additionalProperties", "minProperties", "patternProperties"))
        return "object"
      if (has("items", "prefixItems", "minItems", "contains", "uniqueItems")) return "array"
      if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number"
      const not = nodeOf(schema["not"])
      if (!isRecord(not) || not["type"] === undefined) return "string"
    }
    const not = nodeOf(schema["not"])
    const excluded = isRecord(not) && Object.keys(not).length === 1 ? allowedTypes(not) : []
    const types = allowedTypes(schema).filter((type) => !excluded.includes(type))
    return this.pick(types.length > 1 ? types.filter((type) => type !== "null") : types) ?? "null"
  }

  private ofType(schema: SchemaObject, type: TypeName, depth: number): Json {
    switch (type) {
      case "null":
        return null
      case "boolean":
        return this.draw() < 0.5
      case "integer":
      case "number":
        return this.number(schema, type === "integer")
      case "string":
        return this.string(schema)
      case "array":
        return this.array(schema, depth)
      case "object":
        return this.object(schema, depth)
    }
  }

  private number(schema: SchemaObject, integer: boolean): number {
    const step = numberOf(schema["multipleOf"]) ?? (integer ? 1 : undefined)
    const unit = step === undefined ? 0.01 : integer && !Number.isInteger(step) ? 1 : step
    const above = numberOf(schema["exclusiveMinimum"])
    const below = numberOf(schema["exclusiveMaximum"])
    const floor = Math.max(numberOf(schema["minimum"]) ?? -Infinity, above === undefined ? -Infinity : above)
    const ceiling = Math.min(numberOf(schema["maximum"]) ?? Infinity, below === undefined ? Infinity : below)
    const low = Number.isFinite(floor) ? floor : Number.isFinite(ceiling) ? ceiling - 100 * unit : 0
    const high = Number.isFinite(ceiling) ? ceiling : low + 100 * unit
    let first = Math.ceil(low / unit)
    let last = Math.floor(high / unit)
    if (above !== undefined && first * unit <= above) first += 1
    if (below !== undefined && last * unit >= below) last -= 1
    if (last < first) return step === undefined ? low + (high - low) * (0.25 + this.draw() / 2) : first * unit
    const value = this.between(first, Math.min(last, first + 1_000_000)) * unit
    return Number(value.toPrecision(12))
  }

  private phrase(min: number, max: number): string {
    return Array.from({ length: this.between(min, max) }, () => this.pick(words) ?? "offline").join(" ")
  }

  private string(schema: SchemaObject): string {
    const min = numberOf(schema["minLength"]) ?? 0
    const max = numberOf(schema["maxLength"]) ?? Infinity
    const { format, pattern } = schema
    if (typeof pattern === "string") return this.fitPattern(pattern, min, max)
    if (typeof format === "string") {
      const made = this.formatted(format)
      if (made !== undefined) return made
    }
    this.size.spend(min)
    let text = this.phrase(2, 5)
    while (text.length < min) text += ` ${this.phrase(3, 6)}`
    return text.length > max ? text.slice(0, max) : text
  }

  private fitPattern(pattern: string, min: number, max: number): string {
    this.size.spend(min)
    let text = this.matching(pattern)
    for (let tries = 0; tries < 20 && (text.length < min || text.length > max); tries++) {
      text = this.matching(pattern)
    }
    if (text.length < min && !/\$(?:\)|$)/.test(pattern)) text += "x".repeat(min - text.length)
    return text
  }

  private matching(pattern: string): string {
    return patternSample(pattern, this.draw, this.size)
  }

  private formatted(format: string): string | undefined {
    const hex = (length: number) => this.matching(`[0-9a-f]{${length}}`)
    const two = (low: number, high: number) => String(this.between(low, high)).padStart(2, "0")
    const date = () => `20${two(20, 29)}-${two(1, 12)}-${two(1, 28)}`
    const time = () => `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}Z`
    switch (format) {
      case "date":
        return date()
      case "time":
        return time()
      case "date-time":
        return `${date()}T${time()}`
      case "duration":
        return `PT${this.between(1, 59)}M`
      case "email":
      case "idn-email":
        return `${this.pick(words)}@example.com`
      case "hostname":
      case "idn-hostname":
        return `${this.pick(words)}.example.com`
      case "uri":
      case "url":
      case "iri":
        return `https://example.com/${this.pick(words)}`
      case "uri-reference":
      case "iri-reference":
        return `/${this.pick(words)}`
      case "uuid":
        return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
      case "ipv4":
        return `192.0.2.${this.between(1, 254)}`
      case "ipv6":
        return `2001:db8::${hex(4)}`
      case "json-pointer":
        return `/${this.pick(words)}`
      case "regex":
        return "[a-z]+"
      default:
        return undefined
    }
  }

  private array(schema: SchemaObject, depth: number): Json {
    const min = numberOf(schema["minItems"]) ?? 0
    const max = numberOf(schema["maxItems"]) ?? Infinity
    const prefix = nodesOf(schema["prefixItems"])
    const items = nodeOf(schema["items"]) ?? true
    const wanted = nodeOf(schema["contains"])
    const contained = wanted === undefined ? 0 : (numberOf(schema["minContains"]) ?? 1)
    const least = Math.max(min, contained, prefix.length)
    // Said before anything is made: a billion items are not begun.
    this.size.spend(least * sizeOfValue)
    const most =
      items === false ? prefix.length : Math.max(least, depth > deep ? least : Math.min(max, least + 2))
    const length = Math.min(max, this.between(Math.max(least, depth > deep ? 0 : Math.min(1, most)), most))
    const made: Array<Json> = []
    const seen = new Set<string>()
    for (let index = 0; index < length; index++) {
      const own = prefix[index] ?? items
      const node = wanted !== undefined && index >= length - contained ? merge(own, wanted, this.steps) : own
      let value = this.make(node, depth + 1)
      for (
        let tries = 0;
        schema["uniqueItems"] === true && seen.has(JSON.stringify(value)) && tries < 50;
        tries++
      ) {
        value = this.make(node, depth + 1)
      }
      if (schema["uniqueItems"] === true && seen.has(JSON.stringify(value)) && made.length >= least) continue
      seen.add(JSON.stringify(value))
      made.push(value)
    }
    return made
  }

  private object(schema: SchemaObject, depth: number): Json {
    const properties = new Map(membersOf(schema["properties"]))
    const patterns = membersOf(schema["patternProperties"])
    const others = nodeOf(schema["additionalProperties"]) ?? true
    const nodeFor = (key: string): SchemaNode => {
      const matching = patterns.filter(([pattern]) => mayMatch(pattern, key)).map(([, node]) => node)
      const own = properties.get(key)
      const all = own === undefined ? matching : [own, ...matching]
      return all.length === 0 ? others : all.reduce((a, b) => merge(a, b, this.steps))
    }
    const required = stringsOf(schema["required"])
    const max = numberOf(schema["maxProperties"]) ?? Infinity
    const optional = [...properties.keys()].filter(
      (key) => !required.includes(key) && properties.get(key) !== false
    )
    const chosen = new Set(required)
    if (depth <= deep) for (const key of optional) if (chosen.size < max && this.draw() < 0.8) chosen.add(key)
    const dependent = schema["dependentRequired"]
    if (isRecord(dependent)) {
      for (const key of Array.from(chosen)) for (const also of stringsOf(dependent[key])) chosen.add(also)
    }
    const min = numberOf(schema["minProperties"]) ?? 0
    // Known beforehand: it would be found out only after all of them were made, some times over.
    if (min * sizeOfValue > maxSampleSize) this.size.spend(min * sizeOfValue)
    for (const key of optional) if (chosen.size < min) chosen.add(key)
    const names = nodeOf(schema["propertyNames"])
    for (let tries = 0; chosen.size < min && tries < 200; tries++)
      chosen.add(this.newKey(names, patterns, others, tries))
    const made: Record<string, Json> = {}
    // Own properties whatever their name: `__proto__` is an ordinary key of JSON.
    for (const key of chosen) {
      Object.defineProperty(made, key, {
        value: this.make(nodeFor(key), depth + 1),
        enumerable: true,
        configurable: true,
        writable: true
      })
    }
    return made
  }

  private newKey(
    names: SchemaNode | undefined,
    patterns: ReadonlyArray<readonly [string, SchemaNode]>,
    others: SchemaNode,
    tries: number
  ): string {
    const [pattern] = this.pick(patterns) ?? []
    if (others === false && pattern !== undefined) {
      const key = this.matching(pattern)
      return /\$(?:\)|$)/.test(pattern) ? key : `${key}${this.pick(words)}`
    }
    if (names === undefined) return `${this.pick(words)}${tries === 0 ? "" : tries}`
    const named = this.make(merge({ type: "string" }, names, this.steps), tooDeep - 1)
    return typeof named === "string" ? named : String(named)
  }
}

const tries = 64

/**
 * A value for `schema` that depends on `seed` alone. When none of 64 draws fits, the last is returned, and whoever asked
 * says what is wrong with it. A schema that asks for more than is made up, or than can be checked, fails.
 */
export const sampleOf = (schema: JsonSchemaDocument, seed: string): Result.Result<Json, SchemaLimitError> =>
  Result.gen(function* () {
    const validator = new Validator(schema)
    let value: Json = null
    for (let round = 0; round < tries; round++) {
      value = yield* Result.try({
        try: () => new Sampler(schema, drawFrom(`${seed}/${round}`)).make(schema, 0),
        catch: (cause) =>
          cause instanceof SchemaLimitError
            ? cause
            : new SchemaLimitError({ limit: "depth", allowed: tooDeep })
      })
      if ((yield* validator.issuesOf(value)).length === 0) return value
    }
    return value
  })
