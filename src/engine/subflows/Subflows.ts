// Subflows: the verbs that a run answers by further calls, each loaded when it is first asked for.
import { Context, Effect } from "effect"
import type { Subflow, SubflowsByVerb } from "./Subflow.ts"

/**
 * A subflow that is loaded by the first call of its verb: boards, claims and what they are read with are a tenth of what a
 * start would load.
 */
export const lazySubflow =
  (load: () => Promise<Subflow>): Subflow =>
  (spec, context) =>
    Effect.flatMap(Effect.promise(load), (subflow) => subflow(spec, context))

export const lazyCouncil = lazySubflow(async () => (await import("./councilSubflow.ts")).councilSubflow)

const gatesWithoutFiles = lazySubflow(async () => (await import("./gatesSubflow.ts")).gatesWithoutFiles)

/**
 * The subflows a run has. A mission needs files and commands, so it is there where those are provided. Gates are decided
 * everywhere: without files and commands nothing of them is proven.
 */
export const Subflows = Context.Reference<SubflowsByVerb>("alembic/engine/Subflows", {
  defaultValue: () => ({ council: lazyCouncil, gates: gatesWithoutFiles })
})
