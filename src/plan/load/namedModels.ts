// The models that a plan names in its own text: literals in its `agent` calls, and those of a script's phases. What a
// plan computes cannot be known before it runs; what it names can be checked before anything is spent.
import { Option, Predicate, Result } from "effect"
import { parse } from "acorn"
import type { PlanBundle } from "../bundler/PlanBundle.ts"

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && typeof Reflect.get(value, "type") === "string"

const nameOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node["type"] === "Identifier") return String(node["name"])
  return node["type"] === "Literal" ? String(node["value"]) : undefined
}

/** `agent(…)` or `anything.agent(…)`. */
const isAgentCall = (node: Readonly<Record<string, unknown>>): boolean => {
  if (node["type"] !== "CallExpression") return false
  const { callee } = node
  if (!isNode(callee)) return false
  return callee["type"] === "MemberExpression"
    ? nameOf(callee["property"]) === "agent"
    : nameOf(callee) === "agent"
}

const modelsOf = (call: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const args = Array.isArray(call["arguments"]) ? call["arguments"] : []
  return args.flatMap((arg: unknown) => {
    if (!isNode(arg) || !Array.isArray(arg["properties"])) return []
    return arg["properties"].flatMap((property: unknown) => {
      if (!isNode(property) || nameOf(property["key"]) !== "model") return []
      const { value } = property
      return isNode(value) && value["type"] === "Literal" && typeof value["value"] === "string"
        ? [value["value"]]
        : []
    })
  })
}

const literalsIn = (code: string): ReadonlyArray<string> => {
  const program = Result.getSuccess(Result.try((): unknown => parse(`(${code})`, { ecmaVersion: "latest" })))
  const found = new Set<string>()
  const pending: Array<unknown> = [Option.getOrUndefined(program)]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isNode(node) && isAgentCall(node)) for (const model of modelsOf(node)) found.add(model)
    if (Array.isArray(node)) pending.push(...node.filter(Predicate.isObjectOrArray))
    else if (isNode(node)) pending.push(...Object.values(node).filter(Predicate.isObjectOrArray))
  }
  return [...found].toSorted()
}

export interface NamedModels {
  /** Of a script's phases: said in so many words. */
  readonly phases: ReadonlyArray<string>
  /** Of its calls. */
  readonly calls: ReadonlyArray<string>
}

export const namedModels = (bundle: PlanBundle): NamedModels => {
  const scripts = bundle.kind === "workflow" ? [bundle, ...Object.values(bundle.workflows)] : []
  const phases = scripts.flatMap(({ meta }) =>
    (meta.phases ?? []).flatMap(({ model }) => (model === undefined ? [] : [model]))
  )
  const codes = bundle.kind === "workflow" ? scripts.map(({ code }) => code) : [bundle.code]
  return { phases: [...new Set(phases)], calls: [...new Set(codes.flatMap(literalsIn))] }
}
