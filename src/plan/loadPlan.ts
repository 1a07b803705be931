// loadPlan: from a path to a plan that may run. Reads, bundles, scans, and only then hands out the bundle. Nothing of
// the plan is evaluated here. inspectPlan is the same without refusing: what `alembic check` reports.
import type { AnyNode } from "acorn"
import { Context, Effect, Result, Schema } from "effect"
import type { Finding } from "../domain/Finding.ts"
import { instead as advice } from "./determinism/catalogue.ts"
import type { RawFinding } from "./determinism/trail.ts"
import { parseBundle, scanProgram } from "./determinism/scan.ts"
import { childrenOf } from "./determinism/scope.ts"
import { sweep } from "./determinism/sweep.ts"
import type { NestedWorkflow, PlanBundle } from "./PlanBundle.ts"
import { PlanBundler, type Bundled, type OpenedPlan, type PlanFile } from "./PlanBundler.ts"
import { findingMessage, PlanError } from "./PlanError.ts"
import { importMetaEdit, moduleScript, nodeEnvEdit, type Edit } from "./planModule.ts"
import { BundleMap, Lines, widenLeft } from "./sourceMap.ts"
import { isWorkflowScript, problemPlace, workflowScript, type WorkflowScript } from "./workflowScript.ts"

export interface LoadOptions {
  /** Also refuse every mention of a forbidden call, in comments and strings too. */
  readonly sweep?: boolean
}

export interface LoadedPlan {
  /** As the user gave it. */
  readonly path: string
  readonly bundle: PlanBundle
  /** The author's files: path relative to the plan's root, text. */
  readonly sources: ReadonlyArray<readonly [path: string, text: string]>
  /** Findings in npm packages: the runtime refuses them when they are reached. */
  readonly warnings: ReadonlyArray<Finding>
  /** What is unusual about a workflow script, for people. */
  readonly notices: ReadonlyArray<string>
}

/** What a plan is, whether or not it may run. */
export interface Inspection extends LoadedPlan {
  readonly findings: ReadonlyArray<Finding>
  readonly hasRun: boolean
}

/**
 * The static layer. A service only so that a test can switch it off and see the runtime layer refuse alone.
 */
export const StaticLayer = Context.Reference<(root: AnyNode) => ReadonlyArray<RawFinding>>(
  "alembic/plan/StaticLayer",
  {
    defaultValue: () => scanProgram
  }
)

const findingOf = (
  raw: Pick<RawFinding, "construct" | "instead">,
  file: string,
  place: { readonly line: number; readonly column: number }
): Finding => {
  const found = { construct: raw.construct, file, ...place }
  return { ...found, message: findingMessage(found), instead: raw.instead }
}

/** The entry's first, then by file; in a file by place. */
const inOrder = (entry: string, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const rank = (file: string): string => (file === entry ? "" : file)
  const byPlace = findings.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const byFile = byPlace.toSorted((a, b) =>
    rank(a.file) < rank(b.file) ? -1 : rank(a.file) > rank(b.file) ? 1 : 0
  )
  return byFile.filter(
    (finding, index) =>
      byFile.findIndex(
        ({ file, line, column }) =>
          file === finding.file && line === finding.line && column === finding.column
      ) === index
  )
}

const isSyntaxError = (cause: unknown): cause is SyntaxError & { readonly pos: number } =>
  cause instanceof SyntaxError && "pos" in cause && typeof cause.pos === "number"

const SourceMapJson = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(3),
    sources: Schema.Array(Schema.String),
    names: Schema.Array(Schema.String),
    mappings: Schema.String
  })
)
const decodeMap = Schema.decodeUnknownEffect(SourceMapJson)
const encodeMap = Schema.encodeEffect(SourceMapJson)

/** The script has one line before the bundle's first. */
const shiftMap = Effect.fnUntraced(function* (map: string) {
  const decoded = yield* decodeMap(map)
  return yield* encodeMap({ ...decoded, mappings: `;${decoded.mappings}` })
}, Effect.orDie)

/** A finding at the author's source; undefined for what the bundler added, which is not the plan's. */
const placed = (raw: RawFinding, map: BundleMap): Finding | undefined => {
  const start = map.originOf(raw.start)
  const lines = start === undefined ? undefined : map.linesOf(start.file)
  if (start === undefined || lines === undefined) return undefined
  const last = map.originOf(raw.last)
  const widened =
    raw.shift === 0 && last?.file === start.file
      ? widenLeft(lines.text, start.offset, last.offset)
      : start.offset
  return findingOf(raw, start.file, lines.position(widened + raw.shift))
}

/** What code asks of its surroundings and a script cannot answer. `packages`: what may be told a little. */
const surroundings = (
  root: AnyNode,
  map: BundleMap,
  packages: ReadonlyMap<string, string>
): ReadonlyArray<Edit> => {
  const edits: Array<Edit> = []
  const walk = (node: AnyNode): void => {
    const edit = importMetaEdit(node) ?? nodeEnvEdit(node)
    if (edit === undefined) for (const child of childrenOf(node)) walk(child)
    else if (node.type === "MetaProperty" || packages.has(map.fileAt(node.start) ?? "")) edits.push(edit)
  }
  walk(root)
  return edits
}

const parseEsm = (plan: OpenedPlan, bundled: Bundled, map: BundleMap): Result.Result<AnyNode, PlanError> =>
  Result.try({
    try: () => parseBundle(bundled.esm),
    catch: (cause) => {
      const problem = cause instanceof Error ? cause.message.replace(/ \(\d+:\d+\)$/, "") : String(cause)
      const error = { code: "plan_unparsable", path: plan.given, problem, findings: [] } as const
      const origin = isSyntaxError(cause) ? map.originOf(cause.pos) : undefined
      const text = bundled.files.find((file) => file.path === origin?.file)?.text
      if (origin === undefined || text === undefined) return new PlanError(error)
      return new PlanError({ ...error, file: origin.file, ...new Lines(text).position(origin.offset) })
    }
  })

const inspectModule = Effect.fnUntraced(function* (plan: OpenedPlan) {
  const bundler = yield* PlanBundler
  const scan = yield* StaticLayer
  const bundled = yield* bundler.bundle(plan)
  const texts = new Map([...bundled.files, ...bundled.packageFiles].map((file) => [file.path, file.text]))
  const names = new Map(bundled.packageFiles.map((file) => [file.path, file.name]))
  const map = new BundleMap(bundled.esm, bundled.map, texts)
  const root = yield* Effect.fromResult(parseEsm(plan, bundled, map))
  const asks = names.size > 0 || bundled.esm.includes("import.meta")
  const edits = asks ? surroundings(root, map, names) : []
  const isAnswered = (raw: RawFinding): boolean =>
    edits.some((edit) => edit.start === raw.start && edit.isAnswer)
  const scanned = scan(root).flatMap((raw) => (isAnswered(raw) ? [] : (placed(raw, map) ?? [])))
  const imports = scan === scanProgram ? bundled.refused : []
  const refused = imports.flatMap(({ construct, file, offset }) => {
    const place = map.linesOf(file)?.position(offset)
    return place === undefined ? [] : findingOf({ construct, instead: advice.imports }, file, place)
  })
  const found = inOrder(plan.path, [...scanned, ...refused])
  const script = moduleScript(bundled.esm, root, edits)
  const bundle: PlanBundle = {
    v: 1,
    kind: "module",
    entry: plan.path,
    code: script.code,
    map: yield* shiftMap(bundled.map),
    modules: bundled.modules,
    imports: script.imports
  }
  const inspection: Inspection = {
    path: plan.given,
    bundle,
    sources: bundled.files.map((file) => [file.path, file.text]),
    findings: found.filter((finding) => !names.has(finding.file)),
    warnings: found.flatMap(({ construct, instead, file, line, column }) => {
      const name = names.get(file)
      return name === undefined ? [] : findingOf({ construct, instead }, name, { line, column })
    }),
    notices: [],
    hasRun: script.hasRun
  }
  return inspection
})

const unparsableScript =
  (plan: OpenedPlan, file: PlanFile) => (problem: Parameters<typeof problemPlace>[1]) =>
    new PlanError({
      code: "plan_unparsable",
      path: plan.given,
      problem: problem.problem,
      file: file.path,
      ...problemPlace(file.text, problem),
      findings: []
    })

const nestedOf = (file: PlanFile, script: WorkflowScript): NestedWorkflow => ({
  entry: file.path,
  code: script.code,
  map: "",
  meta: script.meta
})

/** Paths at which the script named by `workflow(name)` may be, best first. */
const candidates = (plan: OpenedPlan, name: string, isPath: boolean): ReadonlyArray<string> => {
  if (!isPath)
    return [`${name}.js`, `${name}.workflow.js`, `${name}.mjs`, ...(/\.m?js$/.test(name) ? [name] : [])]
  // Elsewhere such paths start at the project's folder: `.claude/workflows/x.js` of a script that is there itself.
  const parts = name.split("/")
  const shorter = parts.flatMap((_, index) => {
    const folder = parts.slice(0, index).join("/")
    return index > 0 && plan.root.endsWith(`/${folder}`) ? [parts.slice(index).join("/")] : []
  })
  return [name, ...shorter]
}

const findScript = Effect.fnUntraced(function* (plan: OpenedPlan, name: string, isPath: boolean) {
  const bundler = yield* PlanBundler
  for (const path of candidates(plan, name, isPath)) {
    const file = yield* bundler.beside(plan, path)
    if (file !== undefined) return file
  }
  if (isPath) return undefined
  for (const path of yield* bundler.scriptsBeside(plan)) {
    const file = yield* bundler.beside(plan, path)
    if (file === undefined || !isWorkflowScript(file.path, file.text)) continue
    const script = workflowScript(file.text)
    if (Result.isSuccess(script) && script.success.meta.name === name) return file
  }
  return undefined
})

/** Every script beside this one, by its name and its file's name: for a `workflow(…)` that only the run can know. */
const allBeside = Effect.fnUntraced(function* (plan: OpenedPlan) {
  const bundler = yield* PlanBundler
  const found: Array<readonly [name: string, file: PlanFile]> = []
  for (const path of yield* bundler.scriptsBeside(plan)) {
    const file = yield* bundler.beside(plan, path)
    if (file === undefined || file.path === plan.path || !isWorkflowScript(file.path, file.text)) continue
    const script = workflowScript(file.text)
    if (Result.isFailure(script)) continue
    found.push(
      [file.path, file],
      [file.path.replace(/(\.workflow)?\.m?js$/, ""), file],
      [script.success.meta.name, file]
    )
  }
  return found
})

const inspectWorkflow = Effect.fnUntraced(function* (plan: OpenedPlan) {
  const scan = yield* StaticLayer
  const script = yield* Effect.fromResult(workflowScript(plan.text)).pipe(
    Effect.mapError(unparsableScript(plan, plan))
  )
  const reached = new Map<string, PlanFile>(script.reachesUnknown ? yield* allBeside(plan) : [])
  const notices = [...script.warnings]
  for (const { name, isPath } of script.reaches) {
    const file = yield* findScript(plan, name, isPath)
    if (file === undefined)
      notices.push(`workflow(${JSON.stringify(name)}) names no script beside ${plan.path}`)
    else reached.set(name, file)
  }
  const findings: Array<Finding> = []
  const scanFile = (file: PlanFile, root: AnyNode): void => {
    const lines = new Lines(file.text)
    for (const raw of scan(root))
      findings.push(findingOf(raw, file.path, lines.position(raw.start + raw.shift)))
  }
  scanFile(plan, script.root)
  const files = new Map<string, PlanFile>([[plan.path, plan]])
  const workflows: Record<string, NestedWorkflow> = {}
  for (const [name, file] of reached) {
    const nested = yield* Effect.fromResult(workflowScript(file.text)).pipe(
      Effect.mapError(unparsableScript(plan, file))
    )
    if (!files.has(file.path)) scanFile(file, nested.root)
    files.set(file.path, file)
    workflows[name] = nestedOf(file, nested)
  }
  const byPath = [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const inspection: Inspection = {
    path: plan.given,
    bundle: {
      v: 1,
      kind: "workflow",
      entry: plan.path,
      code: script.code,
      map: "",
      modules: byPath.map((file) => [file.path, file.sha256]),
      meta: script.meta,
      workflows
    },
    sources: byPath.map((file) => [file.path, file.text]),
    findings: inOrder(plan.path, findings),
    warnings: [],
    notices,
    hasRun: true
  }
  return inspection
})

/** Reads, bundles and scans the plan at `path`, whatever the scan finds. */
export const inspectPlan = Effect.fn("inspectPlan")(function* (path: string, options: LoadOptions = {}) {
  const bundler = yield* PlanBundler
  const plan = yield* bundler.open(path)
  const inspection = isWorkflowScript(plan.path, plan.text)
    ? yield* inspectWorkflow(plan)
    : yield* inspectModule(plan)
  if (options.sweep !== true) return inspection
  const swept = inspection.sources.flatMap(([file, text]) =>
    sweep(text).map((raw) => findingOf(raw, file, new Lines(text).position(raw.offset)))
  )
  return { ...inspection, findings: inOrder(plan.path, [...inspection.findings, ...swept]) }
})

/**
 * A plan that may run. Fails with `plan_unreadable`, `plan_unparsable`, `non_deterministic` (with every finding, in
 * order) or `no_run`.
 */
export const loadPlan = Effect.fn("loadPlan")(function* (path: string, options: LoadOptions = {}) {
  const { findings, hasRun, ...plan } = yield* inspectPlan(path, options)
  if (findings.length > 0) return yield* new PlanError({ code: "non_deterministic", path, findings })
  if (!hasRun) return yield* new PlanError({ code: "no_run", path, findings: [] })
  return plan
})
