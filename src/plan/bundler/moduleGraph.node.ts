// The module graph of a plan, as esbuild builds it: what each import is resolved to, what may be read, and what was
// refused. esbuild reads no module by itself: every file comes from here, and only what was resolved here.
import { realpath } from "node:fs/promises"
import { builtinModules } from "node:module"
import { dirname, extname, join, relative, resolve, sep } from "node:path"
import type { Loader, OnLoadArgs, OnLoadResult, OnResolveArgs, OnResolveResult, PluginBuild } from "esbuild"
import { standInOf } from "./packageUse.ts"
import { bufferFile, isBuffer, onlyBuffer, ownBuffer } from "./planBuffer.node.ts"
import { givenNamespace, standInNamespace } from "./PlanBundle.ts"
import type { OpenedPlan, PlanFile } from "./PlanBundler.ts"
import {
  installationOf,
  isInside,
  packageOf,
  readPlanFile,
  reasonOf,
  withSlashes,
  type Package
} from "../load/planFiles.node.ts"
import { withOpaqueNames } from "./computedNames.ts"
import { Descriptions } from "./described.node.ts"

const builtins = new Set(builtinModules)
const loaders: Readonly<Record<string, Loader>> = {
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".json": "json",
  ".txt": "text",
  ".md": "text"
}

/** How a file is read, by its name; undefined: it is no module. */
export const loaderOf = (path: string): Loader | undefined => loaders[extname(path)]

/** Marks the resolutions that this file asks esbuild for, so that they are not asked for again. */
const asked = { alembic: true }

const isPrelude = (name: string): boolean =>
  name === "effect" || name.startsWith("effect/") || name === "alembic/plan"
const isBuiltin = (name: string): boolean =>
  name.startsWith("node:") || builtins.has(name) || builtins.has(name.split("/")[0] ?? "")

/** More is no program that anybody wrote. */
const maxBytes = 256 * 1024 * 1024

/** One build: what was resolved and loaded, and what was refused. */
export class Build {
  readonly files = new Map<string, PlanFile>()
  readonly packageFiles = new Map<string, PlanFile & { readonly name: string }>()
  readonly hashes = new Map<string, string>()
  readonly refused: Array<{
    readonly construct: string
    /** The file that imports it. */
    readonly file: string
    readonly inPackage: boolean
    readonly kind: string
  }> = []
  /** Files of packages whose imports by a computed name are written another way. */
  readonly rewritten = new Set<string>()
  private readonly plan: OpenedPlan
  private readonly packages = new Map<string, Promise<Package | undefined>>()
  /** Where packages of this plan are installed: real folders, whatever links lead to them. */
  private readonly installed = new Set<string>()
  /** What may be read: the plan, and what an import was resolved to. */
  private readonly resolved = new Set<string>()
  private readonly descriptions = new Descriptions()
  private bytes = 0

  constructor(plan: OpenedPlan) {
    this.plan = plan
  }

  setup(build: PluginBuild, entry: string): void {
    build.onResolve({ filter: /.*/ }, (args) =>
      args.kind !== "entry-point"
        ? this.resolve(build, args)
        : args.path === onlyBuffer
          ? { path: onlyBuffer, namespace: givenNamespace }
          : this.allow(join(this.plan.root, entry))
    )
    build.onLoad({ filter: /.*/, namespace: givenNamespace }, (args) =>
      args.path === onlyBuffer ? { contents: 'export { Buffer } from "buffer"' } : this.loadBuffer()
    )
    build.onLoad({ filter: /.*/, namespace: "file" }, (args) => this.load(args))
    build.onLoad({ filter: /.*/, namespace: standInNamespace }, (args) => ({
      contents: standInOf(args.path),
      loader: "js"
    }))
  }

  private allow(path: string): OnResolveResult {
    this.resolved.add(path)
    return { path }
  }

  /** A file in the plan's root is the author's, unless it lies in a `node_modules` there. */
  private isPackageFile(path: string): boolean {
    const { root } = this.plan
    if (isInside(root, path)) return path.slice(root.length).includes(`${sep}node_modules${sep}`)
    return this.installedIn(path) !== undefined
  }

  /** The folder of the package that the file belongs to: the innermost one that is installed. */
  private installedIn(path: string): string | undefined {
    const holding = [...this.installed].filter((dir) => isInside(dir, path))
    return holding.toSorted((a, b) => b.length - a.length)[0]
  }

  /**
   * Whether what an import was resolved to may be read: files of the plan's root, of the importing package's own
   * folder, and of installed packages. However it was named, it is judged by where it lies.
   */
  private async mayRead(path: string, { importer, path: name }: OnResolveArgs): Promise<boolean> {
    const fromPackage = this.isPackageFile(importer)
    if (!fromPackage && isInside(this.plan.root, path)) {
      const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? []
      if (folder !== undefined && this.isPackageFile(path)) this.installed.add(folder)
      return true
    }
    const own = fromPackage ? this.installedIn(importer) : undefined
    if (own !== undefined && isInside(own, path)) return true
    const found = name.startsWith(".")
      ? undefined
      : await installationOf(name, dirname(importer), path, this.plan.root)
    if (found !== undefined) this.installed.add(found)
    return found !== undefined
  }

  private async resolve(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    if (args.pluginData === asked || args.namespace === standInNamespace) return undefined
    if (args.namespace === givenNamespace) return ownBuffer
    const inPackage = this.isPackageFile(args.importer)
    if (inPackage && isBuffer(args.path)) return ownBuffer
    // The scan reports what it finds at `import(…)` itself.
    if (args.kind === "dynamic-import" && !inPackage) return { path: args.path, external: true }
    if (isPrelude(args.path)) return { path: args.path, external: true }
    if (isBuiltin(args.path) || args.path === "alembic" || args.path.startsWith("alembic/")) {
      return this.refuse(args, `import ${args.path}`, inPackage)
    }
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(args.path)
    if (scheme !== null) return this.refuse(args, `import ${scheme[1]}:`, inPackage)
    if (args.path.startsWith("/") || args.path.startsWith("\\"))
      return this.refuse(args, "import /", inPackage)
    const { importer, kind, with: attributes } = args
    // Not `args.resolveDir`: see `nowhere`.
    const resolveDir = dirname(importer)
    const unreadable = await this.descriptions.unreadable(args.path, resolveDir)
    if (unreadable !== undefined) {
      const text = `${withSlashes(relative(this.plan.root, unreadable.path))} ${unreadable.reason}`
      return { errors: [{ text, detail: "plan_unreadable" }] }
    }
    const found = await build.resolve(args.path, {
      importer,
      kind,
      resolveDir,
      with: attributes,
      pluginData: asked
    })
    // What resolves to nothing is esbuild's to report, with its place.
    if (found.errors.length > 0 || found.external || found.namespace !== "file") return undefined
    const path = await realpath(found.path).catch(() => found.path)
    if (!(await this.mayRead(path, args))) {
      const lexical = resolve(resolveDir, args.path)
      const isLink = args.path.startsWith(".") && isInside(this.plan.root, lexical)
      return this.refuse(args, isLink && !inPackage ? "symlinked helper" : "import ../", inPackage)
    }
    return { ...this.allow(path), ...(inPackage && args.path.startsWith(".") ? {} : { sideEffects: true }) }
  }

  /** The place comes back with the warning, which esbuild puts at the module's name. */
  private refuse(args: OnResolveArgs, construct: string, inPackage: boolean): OnResolveResult {
    const file = withSlashes(relative(this.plan.root, args.importer))
    const detail = { construct, file, inPackage, kind: args.kind }
    this.refused.push(detail)
    const warnings = [{ text: construct, detail }]
    if (inPackage) return { path: construct, namespace: standInNamespace, warnings }
    return { path: args.path, external: true, warnings }
  }

  private async load(args: OnLoadArgs): Promise<OnLoadResult> {
    try {
      const inPackage = this.isPackageFile(args.path)
      const own = withSlashes(relative(this.plan.root, args.path))
      if (!this.resolved.has(args.path))
        return { errors: [{ text: `${own} was imported by no name`, detail: "plan_unreadable" }] }
      const file = own === this.plan.path ? this.plan : await readPlanFile(args.path, own)
      if (!this.files.has(own) && !this.packageFiles.has(own)) this.bytes += file.text.length
      if (this.bytes > maxBytes) throw new Error(`the plan's files are over ${maxBytes} characters together`)
      if (inPackage) {
        const name = await this.packagePath(args.path)
        this.hashes.set(name, file.sha256)
        this.packageFiles.set(own, { ...file, name })
      } else {
        this.hashes.set(own, file.sha256)
        this.files.set(own, file)
      }
      const loader = loaderOf(args.path) ?? (own === this.plan.path ? "ts" : undefined)
      if (loader === undefined)
        return { errors: [{ text: `${own} is not a module: ${Object.keys(loaders).join(" ")}` }] }
      const text = this.rewritten.has(own) ? (withOpaqueNames(file.text) ?? file.text) : file.text
      return { contents: withoutOwnMap(text), loader, resolveDir: nowhere(args.path, file.text) }
    } catch (cause) {
      const text = `${withSlashes(relative(this.plan.root, args.path))} cannot be read: ${reasonOf(cause)}`
      return { errors: [{ text, detail: "plan_unreadable" }] }
    }
  }

  private async loadBuffer(): Promise<OnLoadResult> {
    const file = await bufferFile()
    this.hashes.set(file.name, file.sha256)
    this.packageFiles.set(file.path, file)
    return { contents: file.text, loader: "js" }
  }

  private async packagePath(path: string): Promise<string> {
    const owner = await packageOf(path, this.packages)
    if (owner === undefined) return `npm:${withSlashes(path.slice(path.lastIndexOf("node_modules") + 13))}`
    return `npm:${owner.name}@${owner.version}/${withSlashes(relative(owner.dir, path))}`
  }
}

/**
 * esbuild follows the source map that a file names for itself: findings would be placed by what the file says, or
 * nowhere. The last name in a file counts, and this one leads to no map.
 */
const withoutOwnMap = (text: string): string =>
  text.includes("sourceMappingURL") ? `${text}\n//# sourceMappingURL=data:application/json;base64,!\n` : text

/**
 * Where esbuild believes that a file's imports start. It makes of an import whose name is computed (`./${name}.json`) a
 * search for all files that may be meant, in folders and above them, and follows links. Nothing is below a file, and
 * as far as names in the text lead up there is nothing either: what is searched for is not found, and is reported.
 */
const nowhere = (path: string, text: string): string =>
  join(path, "0/".repeat(Math.min(maxUp, text.split(/\.\.|\\/).length)))

/** Who leads further up finds files that no name resolves to, which are refused when they are loaded. */
const maxUp = 1000
