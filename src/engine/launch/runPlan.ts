// runPlan: a plan's file by its path, for programs that have goal and attachments at hand. The rest is runPlanFile's.
import { defined } from "../../domain/defined.ts"
import type { RunPlanRequest } from "../Engine.ts"
import type { PlanInputs } from "./planSpec.ts"
import { runPlanFile } from "./runPlanFile.ts"

export interface RunPlanOptions
  extends Omit<RunPlanRequest, "plan" | "inputs">, Omit<PlanInputs, "attachments"> {
  /** Sorted by path; none unless given. */
  readonly attachments?: PlanInputs["attachments"]
}

/**
 * Runs the plan at `path`: a new run, or the same one again where it stopped. Never fails: a plan that does not load,
 * is refused or throws is a summary with `ok: false`, its `error` and `findings`.
 */
export const runPlan = (path: string, options: RunPlanOptions) => {
  const { args, attachments = [], contract, goal, ...how } = options
  const given = { ...defined({ args, contract }) }
  return runPlanFile({ ...how, plan: path, inputs: { goal, attachments, ...given } })
}
