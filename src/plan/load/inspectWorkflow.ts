// A workflow script: read, scanned as it is written, together with the scripts it reaches by `workflow(…)`.
import { Effect, Result } from "effect"
import type { Finding } from "../../domain/Finding.ts"
import { findingOf, inOrder, walking, type Inspection, type Scan } from "./inspection.ts"
import type { NestedWorkflow } from "../bundler/PlanBundle.ts"
import { PlanBundler, type OpenedPlan, type PlanFile } from "../bundler/PlanBundler.ts"
import { PlanError } from "../PlanError.ts"
import { Lines } from "./sourceMap.ts"
import { isWorkflowScript, problemPlace, workflowScript, type WorkflowScript } from "./workflowScript.ts"

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
    const file = yield* isPath ? bundler.inProject(plan, path) : bundler.beside(plan, path)
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

/** Every script of the project that a computed path may mean, and what there is to say of the search. */
const allInProject = Effect.fnUntraced(function* (plan: OpenedPlan, computed: WorkflowScript["computed"]) {
  const bundler = yield* PlanBundler
  const found = new Map<string, PlanFile>()
  const notices: Array<string> = []
  for (const { path } of computed) {
    if (path === undefined) continue
    const { complete, scripts } = yield* bundler.scriptsOfProject(plan, path)
    for (const [name, file] of scripts) {
      const script = workflowScript(file.text)
      if (Result.isSuccess(script) && !script.success.imports) found.set(name, file)
    }
    if (!complete)
      notices.push(
        "the project has too many files to look through: workflow({ scriptPath }) finds scripts in its first folders only; write the folder out, as in { scriptPath: `steps/${name}.js` }"
      )
  }
  return { found, notices: [...new Set(notices)] }
})

/** What is said of names that exist nowhere: the script throws when it comes to them. */
const nowhereNotice = ({ nowhere }: WorkflowScript, file: string): ReadonlyArray<string> =>
  nowhere.length === 0
    ? []
    : [
        `${file} uses ${nowhere.join(", ")}, which ${nowhere.length === 1 ? "exists" : "exist"} nowhere: a script has agent, parallel, pipeline, phase, log, args, budget and workflow; let an agent read and run, or pass values in with --args`
      ]

export const inspectWorkflow = Effect.fnUntraced(function* (plan: OpenedPlan, scan: Scan) {
  const script = yield* Effect.fromResult(workflowScript(plan.text)).pipe(
    Effect.mapError(unparsableScript(plan, plan))
  )
  const { found: maybe, notices: searched } = yield* allInProject(plan, script.computed)
  const named = script.computed.some(({ name }) => name) ? yield* allBeside(plan) : []
  const reached = new Map<string, PlanFile>([...maybe, ...named])
  /** Files that the script reaches for sure: what is found in others is refused when they are reached. */
  const sure = new Set([plan.path, ...named.map(([, file]) => file.path)])
  const notices = [...script.warnings, ...searched, ...nowhereNotice(script, plan.path)]
  for (const { name, isPath } of script.reaches) {
    const file = yield* findScript(plan, name, isPath)
    if (file === undefined)
      notices.push(
        isPath
          ? `workflow({ scriptPath: ${JSON.stringify(name)} }) names no script in the project of ${plan.path}`
          : `workflow(${JSON.stringify(name)}) names no script beside ${plan.path}`
      )
    else {
      reached.set(name, file)
      sure.add(file.path)
    }
  }
  const findings: Array<Finding> = []
  const scanFile = (file: PlanFile, { root, shift }: WorkflowScript) =>
    Effect.map(
      walking(plan, () => scan(root)),
      (raws) => {
        const lines = new Lines(file.text)
        for (const raw of raws)
          findings.push(findingOf(raw, file.path, lines.position(raw.start - shift + raw.shift)))
      }
    )
  yield* scanFile(plan, script)
  const files = new Map<string, PlanFile>([[plan.path, plan]])
  const workflows: Array<readonly [name: string, script: NestedWorkflow]> = []
  for (const [name, file] of reached) {
    const nested = yield* Effect.fromResult(workflowScript(file.text)).pipe(
      Effect.mapError(unparsableScript(plan, file))
    )
    if (!files.has(file.path)) {
      yield* scanFile(file, nested)
      notices.push(...nowhereNotice(nested, file.path))
    }
    files.set(file.path, file)
    workflows.push([name, nestedOf(file, nested)])
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
      workflows: Object.fromEntries(workflows)
    },
    sources: byPath.map((file) => [file.path, file.text]),
    findings: inOrder(
      plan.path,
      findings.filter(({ file }) => sure.has(file))
    ),
    warnings: inOrder(
      plan.path,
      findings.filter(({ file }) => !sure.has(file))
    ),
    notices,
    hasRun: true
  }
  return inspection
})
