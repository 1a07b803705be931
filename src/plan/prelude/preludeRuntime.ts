// preludeRuntime: the prelude itself: the modules that plans import from Alembic, how an Effect is told from another
// value, and how it is run on the plan's bridge. Bundled by Prelude.node.ts, evaluated inside the plan's context.
import * as effect from "effect"
import { Cause, Effect, Exit } from "effect"
import * as plan from "../../plan.ts"
import type { HookBridge } from "../hooks/HookBridge.ts"
import { planProgram } from "../hooks/planServices.ts"

const named: Record<string, unknown> = { effect, "alembic/plan": plan }
// The barrel's members are the namespaces of the modules themselves.
for (const [name, module] of Object.entries(effect)) named[`effect/${name}`] = module

/** By the name a plan imports them by. */
export const modules: { readonly [name: string]: unknown } = named

export const isEffect = (value: unknown): boolean => Effect.isEffect(value)

/** Rejects with what the program failed or died with. Everything a plan may use is provided. */
export const run = (
  program: Effect.Effect<unknown, unknown>,
  bridge: HookBridge,
  seed: string
): Promise<unknown> =>
  Effect.runPromiseExit(planProgram(program, bridge, seed)).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    throw error instanceof Error ? error : new Error(Cause.pretty(exit.cause))
  })
