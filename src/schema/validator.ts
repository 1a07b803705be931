// Holding a value against a JSON Schema (draft 2020-12, references within the document only; `$recursiveRef: "#"` as
// `$ref: "#"`). Every application of a schema is a step of a budget, every pattern runs in the linear engine, and no
// more than 100 issues are kept. What a schema may hold is schemaProblems.ts's to say beforehand.
import { Result } from "effect"
import { canonicalJson, type Json } from "../domain/json/canonicalJson.ts"
import { combinations, fresh, items, members, take } from "./applicators.ts"
import { identity, list, number, object, text } from "./assertions.ts"
import { Budget, SchemaLimitError } from "./Budget.ts"
import { isList, isRecord, resolveRef, type SchemaNode, type SchemaObject, within } from "./document.ts"
import { formats, maxFormatText } from "./formats.ts"
import type { Evaluated, SchemaIssue, Spot, Walk } from "./Walk.ts"
import { linearPattern, type LinearPattern, maxPatternSteps } from "./pattern/linearPattern.ts"

/** Steps that one validation may take: about a second. */
export const maxSchemaSteps = 1_000_000
/** Deepest nesting of schemas applied within each other. */
const maxApplied = 2_500
const maxIssues = 100
/** So many steps of a pattern cost as much as one look at a schema. */
const patternStepsForOne = 200

const usesUnevaluated = (node: SchemaNode): boolean =>
  isRecord(node) &&
  (node["unevaluatedItems"] !== undefined ||
    node["unevaluatedProperties"] !== undefined ||
    within(node).some(([, inner]) => usesUnevaluated(inner)))

/** A schema made ready, for as many values as there are. The schema must have no problems (schemaProblems.ts). */
export class Validator {
  private readonly root: SchemaNode
  private readonly patterns = new Map<string, LinearPattern>()
  private readonly references = new Map<string, SchemaNode>()
  private readonly evaluates: boolean

  constructor(root: SchemaNode) {
    this.root = root
    this.evaluates = usesUnevaluated(root)
  }

  /** What is wrong with the value; a failure where telling takes more than may be spent. */
  issuesOf(value: Json, steps = maxSchemaSteps): Result.Result<ReadonlyArray<SchemaIssue>, SchemaLimitError> {
    const run = new Run(this.root, new Budget("steps", steps), this.patterns, this.references, this.evaluates)
    return Result.try({
      try: () => run.check(this.root, value, { at: "#", by: "#", depth: 0 }, undefined),
      catch: (cause) =>
        cause instanceof SchemaLimitError
          ? cause
          : new SchemaLimitError({ limit: "depth", allowed: maxApplied })
    })
  }
}

class Run {
  private readonly root: SchemaNode
  private readonly budget: Budget
  private readonly patterns: Map<string, LinearPattern>
  private readonly references: Map<string, SchemaNode>
  private readonly evaluates: boolean

  constructor(
    root: SchemaNode,
    budget: Budget,
    patterns: Map<string, LinearPattern>,
    references: Map<string, SchemaNode>,
    evaluates: boolean
  ) {
    this.root = root
    this.budget = budget
    this.patterns = patterns
    this.references = references
    this.evaluates = evaluates
  }

  private readonly answered = new Map<
    string,
    { readonly issues: ReadonlyArray<SchemaIssue>; readonly evaluated: Evaluated | undefined }
  >()

  private readonly matches = (pattern: string, value: string): boolean => {
    const known = this.patterns.get(pattern)
    const compiled = known ?? Result.getOrThrow(linearPattern(pattern))
    if (known === undefined) this.patterns.set(pattern, compiled)
    const steps = compiled.steps(value.length)
    if (steps > maxPatternSteps) throw new SchemaLimitError({ limit: "steps", allowed: maxPatternSteps })
    this.budget.spend(Math.ceil(steps / patternStepsForOne))
    return compiled.test(value)
  }

  private readonly hasFormat = (name: string, value: string): boolean => {
    const decide = formats.get(name)
    if (decide === undefined) return true
    if (value.length > maxFormatText) throw new SchemaLimitError({ limit: "text", allowed: maxFormatText })
    this.budget.spend(1 + value.length / 100)
    return decide(value)
  }

  private readonly keyOf = (value: Json): string => {
    const key = Result.getOrElse(canonicalJson(value), () => JSON.stringify(value))
    this.budget.spend(1 + key.length / 100)
    return key
  }

  /**
   * What is wrong by a reference at a place is told once: references are the only way by which a short schema asks for
   * the same answer again and again.
   */
  private referred(
    ref: string,
    value: Json,
    spot: Spot,
    seen: Evaluated | undefined
  ): ReadonlyArray<SchemaIssue> {
    const key = `${spot.ofName === true ? "name" : "value"} ${spot.at} ${ref}`
    const known = this.answered.get(key)
    const evaluated = known === undefined ? fresh(seen) : known.evaluated
    const issues = known?.issues ?? this.check(this.target(ref), value, spot, evaluated)
    if (known === undefined) this.answered.set(key, { issues, evaluated })
    if (issues.length === 0) take(seen, evaluated)
    return issues
  }

  private target(ref: string): SchemaNode {
    const known = this.references.get(ref)
    if (known !== undefined) return known
    const node = resolveRef(this.root, ref) ?? false
    this.references.set(ref, node)
    return node
  }

  readonly check = (
    node: SchemaNode,
    value: Json,
    spot: Spot,
    seen: Evaluated | undefined
  ): ReadonlyArray<SchemaIssue> => {
    this.budget.spend(1)
    if (node === true) return []
    if (node === false)
      return [{ at: spot.at, by: spot.by, keyword: "false", problem: "False boolean schema." }]
    if (spot.depth > maxApplied) throw new SchemaLimitError({ limit: "depth", allowed: maxApplied })
    const found: Array<SchemaIssue> = []
    const walk: Walk = {
      budget: this.budget,
      check: this.check,
      matches: this.matches,
      hasFormat: this.hasFormat,
      keyOf: this.keyOf,
      issue: ({ at, by }, keyword, problem, inner = []) => {
        this.budget.spend(inner.length / 20)
        for (const one of [{ at, by: `${by}/${keyword}`, keyword, problem }, ...inner]) {
          if (found.length < maxIssues) found.push(one)
        }
      }
    }
    const own: Evaluated | undefined =
      seen ?? (this.evaluates ? { names: new Set(), items: new Set() } : undefined)
    this.applied(walk, node, value, spot, own)
    return found
  }

  private applied(
    walk: Walk,
    node: SchemaObject,
    value: Json,
    spot: Spot,
    seen: Evaluated | undefined
  ): void {
    for (const key of ["$recursiveRef", "$ref"] as const) {
      const ref = node[key]
      if (typeof ref !== "string") continue
      const place = { ...spot, by: `${spot.by}/${key}`, depth: spot.depth + 1 }
      const issues = this.referred(ref, value, place, seen)
      if (issues.length > 0) walk.issue(spot, key, "A subschema had errors.", issues)
    }
    identity(walk, node, value, spot)
    combinations(walk, node, value, spot, seen)
    if (typeof value === "number") number(walk, node, value, spot)
    else if (typeof value === "string") text(walk, node, value, spot)
    else if (isList(value)) {
      list(walk, node, value, spot)
      items(walk, node, value, spot, seen)
    } else if (isRecord(value)) {
      object(walk, node, value, spot)
      members(walk, node, value, spot, seen)
    }
  }
}
