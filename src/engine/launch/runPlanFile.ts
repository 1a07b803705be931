// Runs a plan's file: load and check it, name the run, and execute it. The library's `runPlan` and the command's
// `run` are this. Never fails: how it ended is in the summary.
import { Effect, Result } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { defined } from "../../domain/defined.ts"
import { formerRunIdFor, runIdFor, type RunId, type RunSpec } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import type { LoadedPlan } from "../../plan/load/loadPlan.ts"
import type { RunPlanRequest } from "../Engine.ts"
import { executeRun } from "../run/executeRun.ts"
import { changedFrom, findRun, type FoundRun } from "./findRun.ts"
import { journalFailure } from "../run/journalFailure.ts"
import { runOptions } from "../run/RunOptions.ts"
import { describePlan, inDialect, launchPlan, planFailure, readyFile, type ReadyPlan } from "./planLaunch.ts"
import { specOfPlan } from "./planSpec.ts"
import { keptLender, openLender } from "../reuse/lending.ts"
import { notPlain, notStarted } from "../run/summarize.ts"

/** The runs of the spec that are there, also those that were begun when the identity did not say the entry. */
const runsOf = Effect.fnUntraced(function* (spec: RunSpec) {
  const store = yield* Journal
  const ids = [runIdFor(spec), formerRunIdFor(spec)].flatMap((id) =>
    Result.isSuccess(id) ? [id.success] : []
  )
  return yield* Effect.filter(ids, store.exists)
})

/** What a run that died has left at work is ended, as a resume would. A run that is at work keeps what works for it. */
const endLeftBy = Effect.fnUntraced(function* (runId: RunId) {
  const store = yield* Journal
  const said = yield* Effect.catchIf(
    store.endLeftChildren(runId),
    ({ code }) => code === "run_locked",
    () => Effect.succeed<ReadonlyArray<string>>([])
  )
  for (const one of said) yield* Effect.logWarning(`${runId}: ${one}`)
})

/** The first of the spec that nobody has run yet. It begins beside nothing that an earlier one has left at work. */
const freshSpec = Effect.fnUntraced(function* (spec: RunSpec) {
  yield* Effect.forEach(yield* runsOf(spec), endLeftBy)
  for (let nonce = 1; ; nonce++) {
    const next = { ...spec, nonce }
    const taken = yield* runsOf(next)
    if (taken.length === 0) return next
    yield* Effect.forEach(taken, endLeftBy)
  }
})

/** `spec_mismatch`, if the inputs given are not those of the run that was named. */
const mismatch = Effect.fnUntraced(function* (spec: RunSpec, expected: string) {
  const store = yield* Journal
  const journal = yield* store.open(yield* store.runId(expected), "read")
  const changed = (yield* changedFrom(journal, spec)).filter((part) => part !== "nonce")
  if (changed.length === 0) return undefined
  return notStarted(
    "damaged",
    {
      code: "spec_mismatch",
      message: `these inputs are not those of ${expected}: ${changed.join(", ")} changed`,
      cure: `to go on with ${expected} as it was: alembic resume ${expected}; to pay only for what changed: --reuse ${expected}`
    },
    { runId: expected, changed, dir: journal.dir }
  )
}, Effect.scoped)

const nonceOf = Effect.fnUntraced(function* (expected: string) {
  const store = yield* Journal
  const journal = yield* store.open(yield* store.runId(expected), "read")
  const nonce =
    journal.meta.parts.nonce === undefined ? undefined : yield* journal.blobs.get(journal.meta.parts.nonce)
  return typeof nonce === "number" ? { nonce } : {}
}, Effect.scoped)

/** A plan's file that was read and checked, and the run it makes. */
export interface PreparedPlan {
  readonly loaded: LoadedPlan
  readonly ready: ReadyPlan
  readonly spec: RunSpec
  readonly found: FoundRun
}

const prepare = Effect.fnUntraced(function* (request: RunPlanRequest) {
  const { identity } = yield* AdapterRegistry
  const { loaded, ready } = yield* readyFile(request.plan, request.sweep ?? false)
  const { expectRun, inputs } = request
  const wanted = specOfPlan(ready.bundle, inputs, {
    models: identity,
    hermetic: request.hermetic ?? false,
    ...defined({ boards: request.boards })
  })
  if (expectRun !== undefined) {
    const changed = yield* mismatch(wanted, expectRun)
    if (changed !== undefined) return yield* Effect.fail(changed)
  }
  const spec =
    request.fresh === true
      ? yield* freshSpec(wanted)
      : { ...wanted, ...(expectRun === undefined ? {} : yield* nonceOf(expectRun)) }
  const found: FoundRun =
    expectRun === undefined || request.fresh === true
      ? yield* findRun(spec)
      : { runId: yield* (yield* Journal).runId(expectRun), known: true }
  const prepared: PreparedPlan = { loaded, ready, spec, found }
  return prepared
})

/**
 * Loads and checks the plan, and names the run that it makes, which may be there already. Nothing is begun. Fails with
 * the summary of a run that cannot be. The plan's process is held until the scope ends.
 */
export const preparePlan = Effect.fn("Engine.preparePlan")((request: RunPlanRequest) =>
  prepare(request).pipe(
    Effect.catchTags({
      PlanError: (error) => Effect.fail(planFailure(error, request.planName)),
      PreludeError: (error) => Effect.fail(planFailure(error)),
      JournalError: (error) => Effect.fail(journalFailure(error)),
      NotCanonicalError: ({ message }) => Effect.fail(notPlain(message))
    })
  )
)

/** Runs a prepared plan, goes on with its run, or tells how that ended before. Never fails. */
export const runPrepared = Effect.fn("Engine.runPrepared")(
  function* ({ found, loaded, ready, spec }: PreparedPlan, request: RunPlanRequest) {
    const { inputs, reuse } = request
    const lender = reuse === undefined ? undefined : yield* openLender(reuse)
    return yield* executeRun({
      spec,
      found,
      describe: describePlan(spec, inputs, loaded, ready, { ...request.extra, ...keptLender(reuse) }),
      launch: launchPlan(ready, inputs),
      ...(request.preflight === undefined ? {} : { preflight: request.preflight(ready.bundle) }),
      options: runOptions(request, inputs.contract, lender)
    }).pipe(inDialect(ready.bundle))
  },
  Effect.scoped,
  Effect.catchTag("JournalError", (error) => Effect.succeed(journalFailure(error)))
)

/** Runs the plan of `request`, goes on with the same run, or tells how it ended before. */
export const runPlanFile = Effect.fn("Engine.runPlanFile")((request: RunPlanRequest) =>
  preparePlan(request).pipe(
    Effect.matchEffect({
      onFailure: Effect.succeed<RunSummary>,
      onSuccess: (prepared) => runPrepared(prepared, request)
    }),
    Effect.scoped
  )
)
