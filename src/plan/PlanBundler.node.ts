// PlanBundler, live: files from the disk, module graph by esbuild (loaded when first used). Decides what belongs to a
// plan: files in its root, npm packages of its project, and the prelude, which stays outside the bundle.
import { readdir, realpath, stat } from "node:fs/promises"
import { builtinModules } from "node:module"
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path"
import { Effect, Layer } from "effect"
import type {
  BuildFailure,
  Loader,
  Message,
  OnLoadArgs,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  PluginBuild
} from "esbuild"
import { importSite } from "./importSites.ts"
import {
  PlanBundler,
  type Bundled,
  type OpenedPlan,
  type PlanFile,
  type RefusedImport
} from "./PlanBundler.ts"
import { bufferFile, isBuffer, onlyBuffer, ownBuffer } from "./planBuffer.node.ts"
import { givenNamespace, standInNamespace } from "./PlanBundle.ts"
import { standInOf } from "./packageUse.ts"
import { PlanError } from "./PlanError.ts"
import {
  installationOf,
  isInside,
  packageOf,
  plansBelow,
  readPlanFile,
  reasonOf,
  withSlashes,
  type Package
} from "./planFiles.node.ts"
import { Lines } from "./sourceMap.ts"
import { scriptInProject, scriptsOfProject } from "./workflowFiles.node.ts"

const builtins = new Set(builtinModules)
const loaders: Readonly<Record<string, Loader>> = {
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  // JSX is off: in these files too it is a syntax error.
  ".jsx": "js",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "ts",
  ".json": "json",
  ".txt": "text",
  ".md": "text"
}

const entryName = "alembic-entry"
/** Marks the resolutions that this file asks esbuild for, so that they are not asked for again. */
const asked = { alembic: true }

const isPrelude = (name: string): boolean =>
  name === "effect" || name.startsWith("effect/") || name === "alembic/plan"
const isBuiltin = (name: string): boolean =>
  name.startsWith("node:") || builtins.has(name) || builtins.has(name.split("/")[0] ?? "")

/** One build: what was resolved and loaded, and what was refused. */
class Build {
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
  private readonly plan: OpenedPlan
  private readonly packages = new Map<string, Promise<Package | undefined>>()
  /** Where packages of this plan are installed: real folders, whatever links lead to them. */
  private readonly installed = new Set<string>()

  constructor(plan: OpenedPlan) {
    this.plan = plan
  }

  setup(build: PluginBuild, entry: string): void {
    build.onResolve({ filter: /.*/ }, (args) =>
      args.kind !== "entry-point"
        ? this.resolve(build, args)
        : args.path === onlyBuffer
          ? { path: onlyBuffer, namespace: givenNamespace }
          : { path: join(this.plan.root, entry) }
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
  private async mayRead(path: string, { importer, path: name, resolveDir }: OnResolveArgs): Promise<boolean> {
    const fromPackage = this.isPackageFile(importer)
    if (!fromPackage && isInside(this.plan.root, path)) {
      const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? []
      if (folder !== undefined && this.isPackageFile(path)) this.installed.add(folder)
      return true
    }
    const own = fromPackage ? this.installedIn(importer) : undefined
    if (own !== undefined && isInside(own, path)) return true
    const found = name.startsWith(".") ? undefined : await installationOf(name, resolveDir, path)
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
    const { importer, kind, resolveDir, with: attributes } = args
    const found = await build.resolve(args.path, {
      importer,
      kind,
      resolveDir,
      with: attributes,
      pluginData: asked
    })
    // What resolves to nothing is esbuild's to report, with its place.
    if (found.errors.length > 0 || found.external || found.namespace !== "file") return undefined
    if (!(await this.mayRead(found.path, args))) {
      const lexical = resolve(resolveDir, args.path)
      const isLink = args.path.startsWith(".") && isInside(this.plan.root, lexical)
      return this.refuse(args, isLink && !inPackage ? "symlinked helper" : "import ../", inPackage)
    }
    return { path: found.path, ...(inPackage && args.path.startsWith(".") ? {} : { sideEffects: true }) }
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
      const file = own === this.plan.path ? this.plan : await readPlanFile(args.path, own)
      if (inPackage) {
        const name = await this.packagePath(args.path)
        this.hashes.set(name, file.sha256)
        this.packageFiles.set(own, { ...file, name })
      } else {
        this.hashes.set(own, file.sha256)
        this.files.set(own, file)
      }
      const loader = loaders[extname(args.path)] ?? (own === this.plan.path ? "ts" : undefined)
      if (loader === undefined)
        return { errors: [{ text: `${own} is not a module: ${Object.keys(loaders).join(" ")}` }] }
      return { contents: withoutOwnMap(file.text), loader }
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

/** esbuild counts columns in bytes of UTF-8. */
const columnOf = (location: NonNullable<Message["location"]>): number =>
  Buffer.from(location.lineText).subarray(0, location.column).toString().length

const isBuildFailure = (cause: unknown): cause is BuildFailure =>
  cause instanceof Error && "errors" in cause && Array.isArray(cause.errors)

const failureOf = (plan: OpenedPlan, cause: unknown): PlanError => {
  const [first] = isBuildFailure(cause) ? cause.errors : []
  const code = first?.detail === "plan_unreadable" ? "plan_unreadable" : "plan_unparsable"
  const problem = first === undefined ? reasonOf(cause) : first.text
  const error = { code, path: plan.given, problem, findings: [] } as const
  if (first?.location === null || first?.location === undefined || code === "plan_unreadable")
    return new PlanError(error)
  const { file, line } = first.location
  return new PlanError({ ...error, file: withSlashes(file), line, column: columnOf(first.location) + 1 })
}

const isRefusal = (detail: unknown): detail is Build["refused"][number] =>
  typeof detail === "object" && detail !== null && "construct" in detail && "inPackage" in detail

/** What was refused, each at its place as far as the bundler tells it; what it tells nothing of at its file's start. */
const placeRefused = (build: Build, warnings: ReadonlyArray<Message>): ReadonlyArray<RefusedImport> => {
  const lines = new Map<string, Lines>()
  const told = new Set<unknown>()
  const placed = warnings.flatMap(({ detail, location }) => {
    if (!isRefusal(detail)) return []
    told.add(detail)
    const { construct, file, inPackage, kind } = detail
    const text = (build.files.get(file) ?? build.packageFiles.get(file))?.text
    if (text === undefined || location === null) return [{ construct, file, offset: 0, inPackage }]
    const table = lines.get(file) ?? new Lines(text)
    lines.set(file, table)
    const site = importSite(text, table.offset(location.line, columnOf(location)), kind)
    const called = kind === "require-call" && !inPackage ? "require()" : construct
    const named = site.isImportEquals ? "import x = require()" : called
    return [{ construct: named, file, offset: site.offset, inPackage }]
  })
  const untold = build.refused.filter((detail) => !told.has(detail))
  return [
    ...placed,
    ...untold.map(({ construct, file, inPackage }) => ({ construct, file, offset: 0, inPackage }))
  ]
}

const run = async (plan: OpenedPlan, withBuffer: boolean): Promise<Bundled> => {
  const { build } = await import("esbuild")
  const session = new Build(plan)
  const config = join(plan.root, "tsconfig.json")
  const tsconfig = await readPlanFile(config, "tsconfig.json").catch(() => undefined)
  if (tsconfig !== undefined) session.hashes.set("tsconfig.json", tsconfig.sha256)
  const buildFrom = async (entry: string) => {
    const result = await build({
      absWorkingDir: plan.root,
      // By a name that says nothing: in an entry point's own name `*` is a pattern.
      entryPoints: [entryName],
      ...(withBuffer ? { inject: [onlyBuffer] } : {}),
      outfile: "bundle.js",
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      // Of a package that has both, the form that needs no Node: a plan has none.
      conditions: ["module", "browser"],
      // Decorators and `using` are lowered; everything older runs as it was written.
      target: "es2024",
      treeShaking: false,
      ignoreAnnotations: true,
      charset: "utf8",
      legalComments: "none",
      sourcemap: "external",
      sourcesContent: false,
      logLevel: "silent",
      logLimit: 0,
      ...(tsconfig === undefined ? { tsconfigRaw: "{}" } : { tsconfig: config }),
      plugins: [{ name: "alembic", setup: (context) => session.setup(context, entry) }]
    })
    const output = (suffix: string): string =>
      result.outputFiles.find((file) => file.path.endsWith(suffix))?.text ?? ""
    const inputs = Object.values(result.metafile.outputs).flatMap((file) => Object.keys(file.inputs))
    return {
      esm: output(".js"),
      map: output(".map"),
      inputs,
      refused: placeRefused(session, result.warnings)
    }
  }
  const { esm, map, inputs, refused } = await buildFrom(plan.path)
  // A file without side effects of which nothing is used is dropped all the same. It is scanned all the same.
  const dropped = await Promise.all(
    [...session.files.keys()].filter((path) => !inputs.includes(path)).map((path) => buildFrom(path))
  )
  return {
    esm,
    map,
    dropped: dropped.map((other) => ({ esm: other.esm, map: other.map })),
    modules: [...session.hashes].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    files: [...session.files.values()],
    packageFiles: [...session.packageFiles.values()],
    refused
  }
}

const open = Effect.fn("PlanBundler.open")(function* (path: string) {
  return yield* Effect.tryPromise({
    try: async (): Promise<OpenedPlan> => {
      const absolute = await realpath(resolve(path))
      const file = await readPlanFile(absolute, basename(absolute))
      return { ...file, given: path, root: dirname(absolute) }
    },
    catch: (cause) => new PlanError({ code: "plan_unreadable", path, problem: reasonOf(cause), findings: [] })
  })
})

const bundle = Effect.fn("PlanBundler.bundle")(function* (plan: OpenedPlan, withBuffer = false) {
  return yield* Effect.tryPromise({
    try: () => run(plan, withBuffer),
    catch: (cause) => failureOf(plan, cause)
  })
})

const unreadableScript = (plan: OpenedPlan, path: string) => (cause: unknown) =>
  new PlanError({
    code: "plan_unreadable",
    path: plan.given,
    problem: `${path}: ${reasonOf(cause)}`,
    findings: []
  })

const beside = Effect.fn("PlanBundler.beside")(function* (plan: OpenedPlan, path: string) {
  return yield* Effect.tryPromise({
    try: async (): Promise<PlanFile | undefined> => {
      const absolute = await realpath(resolve(plan.root, path)).catch(() => undefined)
      if (absolute === undefined || !isInside(plan.root, absolute)) return undefined
      return await readPlanFile(absolute, withSlashes(relative(plan.root, absolute)))
    },
    catch: unreadableScript(plan, path)
  })
})

const inProject = Effect.fn("PlanBundler.inProject")(function* (plan: OpenedPlan, path: string) {
  return yield* Effect.tryPromise({
    try: () => scriptInProject(plan.root, path),
    catch: unreadableScript(plan, path)
  })
})

const scriptsBeside = Effect.fn("PlanBundler.scriptsBeside")(function* (plan: OpenedPlan) {
  const names = yield* Effect.promise(() => readdir(plan.root).catch((): Array<string> => []))
  return names.filter((name) => /\.m?js$/.test(name)).toSorted()
})

const plansIn = Effect.fn("PlanBundler.plansIn")(function* (path: string) {
  return yield* Effect.promise(async () => {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false
    )
    return isFolder ? (await plansBelow(path)).toSorted() : undefined
  })
})

export const layer = Layer.succeed(
  PlanBundler,
  PlanBundler.of({
    open,
    bundle,
    beside,
    inProject,
    scriptsBeside,
    scriptsOfProject: (plan, paths) => Effect.promise(() => scriptsOfProject(plan, paths)),
    plansIn
  })
)
