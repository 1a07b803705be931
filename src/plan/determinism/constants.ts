// Constant folding: the strings an expression is known to be, and whether a list is known to be empty. Pure; says
// "unknown" (undefined) rather than guess. Used for property names, so that `Date["no" + "w"]` is `Date.now`.
import type { AnyNode } from "acorn"
import type { ScopedProgram } from "./scope.ts"

/** How many candidates are followed before an expression counts as unknown. */
const maxCandidates = 16
const maxDepth = 32

type Strings = ReadonlyArray<string> | undefined

const product = (left: Strings, right: Strings): Strings => {
  if (left === undefined || right === undefined || left.length * right.length > maxCandidates)
    return undefined
  return left.flatMap((a) => right.map((b) => a + b))
}

const union = (left: Strings, right: Strings): Strings => {
  if (left === undefined) return right
  if (right === undefined) return left
  return left.length + right.length > maxCandidates ? undefined : [...left, ...right]
}

/** What a global expression is called: `Reflect.get`, `String.fromCharCode`; undefined for anything else. */
export const globalPath = (node: AnyNode, program: ScopedProgram): string | undefined => {
  if (node.type === "Identifier") return program.bindings.has(node) ? undefined : node.name
  if (node.type === "ChainExpression") return globalPath(node.expression, program)
  if (node.type !== "MemberExpression") return undefined
  const object = globalPath(node.object, program)
  if (object === undefined) return undefined
  const names = propertyNames(node, program)
  return names?.length === 1 ? `${object}.${names[0]}` : undefined
}

/**
 * The strings that `node` may be. One branch of a choice being known is enough: the answer is then what is known,
 * so it says what may happen, not what must.
 */
export const stringsOf = (node: AnyNode, program: ScopedProgram, depth = 0): Strings => {
  if (depth > maxDepth) return undefined
  const next = (inner: AnyNode): Strings => stringsOf(inner, program, depth + 1)
  switch (node.type) {
    case "Literal":
      if (typeof node.value === "string") return [node.value]
      return typeof node.value === "number" || node.value === null ? [String(node.value)] : undefined
    case "TemplateLiteral": {
      let all: Strings = [node.quasis[0]?.value.cooked ?? ""]
      for (const [index, expression] of node.expressions.entries()) {
        all = product(product(all, next(expression)), [node.quasis[index + 1]?.value.cooked ?? ""])
      }
      return all
    }
    case "BinaryExpression":
      if (node.operator !== "+" || node.left.type === "PrivateIdentifier") return undefined
      return product(next(node.left), next(node.right))
    case "ConditionalExpression":
      return union(next(node.consequent), next(node.alternate))
    case "LogicalExpression":
      return union(next(node.left), next(node.right))
    case "SequenceExpression": {
      const last = node.expressions.at(-1)
      return last === undefined ? undefined : next(last)
    }
    case "ChainExpression":
    case "ParenthesizedExpression":
      return next(node.expression)
    case "Identifier": {
      const binding = program.bindings.get(node)
      if (binding === undefined || binding.open) return undefined
      return binding.inits.map(next).reduce<Strings>(union, undefined)
    }
    case "MemberExpression":
      return memberStrings(node, program, depth)
    case "CallExpression":
      return callStrings(node, program, depth)
    default:
      return undefined
  }
}

/** What an identifier was initialised with, if only once and for good; else the node itself. */
export const initialiserOf = (node: AnyNode, program: ScopedProgram): AnyNode => {
  if (node.type !== "Identifier") return node
  const binding = program.bindings.get(node)
  const init = binding?.inits[0]
  return binding === undefined || binding.open || binding.inits.length !== 1 || init === undefined
    ? node
    : init
}

/** `names.now`, `names[0]` of a list or an object that is written out. */
const memberStrings = (
  node: Extract<AnyNode, { type: "MemberExpression" }>,
  program: ScopedProgram,
  depth: number
): Strings => {
  const object = initialiserOf(node.object, program)
  const names = propertyNames(node, program, depth + 1)
  if (names === undefined) return undefined
  let found: Strings
  for (const name of names) {
    const value =
      object.type === "ArrayExpression"
        ? object.elements[Number(name)]
        : object.type === "ObjectExpression"
          ? object.properties.find(
              (property) =>
                property.type === "Property" &&
                property.kind === "init" &&
                keyNames(property, program)?.[0] === name
            )
          : undefined
    if (value === undefined || value === null || value.type === "SpreadElement") continue
    found = union(found, stringsOf(value.type === "Property" ? value.value : value, program, depth + 1))
  }
  return found
}

const callStrings = (
  node: Extract<AnyNode, { type: "CallExpression" }>,
  program: ScopedProgram,
  depth: number
): Strings => {
  const next = (inner: AnyNode): Strings => stringsOf(inner, program, depth + 1)
  const called = globalPath(node.callee, program)
  if (called === "String.fromCharCode" || called === "String.fromCodePoint") {
    const codes: Array<number> = []
    for (const argument of node.arguments) {
      if (argument.type !== "Literal" || typeof argument.value !== "number") return undefined
      codes.push(argument.value)
    }
    return [codes.map((code) => String.fromCharCode(code)).join("")]
  }
  const [first] = node.arguments
  if (called === "String" && first !== undefined) return next(first)
  if (node.callee.type !== "MemberExpression") return undefined
  const method = propertyNames(node.callee, program, depth + 1)?.[0]
  const object = initialiserOf(node.callee.object, program)
  switch (method) {
    case "join": {
      if (object.type !== "ArrayExpression") return undefined
      const separator = first === undefined ? [","] : next(first)
      let all: Strings = [""]
      for (const [index, element] of object.elements.entries()) {
        if (element === null) return undefined
        all = product(product(all, index === 0 ? [""] : separator), next(element))
      }
      return all
    }
    case "concat": {
      let all = next(object)
      for (const argument of node.arguments) all = product(all, next(argument))
      return all
    }
    case "toString":
    case "trim":
      return next(object)?.map((text) => text.trim())
    case "toLowerCase":
      return next(object)?.map((text) => text.toLowerCase())
    case "toUpperCase":
      return next(object)?.map((text) => text.toUpperCase())
    default:
      return undefined
  }
}

/** The property names that a member expression may reach. */
export const propertyNames = (
  node: Extract<AnyNode, { type: "MemberExpression" }>,
  program: ScopedProgram,
  depth = 0
): Strings => {
  if (node.computed) return stringsOf(node.property, program, depth)
  return node.property.type === "Identifier" ? [node.property.name] : undefined
}

/** The names of a property of an object literal, pattern or class. */
export const keyNames = (
  node: Extract<AnyNode, { type: "Property" | "PropertyDefinition" | "MethodDefinition" }>,
  program: ScopedProgram
): Strings => {
  if (!node.computed && node.key.type === "Identifier") return [node.key.name]
  return node.key.type === "PrivateIdentifier" ? undefined : stringsOf(node.key, program)
}

/** Whether the values spread from `node` may be none at all; undefined where that cannot be known. */
export const mayBeEmpty = (node: AnyNode, program: ScopedProgram, depth = 0): boolean | undefined => {
  if (depth > maxDepth) return undefined
  const next = (inner: AnyNode): boolean | undefined => mayBeEmpty(inner, program, depth + 1)
  switch (node.type) {
    case "ArrayExpression":
      return node.elements.every(
        (element) => element?.type === "SpreadElement" && next(element.argument) === true
      )
    case "Literal":
      return node.value === ""
    case "ConditionalExpression":
      return next(node.consequent) === true || next(node.alternate) === true || undefined
    case "LogicalExpression":
      return next(node.right) === true || undefined
    case "ChainExpression":
    case "ParenthesizedExpression":
      return next(node.expression)
    case "Identifier": {
      const init = initialiserOf(node, program)
      if (init === node) return undefined
      // A list that starts empty may be filled before it is spread, unless nothing but spreads ever sees it.
      const references = program.bindings.get(node)?.references ?? []
      const untouched = references.every(
        (reference) => program.parents.get(reference)?.type === "SpreadElement"
      )
      return init.type === "ArrayExpression" && init.elements.length === 0 && !untouched
        ? undefined
        : next(init)
    }
    default:
      return undefined
  }
}
