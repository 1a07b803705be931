// Goes on with a run out of its own directory: plan, inputs, contract and boards as they were. Models are the caller's, and
// must resolve to what they resolved to then.
import { Effect, Result } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import { Journal } from "../../journal/Journal.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { RunOptions } from "../Engine.ts"
import { executeRun } from "../run/executeRun.ts"
import { journalFailure } from "../run/journalFailure.ts"
import { runOptions } from "../run/RunOptions.ts"
import { inDialect, launchPlan, storedPlan } from "./planLaunch.ts"
import { notStarted } from "../run/summarize.ts"

const stored = Effect.fnUntraced(function* (runId: string) {
  const store = yield* Journal
  const run = yield* store.describe(yield* store.runId(runId))
  return { ...(yield* storedPlan(run)), meta: run.meta, dir: run.dir }
})

const gone = new JournalError({
  code: "run_missing",
  path: "",
  problem: "the run was removed while it was opened"
})

const resume = Effect.fnUntraced(function* (runId: string, how: RunOptions) {
  const { identity } = yield* AdapterRegistry
  const { dir, inputs, meta, ready, spec } = yield* stored(runId)
  const models = Result.getOrElse(fingerprint(identity), () => "")
  if (models !== meta.parts.models) {
    return notStarted(
      "damaged",
      {
        code: "spec_mismatch",
        message: `the models configured now are not those of ${runId}`,
        cure: "resume with the configuration and fixtures of the run"
      },
      { runId, changed: ["models"], dir }
    )
  }
  return yield* executeRun({
    spec,
    found: { runId: meta.runId, known: true },
    describe: Effect.fail(gone),
    launch: launchPlan(ready, inputs),
    ...(how.preflight === undefined ? {} : { preflight: how.preflight(ready.bundle) }),
    options: runOptions({ ...how, boards: spec.boards ?? {} }, inputs.contract, undefined)
  }).pipe(inDialect(ready.bundle))
})

/** Goes on with the run, or tells how it ended. Never fails. */
export const resumeRun = Effect.fn("Engine.resumeRun")((runId: string, how: RunOptions) =>
  Effect.catch(Effect.scoped(resume(runId, how)), (error) =>
    Effect.succeed(journalFailure(error, runId, true))
  )
)
