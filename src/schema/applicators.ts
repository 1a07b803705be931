// How a value is held against the parts of a JSON Schema that hold other schemas: members, items, and combinations on
// the spot. What a single keyword asks of a value is assertions.ts's; the walk over both is validator.ts's.
import type { Json } from "../domain/json/canonicalJson.ts"
import { membersOf, nodeOf, nodesOf, numberOf, type SchemaObject } from "./document.ts"
import type { Evaluated, Spot, Walk } from "./Walk.ts"

/** A member's or item's step in a JSON pointer. */
const token = (name: string | number): string =>
  typeof name === "number" ? String(name) : name.replaceAll("~", "~0").replaceAll("/", "~1")

const inside = (spot: Spot, name: string | number, ...keyword: ReadonlyArray<string>): Spot => ({
  at: `${spot.at}/${token(name)}`,
  by: [spot.by, ...keyword.map(token)].join("/"),
  depth: spot.depth + 1
})

const here = (spot: Spot, ...keyword: ReadonlyArray<string | number>): Spot => ({
  ...spot,
  by: [spot.by, ...keyword.map(token)].join("/"),
  depth: spot.depth + 1
})

/** What a schema within this one looks at on its own: it does not see what the ones around it have looked at. */
export const fresh = (seen: Evaluated | undefined): Evaluated | undefined =>
  seen === undefined ? undefined : { names: new Set(), items: new Set() }

export const take = (into: Evaluated | undefined, from: Evaluated | undefined): void => {
  if (into === undefined || from === undefined) return
  for (const name of from.names) into.names.add(name)
  for (const item of from.items) into.items.add(item)
}

/** `anyOf`, `allOf`, `oneOf`, `not`, `if`. */
export const combinations = (
  walk: Walk,
  schema: SchemaObject,
  value: Json,
  spot: Spot,
  seen: Evaluated | undefined
): void => {
  const not = nodeOf(schema["not"])
  if (not !== undefined && walk.check(not, value, here(spot, "not"), undefined).length === 0)
    walk.issue(spot, "not", 'Instance matched "not" schema.')
  for (const key of ["anyOf", "allOf", "oneOf"] as const) {
    const options = nodesOf(schema[key])
    if (options.length === 0) continue
    const branches = options.map((option, index) => {
      const evaluated = fresh(seen)
      const issues = walk.check(option, value, here(spot, key, index), evaluated)
      if (issues.length === 0) take(seen, evaluated)
      return issues
    })
    const valid = branches.filter((issues) => issues.length === 0).length
    if (key === "anyOf" ? valid > 0 : key === "allOf" ? valid === options.length : valid === 1) continue
    walk.issue(
      spot,
      key,
      key === "anyOf"
        ? "Instance does not match any subschemas."
        : key === "allOf"
          ? "Instance does not match every subschema."
          : `Instance does not match exactly one subschema (${valid} matches).`,
      branches.flat()
    )
  }
  const condition = nodeOf(schema["if"])
  if (condition === undefined) return
  const evaluated = fresh(seen)
  const met = walk.check(condition, value, here(spot, "if"), evaluated).length === 0
  if (met) take(seen, evaluated)
  const branch = met ? "then" : "else"
  const consequence = nodeOf(schema[branch])
  if (consequence === undefined) return
  const then = fresh(seen)
  const issues = walk.check(consequence, value, here(spot, branch), then)
  if (issues.length === 0) take(seen, then)
  else walk.issue(spot, "if", `Instance does not match "${branch}" schema.`, issues)
}

/** Keywords about an object's members. */
export const members = (
  walk: Walk,
  schema: SchemaObject,
  value: SchemaObject,
  spot: Spot,
  seen: Evaluated | undefined
): void => {
  const names = Object.keys(value)
  const nameSchema = nodeOf(schema["propertyNames"])
  if (nameSchema !== undefined) {
    for (const name of names) {
      const issues = walk.check(
        nameSchema,
        name,
        { ...inside(spot, name, "propertyNames"), ofName: true },
        undefined
      )
      if (issues.length > 0)
        walk.issue(spot, "propertyNames", `Property name "${name}" does not match schema.`, issues)
    }
  }
  for (const [name, dependent] of membersOf(schema["dependentSchemas"])) {
    if (!Object.hasOwn(value, name)) continue
    const evaluated = fresh(seen)
    const issues = walk.check(dependent, value, here(spot, "dependentSchemas", name), evaluated)
    if (issues.length === 0) take(seen, evaluated)
    else
      walk.issue(
        spot,
        "dependentSchemas",
        `Instance has "${name}" but does not match dependant schema.`,
        issues
      )
  }
  const own = new Set<string>()
  const member = (name: string, issues: ReturnType<Walk["check"]>, keyword: string, problem: string) => {
    if (issues.length > 0) walk.issue(spot, keyword, problem, issues)
    else seen?.names.add(name)
    own.add(name)
  }
  const at = (name: string): Json => value[name] ?? null
  for (const [name, node] of membersOf(schema["properties"])) {
    if (!Object.hasOwn(value, name)) continue
    const issues = walk.check(node, at(name), inside(spot, name, "properties", name), undefined)
    member(name, issues, "properties", `Property "${name}" does not match schema.`)
  }
  for (const [pattern, node] of membersOf(schema["patternProperties"])) {
    for (const name of names) {
      if (!walk.matches(pattern, name)) continue
      const issues = walk.check(node, at(name), inside(spot, name, "patternProperties", pattern), undefined)
      const problem = `Property "${name}" matches pattern "${pattern}" but does not match associated schema.`
      member(name, issues, "patternProperties", problem)
    }
  }
  const others = nodeOf(schema["additionalProperties"])
  if (others !== undefined) {
    for (const name of names) {
      if (own.has(name)) continue
      const issues = walk.check(others, at(name), inside(spot, name, "additionalProperties"), undefined)
      const problem = `Property "${name}" does not match additional properties schema.`
      member(name, issues, "additionalProperties", problem)
    }
  }
  const rest = nodeOf(schema["unevaluatedProperties"])
  if (rest === undefined || seen === undefined) return
  for (const name of names) {
    if (seen.names.has(name)) continue
    const issues = walk.check(rest, at(name), inside(spot, name, "unevaluatedProperties"), undefined)
    const problem = `Property "${name}" does not match unevaluated properties schema.`
    member(name, issues, "unevaluatedProperties", problem)
  }
}

/** Keywords about an array's items. */
export const items = (
  walk: Walk,
  schema: SchemaObject,
  value: ReadonlyArray<Json>,
  spot: Spot,
  seen: Evaluated | undefined
): void => {
  const item = (
    index: number,
    node: Parameters<Walk["check"]>[0],
    keyword: string,
    problem: string,
    step = ""
  ) => {
    const place = step === "" ? inside(spot, index, keyword) : inside(spot, index, keyword, step)
    const issues = walk.check(node, value[index] ?? null, place, undefined)
    if (issues.length > 0) walk.issue(spot, keyword, problem, issues)
    else seen?.items.add(index)
  }
  const prefix = nodesOf(schema["prefixItems"])
  for (const [index, node] of prefix.slice(0, value.length).entries())
    item(index, node, "prefixItems", "Items did not match schema.", String(index))
  const others = nodeOf(schema["items"])
  if (others !== undefined) {
    for (let index = prefix.length; index < value.length; index++)
      item(index, others, "items", "Items did not match schema.")
  }
  const wanted = nodeOf(schema["contains"])
  if (wanted !== undefined) {
    const found = value.flatMap((one, index) =>
      walk.check(wanted, one, inside(spot, index, "contains"), undefined).length === 0 ? [index] : []
    )
    for (const index of found) seen?.items.add(index)
    const least = numberOf(schema["minContains"]) ?? 1
    const most = numberOf(schema["maxContains"]) ?? Infinity
    if (found.length === 0 && least > 0)
      walk.issue(
        spot,
        "contains",
        value.length === 0
          ? "Array is empty. It must contain at least one item matching the schema."
          : "Array does not contain item matching schema."
      )
    else if (found.length < least)
      walk.issue(
        spot,
        "minContains",
        `Array must contain at least ${least} items matching schema. Only ${found.length} items were found.`
      )
    else if (found.length > most)
      walk.issue(
        spot,
        "maxContains",
        `Array may contain at most ${most} items matching schema. ${found.length} items were found.`
      )
  }
  const rest = nodeOf(schema["unevaluatedItems"])
  if (rest === undefined || seen === undefined) return
  for (let index = 0; index < value.length; index++) {
    if (!seen.items.has(index))
      item(index, rest, "unevaluatedItems", "Items did not match unevaluated items schema.")
  }
}
