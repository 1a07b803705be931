// packageUse: what the npm packages in a plan's bundle get in place of a refusal: where each stands, so that the runtime
// knows who calls; globals that a plan has not; random numbers and the clock bound where they are called; and what a
// person is told of it. Pure.
import type { AnyNode } from "acorn"
import type { RawFinding } from "../determinism/trail.ts"
import { deadCode } from "../determinism/deadCode.ts"
import { childrenOf, type Binding, type ScopedProgram } from "../determinism/scope.ts"
import type { PackageLines } from "../inside/packages/callers.ts"
import { reservedPrefix } from "./PlanBundle.ts"
import type { Edit } from "./planModule.ts"
import type { BundleMap } from "../load/sourceMap.ts"

/** `npm:name@version/path` of each file of a package, by the path that the map names. */
type PackageFiles = ReadonlyMap<string, string>

const packageOf = (file: string): string => /^npm:(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? file

/** The lines of the script that are a package's: those of the bundle, after the wrapper's first. */
export const packageLines = (map: BundleMap, files: PackageFiles): ReadonlyArray<PackageLines> => {
  const found = new Map<string, Array<[number, number]>>()
  map.fileOfLines().forEach((path, index) => {
    const file = path === undefined ? undefined : files.get(path)
    if (file === undefined) return
    const name = packageOf(file)
    const parts = found.get(name) ?? []
    found.set(name, parts)
    const line = index + 2
    const last = parts.at(-1)
    if (last?.[1] === line - 1) last[1] = line
    else parts.push([line, line])
  })
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, lines]) => ({ name, lines }))
}

const timers = [
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "clearImmediate"
] as const

/** Globals that a plan has not. */
const ownGlobals: ReadonlySet<string> = new Set([
  "crypto",
  "performance",
  "EventTarget",
  "Event",
  "CustomEvent",
  ...timers
])

const given = `${reservedPrefix}packages`

/** What a package has of `node:crypto`: random bytes by the run's seed. */
const seededCrypto = `const webcrypto = ${given}.crypto
const own = { __proto__: null, webcrypto, getRandomValues: webcrypto.getRandomValues, randomUUID: webcrypto.randomUUID }`

/** Stands for what a package may not import: importing is fine, and so is asking for its names, using them is not. */
export const standInOf = (construct: string): string => {
  const own = /^import (?:node:)?crypto$/.test(construct)
    ? seededCrypto
    : /^import (?:node:)?timers$/.test(construct)
      ? `const own = { __proto__: null, ${timers.map((name) => `${name}: ${given}.${name}`).join(", ")} }`
      : "const own = { __proto__: null }"
  return `
${own}
const reach = () => ${reservedPrefix}refuse(${JSON.stringify(construct)}, "the package needs what a plan has not")
module.exports = new Proxy(function () {}, {
  get: (_, key) => own[key] ?? (typeof key === "symbol" || key === "__esModule" || key === "then" ? undefined : reach()),
  apply: reach,
  construct: reach
})`
}

/** `globalThis` said by name, or a global itself. */
const globalNamed = (node: AnyNode, program: ScopedProgram): string | undefined => {
  if (node.type === "Identifier") return program.bindings.has(node) ? undefined : node.name
  if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier")
    return undefined
  const { object } = node
  return object.type === "Identifier" && object.name === "globalThis" && !program.bindings.has(object)
    ? node.property.name
    : undefined
}

/** Whether the node's place is one that something is put into. */
const isTarget = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  (parent?.type === "AssignmentExpression" && parent.left === node) ||
  parent?.type === "UpdateExpression" ||
  (parent?.type === "UnaryExpression" && parent.operator === "delete")

/** What a package calls by its own name is bound to the package: nobody needs to look who calls. */
const boundTo = (
  node: AnyNode,
  owner: string,
  program: ScopedProgram,
  isNamed: boolean
): string | undefined => {
  if (node.type !== "MemberExpression" || node.computed || node.optional) return undefined
  const { object, property } = node
  if (object.type !== "Identifier" || property.type !== "Identifier" || program.bindings.has(object))
    return undefined
  const name = `${object.name}.${property.name}`
  const key = `[${JSON.stringify(owner)}]`
  if (name === "Math.random") return `${given}.${isNamed ? "drawn" : "random"}${key}`
  if (name !== "Date.now" && name !== "performance.now") return undefined
  return `${given}.${isNamed ? "time" : "now"}`
}

/** Where a package means a global that a plan has not, it is given its own; what it calls at once is bound to it. */
export const globalEdits = (
  program: ScopedProgram,
  map: BundleMap,
  files: PackageFiles
): ReadonlyArray<Edit> => {
  const { bindings, parents } = program
  const ownerOf = (node: AnyNode): string | undefined => {
    const file = files.get(map.fileAt(node.start) ?? "")
    return file === undefined ? undefined : packageOf(file)
  }
  const isCalled = (node: AnyNode): boolean => {
    const parent = parents.get(node)
    return parent?.type === "CallExpression" && parent.callee === node
  }
  /** A name that holds nothing else, and that its own package does nothing with but call it. */
  const isOnlyCalled = (binding: Binding | undefined, owner: string): boolean =>
    binding !== undefined &&
    !binding.open &&
    binding.inits.length === 1 &&
    binding.references.every((reference) => isCalled(reference) && ownerOf(reference) === owner)
  /** Whether its value is given a name first, and only called by it. */
  const isNamed = (node: AnyNode, owner: string): boolean => {
    const parent = parents.get(node)
    return (
      parent?.type === "VariableDeclarator" &&
      parent.init === node &&
      parent.id.type === "Identifier" &&
      isOnlyCalled(bindings.get(parent.id), owner)
    )
  }
  return program.globals.flatMap((node): ReadonlyArray<Edit> => {
    const parent = parents.get(node)
    const owner = ownerOf(node)
    if (owner === undefined || parent === undefined) return []
    const edit = (at: AnyNode, text: string): ReadonlyArray<Edit> => [
      { start: at.start, end: at.end, text, isAnswer: false }
    ]
    const whole = parent.type === "MemberExpression" && parent.object === node ? parent : node
    const named = isNamed(whole, owner)
    const bound = named || isCalled(whole) ? boundTo(whole, owner, program, named) : undefined
    if (bound !== undefined) return edit(whole, bound)
    const place = node.name === "globalThis" ? whole : node
    const name = globalNamed(place, program)
    if (name === undefined || !ownGlobals.has(name) || isTarget(place, parents.get(place))) return []
    const key = parent.type === "Property" && parent.shorthand ? `${node.name}: ` : ""
    return edit(place, `${key}${given}.${name}`)
  })
}

/** Whether anything but the question of its type needs `Buffer`, which is bundled only then. */
export const needsBuffer = (program: ScopedProgram): boolean => {
  const named = program.globals.filter((node) => node.name === "Buffer")
  const isDead = named.length === 0 ? () => true : deadCode(program)
  return named.some((node) => {
    const parent = program.parents.get(node)
    return !(parent?.type === "UnaryExpression" && parent.operator === "typeof") && !isDead(node)
  })
}

const seeded = new Set(["Math.random()", "crypto.getRandomValues()", "crypto.randomUUID()"])
const timed = new Set([
  "Date.now()",
  "new Date()",
  "Date()",
  "performance.now()",
  "Intl.DateTimeFormat().format()",
  "Intl.DateTimeFormat().formatToParts()",
  "new Event().timeStamp",
  "new CustomEvent().timeStamp"
])
const waiting = new Set([...timers.map((name) => `${name}()`), "AbortSignal.timeout()"])

/** What a package gets, by the name that the static layer has for it; undefined for what it does not get. */
const givenName = (construct: string): string | undefined => {
  const name = construct.replace(/^globalThis\./, "").replace(/ \(alias\)$/, "")
  const called = name.endsWith("()") || timed.has(name) ? name : `${name}()`
  return seeded.has(called) || timed.has(called) || waiting.has(called) ? called : undefined
}

/** How libraries ask for the global object: the one text that makes no code. */
const asksForGlobal = /^(?:new )?Function\((["'`])return this;?\1\)/

/** Whether a package has it after all. */
export const isGiven = (construct: string): boolean =>
  givenName(construct) !== undefined ||
  ownGlobals.has(construct.replace(/^globalThis\./, "").replace(/ \(alias\)$/, "")) ||
  asksForGlobal.test(construct)

/** The bundler counts up the names of what a package declares itself. */
const nameOf = (node: AnyNode): string =>
  node.type === "Identifier"
    ? node.name.replace(/^(Math|Date|crypto|performance)\d+$/, "$1").replace(/^webcrypto\d*$/, "crypto")
    : ""

/** By the names that stand there: a package may have `Math` and `Date` from an object that it takes for the global. */
const usedAt = (node: AnyNode): string | undefined => {
  if (node.type === "NewExpression")
    return nameOf(node.callee) === "Date" && node.arguments.length === 0 ? "new Date()" : undefined
  if (node.type !== "MemberExpression" || node.computed) return undefined
  const { object, property } = node
  const holder = object.type === "MemberExpression" && !object.computed ? object.property : object
  return givenName(`${nameOf(holder)}.${nameOf(property)}`)
}

const makesCode = /^(?:(?:new )?(?:Async|Generator|AsyncGenerator)?Function\(\)|eval\(\)(?: \(indirect\))?)$/

/** What to do about a package that reached for something; undefined where the construct's own advice says it. */
export const packageAdvice = (name: string, construct: string): string | undefined =>
  makesCode.test(construct)
    ? `${name} generates code while it runs, which no plan can: take a package that does not (for schemas zod or valibot), or let it write its code to a file beforehand and import that file`
    : undefined

/** The package that stands at a line of a bundle's script. */
export const packageAtLine = (packages: ReadonlyArray<PackageLines>, line: number): string | undefined =>
  packages.find(({ lines }) => lines.some(([from, to]) => from <= line && line <= to))?.name

const list = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

/** A sentence for each package that asks for random numbers or the time. */
export const packageNotices = (
  root: AnyNode,
  map: BundleMap,
  files: PackageFiles,
  raws: ReadonlyArray<RawFinding>
): ReadonlyArray<string> => {
  if (files.size === 0) return []
  const uses = new Map<string, Set<string>>()
  const use = (offset: number, name: string | undefined): void => {
    const file = name === undefined ? undefined : files.get(map.fileAt(offset) ?? "")
    if (name === undefined || file === undefined) return
    const names = uses.get(packageOf(file)) ?? new Set()
    uses.set(packageOf(file), names.add(name))
  }
  for (const raw of raws) {
    use(raw.start, givenName(raw.construct))
    if (makesCode.test(raw.construct)) use(raw.start, raw.construct)
  }
  const walk = (node: AnyNode): void => {
    use(node.start, usedAt(node))
    for (const child of childrenOf(node)) walk(child)
  }
  walk(root)
  return [...uses]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, used]) => {
      const names = [...used].toSorted()
      const random = names.filter((one) => seeded.has(one))
      const time = names.filter((one) => timed.has(one))
      const sleeps = names.filter((one) => waiting.has(one) && !one.startsWith("clear"))
      const parts = [
        ...(random.length === 0 ? [] : [`${list(random)} by a seed: the same for every run of one goal`]),
        ...(time.length === 0 ? [] : [`${list(time)} by the plan's clock: it starts at 0, which is 1970`]),
        ...(sleeps.length === 0
          ? []
          : [`${list(sleeps)} as sleeps of the run: they are journaled, and a replay does not wait`])
      ]
      const code = names.find((one) => makesCode.test(one))
      return [
        ...(parts.length === 0 ? [] : [`${name} gets ${parts.join("; ")}`]),
        ...(code === undefined
          ? []
          : [`${name} is refused where it generates code: ${code}; what it does without that runs`])
      ]
    })
}
