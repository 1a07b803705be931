// Scope analysis: which declaration every name in a program means, and which names mean the global object's.
// Pure, one walk over an Acorn tree. Knows nothing of what is forbidden.
import type {
  AnyNode,
  AssignmentProperty,
  Class,
  Function as AnyFunction,
  Identifier,
  MemberExpression,
  Pattern
} from "acorn"

export type FunctionNode = Extract<
  AnyNode,
  { type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression" }
>
export type ClassNode = Extract<AnyNode, { type: "ClassDeclaration" | "ClassExpression" }>

/** One declared name. */
export interface Binding {
  readonly name: string
  /** Every identifier that means this binding, its writes included, its declarations not. */
  readonly references: Array<Identifier>
  /** What it is known to hold: initialisers, function and class declarations. */
  readonly inits: Array<AnyNode>
  /** True if anything but `inits` may be its value: parameters, patterns, later assignments. */
  open: boolean
}

export interface ScopedProgram {
  readonly root: AnyNode
  readonly parents: ReadonlyMap<AnyNode, AnyNode>
  /** The binding an identifier means; absent for a global. Declaring identifiers are here too. */
  readonly bindings: ReadonlyMap<Identifier, Binding>
  /** Identifiers that no declaration in the program explains, in order. */
  readonly globals: ReadonlyArray<Identifier>
  /** Every identifier that declares a name. */
  readonly declared: ReadonlyArray<Identifier>
  /** Member expressions whose name may be `constructor`: the ways to `Function` that have no name. */
  readonly constructors: ReadonlyArray<MemberExpression>
  /** `{ constructor: F } = …` */
  readonly constructorPatterns: ReadonlyArray<AssignmentProperty>
  /** `import.meta` and `import(…)`. */
  readonly imports: ReadonlyArray<Extract<AnyNode, { type: "MetaProperty" | "ImportExpression" }>>
}

class Scope {
  readonly names = new Map<string, Binding>()
  readonly parent: Scope | undefined
  /** Where `var` goes: functions, static blocks, the program. */
  readonly holdsVar: boolean

  constructor(parent: Scope | undefined, holdsVar: boolean) {
    this.parent = parent
    this.holdsVar = holdsVar
  }

  declare(name: string): Binding {
    const known = this.names.get(name)
    if (known !== undefined) return known
    const binding: Binding = { name, references: [], inits: [], open: false }
    this.names.set(name, binding)
    return binding
  }

  varScope(): Scope {
    return this.holdsVar || this.parent === undefined ? this : this.parent.varScope()
  }

  lookup(name: string): Binding | undefined {
    return this.names.get(name) ?? this.parent?.lookup(name)
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string" &&
  "start" in value

/** The direct children of a node, in source order of the tree's fields. */
export const childrenOf = (node: AnyNode): ReadonlyArray<AnyNode> => {
  const children: Array<AnyNode> = []
  const fields: ReadonlyArray<unknown> = Object.values(node)
  for (const value of fields) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

/** What has no parts, and is no part of the way of a value. */
const leaves: ReadonlySet<string> = new Set([
  "Literal",
  "TemplateElement",
  "ThisExpression",
  "Super",
  "PrivateIdentifier",
  "EmptyStatement",
  "DebuggerStatement"
])

export const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === "FunctionDeclaration" ||
  node.type === "FunctionExpression" ||
  node.type === "ArrowFunctionExpression"

class Analyser {
  readonly parents = new Map<AnyNode, AnyNode>()
  readonly bindings = new Map<Identifier, Binding>()
  readonly globals: Array<Identifier> = []
  readonly declared: Array<Identifier> = []
  readonly constructors: Array<MemberExpression> = []
  readonly constructorPatterns: Array<AssignmentProperty> = []
  readonly imports: Array<Extract<AnyNode, { type: "MetaProperty" | "ImportExpression" }>> = []
  private readonly uses: Array<readonly [Identifier, Scope]> = []

  analyse(root: AnyNode): ScopedProgram {
    const scope = new Scope(undefined, true)
    this.children(root, scope)
    for (const [identifier, from] of this.uses) {
      const binding = from.lookup(identifier.name)
      if (binding === undefined) this.globals.push(identifier)
      else {
        this.bindings.set(identifier, binding)
        binding.references.push(identifier)
        if (this.isWritten(identifier)) binding.open = true
      }
    }
    this.globals.sort((a, b) => a.start - b.start)
    return {
      root,
      parents: this.parents,
      bindings: this.bindings,
      globals: this.globals,
      declared: this.declared,
      constructors: this.constructors,
      constructorPatterns: this.constructorPatterns,
      imports: this.imports
    }
  }

  /** Assigned to, counted up, or filled by a pattern or a loop that does not declare it. */
  private isWritten(identifier: Identifier): boolean {
    const parent = this.parents.get(identifier)
    switch (parent?.type) {
      case "AssignmentExpression":
      case "AssignmentPattern":
      case "ForInStatement":
      case "ForOfStatement":
        return parent.left === identifier
      case "UpdateExpression":
      case "ArrayPattern":
      case "RestElement":
        return true
      case "Property":
        return parent.value === identifier && this.parents.get(parent)?.type === "ObjectPattern"
      default:
        return false
    }
  }

  private child(node: AnyNode | null | undefined, parent: AnyNode, scope: Scope): void {
    if (node === null || node === undefined || leaves.has(node.type)) return
    this.parents.set(node, parent)
    this.visit(node, scope)
  }

  private children(node: AnyNode, scope: Scope): void {
    const fields: ReadonlyArray<unknown> = Object.values(node)
    for (const value of fields) {
      if (typeof value !== "object" || value === null) continue
      if (Array.isArray(value)) {
        for (const item of value) if (isNode(item)) this.child(item, node, scope)
      } else if (isNode(value)) this.child(value, node, scope)
    }
  }

  private visit(node: AnyNode, scope: Scope): void {
    switch (node.type) {
      case "Identifier":
        this.uses.push([node, scope])
        return
      case "MemberExpression":
        this.child(node.object, node, scope)
        if (node.computed) this.child(node.property, node, scope)
        if (node.computed || (node.property.type === "Identifier" && node.property.name === "constructor")) {
          this.constructors.push(node)
        }
        return
      case "Property":
      case "PropertyDefinition":
      case "MethodDefinition":
        if (node.computed) this.child(node.key, node, scope)
        this.child(node.value, node, scope)
        return
      case "MetaProperty":
        // `new.target` is deterministic.
        if (node.meta.name === "import") this.imports.push(node)
        return
      case "ImportExpression":
        this.imports.push(node)
        return this.children(node, scope)
      case "LabeledStatement":
        return this.child(node.body, node, scope)
      case "BreakStatement":
      case "ContinueStatement":
        return
      case "ImportDeclaration":
        for (const specifier of node.specifiers) {
          this.parents.set(specifier, node)
          this.declareName(specifier.local, specifier, scope).open = true
        }
        return
      case "ExportNamedDeclaration":
        this.child(node.declaration, node, scope)
        if (node.source === null || node.source === undefined) {
          for (const specifier of node.specifiers) this.child(specifier, node, scope)
        }
        return
      case "ExportSpecifier":
        if (node.local.type === "Identifier") this.child(node.local, node, scope)
        return
      case "ExportAllDeclaration":
        return
      case "VariableDeclaration":
        for (const declarator of node.declarations) {
          this.parents.set(declarator, node)
          const target = node.kind === "var" ? scope.varScope() : scope
          const bindings = this.declarePattern(declarator.id, declarator, target, scope)
          const simple =
            declarator.id.type === "Identifier" && declarator.init !== null && declarator.init !== undefined
          for (const binding of bindings) {
            if (simple && declarator.init) binding.inits.push(declarator.init)
            else binding.open = true
          }
          this.child(declarator.init, declarator, scope)
        }
        return
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.visitFunction(node, scope)
      case "ClassDeclaration":
      case "ClassExpression":
        return this.visitClass(node, scope)
      case "StaticBlock":
        return this.children(node, new Scope(scope, true))
      case "CatchClause": {
        const inner = new Scope(scope, false)
        if (node.param !== null && node.param !== undefined) {
          for (const binding of this.declarePattern(node.param, node, inner, inner)) binding.open = true
        }
        return this.child(node.body, node, inner)
      }
      case "BlockStatement":
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "SwitchStatement":
        return this.children(node, new Scope(scope, false))
      default:
        return this.children(node, scope)
    }
  }

  private visitFunction(node: FunctionNode, scope: Scope): void {
    let outer = scope
    if (node.type === "FunctionDeclaration") {
      if (node.id) this.declareName(node.id, node, scope).inits.push(node)
    } else if (node.type === "FunctionExpression" && node.id) {
      // A named function expression binds its name only inside itself.
      outer = new Scope(scope, false)
      this.declareName(node.id, node, outer).inits.push(node)
    }
    const inner = new Scope(outer, true)
    if (node.type !== "ArrowFunctionExpression") inner.declare("arguments").open = true
    for (const param of this.paramsOf(node)) {
      for (const binding of this.declarePattern(param, node, inner, inner)) binding.open = true
    }
    this.parents.set(node.body, node)
    // The body shares the scope of the parameters.
    if (node.body.type === "BlockStatement") this.children(node.body, inner)
    else this.visit(node.body, inner)
  }

  private paramsOf(node: AnyFunction): ReadonlyArray<Pattern> {
    return node.params
  }

  private visitClass(node: ClassNode, scope: Scope): void {
    // The name inside a declared class means the same class; that of a class expression exists only inside.
    const inner = node.type === "ClassDeclaration" ? scope : new Scope(scope, false)
    const id: Class["id"] = node.id
    if (id) this.declareName(id, node, inner).inits.push(node)
    this.child(node.superClass, node, inner)
    this.child(node.body, node, inner)
  }

  private declareName(identifier: Identifier, parent: AnyNode, scope: Scope): Binding {
    this.parents.set(identifier, parent)
    const binding = scope.declare(identifier.name)
    this.bindings.set(identifier, binding)
    this.declared.push(identifier)
    return binding
  }

  /** Declares every name of a pattern in `target`; defaults and computed keys are read in `scope`. */
  private declarePattern(
    pattern: Pattern,
    parent: AnyNode,
    target: Scope,
    scope: Scope
  ): ReadonlyArray<Binding> {
    this.parents.set(pattern, parent)
    switch (pattern.type) {
      case "Identifier":
        return [this.declareName(pattern, parent, target)]
      case "ObjectPattern":
        return pattern.properties.flatMap((property) => {
          this.parents.set(property, pattern)
          if (property.type === "RestElement")
            return this.declarePattern(property.argument, property, target, scope)
          if (property.computed) this.child(property.key, property, scope)
          const key = property.key
          if (
            key.type === "Identifier"
              ? key.name === "constructor"
              : key.type === "Literal" && key.value === "constructor"
          ) {
            this.constructorPatterns.push(property)
          }
          return this.declarePattern(property.value, property, target, scope)
        })
      case "ArrayPattern":
        return pattern.elements.flatMap((element) =>
          element === null ? [] : this.declarePattern(element, pattern, target, scope)
        )
      case "RestElement":
        return this.declarePattern(pattern.argument, pattern, target, scope)
      case "AssignmentPattern":
        this.child(pattern.right, pattern, scope)
        return this.declarePattern(pattern.left, pattern, target, scope)
      case "MemberExpression":
        this.visit(pattern, scope)
        return []
    }
  }
}

/** Resolves every name of the program. */
export const analyseScopes = (root: AnyNode): ScopedProgram => new Analyser().analyse(root)
