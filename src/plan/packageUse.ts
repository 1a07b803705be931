// packageUse: what the npm packages in a plan's bundle get in place of a refusal: where each stands, so that the runtime
// knows who calls; their `crypto` and `performance`; and what a person is told of it. Pure.
import type { AnyNode } from "acorn"
import type { RawFinding } from "./determinism/trail.ts"
import { analyseScopes, childrenOf } from "./determinism/scope.ts"
import type { PackageLines } from "./inside/packageGlobals.ts"
import { reservedPrefix } from "./PlanBundle.ts"
import type { Edit } from "./planModule.ts"
import type { BundleMap } from "./sourceMap.ts"

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

/** Globals that a plan has not. */
const ownGlobals = new Set(["crypto", "performance"])

/** Where a package means a global that a plan has not, it is given its own. */
export const globalEdits = (
  root: AnyNode,
  map: BundleMap,
  files: PackageFiles,
  esm: string
): ReadonlyArray<Edit> => {
  if (files.size === 0 || ![...ownGlobals].some((name) => esm.includes(name))) return []
  const program = analyseScopes(root)
  return program.globals.flatMap((node): ReadonlyArray<Edit> => {
    if (!ownGlobals.has(node.name) || !files.has(map.fileAt(node.start) ?? "")) return []
    const parent = program.parents.get(node)
    const key = parent?.type === "Property" && parent.shorthand ? `${node.name}: ` : ""
    const text = `${key}${reservedPrefix}packages.${node.name}`
    return [{ start: node.start, end: node.end, text, isAnswer: false }]
  })
}

const seeded = new Set(["Math.random()", "crypto.getRandomValues()", "crypto.randomUUID()"])
const timed = new Set(["Date.now()", "new Date()", "Date()", "performance.now()"])

/** What a package gets, by the name that the static layer has for it; undefined for what it does not get. */
const givenName = (construct: string): string | undefined => {
  const name = construct.replace(/^globalThis\./, "")
  const called = name.endsWith("()") ? name : `${name}()`
  return seeded.has(called) || timed.has(called) ? called : undefined
}

/** How libraries ask for the global object: the one text that makes no code. */
const asksForGlobal = /^(?:new )?Function\((["'`])return this;?\1\)/

/** Whether a package has it after all. */
export const isGiven = (construct: string): boolean =>
  givenName(construct) !== undefined ||
  ownGlobals.has(construct.replace(/ \(alias\)$/, "")) ||
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
  for (const raw of raws) use(raw.start, givenName(raw.construct))
  const walk = (node: AnyNode): void => {
    use(node.start, usedAt(node))
    for (const child of childrenOf(node)) walk(child)
  }
  walk(root)
  return [...uses]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, used]) => {
      const names = [...used].toSorted()
      const random = names.filter((one) => seeded.has(one))
      const time = names.filter((one) => timed.has(one))
      const parts = [
        ...(random.length === 0 ? [] : [`${list(random)} by a seed: the same for every run of one goal`]),
        ...(time.length === 0 ? [] : [`${list(time)} by the plan's clock: it starts at 0, which is 1970`])
      ]
      return `${name} gets ${parts.join("; ")}`
    })
}
