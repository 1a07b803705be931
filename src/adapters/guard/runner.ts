// The promise twin of the waist, for callers without Effect: a function that answers with a ModelRunResult and never
// rejects, whatever it is given and whatever happens to the program around it.
import { Effect, Exit } from "effect"
import { makeError } from "../../domain/ModelError.ts"
import type { ModelRunResult } from "../../domain/ModelRun.ts"
import type { Adapter } from "../Adapter.ts"
import type { Binding } from "../registry/AdapterRegistry.ts"
import type { Guards } from "./Guards.ts"
import { type BoundOptions, runBound } from "./runBound.ts"
import { failureOf, runWithGuards } from "./runWithGuards.ts"
import { emptyTally } from "./Tally.ts"

/** `options.signal` ends the call with a `cancelled` result. */
export type Run = (input: unknown, options?: BoundOptions) => Promise<ModelRunResult>

/** The program around the call was ended, or broke: there is nobody left to ask for an id or the time. */
const lost = (adapterId: string, interrupted: boolean): ModelRunResult =>
  failureOf(
    { adapterId, modelId: "", requestId: "", durationMs: 0 },
    interrupted
      ? makeError("cancelled", "the program that made the call was ended")
      : makeError("unknown", "the call could not be made"),
    { ...emptyTally(), costUsd: undefined }
  )

const isChain = (target: Adapter | ReadonlyArray<Binding>): target is ReadonlyArray<Binding> =>
  Array.isArray(target)

/** `run` for one adapter (`input.model` is its model) or for a chain (each link has its own). */
export const makeRunner = (target: Adapter | ReadonlyArray<Binding>): Effect.Effect<Run, never, Guards> =>
  Effect.map(Effect.context<Guards>(), (context) => {
    const runExit = Effect.runPromiseExitWith(context)
    const adapterId = isChain(target) ? (target[0]?.adapter.id ?? "") : target.id
    return (input, options) =>
      runExit(
        Effect.suspend(() =>
          isChain(target) ? runBound(target, input, options) : runWithGuards(target, input, options)
        )
      ).then(
        (exit) => (Exit.isSuccess(exit) ? exit.value : lost(adapterId, Exit.hasInterrupts(exit))),
        () => lost(adapterId, false)
      )
  })
