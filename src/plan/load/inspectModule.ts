// A plan module: bundled, scanned as bundled, its findings placed in the author's source, its bundle made a script.
import type { AnyNode } from "acorn"
import { Effect, Result, Schema } from "effect"
import type { Finding } from "../../domain/Finding.ts"
import { instead as advice } from "../determinism/catalogue.ts"
import { deadCode } from "../determinism/deadCode.ts"
import { parseBundle, scanProgram } from "../determinism/scan.ts"
import { analyseScopes, childrenOf } from "../determinism/scope.ts"
import type { RawFinding } from "../determinism/trail.ts"
import { findingOf, inOrder, walking, type Inspection, type Scan } from "./inspection.ts"
import { standInNamespace, type PlanBundle } from "../bundler/PlanBundle.ts"
import { PlanBundler, type Bundled, type OpenedPlan } from "../bundler/PlanBundler.ts"
import { PlanError } from "../PlanError.ts"
import { globalEdits, isGiven, needsBuffer, packageLines, packageNotices } from "../bundler/packageUse.ts"
import { importEdit, importMetaEdit, moduleScript, nodeEnvEdit, type Edit } from "../bundler/planModule.ts"
import { BundleMap, sourcePaths, widenLeft } from "./sourceMap.ts"

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

/** The map of the script: one line before the bundle's first, and files by their paths. */
const scriptMap = Effect.fnUntraced(function* (map: string, paths: ReadonlyMap<string, unknown>) {
  const decoded = yield* decodeMap(map)
  const sources = sourcePaths(decoded.sources, paths)
  return yield* encodeMap({ ...decoded, sources, mappings: `;${decoded.mappings}` })
}, Effect.orDie)

/** Where a finding is put that has no better place: it is reported all the same. */
const nowhere = { line: 1, column: 1 }

/**
 * A finding at the author's source; at the file's or the plan's first line where no map leads further. Undefined only
 * for the engine's own text.
 */
const placed = (raw: RawFinding, map: BundleMap, entry: string): Finding | undefined => {
  const start = map.originOf(raw.start)
  const lines = start === undefined ? undefined : map.linesOf(start.file)
  if (start === undefined || lines === undefined) {
    const file = map.fileAt(raw.start) ?? entry
    return file.startsWith(`${standInNamespace}:`) ? undefined : findingOf(raw, file, nowhere)
  }
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
    const edit = importMetaEdit(node) ?? importEdit(node) ?? nodeEnvEdit(node)
    if (edit === undefined) for (const child of childrenOf(node)) walk(child)
    else if (
      node.type === "MetaProperty" ||
      node.type === "ImportExpression" ||
      packages.has(map.fileAt(node.start) ?? "")
    )
      edits.push(edit)
  }
  walk(root)
  return edits
}

/** Whether a file requires something, and only where no plan comes. The bundler tells of one `require` of each name. */
const deadRequires = (root: AnyNode, map: BundleMap): ((file: string) => boolean) => {
  const isDead = deadCode(analyseScopes(root))
  const files = new Map<string, boolean>()
  const walk = (node: AnyNode): void => {
    const { callee } = node.type === "CallExpression" ? node : { callee: undefined }
    const file =
      callee?.type === "Identifier" && callee.name.startsWith("__require")
        ? map.fileAt(node.start)
        : undefined
    if (file !== undefined) files.set(file, isDead(node) && files.get(file) !== false)
    for (const child of childrenOf(node)) walk(child)
  }
  walk(root)
  return (file) => files.get(file) === true
}

const parseEsm = (plan: OpenedPlan, esm: string, map: BundleMap): Result.Result<AnyNode, PlanError> =>
  Result.try({
    try: () => parseBundle(esm),
    catch: (cause) => {
      const problem = cause instanceof Error ? cause.message.replace(/ \(\d+:\d+\)$/, "") : String(cause)
      const error = { code: "plan_unparsable", path: plan.given, problem, findings: [] } as const
      const origin = isSyntaxError(cause) ? map.originOf(cause.pos) : undefined
      const lines = origin === undefined ? undefined : map.linesOf(origin.file)
      if (origin === undefined || lines === undefined) return new PlanError(error)
      return new PlanError({ ...error, file: origin.file, ...lines.position(origin.offset) })
    }
  })

/** The bundle, with a `Buffer` where something in it needs one. */
const bundledWhole = Effect.fnUntraced(function* (plan: OpenedPlan) {
  const bundler = yield* PlanBundler
  const bundled = yield* bundler.bundle(plan)
  if (!/\bBuffer\b/.test(bundled.esm)) return bundled
  const root = Result.try(() => parseBundle(bundled.esm))
  // What cannot be parsed is reported with its place, further on.
  if (Result.isFailure(root)) return bundled
  const needed = yield* walking(plan, () => needsBuffer(analyseScopes(root.success)))
  return needed ? yield* bundler.bundle(plan, true) : bundled
})

/** `scan` is the static layer; with another one, refused imports are left to the runtime too. */
export const inspectModule = Effect.fnUntraced(function* (plan: OpenedPlan, scan: Scan) {
  const bundled = yield* bundledWhole(plan)
  const texts = new Map([...bundled.files, ...bundled.packageFiles].map((file) => [file.path, file.text]))
  const names = new Map(bundled.packageFiles.map((file) => [file.path, file.name]))
  const scanText = Effect.fnUntraced(function* ({ esm, map: mapText }: Pick<Bundled, "esm" | "map">) {
    const map = new BundleMap(esm, mapText, texts)
    const root = yield* Effect.fromResult(parseEsm(plan, esm, map))
    const asks = names.size > 0 || /\bimport\b\s*[.(/]/.test(esm)
    const edits = asks ? yield* walking(plan, () => surroundings(root, map, names)) : []
    const globals = yield* walking(plan, () =>
      names.size === 0 ? [] : globalEdits(analyseScopes(root), map, names)
    )
    const answered = new Set(edits.flatMap((edit) => (edit.isAnswer ? [edit.start] : [])))
    const raws = yield* walking(plan, () => scan(root))
    const findings = raws.flatMap((raw) =>
      answered.has(raw.start) ? [] : (placed(raw, map, plan.path) ?? [])
    )
    return { root, map, edits: [...edits, ...globals], raws, findings }
  })
  const { root, map, edits, raws, findings } = yield* scanText(bundled)
  const dropped = yield* Effect.forEach(bundled.dropped, scanText)
  const scanned = [...findings, ...dropped.flatMap((other) => other.findings)]
  const imports = scan === scanProgram ? bundled.refused : []
  const isDead = imports.some(({ construct }) => construct === "require()")
    ? yield* walking(plan, () => deadRequires(root, map))
    : () => false
  const refused = imports.flatMap(({ construct, file, offset }) => {
    if (construct === "require()" && isDead(file)) return []
    const place = map.linesOf(file)?.position(offset) ?? nowhere
    return findingOf({ construct, instead: advice.imports }, file, place)
  })
  const found = inOrder(plan.path, [...scanned, ...refused])
  const script = moduleScript(bundled.esm, root, edits)
  const bundle: PlanBundle = {
    v: 1,
    kind: "module",
    entry: plan.path,
    code: script.code,
    map: yield* scriptMap(bundled.map, texts),
    modules: bundled.modules,
    imports: script.imports,
    ...(names.size === 0 ? {} : { packages: packageLines(map, names) })
  }
  const inspection: Inspection = {
    path: plan.given,
    bundle,
    sources: bundled.files.map((file) => [file.path, file.text]),
    findings: found.filter((finding) => !names.has(finding.file)),
    warnings: found.flatMap(({ construct, instead, file, line, column }) => {
      const name = names.get(file)
      return name === undefined || isGiven(construct)
        ? []
        : findingOf({ construct, instead }, name, { line, column })
    }),
    notices: yield* walking(plan, () => packageNotices(root, map, names, raws)),
    hasRun: script.hasRun
  }
  return inspection
})
