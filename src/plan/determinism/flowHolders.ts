// How a value that is being followed is held: by objects, classes and their fields, by what inherits from it, and by
// functions that answer with it. Part of flow.ts.
import type { AnyNode } from "acorn"
import { instead } from "./catalogue.ts"
import { keyNames, propertyNames } from "./constants.ts"
import { onlyEmptySpread } from "./flowCalls.ts"
import { childrenOf, isFunction, type ClassNode, type FunctionNode } from "./scope.ts"
import type { Follower, Trail } from "./trail.ts"
import { isDate, memberOf, type Value } from "./values.ts"

/** Out of a function, to where it was called; by the call it came in by, if it came in by one. */
export const returned = (flow: Follower, from: FunctionNode, value: Value, trail: Trail): void => {
  const entry = trail.calls.get(from)
  if (entry !== undefined) return flow.track(entry, value, trail)
  const left: Trail = trail.hop === "none" ? { ...trail, hop: "param" } : trail
  const parent = flow.parent(from)
  if (parent?.type === "CallExpression" && parent.callee === from) return flow.track(parent, value, left)
  if (parent?.type === "Property") {
    const inner: Value = parent.kind === "get" ? value : { kind: "returns", of: value }
    return property(flow, parent, from, inner, left)
  }
  if (parent?.type === "MethodDefinition") {
    return held(flow, parent, parent.kind === "get" ? value : { kind: "returns", of: value }, left)
  }
  const name =
    from.id ??
    (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id : undefined)
  if (name === undefined) return
  for (const reference of flow.program.bindings.get(name)?.references ?? []) {
    const call = flow.parent(reference)
    if (call?.type === "CallExpression" && call.callee === reference) flow.track(call, value, left)
  }
}

export const enclosingFunction = (flow: Follower, node: AnyNode): FunctionNode | undefined => {
  let up = flow.parent(node)
  while (up !== undefined && !isFunction(up)) up = flow.parent(up)
  return up
}

/** Into a field of a class, and out where the class reads it by `this`, or anyone by the class's name. */
export const held = (flow: Follower, field: AnyNode, value: Value, trail: Trail): void => {
  if (field.type !== "PropertyDefinition" && field.type !== "MethodDefinition") return
  const body = flow.parent(field)
  const holder = body === undefined ? undefined : flow.parent(body)
  const name = keyNames(field, flow.program)?.[0]
  if (name === undefined || holder === undefined) return
  const named: Trail = { ...trail, hop: "variable" }
  if (field.static) trackClass(flow, holder, { kind: "box", key: name, inner: value }, named)
  readByThis(flow, holder, name, value, named)
}

export const readByThis = (
  flow: Follower,
  holder: AnyNode,
  name: string,
  value: Value,
  trail: Trail
): void => {
  const walk = (node: AnyNode): void => {
    if (node.type === "MemberExpression" && node.object.type === "ThisExpression") {
      if (propertyNames(node, flow.program)?.includes(name) === true) flow.track(node, value, trail)
    }
    for (const child of childrenOf(node)) walk(child)
  }
  walk(holder)
}

/** What `super` reaches in the methods of an object or class that inherits from `value`. */
const inherited = (flow: Follower, holder: AnyNode, value: Value, trail: Trail, onlyStatic = false): void => {
  const walk = (node: AnyNode): void => {
    if (
      onlyStatic &&
      (node.type === "MethodDefinition" || node.type === "PropertyDefinition") &&
      !node.static
    )
      return
    if (node.type === "MemberExpression" && node.object.type === "Super") {
      for (const name of propertyNames(node, flow.program) ?? []) {
        const leaf = memberOf(value, name)?.leaf
        if (leaf !== undefined) flow.report(trail.label ?? `super.${name}()`, leaf.instead, trail.origin)
      }
    }
    for (const child of childrenOf(node)) walk(child)
  }
  walk(holder)
}

export const extended = (flow: Follower, node: ClassNode, value: Value, trail: Trail): void => {
  if (!isDate(value) && value.kind !== "subclass") return
  const named: Trail = { ...trail, label: trail.label ?? "Date subclass" }
  inherited(flow, node, value, named, true)
  const constructor = node.body.body.find(
    (member) => member.type === "MethodDefinition" && member.kind === "constructor"
  )
  if (constructor === undefined) return trackClass(flow, node, { kind: "subclass" }, named)
  const walk = (inner: AnyNode): void => {
    if (inner.type === "CallExpression" && inner.callee.type === "Super") {
      const empty = inner.arguments.length === 0 || onlyEmptySpread(flow, inner.arguments) !== undefined
      if (empty) flow.report("Date subclass", instead.clock, trail.origin)
    }
    for (const child of childrenOf(inner)) walk(child)
  }
  walk(constructor)
}

const trackClass = (flow: Follower, node: AnyNode, value: Value, trail: Trail): void => {
  if (node.type === "ClassExpression") flow.track(node, value, trail)
  if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") return
  if (node.id) flow.bind(node.id, value, trail, "variable", node)
}

export const property = (
  flow: Follower,
  property: AnyNode,
  node: AnyNode,
  value: Value,
  trail: Trail
): void => {
  if (property.type !== "Property" || property.value !== node) return
  const object = flow.parent(property)
  if (object?.type !== "ObjectExpression") return
  const [name] = keyNames(property, flow.program) ?? []
  if (name === "__proto__" && !property.computed && !property.shorthand) {
    inherited(flow, object, value, trail)
    return flow.track(object, value, trail)
  }
  if (name !== undefined)
    flow.track(object, { kind: "box", key: name, inner: value }, { ...trail, hop: "variable" })
}
