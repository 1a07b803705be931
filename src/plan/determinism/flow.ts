// How forbidden values move: each is followed from where the program gets it, through variables, destructuring,
// parameters, results, lists and objects, to where it is used. Only what is used forbiddenly is reported, so that a
// pure use is accepted under any name. What cannot be followed is left to the runtime layer, which sees everything.
import type { AnyNode, Pattern } from "acorn"
import { globalObjects } from "./catalogue.ts"
import { globalPath, keyNames, propertyNames } from "./constants.ts"
import { argument, called, constructed, visited } from "./flowCalls.ts"
import { enclosingFunction, extended, held, property, readByThis, returned } from "./flowHolders.ts"
import type { ScopedProgram } from "./scope.ts"
import {
  lastTokenOf,
  namePlace,
  placeOf,
  type Follower,
  type Place,
  type RawFinding,
  type Trail
} from "./trail.ts"
import { isCodeMaker, keyOf, memberOf, type Leaf, type Member, type Value } from "./values.ts"

const isChoice = (node: AnyNode): boolean =>
  node.type === "SequenceExpression" ||
  node.type === "ConditionalExpression" ||
  node.type === "LogicalExpression"

/** A bound on the work, far above what any plan needs. */
const maxSteps = 20_000
const maxKey = 500

export class Flow implements Follower {
  readonly findings: Array<RawFinding> = []
  readonly program: ScopedProgram
  private readonly seen = new Map<AnyNode, Set<string>>()
  private readonly waiting: Array<readonly [AnyNode, Value, Trail]> = []
  private steps = 0

  constructor(program: ScopedProgram) {
    this.program = program
  }

  /** The places that have a finding. */
  private readonly reported = new Set<string>()

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
    const key = `${start} ${shift}`
    if (this.reported.has(key)) return
    this.reported.add(key)
    this.findings.push({ construct, instead: advice, ...place })
  }

  take(node: AnyNode, member: Member | undefined, trail: Trail): void {
    if (member === undefined) return
    if (member.leaf !== undefined) this.leaf(node, member.leaf, trail)
    else this.track(node, member.value, trail)
  }

  /** A forbidden use, named and placed by how it was reached. */
  use(construct: string, advice: string, at: AnyNode, trail: Trail, last = lastTokenOf(at)): void {
    if (trail.label !== undefined) return this.report(trail.label, advice, trail.origin)
    if (trail.hop === "variable") return this.report(`${trail.root} (alias)`, advice, trail.origin)
    if (trail.hop === "param") return this.report(construct, advice, trail.origin)
    const named =
      trail.via === undefined || construct.startsWith("new ") ? construct : `${trail.via}.${trail.root}`
    // Chosen among several: what is forbidden is the one, not the choice.
    this.report(named, advice, isChoice(at) ? trail.origin : { start: at.start, shift: 0, last })
  }

  parent(node: AnyNode): AnyNode | undefined {
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
        return (
          parent.operator === "typeof" ||
          parent.operator === "!" ||
          parent.operator === "void" ||
          parent.operator === "delete"
        )
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
      const text =
        first?.type === "TemplateLiteral" || (first?.type === "Literal" && typeof first.value === "string")
      const called =
        /^set(Timeout|Interval)$/.test(construct) && text ? `${construct}(string)` : `${construct}()`
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

  track(node: AnyNode, value: Value, trail: Trail): void {
    this.waiting.push([node, value, trail])
  }

  /** Follows until nothing moves any more: no depth of aliases exhausts the stack. */
  run(): void {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) this.step(...next)
  }

  private step(node: AnyNode, value: Value, trail: Trail): void {
    const keys = this.seen.get(node) ?? new Set<string>()
    this.seen.set(node, keys)
    const key = `${trail.origin.start} ${trail.hop} ${keyOf(value)}`
    // An object that holds itself would be a longer value each time round.
    if (keys.has(key) || key.length > maxKey || ++this.steps > maxSteps) return
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
        return parent.callee === node
          ? called(this, parent, node, value, trail)
          : argument(this, parent, node, value, trail)
      case "NewExpression":
        return parent.callee === node
          ? constructed(this, parent, value, trail)
          : argument(this, parent, node, value, trail)
      case "TaggedTemplateExpression":
        return parent.tag === node ? called(this, parent, node, value, trail) : undefined
      case "VariableDeclarator":
        return this.bind(parent.id, value, trail, "variable", node)
      case "AssignmentExpression":
        if (parent.right !== node || !["=", "??=", "||=", "&&="].includes(parent.operator)) return
        this.bind(parent.left, value, trail, "variable", node)
        return this.track(parent, value, trail)
      case "AssignmentPattern":
        return parent.right === node ? this.bind(parent.left, value, trail, "variable", node) : undefined
      case "Property":
        return property(this, parent, node, value, trail)
      case "ArrayExpression": {
        const index = parent.elements.findIndex((element) => element === node)
        return this.track(
          parent,
          { kind: "box", key: String(index), inner: value },
          { ...trail, hop: "variable" }
        )
      }
      case "PropertyDefinition":
        return held(this, parent, value, trail)
      case "ArrowFunctionExpression":
        return parent.body === node ? returned(this, parent, value, trail) : undefined
      case "ReturnStatement": {
        const holder = enclosingFunction(this, parent)
        return holder === undefined ? undefined : returned(this, holder, value, trail)
      }
      case "ClassDeclaration":
      case "ClassExpression":
        return parent.superClass === node ? extended(this, parent, value, trail) : undefined
      case "ForOfStatement":
        if (parent.right === node && value.kind === "box" && /^\d+$/.test(value.key)) {
          const target =
            parent.left.type === "VariableDeclaration" ? parent.left.declarations[0]?.id : parent.left
          if (target !== undefined) this.bind(target, value.inner, trail, "variable", node)
        }
        return
      default:
        return
    }
  }

  private member(node: AnyNode, value: Value, name: string, trail: Trail): void {
    const member = memberOf(value, name)
    if (member === undefined) return visited(this, node, value, name, trail)
    if (value.kind !== "globalThis" || trail.hop !== "none" || trail.label !== undefined) {
      return this.take(node, member, trail)
    }
    // Read straight off the global object: that is where the program gets it.
    const maker = member.value !== undefined && isCodeMaker(member.value)
    const place = maker && node.type === "MemberExpression" ? namePlace(node.property) : placeOf(node)
    const label = maker ? { label: `${value.name}.${name}` } : {}
    this.take(node, member, { ...trail, origin: place, root: name, via: value.name, ...label })
  }

  /** Into a name, or apart into the names of a pattern. */
  bind(target: Pattern, value: Value, trail: Trail, hop: "param" | "variable", from: AnyNode): void {
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
          for (const name of keyNames(property, this.program) ?? [])
            this.part(property.value, value, name, trail, hop, from)
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
          if (holder !== undefined) readByThis(this, holder, name, value, { ...trail, hop: "variable" })
          return
        }
        if (target.object.type !== "Identifier") return
        return this.bind(target.object, { kind: "box", key: name, inner: value }, trail, "variable", from)
      }
      default:
        return
    }
  }

  private part(
    target: Pattern,
    value: Value,
    name: string,
    trail: Trail,
    hop: "param" | "variable",
    from: AnyNode
  ): void {
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
}
