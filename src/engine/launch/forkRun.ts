// forkRun: another run of the same plan and inputs with one call changed. The plan is the one that the forked run has kept;
// its answers are lent, so that only what depends on the changed call is made, and paid, again.
import { Effect, Result } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import type { CallRef } from "../../domain/Call.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import type { ForkSet } from "../../domain/run/Fork.ts"
import type { RunSpec } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { describeRun } from "../../journal/store/RunMeta.ts"
import type { RunOptions } from "../Engine.ts"
import { EngineVersions } from "../EngineVersions.ts"
import { keptLender, openLender } from "../reuse/lending.ts"
import { executeRun } from "../run/executeRun.ts"
import { journalFailure } from "../run/journalFailure.ts"
import { runOptions } from "../run/RunOptions.ts"
import { notStarted } from "../run/summarize.ts"
import { textOfRole } from "./keptText.ts"
import { inDialect, launchPlan, storedPlan } from "./planLaunch.ts"

/** What a fork needs of the plan, by role, as the forked run has kept it. */
const planRoles = ["bundle", "prelude"] as const

const describeFork = Effect.fnUntraced(function* (
  journal: RunJournal,
  spec: RunSpec,
  extra: Readonly<Record<string, string>>
) {
  const versions = yield* EngineVersions
  const bytesOf = (hashes: RunSpec["files"] = []) =>
    Effect.forEach(hashes, ([, hash]) => journal.blobs.getBytes(hash))
  const kept: Record<string, string> = {}
  for (const role of planRoles) {
    const text = yield* textOfRole(journal, role)
    if (text !== undefined) kept[role] = text
  }
  const described = describeRun({
    spec,
    attachments: yield* bytesOf(spec.files),
    sources: yield* bytesOf(spec.plan),
    extra: { ...kept, ...extra, ...keptLender(journal.runId) },
    versions
  })
  return yield* Effect.mapError(
    Effect.fromResult(described),
    ({ message }) => new JournalError({ code: "not_canonical", path: "spec", problem: message })
  )
})

const fork = Effect.fnUntraced(function* (runId: string, at: CallRef, set: ForkSet, how: RunOptions) {
  const store = yield* Journal
  const { identity } = yield* AdapterRegistry
  const described = yield* store.describe(yield* store.runId(runId))
  const { inputs, ready, spec: forked } = yield* storedPlan(described)
  if (Result.getOrElse(fingerprint(identity), () => "") !== described.meta.parts.models) {
    return notStarted("invalid", {
      code: "spec_mismatch",
      message: `the models configured now are not those of ${runId}`,
      cure: "fork with the configuration and fixtures of the run"
    })
  }
  const lender = yield* openLender(runId)
  const { nonce: _, ...rest } = forked
  const spec: RunSpec = { ...rest, fork: { of: lender.runId, at, set } }
  return yield* executeRun({
    spec,
    describe: describeFork(lender, spec, how.extra ?? {}),
    launch: launchPlan(ready, inputs),
    ...(how.preflight === undefined ? {} : { preflight: how.preflight(ready.bundle) }),
    options: runOptions({ ...how, boards: spec.boards ?? {} }, inputs.contract, lender)
  }).pipe(inDialect(ready.bundle))
})

/**
 * Runs the fork of a run at a call: `set` says what of it is another. The same fork again is the same run. Never fails.
 */
export const forkRun = Effect.fn("Engine.forkRun")(
  (runId: string, at: CallRef, set: ForkSet, how: RunOptions = {}) =>
    Effect.catch(Effect.scoped(fork(runId, at, set, how)), (error) =>
      Effect.succeed(journalFailure(error, runId, true))
    )
)
