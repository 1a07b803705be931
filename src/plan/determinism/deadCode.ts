// Dead code: what a plan can never run, because it stands behind a `typeof` of a name that no plan has. Such guards are
// how a file says that it runs elsewhere too; what they guard is not part of the plan. Pure. Says "unknown" rather than
// guess, and follows nothing but `typeof`: that a test is written `false` says nothing of what its author meant.
import type { AnyNode, Statement } from "acorn"
import { absentTypes } from "./catalogue.ts"
import { globalPath, initialiserOf } from "./constants.ts"
import type { ScopedProgram } from "./scope.ts"

const maxDepth = 32

const comparisons: Readonly<Record<string, (left: string, right: string) => boolean>> = {
  "==": (left, right) => left === right,
  "===": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "!==": (left, right) => left !== right,
  // Minifiers compare with "u".
  "<": (left, right) => left < right,
  ">": (left, right) => left > right
}

/** `undefined`, where the node is a `typeof` of a name that no plan has. */
const typeName = (node: AnyNode, program: ScopedProgram): string | undefined => {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node.type === "ParenthesizedExpression") return typeName(node.expression, program)
  if (node.type !== "UnaryExpression" || node.operator !== "typeof") return undefined
  const name = globalPath(node.argument, program)?.replace(/^globalThis\./, "")
  return name !== undefined && absentTypes.has(name) ? "undefined" : undefined
}

const hasTypeof = (node: AnyNode): boolean => node.type === "UnaryExpression" && node.operator === "typeof"

/** Whether a test holds in every plan, or in none; undefined where that is not known. */
const holds = (node: AnyNode, program: ScopedProgram, depth = 0): boolean | undefined => {
  if (depth > maxDepth) return undefined
  const next = (inner: AnyNode): boolean | undefined => holds(inner, program, depth + 1)
  switch (node.type) {
    case "ParenthesizedExpression":
    case "ChainExpression":
      return next(node.expression)
    case "UnaryExpression": {
      const inner = node.operator === "!" ? next(node.argument) : undefined
      return inner === undefined ? undefined : !inner
    }
    case "BinaryExpression": {
      if (node.left.type === "PrivateIdentifier" || !(hasTypeof(node.left) || hasTypeof(node.right)))
        return undefined
      const left = typeName(node.left, program)
      const right = typeName(node.right, program)
      return left === undefined || right === undefined ? undefined : comparisons[node.operator]?.(left, right)
    }
    case "LogicalExpression": {
      const left = next(node.left)
      if (node.operator === "??") return left
      const settles = node.operator === "||"
      if (left === settles) return left
      const right = next(node.right)
      return right === settles ? right : left === undefined ? undefined : right
    }
    case "ConditionalExpression": {
      const test = next(node.test)
      return test === undefined ? undefined : next(test ? node.consequent : node.alternate)
    }
    case "Identifier": {
      const init = initialiserOf(node, program)
      return init === node ? undefined : next(init)
    }
    default:
      return undefined
  }
}

/** Whether nothing runs after it in its list of statements. */
const leaves = (statement: Statement): boolean => {
  switch (statement.type) {
    case "ReturnStatement":
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return true
    case "BlockStatement": {
      const last = statement.body.at(-1)
      return last !== undefined && leaves(last)
    }
    default:
      return false
  }
}

const branch = (node: AnyNode, program: ScopedProgram): AnyNode | null | undefined => {
  switch (node.type) {
    case "LogicalExpression": {
      const left = holds(node.left, program)
      if (left === undefined || node.operator === "??") return undefined
      return left === (node.operator === "||") ? node.right : undefined
    }
    case "IfStatement":
    case "ConditionalExpression": {
      const test = holds(node.test, program)
      return test === undefined ? undefined : test ? node.alternate : node.consequent
    }
    case "WhileStatement":
      return holds(node.test, program) === false ? node.body : undefined
    case "ForStatement":
      return node.test && holds(node.test, program) === false ? node.body : undefined
    default:
      return undefined
  }
}

/**
 * Where a list of statements ends for every plan: after `if (typeof process === "undefined") return`, nothing of it runs
 * but the functions that it declares.
 */
const endOf = (list: ReadonlyArray<AnyNode>, program: ScopedProgram): number => {
  for (const statement of list) {
    if (statement.type !== "IfStatement") continue
    const test = holds(statement.test, program)
    const taken = test === undefined ? undefined : test ? statement.consequent : statement.alternate
    if (taken !== undefined && taken !== null && leaves(taken)) return statement.end
  }
  return Infinity
}

/** A test that says of a node whether no plan ever comes to it. */
export const deadCode = (program: ScopedProgram): ((node: AnyNode) => boolean) => {
  const known = new Map<AnyNode, boolean>()
  const ends = new Map<AnyNode, number>()
  const { parents } = program
  const isCutOff = (node: AnyNode, parent: AnyNode): boolean => {
    if (parent.type !== "BlockStatement" && parent.type !== "Program") return false
    if (node.type === "FunctionDeclaration") return false
    const end = ends.get(parent) ?? endOf(parent.body, program)
    ends.set(parent, end)
    return node.start >= end
  }
  return (node) => {
    const way: Array<AnyNode> = []
    let at: AnyNode | undefined = node
    let dead = false
    for (; at !== undefined; at = parents.get(at)) {
      const before = known.get(at)
      if (before !== undefined) {
        dead = before
        break
      }
      way.push(at)
      const parent: AnyNode | undefined = parents.get(at)
      if (parent === undefined) continue
      if (branch(parent, program) === at || isCutOff(at, parent)) {
        dead = true
        break
      }
    }
    // What is above the first dead node may be alive, and was not looked at; all that was is inside it.
    for (const seen of way) known.set(seen, dead)
    return dead
  }
}
