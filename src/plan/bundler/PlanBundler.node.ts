// PlanBundler, live: files from the disk, module graph by esbuild (loaded when first used). Decides what belongs to a
// plan: files in its root, npm packages of its project, and the prelude, which stays outside the bundle.
import { readdir, realpath, stat } from "node:fs/promises"
import { basename, dirname, relative, resolve } from "node:path"
import { Effect, Layer } from "effect"
import type { BuildFailure, BuildOptions, Message } from "esbuild"
import { startedEsbuild, withinLimits } from "./esbuildProcess.node.ts"
import { Build, loaderOf } from "./moduleGraph.node.ts"
import { readTsconfig, TsconfigProblem } from "./tsconfig.node.ts"
import { importSite } from "../load/importSites.ts"
import {
  PlanBundler,
  type Bundled,
  type OpenedPlan,
  type PlanFile,
  type RefusedImport
} from "./PlanBundler.ts"
import { onlyBuffer } from "./planBuffer.node.ts"
import { PlanError } from "../PlanError.ts"
import { isInside, plansBelow, readPlanFile, reasonOf, withSlashes } from "../load/planFiles.node.ts"
import { Lines } from "../load/sourceMap.ts"
import { scriptInProject, scriptsOfProject } from "../load/workflowFiles.node.ts"

const entryName = "alembic-entry"

/** esbuild counts columns in bytes of UTF-8. */
const columnOf = (location: NonNullable<Message["location"]>): number =>
  Buffer.from(location.lineText).subarray(0, location.column).toString().length

const isBuildFailure = (cause: unknown): cause is BuildFailure =>
  cause instanceof Error && "errors" in cause && Array.isArray(cause.errors)

const failureOf = (plan: OpenedPlan, cause: unknown): PlanError => {
  if (cause instanceof TsconfigProblem)
    return new PlanError({ code: "plan_unreadable", path: plan.given, problem: cause.message, findings: [] })
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

/** What esbuild says of an import whose name is computed: it looks for whatever may be meant, and finds nothing. */
const computed = /^Could not resolve (import|require)\(/

/** Imports with a computed name, by the place of the name. esbuild tells of one for each pattern of a file. */
const computedImports = (build: Build, errors: ReadonlyArray<Message>): ReadonlyArray<RefusedImport> =>
  errors.flatMap(({ location, text: said }) => {
    const call = computed.exec(said)?.[1]
    if (call === undefined || location === null) return []
    const file = withSlashes(location.file)
    const inPackage = build.packageFiles.has(file)
    const text = (build.files.get(file) ?? build.packageFiles.get(file))?.text ?? ""
    const name = new Lines(text).offset(location.line, columnOf(location))
    const offset = Math.max(0, text.lastIndexOf(call, name))
    return [{ construct: `${call}()`, file, offset, inPackage }]
  })

const common = {
  // Decorators and `using` are lowered; everything older runs as it was written.
  target: "es2024",
  treeShaking: false,
  ignoreAnnotations: true,
  charset: "utf8",
  legalComments: "none",
  sourcemap: "external",
  sourcesContent: false,
  logLevel: "silent",
  logLimit: 0
} as const satisfies BuildOptions

const run = async (plan: OpenedPlan, withBuffer: boolean, signal: AbortSignal): Promise<Bundled> => {
  const loaded = await import("esbuild")
  const esbuild = () => {
    signal.throwIfAborted()
    return startedEsbuild(loaded)
  }
  const session = new Build(plan)
  const tsconfig = await readTsconfig(plan.root)
  for (const [path, hash] of tsconfig?.hashes ?? []) session.hashes.set(path, hash)
  const tsconfigRaw = tsconfig?.raw ?? "{}"
  const buildFrom = async (entry: string) => {
    const result = await esbuild().build({
      ...common,
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
      tsconfigRaw,
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
  const done = (bundled: Pick<Bundled, "esm" | "map" | "dropped" | "refused">): Bundled => ({
    ...bundled,
    modules: [...session.hashes].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    files: [...session.files.values()],
    packageFiles: [...session.packageFiles.values()]
  })
  /** The plan's own files, each by itself: what is in them is scanned, though the plan has no bundle. */
  const unbundled = async (refused: ReadonlyArray<RefusedImport>): Promise<Bundled> => {
    const scripts = [...session.files.values()].flatMap((file) => {
      const loader = loaderOf(file.path) ?? "ts"
      return loader === "json" || loader === "text" ? [] : [{ file, loader }]
    })
    const dropped = await Promise.all(
      scripts.map(async ({ file, loader }) => {
        const { code, map } = await esbuild().transform(file.text, {
          ...common,
          format: "esm",
          loader,
          sourcefile: file.path,
          tsconfigRaw
        })
        return { esm: code, map }
      })
    )
    return done({ esm: "", map: noMap, dropped, refused })
  }
  const buildWhole = async (): Promise<Awaited<ReturnType<typeof buildFrom>> | Bundled> =>
    buildFrom(plan.path).catch(async (cause: unknown) => {
      const errors = isBuildFailure(cause) ? cause.errors : []
      const found = computedImports(session, errors)
      if (!isBuildFailure(cause) || found.length < errors.length) throw cause
      const own = found.filter(({ inPackage }) => !inPackage)
      if (own.length > 0) return unbundled([...own, ...placeRefused(session, cause.warnings)])
      // In a package it is refused when it is reached.
      const known = session.rewritten.size
      for (const { file } of found) session.rewritten.add(file)
      if (session.rewritten.size === known) throw cause
      return buildWhole()
    })
  const whole = await buildWhole()
  if ("files" in whole) return whole
  const { esm, map, inputs, refused } = whole
  // A file without side effects of which nothing is used is dropped all the same. It is scanned all the same.
  const dropped = await Promise.all(
    [...session.files.keys()].filter((path) => !inputs.includes(path)).map((path) => buildFrom(path))
  )
  return done({ esm, map, dropped: dropped.map((other) => ({ esm: other.esm, map: other.map })), refused })
}

const noMap = JSON.stringify({ version: 3, sources: [], names: [], mappings: "" })

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
  return yield* withinLimits(
    plan.given,
    Effect.tryPromise({
      try: (signal) => run(plan, withBuffer, signal),
      catch: (cause) => failureOf(plan, cause)
    })
  )
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
