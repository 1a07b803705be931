// The `tsconfig.json` beside a plan, with what it extends, as one text for the bundler, which is kept from looking for
// any itself: it would follow `extends` anywhere. A base is read in the plan's root or in an installed package, and
// counts for nothing elsewhere.
import { realpath, stat } from "node:fs/promises"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { defined } from "../../domain/defined.ts"
import { installationOf, isInside, readPlanFile, reasonOf, withSlashes } from "../load/planFiles.node.ts"
import { jsonOf } from "./jsonWithComments.ts"

export class TsconfigProblem extends Error {}

type Options = Readonly<Record<string, unknown>>

export interface Tsconfig {
  /** For esbuild: paths in it are absolute, and it extends nothing. */
  readonly raw: string
  readonly hashes: ReadonlyArray<readonly [path: string, sha256: string]>
}

const maxFiles = 50
const maxLength = 1024 * 1024

/** What of `compilerOptions` changes the JavaScript that comes of TypeScript. */
const used: ReadonlyArray<string> = [
  "alwaysStrict",
  "baseUrl",
  "experimentalDecorators",
  "importsNotUsedAsValues",
  "jsx",
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "paths",
  "preserveValueImports",
  "strict",
  "target",
  "useDefineForClassFields",
  "verbatimModuleSyntax"
]

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Where a path of a configuration leads, whoever extends that configuration. */
const placed = (root: string, dir: string, path: string): string => {
  const inRoot = path.replace(/^\$\{configDir\}/, root)
  return isAbsolute(inRoot) ? inRoot : join(dir, inRoot)
}

const placedPaths = (root: string, base: string, paths: unknown): Options =>
  Object.fromEntries(
    Object.entries(isRecord(paths) ? paths : {}).flatMap(([name, targets]) =>
      Array.isArray(targets)
        ? [[name, targets.filter((one) => typeof one === "string").map((one) => placed(root, base, one))]]
        : []
    )
  )

/** Elements stay in a module that Acorn reads; what is made of them names no path of the machine. */
const jsxOf = (jsx: unknown): unknown =>
  jsx === "react-jsx" || jsx === "react-jsxdev" ? "react-jsx" : "react"

const ownOptions = (root: string, dir: string, config: Readonly<Record<string, unknown>>): Options => {
  const given = isRecord(config.compilerOptions) ? config.compilerOptions : {}
  const options = Object.fromEntries(Object.entries(given).filter(([name]) => used.includes(name)))
  const { baseUrl, jsx, paths, ...rest } = options
  const base = typeof baseUrl === "string" ? placed(root, dir, baseUrl) : undefined
  return {
    ...rest,
    ...defined({ baseUrl: base }),
    ...(paths === undefined ? {} : { paths: placedPaths(root, base ?? dir, paths) }),
    ...(jsx === undefined ? {} : { jsx: jsxOf(jsx) })
  }
}

class Reading {
  readonly hashes = new Map<string, string>()
  private readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** `within`: the folder that the file and what it extends by path must lie in. */
  async options(path: string, within: string, seen: ReadonlyArray<string>): Promise<Options> {
    const name = withSlashes(relative(this.root, path))
    if (seen.includes(path)) throw new TsconfigProblem(`${name} extends itself`)
    if (this.hashes.size >= maxFiles)
      throw new TsconfigProblem(`${name}: over ${maxFiles} files are extended`)
    const file = await readPlanFile(path, name).catch((cause: unknown) => {
      throw new TsconfigProblem(`${name} cannot be read: ${reasonOf(cause)}`)
    })
    this.hashes.set(name, file.sha256)
    if (file.text.length > maxLength) throw new TsconfigProblem(`${name} is over ${maxLength} characters`)
    const config = jsonOf(file.text)
    if (!isRecord(config)) throw new TsconfigProblem(`${name} is not JSON with one object`)
    const bases = Array.isArray(config.extends) ? config.extends : [config.extends]
    let options: Options = {}
    for (const base of bases) {
      if (typeof base !== "string") continue
      const found = await this.base(base, path, within)
      if (found !== undefined)
        options = { ...options, ...(await this.options(found.path, found.within, [...seen, path])) }
    }
    return { ...options, ...ownOptions(this.root, dirname(path), config) }
  }

  /**
   * The file that `extends` names; undefined where nothing is there, or it lies outside: the base of a repository is for
   * its compiler, and what a plan needs of it stands in the plan's own.
   */
  private async base(named: string, config: string, within: string) {
    const dir = dirname(config)
    const byPath = named.startsWith(".") || isAbsolute(named) || named.startsWith("${configDir}")
    const places = byPath
      ? [placed(this.root, dir, named)]
      : ancestors(dir).map((one) => join(one, "node_modules", named))
    // What lies outside is not looked for: whether it is there is nothing to tell either.
    const [first = dir] = places
    if (byPath && !isInside(within, resolve(first))) return undefined
    for (const place of places.flatMap((one) => [one, `${one}.json`, join(one, "tsconfig.json")])) {
      const path = await realpath(place).catch(() => undefined)
      if (path === undefined || (await isFolder(path))) continue
      const folder = byPath ? within : await installationOf(named, dir, path, this.root)
      if (folder === undefined || !isInside(folder, path)) {
        const name = withSlashes(relative(this.root, config))
        throw new TsconfigProblem(
          `${name} extends ${named}, which is a link that leads outside the plan's folder`
        )
      }
      return { path, within: folder }
    }
    return undefined
  }
}

const ancestors = (dir: string): ReadonlyArray<string> =>
  dirname(dir) === dir ? [dir] : [dir, ...ancestors(dirname(dir))]

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )

/** Of the plan's own folder only: undefined if it has none. */
export const readTsconfig = async (root: string): Promise<Tsconfig | undefined> => {
  const path = await realpath(join(root, "tsconfig.json")).catch(() => undefined)
  if (path === undefined || (await isFolder(path))) return undefined
  if (!isInside(root, path))
    throw new TsconfigProblem("tsconfig.json is a link that leads outside the plan's folder")
  const reading = new Reading(root)
  const compilerOptions = await reading.options(path, root, [])
  return { raw: JSON.stringify({ compilerOptions }), hashes: [...reading.hashes] }
}
