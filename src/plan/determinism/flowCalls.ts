// What calls do with a value that is being followed: calling and constructing it, handing it to functions of the
// language that answer with it or call it, and to functions of the program. Part of flow.ts.
import type { AnyNode, CallExpression, NewExpression, TaggedTemplateExpression } from "acorn"
import { callbackMethods, instead, passThrough } from "./catalogue.ts"
import { globalPath, initialiserOf, mayBeEmpty, propertyNames, stringsOf } from "./constants.ts"
import { isFunction } from "./scope.ts"
import { lastTokenOf, placeOf, type Follower, type Trail } from "./trail.ts"
import { isCodeMaker, isDate, memberOf, nameOf, type Value } from "./values.ts"

/** `undefined` is `void 0` once it is bundled. */
const isUndefined = (node: AnyNode): boolean => node.type === "UnaryExpression" && node.operator === "void"

export const called = (
  flow: Follower,
  call: CallExpression | TaggedTemplateExpression,
  callee: AnyNode,
  value: Value,
  trail: Trail
): void => {
  const args = call.type === "CallExpression" ? call.arguments : []
  switch (value.kind) {
    case "global":
      if (isDate(value)) return flow.use("Date()", instead.clock, callee, trail, lastTokenOf(call))
      if (value.name === "Intl.DateTimeFormat") return flow.track(call, { kind: "formatter" }, trail)
      if (isCodeMaker(value)) flow.use(codeConstruct(flow, call, callee, value), instead.code, callee, trail)
      return
    case "format": {
      const [first] = args
      const now = first === undefined || isUndefined(first)
      if (now) {
        flow.report(trail.label ?? `Intl.DateTimeFormat().${value.method}()`, instead.clock, trail.origin)
      }
      return
    }
    case "bound":
      return invoked(flow, call, value, trail)
    case "returns":
      return flow.track(call, value.of, trail)
    case "method":
      if (value.method === "bind") {
        const held = args.slice(1).filter((argument) => argument.type !== "SpreadElement").length
        const before = value.of.kind === "bound" ? value.of.held : 0
        const of = value.of.kind === "bound" ? value.of.of : value.of
        return flow.track(
          call,
          { kind: "bound", of, held: held + before },
          { ...trail, hop: trail.hop === "none" ? "param" : trail.hop }
        )
      }
      return invoked(flow, call, value.of, trail)
    default:
      return
  }
}

/** Called some way round: `call`, `apply`, `Reflect.apply`, bound. */
const invoked = (flow: Follower, at: AnyNode, value: Value, trail: Trail): void => {
  const of = value.kind === "bound" ? value.of : value
  if (isDate(of)) flow.use("Date()", instead.clock, at, trail)
  else if (isCodeMaker(of)) flow.use(`${nameOf(of)}()`, instead.code, at, trail)
}

const codeConstruct = (
  flow: Follower,
  call: CallExpression | TaggedTemplateExpression,
  callee: AnyNode,
  value: Value
): string => {
  const name = nameOf(value)
  if (name === "eval") {
    const direct = call.type === "CallExpression" && call.callee.type === "Identifier" && !call.optional
    return direct && call.callee === callee ? "eval()" : "eval() (indirect)"
  }
  const [first] = call.type === "CallExpression" ? call.arguments : []
  const says = first === undefined ? undefined : stringsOf(first, flow.program)?.[0]
  return says === "return this" ? `${name}('return this')` : `${name}()`
}

export const constructed = (flow: Follower, node: NewExpression, value: Value, trail: Trail): void => {
  const of = value.kind === "bound" ? value.of : value
  if (value.kind === "global" && value.name === "Intl.DateTimeFormat") {
    return flow.track(node, { kind: "formatter" }, trail)
  }
  if (isCodeMaker(of)) return flow.use(`new ${nameOf(of)}()`, instead.code, node, trail)
  if (!isDate(of) && value.kind !== "subclass") return
  const construct = value.kind === "subclass" ? "Date subclass" : "new Date()"
  if (value.kind === "bound" && value.held > 0) return
  const [first] = node.arguments
  if (first === undefined) return flow.use(construct, instead.clock, node, trail)
  const spread = onlyEmptySpread(flow, node.arguments)
  if (spread === undefined) return
  if (value.kind === "global" && trail.hop === "none" && trail.label === undefined) {
    return flow.report("new Date(...args)", instead.clock, placeOf(spread))
  }
  flow.use(construct, instead.clock, node, trail)
}

/** The first spread of an argument list that may hold no argument at all. */
export const onlyEmptySpread = (flow: Follower, args: ReadonlyArray<AnyNode>): AnyNode | undefined => {
  for (const argument of args) {
    if (argument.type !== "SpreadElement" || mayBeEmpty(argument.argument, flow.program) !== true)
      return undefined
  }
  return args[0]
}

export const argument = (
  flow: Follower,
  call: CallExpression | NewExpression,
  node: AnyNode,
  value: Value,
  trail: Trail
): void => {
  const index = call.arguments.findIndex((argument) => argument === node)
  const path = globalPath(call.callee, flow.program)
  const labelled: Trail = trail.label === undefined ? { ...trail, label: `${path}(${nameOf(value)})` } : trail
  if (call.type === "NewExpression") {
    if (path === "Proxy" && index === 0)
      flow.track(call, value, { ...trail, label: trail.label ?? `new Proxy(${nameOf(value)})` })
    return
  }
  const pass = path === undefined ? undefined : passThrough.get(path)
  if (pass !== undefined && index === 0) {
    if (pass === "same") return flow.track(call, value, trail)
    const descriptors = path === "Object.getOwnPropertyDescriptors"
    return flow.track(call, descriptors ? { kind: "descriptors", of: value } : value, labelled)
  }
  switch (path) {
    case "Reflect.get":
    case "Object.getOwnPropertyDescriptor":
    case "Reflect.getOwnPropertyDescriptor": {
      const key = call.arguments[1]
      if (index !== 0 || key === undefined) return
      for (const name of stringsOf(key, flow.program) ?? []) {
        const member = memberOf(value, name)
        if (member === undefined) continue
        flow.take(
          call,
          path === "Reflect.get" ? member : { value: { kind: "descriptor", of: member } },
          labelled
        )
      }
      return
    }
    case "Reflect.construct": {
      const list = call.arguments[1]
      if (index !== 0) return
      if (isCodeMaker(value)) return flow.use(nameOf(value), instead.code, call, labelled)
      const empty = list === undefined || mayBeEmpty(list, flow.program) === true
      if ((isDate(value) || value.kind === "subclass") && empty) flow.use("", instead.clock, call, labelled)
      return
    }
    case "Reflect.apply":
      return index === 0 ? invoked(flow, call, value, labelled) : undefined
    case "Object.setPrototypeOf":
    case "Reflect.setPrototypeOf": {
      const target = call.arguments[0]
      if (index !== 1 || target === undefined || target.type === "SpreadElement") return
      flow.track(call, value, labelled)
      if (target.type === "Identifier") flow.bind(target, value, labelled, "param", node)
      return
    }
  }
  if (callsBack(flow, call, path, index) && (isDate(value) || isCodeMaker(value))) {
    const advice = isDate(value) ? instead.clock : instead.code
    return flow.use(`${nameOf(value)} as callback`, advice, node, trail)
  }
  handed(flow, call, index, value, trail, node)
}

const callsBack = (
  flow: Follower,
  call: CallExpression,
  path: string | undefined,
  index: number
): boolean => {
  if (path === "JSON.parse" || path === "Array.from") return index === 1
  if (call.callee.type !== "MemberExpression" || index > 1) return false
  const name = propertyNames(call.callee, flow.program)?.[0]
  return name !== undefined && name !== "from" && name !== "parse" && callbackMethods.has(name)
}

/** Into the parameter of a function of the program. */
const handed = (
  flow: Follower,
  call: CallExpression,
  index: number,
  value: Value,
  trail: Trail,
  node: AnyNode
): void => {
  const callee = initialiserOf(call.callee, flow.program)
  if (!isFunction(callee)) return
  if (call.arguments.slice(0, index).some((argument) => argument.type === "SpreadElement")) return
  const entered: Trail = { ...trail, calls: new Map([...trail.calls, [callee, call]]) }
  const last = callee.params.length - 1
  const rest = callee.params[last]
  if (rest?.type === "RestElement" && index >= last) {
    const key = String(index - last)
    return flow.bind(rest.argument, { kind: "box", key, inner: value }, entered, "param", node)
  }
  const param = callee.params[index]
  if (param !== undefined) flow.bind(param, value, entered, "param", node)
}

/** `[Date].map((D) => …)`, `Promise.resolve(Date).then((D) => …)`: into the first parameter of what is given. */
export const visited = (flow: Follower, node: AnyNode, value: Value, name: string, trail: Trail): void => {
  const call = flow.parent(node)
  if (call?.type !== "CallExpression" || call.callee !== node || !callbackMethods.has(name)) return
  const [first] = call.arguments
  const given = first === undefined ? undefined : initialiserOf(first, flow.program)
  const param = given !== undefined && isFunction(given) ? given.params[0] : undefined
  const inner =
    value.kind === "box" && /^\d+$/.test(value.key) ? value.inner : name === "then" ? value : undefined
  if (param !== undefined && inner !== undefined) flow.bind(param, inner, trail, "param", node)
}
