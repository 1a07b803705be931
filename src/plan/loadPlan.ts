// loadPlan: from a path to a plan that may run. Reads, bundles, scans, and only then hands out the bundle. Nothing of
// the plan is evaluated here. inspectPlan is the same without refusing: what `alembic check` reports.
import { Context, Effect } from "effect"
import { scanProgram } from "./determinism/scan.ts"
import { sweep } from "./determinism/sweep.ts"
import { findingOf, inOrder, type Inspection, type Scan } from "./inspection.ts"
import { inspectModule } from "./inspectModule.ts"
import { inspectWorkflow } from "./inspectWorkflow.ts"
import { PlanBundler } from "./PlanBundler.ts"
import { PlanError } from "./PlanError.ts"
import { Lines } from "./sourceMap.ts"
import { isWorkflowScript } from "./workflowScript.ts"

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

/** Reads, bundles and scans the plan at `path`, whatever the scan finds. */
export const inspectPlan = Effect.fn("inspectPlan")(function* (path: string, options: LoadOptions = {}) {
  const bundler = yield* PlanBundler
  const scan = yield* StaticLayer
  const plan = yield* bundler.open(path)
  const inspection: Inspection = isWorkflowScript(plan.path, plan.text)
    ? yield* inspectWorkflow(plan, scan)
    : yield* inspectModule(plan, scan)
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
