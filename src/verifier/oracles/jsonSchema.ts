// json_schema: the document, or a place in it, satisfies a JSON Schema (draft 2020-12; `format` is asserted). Within
// a budget of steps; a schema that cannot be decided soundly leaves the claim unproven.
import { format, validate, dereference } from "@cfworker/json-schema"
import { Result, Schema } from "effect"
import type { Json } from "../../domain/canonicalJson.ts"
import { proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { isArray } from "../pointer.ts"
import { OverBudgetError, patternFormat, schemaCopy, type SafeSchema } from "../schemaCopy.ts"
import { valueAt } from "../select.ts"

const Args = Schema.Struct({
  schema: Schema.Union([Schema.Record(Schema.String, Schema.Json), Schema.Boolean]),
  pointer: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"]))
})

const maxSteps = 500_000
const maxNativeText = 10_000
const maxUniqueNodes = 5_000
const formats: ReadonlySet<string> = new Set(Object.keys(format))

/** How many values there are in it, and the longest text or name. */
const sizeOf = (value: Json): { readonly nodes: number; readonly longest: number } => {
  if (typeof value === "string") return { nodes: 1, longest: value.length }
  if (typeof value !== "object" || value === null) return { nodes: 1, longest: 0 }
  const names = isArray(value) ? [] : Object.keys(value)
  return Object.values(value)
    .map(sizeOf)
    .reduce(
      (sum, part) => ({ nodes: sum.nodes + part.nodes, longest: Math.max(sum.longest, part.longest) }),
      { nodes: 1, longest: names.reduce((longest, name) => Math.max(longest, name.length), 0) }
    )
}

/** Runs the validator with the schema's patterns known to it, and forgets them afterwards. */
const run = (safe: SafeSchema, value: Json): Outcome => {
  const known: Record<string, ((text: string) => boolean) | undefined> = format
  for (const [name, test] of safe.patterns) known[name] = test
  try {
    const result = validate(value, safe.schema, "2020-12", dereference(safe.schema))
    if (result.valid) return proven
    const deepest = result.errors.at(-1)
    const isPattern = deepest?.keyword === "format" && deepest.error.includes(patternFormat)
    return refuted(
      "invalid",
      isPattern ? "a text does not match its pattern" : (deepest?.error ?? "the schema is not satisfied"),
      { at: deepest?.instanceLocation ?? "#", keyword: isPattern ? "pattern" : (deepest?.keyword ?? "") }
    )
  } catch (cause) {
    if (cause instanceof OverBudgetError || cause instanceof RangeError) {
      return unproven("too_complex", `more than ${maxSteps} steps`)
    }
    return unproven("schema_unsupported", "the schema refers to what is not in it")
  } finally {
    for (const name of safe.patterns.keys()) delete known[name]
  }
}

export const jsonSchema = oracle("json_schema", Args, ({ pointer, schema, stream }, { evidence }) =>
  Result.gen(function* () {
    let left = maxSteps
    const safe = yield* Result.mapError(
      schemaCopy(schema, formats, (cost) => {
        left -= cost
        if (left < 0) throw new OverBudgetError()
      }),
      (error) => unproven("schema_unsupported", error.message)
    )
    const value = yield* valueAt(evidence, pointer ?? "", stream)
    if (value === undefined) return unproven("pointer_missing", "the document has no such place")
    const size = sizeOf(value)
    if (safe.usesNativePattern && size.longest > maxNativeText)
      return unproven("too_large", "a text or name too long for `format` or `patternProperties`")
    if (safe.usesUniqueItems && size.nodes > maxUniqueNodes) {
      return unproven("too_large", "a document too large for `uniqueItems`")
    }
    return run(safe, value)
  })
)
