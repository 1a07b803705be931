// loadPlan: from a path to a plan that may run. Reads, bundles, scans, and only then hands out the bundle. Nothing of
// the plan is evaluated here. inspectPlan is the same without refusing: what `alembic check` reports.
import { Context, Effect } from "effect"
import type { Finding } from "../../domain/Finding.ts"
import { inScriptWords } from "../determinism/catalogue.ts"
import { scanProgram } from "../determinism/scan.ts"
import { sweep } from "../determinism/sweep.ts"
import { findingOf, inOrder, listing, type Inspection, type Scan } from "./inspection.ts"
import { inspectModule } from "./inspectModule.ts"
import { inspectWorkflow } from "./inspectWorkflow.ts"
import { PlanBundler } from "../bundler/PlanBundler.ts"
import { PlanError } from "../PlanError.ts"
import { Lines } from "./sourceMap.ts"
import { isWorkflowScript, lateMeta, problemPlace } from "./workflowScript.ts"

export interface LoadOptions {
  /** Also refuse every mention of a forbidden call, in comments and strings too. */
  readonly sweep?: boolean
}

/** A plan that may run. */
export type LoadedPlan = Omit<Inspection, "findings" | "hasRun">

/** The static layer. A service only so that a test can switch it off and see the runtime layer refuse alone. */
export const StaticLayer = Context.Reference<Scan>("alembic/plan/StaticLayer", {
  defaultValue: () => scanProgram
})

/** A script is advised what it has. */
const inWords = (inspection: Inspection): Inspection => {
  const said = (finding: Finding): Finding => ({ ...finding, instead: inScriptWords(finding.instead) })
  return {
    ...inspection,
    findings: inspection.findings.map(said),
    warnings: inspection.warnings.map(said)
  }
}

/** Reads, bundles and scans the plan at `path`, whatever the scan finds. */
export const inspectPlan = Effect.fn("inspectPlan")(function* (path: string, options: LoadOptions = {}) {
  const bundler = yield* PlanBundler
  const scan = yield* StaticLayer
  const plan = yield* bundler.open(path)
  const isScript = isWorkflowScript(plan.path, plan.text)
  const late = isScript ? undefined : lateMeta(plan.path, plan.text)
  if (late !== undefined) {
    return yield* new PlanError({
      code: "plan_unparsable",
      path: plan.given,
      problem: late.problem,
      file: plan.path,
      ...problemPlace(plan.text, late),
      findings: []
    })
  }
  const found: Inspection = isScript ? yield* inspectWorkflow(plan, scan) : yield* inspectModule(plan, scan)
  const swept =
    options.sweep === true
      ? found.sources.flatMap(([file, text]) => {
          const lines = new Lines(text)
          return sweep(text).map((raw) => findingOf(raw, file, lines.position(raw.offset)))
        })
      : []
  const inspection = listing(
    swept.length === 0 ? found : { ...found, findings: inOrder(plan.path, [...found.findings, ...swept]) }
  )
  return isScript ? inWords(inspection) : inspection
})

/**
 * A plan that may run. Fails with `plan_unreadable`, `plan_unparsable`, `non_deterministic` (with every finding, in
 * order) or `no_run`.
 */
export const loadPlan = Effect.fn("loadPlan")(function* (path: string, options: LoadOptions = {}) {
  const { findings, hasRun, unlisted = 0, ...plan } = yield* inspectPlan(path, options)
  if (findings.length > 0)
    return yield* new PlanError({
      code: "non_deterministic",
      path,
      findings,
      ...(unlisted === 0 ? {} : { unlisted })
    })
  if (!hasRun) return yield* new PlanError({ code: "no_run", path, findings: [] })
  return plan
})
