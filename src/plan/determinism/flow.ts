// How forbidden values move: each is followed from where the program gets it, through variables, destructuring,
// parameters, results, lists and objects, to where it is used. Only what is used forbiddenly is reported, so that a
// pure use is accepted under any name. What cannot be followed is left to the runtime layer, which sees everything.
import type { AnyNode, CallExpression, NewExpression, Pattern, TaggedTemplateExpression } from "acorn"
import { callbackMethods, globalObjects, instead, passThrough } from "./catalogue.ts"
import { globalPath, initialiserOf, keyNames, mayBeEmpty, propertyNames, stringsOf } from "./constants.ts"
import { childrenOf, isFunction, type ClassNode, type FunctionNode, type ScopedProgram } from "./scope.ts"
import { isCodeMaker, isDate, keyOf, memberOf, nameOf, type Leaf, type Member, type Value } from "./values.ts"

/** A finding at offsets of the scanned text. */
export interface RawFinding {
  readonly construct: string
  readonly instead: string
  /** Where the offending expression starts, and `shift` characters more in the author's source. */
  readonly start: number
  readonly shift: number
  /** Start of the expression's last token: what parentheses around the callee must close before. */
  readonly last: number
}

interface Place {
  readonly start: number
  readonly shift: number
  readonly last: number
}

/** How a value came to where it is. */
export interface Trail {
  /** Where the program got hold of it. */
  readonly origin: Place
  /** What it is known by there. */
  readonly root: string
  /** `param`: it was handed to a function; `variable`: it has another name. */
  readonly hop: "none" | "param" | "variable"
  /** The global object it was read from. */
  readonly via?: string
  /** The construct, where it is what the way there says. */
  readonly label?: string
  /** The calls by which it entered functions, so that it leaves them by the same. */
  readonly calls: ReadonlyMap<FunctionNode, AnyNode>
}

const placeOf = (node: AnyNode): Place => ({ start: node.start, shift: 0, last: lastTokenOf(node) })

/** Where the last token of an expression starts, as far as source maps know tokens. */
const lastTokenOf = (node: AnyNode): number => {
  switch (node.type) {
    case "CallExpression":
      return node.end - 1
    case "NewExpression":
      return node.start
    case "MemberExpression":
      return node.property.start
    case "ChainExpression":
      return lastTokenOf(node.expression)
    case "TaggedTemplateExpression":
      return node.quasi.start
    default:
      return node.start
  }
}

/** `undefined` is `void 0` once it is bundled. */
const isUndefined = (node: AnyNode): boolean => node.type === "UnaryExpression" && node.operator === "void"

const isChoice = (node: AnyNode): boolean =>
  node.type === "SequenceExpression" || node.type === "ConditionalExpression" || node.type === "LogicalExpression"

const maxSteps = 20_000

export class Flow {
  readonly findings: Array<RawFinding> = []
  private readonly program: ScopedProgram
  private readonly seen = new Map<AnyNode, Set<string>>()
  private steps = 0

  constructor(program: ScopedProgram) {
    this.program = program
  }

  /** Follows what `node` is. */
  begin(node: AnyNode, member: Member, trail: Partial<Trail> & { readonly root: string }): void {
    const full: Trail = { origin: placeOf(node), hop: "none", calls: new Map(), ...trail }
    this.take(node, member, full)
  }

  /** Follows what `target` is given. */
  beginAt(target: Pattern, value: Value, trail: Pick<Trail, "root" | "origin" | "label">): void {
    this.bind(target, value, { hop: "none", calls: new Map(), ...trail }, "variable", target)
  }

  report(construct: string, advice: string, place: Place): void {
    const { start, shift } = place
    if (this.findings.some((known) => known.start === start && known.shift === shift)) return
    this.findings.push({ construct, instead: advice, ...place })
  }

  private take(node: AnyNode, member: Member | undefined, trail: Trail): void {
    if (member === undefined) return
    if (member.leaf !== undefined) this.leaf(node, member.leaf, trail)
    else this.track(node, member.value, trail)
  }

  /** A forbidden use, named and placed by how it was reached. */
  private use(construct: string, advice: string, at: AnyNode, trail: Trail, last = lastTokenOf(at)): void {
    if (trail.label !== undefined) return this.report(trail.label, advice, trail.origin)
    if (trail.hop === "variable") return this.report(`${trail.root} (alias)`, advice, trail.origin)
    if (trail.hop === "param") return this.report(construct, advice, trail.origin)
    const named = trail.via === undefined || construct.startsWith("new ") ? construct : `${trail.via}.${trail.root}`
    // Chosen among several: what is forbidden is the one, not the choice.
    this.report(named, advice, isChoice(at) ? trail.origin : { start: at.start, shift: 0, last })
  }

  private parent(node: AnyNode): AnyNode | undefined {
    return this.program.parents.get(node)
  }

  /** Climbs through what passes a value on unchanged. */
  private passedTo(node: AnyNode): { readonly top: AnyNode; readonly parent: AnyNode | undefined } {
    let top = node
    for (;;) {
      const parent = this.parent(top)
      if (parent === undefined || !this.passesOn(parent, top)) return { top, parent }
      top = parent
    }
  }

  private passesOn(parent: AnyNode, child: AnyNode): boolean {
    switch (parent.type) {
      case "ChainExpression":
      case "ParenthesizedExpression":
        return true
      case "AwaitExpression":
        return true
      case "SequenceExpression":
        return parent.expressions.at(-1) === child
      case "ConditionalExpression":
        return parent.test !== child
      case "LogicalExpression":
        return parent.right === child || parent.operator !== "&&"
      default:
        return false
    }
  }

  /** Uses that read nothing: comparisons, `typeof`, tests, being assigned to. */
  private isInert(top: AnyNode, parent: AnyNode | undefined): boolean {
    switch (parent?.type) {
      case "UnaryExpression":
        return parent.operator === "typeof" || parent.operator === "!" || parent.operator === "void" || parent.operator === "delete"
      case "BinaryExpression":
        return ["===", "!==", "==", "!=", "instanceof", "in"].includes(parent.operator)
      case "LogicalExpression":
      case "ExpressionStatement":
        return true
      case "ConditionalExpression":
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
        return parent.test === top
      case "AssignmentExpression":
        return parent.left === top
      default:
        return false
    }
  }

  private leaf(from: AnyNode, leaf: Leaf, trail: Trail): void {
    let node = from
    let construct = leaf.construct
    for (let depth = leaf.depth; depth > 0; depth--) {
      const parent = this.parent(node)
      if (parent?.type !== "MemberExpression" || parent.object !== node) break
      const names = propertyNames(parent, this.program)
      if (names?.length !== 1) break
      construct += `.${names[0]}`
      if (names[0] === "subtle" || names[0] === "hrtime") depth++
      node = parent
    }
    const { top, parent } = this.passedTo(node)
    if (this.isInert(top, parent) && !(parent?.type === "ExpressionStatement" && node !== from)) return
    if (parent?.type === "CallExpression" && parent.callee === top) {
      const [first] = parent.arguments
      const text = first?.type === "TemplateLiteral" || (first?.type === "Literal" && typeof first.value === "string")
      const called = /^set(Timeout|Interval)$/.test(construct) && text ? `${construct}(string)` : `${construct}()`
      return this.use(called, leaf.instead, node, trail, top === node ? parent.end - 1 : lastTokenOf(node))
    }
    if (parent?.type === "TaggedTemplateExpression" && parent.tag === top) {
      return this.use(`${construct}()`, leaf.instead, node, trail, parent.quasi.start)
    }
    if (
      parent?.type === "AssignmentExpression" &&
      parent.left.type === "MemberExpression" &&
      globalObjects.has(globalPath(parent.left.object, this.program) ?? "")
    ) {
      return this.report("globalThis mutation", leaf.instead, placeOf(node))
    }
    this.use(construct, leaf.instead, node, trail)
  }

  private track(node: AnyNode, value: Value, trail: Trail): void {
    const keys = this.seen.get(node) ?? new Set<string>()
    this.seen.set(node, keys)
    const key = `${trail.origin.start} ${trail.hop} ${keyOf(value)}`
    if (keys.has(key) || ++this.steps > maxSteps) return
    keys.add(key)
    const parent = this.parent(node)
    if (parent === undefined) return
    if (this.passesOn(parent, node)) return this.track(parent, value, trail)
    switch (parent.type) {
      case "MemberExpression":
        if (parent.object !== node) return
        for (const name of propertyNames(parent, this.program) ?? []) this.member(parent, value, name, trail)
        return
      case "CallExpression":
        return parent.callee === node ? this.called(parent, node, value, trail) : this.argument(parent, node, value, trail)
      case "NewExpression":
        return parent.callee === node
          ? this.constructed(parent, value, trail)
          : this.argument(parent, node, value, trail)
      case "TaggedTemplateExpression":
        return parent.tag === node ? this.called(parent, node, value, trail) : undefined
      case "VariableDeclarator":
        return this.bind(parent.id, value, trail, "variable", node)
      case "AssignmentExpression":
        if (parent.right !== node || !["=", "??=", "||=", "&&="].includes(parent.operator)) return
        this.bind(parent.left, value, trail, "variable", node)
        return this.track(parent, value, trail)
      case "AssignmentPattern":
        return parent.right === node ? this.bind(parent.left, value, trail, "variable", node) : undefined
      case "Property":
        return this.property(parent, node, value, trail)
      case "ArrayExpression": {
        const index = parent.elements.findIndex((element) => element === node)
        return this.track(parent, { kind: "box", key: String(index), inner: value }, { ...trail, hop: "variable" })
      }
      case "PropertyDefinition":
        return this.held(parent, value, trail)
      case "ArrowFunctionExpression":
        return parent.body === node ? this.returned(parent, value, trail) : undefined
      case "ReturnStatement": {
        const holder = this.enclosingFunction(parent)
        return holder === undefined ? undefined : this.returned(holder, value, trail)
      }
      case "ClassDeclaration":
      case "ClassExpression":
        return parent.superClass === node ? this.extended(parent, value, trail) : undefined
      case "ForOfStatement":
        if (parent.right === node && value.kind === "box" && /^\d+$/.test(value.key)) {
          const target = parent.left.type === "VariableDeclaration" ? parent.left.declarations[0]?.id : parent.left
          if (target !== undefined) this.bind(target, value.inner, trail, "variable", node)
        }
        return
      default:
        return
    }
  }

  private member(node: AnyNode, value: Value, name: string, trail: Trail): void {
    const member = memberOf(value, name)
    if (member === undefined) return this.visited(node, value, name, trail)
    if (value.kind !== "globalThis" || trail.hop !== "none" || trail.label !== undefined) {
      return this.take(node, member, trail)
    }
    // Read straight off the global object: that is where the program gets it.
    const maker = member.value !== undefined && isCodeMaker(member.value)
    const place = maker && node.type === "MemberExpression" ? namePlace(node.property) : placeOf(node)
    const label = maker ? { label: `${value.name}.${name}` } : {}
    this.take(node, member, { ...trail, origin: place, root: name, via: value.name, ...label })
  }

  /** `[Date].map((D) => …)`, `Promise.resolve(Date).then((D) => …)`: into the first parameter of what is given. */
  private visited(node: AnyNode, value: Value, name: string, trail: Trail): void {
    const call = this.parent(node)
    if (call?.type !== "CallExpression" || call.callee !== node || !callbackMethods.has(name)) return
    const [first] = call.arguments
    const given = first === undefined ? undefined : initialiserOf(first, this.program)
    const param = given !== undefined && isFunction(given) ? given.params[0] : undefined
    const inner = value.kind === "box" && /^\d+$/.test(value.key) ? value.inner : name === "then" ? value : undefined
    if (param !== undefined && inner !== undefined) this.bind(param, inner, trail, "param", node)
  }

  /** Into a field of a class, and out where the class reads it by `this`, or anyone by the class's name. */
  private held(field: AnyNode, value: Value, trail: Trail): void {
    if (field.type !== "PropertyDefinition" && field.type !== "MethodDefinition") return
    const body = this.parent(field)
    const holder = body === undefined ? undefined : this.parent(body)
    const name = keyNames(field, this.program)?.[0]
    if (name === undefined || holder === undefined) return
    const named: Trail = { ...trail, hop: "variable" }
    if (field.static) this.trackClass(holder, { kind: "box", key: name, inner: value }, named)
    this.readByThis(holder, name, value, named)
  }

  private readByThis(holder: AnyNode, name: string, value: Value, trail: Trail): void {
    const walk = (node: AnyNode): void => {
      if (node.type === "MemberExpression" && node.object.type === "ThisExpression") {
        if (propertyNames(node, this.program)?.includes(name) === true) this.track(node, value, trail)
      }
      for (const child of childrenOf(node)) walk(child)
    }
    walk(holder)
  }

  private called(
    call: CallExpression | TaggedTemplateExpression,
    callee: AnyNode,
    value: Value,
    trail: Trail
  ): void {
    const args = call.type === "CallExpression" ? call.arguments : []
    switch (value.kind) {
      case "global":
        if (isDate(value)) return this.use("Date()", instead.clock, callee, trail, lastTokenOf(call))
        if (value.name === "Intl.DateTimeFormat") return this.track(call, { kind: "formatter" }, trail)
        if (isCodeMaker(value)) this.use(this.codeConstruct(call, callee, value), instead.code, callee, trail)
        return
      case "format": {
        const [first] = args
        const now = first === undefined || isUndefined(first)
        if (now) {
          this.report(trail.label ?? `Intl.DateTimeFormat().${value.method}()`, instead.clock, trail.origin)
        }
        return
      }
      case "bound":
        return this.invoked(call, value, trail)
      case "returns":
        return this.track(call, value.of, trail)
      case "method":
        if (value.method === "bind") {
          const held = args.slice(1).filter((argument) => argument.type !== "SpreadElement").length
          const before = value.of.kind === "bound" ? value.of.held : 0
          const of = value.of.kind === "bound" ? value.of.of : value.of
          return this.track(call, { kind: "bound", of, held: held + before }, { ...trail, hop: trail.hop === "none" ? "param" : trail.hop })
        }
        return this.invoked(call, value.of, trail)
      default:
        return
    }
  }

  /** Called some way round: `call`, `apply`, `Reflect.apply`, bound. */
  private invoked(at: AnyNode, value: Value, trail: Trail): void {
    const of = value.kind === "bound" ? value.of : value
    if (isDate(of)) this.use("Date()", instead.clock, at, trail)
    else if (isCodeMaker(of)) this.use(`${nameOf(of)}()`, instead.code, at, trail)
  }

  private codeConstruct(
    call: CallExpression | TaggedTemplateExpression,
    callee: AnyNode,
    value: Value
  ): string {
    const name = nameOf(value)
    if (name === "eval") {
      const direct = call.type === "CallExpression" && call.callee.type === "Identifier" && !call.optional
      return direct && call.callee === callee ? "eval()" : "eval() (indirect)"
    }
    const [first] = call.type === "CallExpression" ? call.arguments : []
    const says = first === undefined ? undefined : stringsOf(first, this.program)?.[0]
    return says === "return this" ? `${name}('return this')` : `${name}()`
  }

  private constructed(node: NewExpression, value: Value, trail: Trail): void {
    const of = value.kind === "bound" ? value.of : value
    if (value.kind === "global" && value.name === "Intl.DateTimeFormat") {
      return this.track(node, { kind: "formatter" }, trail)
    }
    if (isCodeMaker(of)) return this.use(`new ${nameOf(of)}()`, instead.code, node, trail)
    if (!isDate(of) && value.kind !== "subclass") return
    const construct = value.kind === "subclass" ? "Date subclass" : "new Date()"
    if (value.kind === "bound" && value.held > 0) return
    const [first] = node.arguments
    if (first === undefined) return this.use(construct, instead.clock, node, trail)
    const spread = this.onlyEmptySpread(node.arguments)
    if (spread === undefined) return
    if (value.kind === "global" && trail.hop === "none" && trail.label === undefined) {
      return this.report("new Date(...args)", instead.clock, placeOf(spread))
    }
    this.use(construct, instead.clock, node, trail)
  }

  /** The first spread of an argument list that may hold no argument at all. */
  private onlyEmptySpread(args: ReadonlyArray<AnyNode>): AnyNode | undefined {
    for (const argument of args) {
      if (argument.type !== "SpreadElement" || mayBeEmpty(argument.argument, this.program) !== true) return undefined
    }
    return args[0]
  }

  private argument(call: CallExpression | NewExpression, node: AnyNode, value: Value, trail: Trail): void {
    const index = call.arguments.findIndex((argument) => argument === node)
    const path = globalPath(call.callee, this.program)
    const labelled: Trail = trail.label === undefined ? { ...trail, label: `${path}(${nameOf(value)})` } : trail
    if (call.type === "NewExpression") {
      if (path === "Proxy" && index === 0) this.track(call, value, { ...trail, label: trail.label ?? `new Proxy(${nameOf(value)})` })
      return
    }
    const pass = path === undefined ? undefined : passThrough.get(path)
    if (pass !== undefined && index === 0) {
      if (pass === "same") return this.track(call, value, trail)
      const descriptors = path === "Object.getOwnPropertyDescriptors"
      return this.track(call, descriptors ? { kind: "descriptors", of: value } : value, labelled)
    }
    switch (path) {
      case "Reflect.get":
      case "Object.getOwnPropertyDescriptor":
      case "Reflect.getOwnPropertyDescriptor": {
        const key = call.arguments[1]
        if (index !== 0 || key === undefined) return
        for (const name of stringsOf(key, this.program) ?? []) {
          const member = memberOf(value, name)
          if (member === undefined) continue
          this.take(call, path === "Reflect.get" ? member : { value: { kind: "descriptor", of: member } }, labelled)
        }
        return
      }
      case "Reflect.construct": {
        const list = call.arguments[1]
        if (index !== 0) return
        if (isCodeMaker(value)) return this.use(nameOf(value), instead.code, call, labelled)
        const empty = list === undefined || mayBeEmpty(list, this.program) === true
        if ((isDate(value) || value.kind === "subclass") && empty) this.use("", instead.clock, call, labelled)
        return
      }
      case "Reflect.apply":
        return index === 0 ? this.invoked(call, value, labelled) : undefined
      case "Object.setPrototypeOf":
      case "Reflect.setPrototypeOf": {
        const target = call.arguments[0]
        if (index !== 1 || target === undefined || target.type === "SpreadElement") return
        this.track(call, value, labelled)
        if (target.type === "Identifier") this.bind(target, value, labelled, "param", node)
        return
      }
    }
    if (this.callsBack(call, path, index) && (isDate(value) || isCodeMaker(value))) {
      const advice = isDate(value) ? instead.clock : instead.code
      return this.use(`${nameOf(value)} as callback`, advice, node, trail)
    }
    this.handed(call, index, value, trail, node)
  }

  private callsBack(call: CallExpression, path: string | undefined, index: number): boolean {
    if (path === "JSON.parse" || path === "Array.from") return index === 1
    if (call.callee.type !== "MemberExpression" || index > 1) return false
    const name = propertyNames(call.callee, this.program)?.[0]
    return name !== undefined && name !== "from" && name !== "parse" && callbackMethods.has(name)
  }

  /** Into the parameter of a function of the program. */
  private handed(call: CallExpression, index: number, value: Value, trail: Trail, node: AnyNode): void {
    const callee = initialiserOf(call.callee, this.program)
    if (!isFunction(callee)) return
    if (call.arguments.slice(0, index).some((argument) => argument.type === "SpreadElement")) return
    const entered: Trail = { ...trail, calls: new Map([...trail.calls, [callee, call]]) }
    const last = callee.params.length - 1
    const rest = callee.params[last]
    if (rest?.type === "RestElement" && index >= last) {
      const key = String(index - last)
      return this.bind(rest.argument, { kind: "box", key, inner: value }, entered, "param", node)
    }
    const param = callee.params[index]
    if (param !== undefined) this.bind(param, value, entered, "param", node)
  }

  /** Out of a function, to where it was called; by the call it came in by, if it came in by one. */
  private returned(from: FunctionNode, value: Value, trail: Trail): void {
    const entry = trail.calls.get(from)
    if (entry !== undefined) return this.track(entry, value, trail)
    const left: Trail = trail.hop === "none" ? { ...trail, hop: "param" } : trail
    const parent = this.parent(from)
    if (parent?.type === "CallExpression" && parent.callee === from) return this.track(parent, value, left)
    if (parent?.type === "Property") {
      const inner: Value = parent.kind === "get" ? value : { kind: "returns", of: value }
      return this.property(parent, from, inner, left)
    }
    if (parent?.type === "MethodDefinition") {
      return this.held(parent, parent.kind === "get" ? value : { kind: "returns", of: value }, left)
    }
    const name = from.id ?? (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id : undefined)
    if (name === undefined) return
    for (const reference of this.program.bindings.get(name)?.references ?? []) {
      const call = this.parent(reference)
      if (call?.type === "CallExpression" && call.callee === reference) this.track(call, value, left)
    }
  }

  private enclosingFunction(node: AnyNode): FunctionNode | undefined {
    let up = this.parent(node)
    while (up !== undefined && !isFunction(up)) up = this.parent(up)
    return up
  }

  /** Into a name, or apart into the names of a pattern. */
  private bind(target: Pattern, value: Value, trail: Trail, hop: "param" | "variable", from: AnyNode): void {
    switch (target.type) {
      case "Identifier": {
        const named: Trail = { ...trail, hop: trail.hop === "variable" ? "variable" : hop }
        for (const reference of this.program.bindings.get(target)?.references ?? []) {
          if (reference !== target) this.track(reference, value, named)
        }
        return
      }
      case "ObjectPattern":
        for (const property of target.properties) {
          if (property.type === "RestElement") continue
          for (const name of keyNames(property, this.program) ?? []) this.part(property.value, value, name, trail, hop, from)
        }
        return
      case "ArrayPattern":
        for (const [index, element] of target.elements.entries()) {
          if (element !== null) this.part(element, value, String(index), trail, hop, from)
        }
        return
      case "AssignmentPattern":
        return this.bind(target.left, value, trail, hop, from)
      case "MemberExpression": {
        const name = propertyNames(target, this.program)?.[0]
        if (name === undefined) return
        if (target.object.type === "ThisExpression") {
          let holder = this.parent(target)
          while (holder !== undefined && holder.type !== "ClassBody") holder = this.parent(holder)
          if (holder !== undefined) this.readByThis(holder, name, value, { ...trail, hop: "variable" })
          return
        }
        if (target.object.type !== "Identifier") return
        return this.bind(target.object, { kind: "box", key: name, inner: value }, trail, "variable", from)
      }
      default:
        return
    }
  }

  private part(target: Pattern, value: Value, name: string, trail: Trail, hop: "param" | "variable", from: AnyNode): void {
    const member = memberOf(value, name)
    if (member === undefined) return
    if (member.value !== undefined) {
      const root = value.kind === "globalThis" && trail.hop === "none" ? { root: name } : {}
      return this.bind(target, member.value, { ...trail, ...root }, hop, from)
    }
    const { construct, instead: advice } = member.leaf
    const named = trail.label ?? (trail.hop === "variable" ? `${trail.root} (alias)` : construct)
    this.report(named, advice, trail.origin)
  }

  private property(property: AnyNode, node: AnyNode, value: Value, trail: Trail): void {
    if (property.type !== "Property" || property.value !== node) return
    const object = this.parent(property)
    if (object?.type !== "ObjectExpression") return
    const [name] = keyNames(property, this.program) ?? []
    if (name === "__proto__" && !property.computed && !property.shorthand) {
      this.inherited(object, value, trail)
      return this.track(object, value, trail)
    }
    if (name !== undefined) this.track(object, { kind: "box", key: name, inner: value }, { ...trail, hop: "variable" })
  }

  /** What `super` reaches in the methods of an object or class that inherits from `value`. */
  private inherited(holder: AnyNode, value: Value, trail: Trail, onlyStatic = false): void {
    const walk = (node: AnyNode): void => {
      if (onlyStatic && (node.type === "MethodDefinition" || node.type === "PropertyDefinition") && !node.static) return
      if (node.type === "MemberExpression" && node.object.type === "Super") {
        for (const name of propertyNames(node, this.program) ?? []) {
          const leaf = memberOf(value, name)?.leaf
          if (leaf !== undefined) this.report(trail.label ?? `super.${name}()`, leaf.instead, trail.origin)
        }
      }
      for (const child of childrenOf(node)) walk(child)
    }
    walk(holder)
  }

  private extended(node: ClassNode, value: Value, trail: Trail): void {
    if (!isDate(value) && value.kind !== "subclass") return
    const named: Trail = { ...trail, label: trail.label ?? "Date subclass" }
    this.inherited(node, value, named, true)
    const constructor = node.body.body.find((member) => member.type === "MethodDefinition" && member.kind === "constructor")
    if (constructor === undefined) return this.trackClass(node, { kind: "subclass" }, named)
    const walk = (inner: AnyNode): void => {
      if (inner.type === "CallExpression" && inner.callee.type === "Super") {
        const empty = inner.arguments.length === 0 || this.onlyEmptySpread(inner.arguments) !== undefined
        if (empty) this.report("Date subclass", instead.clock, trail.origin)
      }
      for (const child of childrenOf(inner)) walk(child)
    }
    walk(constructor)
  }

  private trackClass(node: AnyNode, value: Value, trail: Trail): void {
    if (node.type === "ClassExpression") this.track(node, value, trail)
    if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") return
    if (node.id) this.bind(node.id, value, trail, "variable", node)
  }
}

/** Where a property's name is written, inside its quotes if it has any. */
export const namePlace = (property: AnyNode): Place => ({
  start: property.start,
  shift: property.type === "Literal" || property.type === "TemplateLiteral" ? 1 : 0,
  last: property.start
})
