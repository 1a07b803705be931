// The static layer: finds every construct in a program by which two runs could differ. Pure: text in, findings at
// offsets of that text out. Positions in the author's source are sourceMap.ts's, refusing is loadPlan's.
import { parse, type AnyNode, type MemberExpression } from "acorn"
import { reservedPrefix } from "../bundler/PlanBundle.ts"
import { builtinFunctions, globalObjects, instead } from "./catalogue.ts"
import { globalPath, initialiserOf, propertyNames } from "./constants.ts"
import { deadCode } from "./deadCode.ts"
import { Flow } from "./flow.ts"
import { analyseScopes, isFunction, type ScopedProgram } from "./scope.ts"
import { namePlace, type RawFinding } from "./trail.ts"
import { globalMember, type FunctionFlavour } from "./values.ts"

/**
 * Parses the text of a bundle. Module grammar is the stricter one: what it takes means the same in the strict
 * script that runs. Throws Acorn's SyntaxError.
 */
export const parseBundle = (code: string): AnyNode =>
  parse(code, { ecmaVersion: "latest", sourceType: "module", allowImportExportEverywhere: true })

const literalObjects = new Set(["Literal", "TemplateLiteral", "ArrayExpression"])
const functionHolders = new Set([...builtinFunctions, "JSON", "Math", "Reflect"])

/** Which constructor of functions `node.constructor` is, where `node` is known to be a function. */
const flavourOf = (node: AnyNode, program: ScopedProgram, depth = 0): FunctionFlavour | undefined => {
  if (depth > 16) return undefined
  const next = (inner: AnyNode): FunctionFlavour | undefined => flavourOf(inner, program, depth + 1)
  if (isFunction(node)) {
    if (node.async) return node.generator ? "AsyncGeneratorFunction" : "AsyncFunction"
    return node.generator ? "GeneratorFunction" : "Function"
  }
  switch (node.type) {
    case "ClassDeclaration":
    case "ClassExpression":
      return "Function"
    case "ChainExpression":
    case "ParenthesizedExpression":
      return next(node.expression)
    case "SequenceExpression": {
      const last = node.expressions.at(-1)
      return last === undefined ? undefined : next(last)
    }
    case "Identifier": {
      if (!program.bindings.has(node)) return builtinFunctions.has(node.name) ? "Function" : undefined
      const init = initialiserOf(node, program)
      return init === node ? undefined : next(init)
    }
    case "MemberExpression": {
      const name = propertyNames(node, program)?.[0]
      if (name === "constructor") return "Function"
      if (name === "__proto__") return next(node.object)
      if (name === undefined || name === "prototype" || name === "length") return undefined
      if (literalObjects.has(node.object.type)) return "Function"
      if (name === "call" || name === "apply" || name === "bind") return next(node.object)
      const root = globalPath(node, program)?.split(".")[0]
      return root !== undefined && functionHolders.has(root) && /^[a-z]/.test(name) ? "Function" : undefined
    }
    case "CallExpression": {
      const called = globalPath(node.callee, program)
      const [first] = node.arguments
      if (
        first !== undefined &&
        (called === "Object.getPrototypeOf" || called === "Reflect.getPrototypeOf")
      ) {
        return next(first)
      }
      if (node.callee.type !== "MemberExpression") return undefined
      return propertyNames(node.callee, program)?.[0] === "bind" ? next(node.callee.object) : undefined
    }
    default:
      return undefined
  }
}

/** In `x.constructor.constructor`, the construct starts at the first. */
const firstConstructor = (node: MemberExpression, program: ScopedProgram): MemberExpression =>
  node.object.type === "MemberExpression" && propertyNames(node.object, program)?.[0] === "constructor"
    ? firstConstructor(node.object, program)
    : node

type IsDead = (node: AnyNode) => boolean

const followConstructors = (program: ScopedProgram, flow: Flow, isDead: IsDead): void => {
  for (const node of program.constructors) {
    if (propertyNames(node, program)?.includes("constructor") !== true) continue
    const flavour = flavourOf(node.object, program)
    if (flavour === undefined || isDead(node)) continue
    flow.begin(
      node,
      { value: { kind: "global", name: flavour } },
      {
        root: flavour,
        origin: namePlace(firstConstructor(node, program).property),
        label: flavour === "Function" ? "Function via .constructor" : `${flavour}()`
      }
    )
  }
}

/** `const { constructor: F } = () => {}` */
const followConstructorPatterns = (program: ScopedProgram, flow: Flow): void => {
  for (const property of program.constructorPatterns) {
    const pattern = program.parents.get(property)
    const holder = pattern === undefined ? undefined : program.parents.get(pattern)
    const from = holder?.type === "VariableDeclarator" ? holder.init : undefined
    const flavour = from ? flavourOf(from, program) : undefined
    if (flavour === undefined) continue
    const label = flavour === "Function" ? "Function via .constructor" : `${flavour}()`
    const trail = { root: flavour, origin: namePlace(property.key), label }
    flow.beginAt(property.value, { kind: "global", name: flavour }, trail)
  }
}

/** The engine's names, read or declared. */
const reportReserved = (program: ScopedProgram, flow: Flow): void => {
  const advice = `use another name: names that start with ${reservedPrefix} are the engine's`
  for (const node of [...program.globals, ...program.declared]) {
    if (node.name.startsWith(reservedPrefix)) flow.report(node.name, advice, namePlace(node))
  }
}

const followGlobals = (program: ScopedProgram, flow: Flow, isDead: IsDead): void => {
  for (const node of program.globals) {
    const { name } = node
    if (isDead(node)) continue
    if (globalObjects.has(name)) {
      // The other names of the global object do not exist in a plan: only what is read straight off them counts.
      const parent = program.parents.get(node)
      const direct = parent?.type === "MemberExpression" && parent.object === node
      if (name === "globalThis" || direct)
        flow.begin(node, { value: { kind: "globalThis", name } }, { root: name })
      continue
    }
    const member = globalMember(name)
    if (member !== undefined) flow.begin(node, member, { root: name })
  }
}

const reportImports = (program: ScopedProgram, flow: Flow, isDead: IsDead): void => {
  for (const node of program.imports) {
    if (isDead(node)) continue
    if (node.type === "ImportExpression") {
      flow.report("import()", instead.imports, { start: node.start, shift: 0, last: node.start })
      continue
    }
    const member = program.parents.get(node)
    const name = member?.type === "MemberExpression" ? propertyNames(member, program)?.[0] : undefined
    const call = member === undefined ? undefined : program.parents.get(member)
    const called = call?.type === "CallExpression" && call.callee === member ? "()" : ""
    const construct = name === undefined ? "import.meta" : `import.meta.${name}${called}`
    flow.report(construct, instead.location, { start: node.start, shift: 0, last: node.start })
  }
}

/** Every finding of the program, in the order of its text. */
export const scanProgram = (root: AnyNode): ReadonlyArray<RawFinding> => {
  const program = analyseScopes(root)
  const flow = new Flow(program)
  const isDead = deadCode(program)
  followGlobals(program, flow, isDead)
  followConstructors(program, flow, isDead)
  followConstructorPatterns(program, flow)
  flow.run()
  reportImports(program, flow, isDead)
  reportReserved(program, flow)
  return flow.findings.toSorted((a, b) => a.start - b.start || a.shift - b.shift)
}
