// Patterns of JSON Schemas, which come from plans and are run in the host on what models say: a pattern that backtracks
// could hold the host for ever. Those that may are run in linear time (RE2); those that can be run in no other way are
// refused. The plain ones, which are nearly all, run as they always do.
import { Result } from "effect"
import { RE2JS } from "re2js"
import { format } from "@cfworker/json-schema"
import type { Json } from "../domain/canonicalJson.ts"
import { isList, isRecord, type SchemaObject } from "./jsonSchema.ts"

/** A repeated group, or so many repetitions that they may multiply. */
const mayBacktrack = (pattern: string): boolean =>
  /\)(?:[*+]|\{\d+(?:,\d*)?\})/.test(pattern) || (pattern.match(/[*+]|\{\d+,\}/g)?.length ?? 0) > 3

/** A repeated group that has a repetition or a choice in it: the kind that takes exponential time. */
const mayExplode = (pattern: string): boolean => /[*+}|][^()]*\)(?:[*+]|\{\d+(?:,\d*)?\})/.test(pattern)

const linear = (pattern: string): RE2JS | undefined =>
  Result.getOrUndefined(Result.try(() => RE2JS.compile(pattern)))

/** Why the pattern cannot be used, or undefined. */
export const patternProblem = (pattern: string): string | undefined => {
  if (Result.isFailure(Result.try(() => new RegExp(pattern, "u")))) return "is not a regular expression"
  return mayExplode(pattern) && linear(pattern) === undefined
    ? "may take for ever to match: look-around or back-references beside repeated groups"
    : undefined
}

/** Whether `text` matches, in linear time where the pattern may need it. */
export const matches = (pattern: string, text: string): boolean => {
  const compiled = mayBacktrack(pattern) ? linear(pattern) : undefined
  return compiled === undefined ? new RegExp(pattern, "u").test(text) : compiled.matcher(text).find()
}

const prefix = "alembic-pattern:"
const inValue = new Set(["const", "enum", "default", "examples"])
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

const rewriteMembers = (members: Json, found: Set<string>): Json =>
  isRecord(members)
    ? Object.fromEntries(Object.entries(members).map(([name, one]) => [name, rewrite(one, found)]))
    : members

/** The schema with risky patterns said as formats, which the validator lets us check ourselves. */
const rewrite = (node: Json, found: Set<string>): Json => {
  if (isList(node)) return node.map((one) => rewrite(one, found))
  if (!isRecord(node)) return node
  const entries = Object.entries(node).map(([key, value]): readonly [string, Json] => {
    if (inValue.has(key)) return [key, value]
    return [key, named.has(key) ? rewriteMembers(value, found) : rewrite(value, found)]
  })
  const { pattern, ...rest }: SchemaObject = Object.fromEntries(entries)
  if (typeof pattern !== "string" || !mayBacktrack(pattern) || linear(pattern) === undefined) {
    return Object.fromEntries(entries)
  }
  found.add(pattern)
  const checked = { format: prefix + pattern }
  return { ...rest, allOf: [...(isList(rest["allOf"]) ? rest["allOf"] : []), checked] }
}

export interface SafePatterns {
  readonly schema: SchemaObject
  /** Runs a validation of `schema` with its patterns in place. */
  readonly during: <A>(validate: () => A) => A
  /** The validator's words about one of them, as if it had been a pattern. */
  readonly problem: (error: string) => string
}

/** A schema whose risky patterns are checked in linear time. */
export const safePatterns = (schema: SchemaObject): SafePatterns => {
  const found = new Set<string>()
  const rewritten = rewrite(schema, found)
  const during = <A>(validate: () => A): A => {
    for (const pattern of found) format[prefix + pattern] = (text) => matches(pattern, text)
    try {
      return validate()
    } finally {
      for (const pattern of found) delete format[prefix + pattern]
    }
  }
  const problem = (error: string): string =>
    error.replace(/format "alembic-pattern:([\s\S]*)"\.$/, (_whole, pattern: string) => `pattern ${pattern}.`)
  return { schema: isRecord(rewritten) ? rewritten : schema, during, problem }
}
