// A plan on its way from a file, or from a run's blobs, to a driver: what is loaded, kept in the run's directory, and
// started. A directory holds all it needs to start the plan again: bundle and prelude included.
import { Effect, Option, Result, Schema } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { withScriptModels } from "../../adapters/registry/scriptModels.ts"
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { RunSpec } from "../../domain/run/RunSpec.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { DescribedRun } from "../../journal/openRun.ts"
import { describeRun, specOf } from "../../journal/store/RunMeta.ts"
import { loadPlan, type LoadedPlan } from "../../plan/load/loadPlan.ts"
import { PlanBundle } from "../../plan/bundler/PlanBundle.ts"
import { PlanError } from "../../plan/PlanError.ts"
import { PlanVm, type LaunchOptions } from "../../plan/host/PlanVm.ts"
import { Prelude, PreludeBundle, type PreludeError } from "../../plan/prelude/Prelude.ts"
import { textOfRole } from "./keptText.ts"
import { EngineVersions } from "../EngineVersions.ts"
import { inputsOfSpec, planInputOf, type PlanInputs } from "./planSpec.ts"
import { notStarted } from "../run/summarize.ts"

/** A plan ready to start. `prelude` only where the plan imports from it. */
export interface ReadyPlan {
  readonly bundle: PlanBundle
  readonly prelude: PreludeBundle | undefined
}

const BundleText = Schema.fromJsonString(PlanBundle)
const PreludeText = Schema.fromJsonString(PreludeBundle)
const encodeBundle = Schema.encodeSync(BundleText)
const encodePrelude = Schema.encodeSync(PreludeText)
const decodeBundle = Schema.decodeUnknownResult(BundleText)
const decodePrelude = Schema.decodeUnknownResult(PreludeText)

const preludeOf = Effect.fnUntraced(function* (bundle: PlanBundle) {
  if (bundle.kind === "workflow" || bundle.imports.length === 0) return undefined
  return yield* (yield* Prelude).load(bundle.imports)
})

/** Reads, checks and bundles a plan's file, while its process is starting. */
export const readyFile = Effect.fnUntraced(function* (path: string, sweep: boolean) {
  yield* (yield* PlanVm).prestart
  const loaded = yield* loadPlan(path, { sweep })
  return { loaded, ready: { bundle: loaded.bundle, prelude: yield* preludeOf(loaded.bundle) } }
})

/** What a new run's directory is made of. */
export const describePlan = Effect.fnUntraced(function* (
  spec: RunSpec,
  inputs: PlanInputs,
  loaded: LoadedPlan,
  { bundle, prelude }: ReadyPlan,
  extra: Readonly<Record<string, string>>
) {
  const versions = yield* EngineVersions
  const encoder = new TextEncoder()
  const described = describeRun({
    spec,
    attachments: inputs.attachments.map(({ bytes }) => bytes),
    sources: loaded.sources.map(([, text]) => encoder.encode(text)),
    extra: {
      ...extra,
      bundle: encodeBundle(bundle),
      ...(prelude === undefined ? {} : { prelude: encodePrelude(prelude) })
    },
    versions: { ...versions, ...(prelude === undefined ? {} : { prelude: prelude.sha256 }) }
  })
  return yield* Effect.mapError(
    Effect.fromResult(described),
    ({ message }) => new JournalError({ code: "not_canonical", path: "spec", problem: message })
  )
})

export const launchPlan = Effect.fnUntraced(function* (
  { bundle, prelude }: ReadyPlan,
  inputs: PlanInputs,
  options: LaunchOptions = {}
) {
  const vm = yield* PlanVm
  return yield* vm.launch(bundle, planInputOf(inputs), {
    ...options,
    ...defined({ prelude })
  })
})

/** A program, or a plan module: models are what it calls them. */
export const asWritten = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | AdapterRegistry> =>
  self

/** The registry as the plan's dialect sees it. */
export const inDialect =
  (bundle: PlanBundle) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | AdapterRegistry> =>
    bundle.kind === "module"
      ? asWritten(self)
      : Effect.flatMap(AdapterRegistry, (registry) =>
          Effect.provideService(self, AdapterRegistry, withScriptModels(registry))
        )

const damaged = (journal: DescribedRun, problem: string) =>
  new JournalError({
    code: "meta_mismatch",
    path: `${journal.dir}/meta.json`,
    problem,
    cure: "restore the run from a copy; `alembic verify` says what is wrong with it"
  })

/** What a run was made of, out of its own directory. */
export const storedPlan = Effect.fnUntraced(function* (journal: DescribedRun) {
  const spec = yield* specOf(`${journal.dir}/meta.json`, journal.meta, journal.blobs)
  const text = yield* textOfRole(journal, "bundle")
  if (text === undefined) {
    return yield* new JournalError({
      code: "not_a_plan",
      path: journal.dir,
      problem: "the run is that of a program in process, which only the program can go on with or replay",
      cure: "run the program again: Alembic.runProgram, or Alembic.replayProgram"
    })
  }
  const bundle = decodeBundle(text)
  if (Result.isFailure(bundle)) return yield* damaged(journal, "its bundle is not readable")
  const preludeText = yield* textOfRole(journal, "prelude")
  const prelude = preludeText === undefined ? undefined : decodePrelude(preludeText)
  if (prelude !== undefined && Result.isFailure(prelude))
    return yield* damaged(journal, "its prelude is not readable")
  const bytes = new Map<string, Uint8Array>()
  for (const [, hash] of spec.files ?? []) bytes.set(hash, yield* journal.blobs.getBytes(hash))
  const inputs = inputsOfSpec(spec, (hash) => bytes.get(hash))
  if (Result.isFailure(inputs)) return yield* damaged(journal, String(inputs.failure))
  const ready: ReadyPlan = { bundle: bundle.success, prelude: prelude?.success }
  return { spec, ready, inputs: inputs.success }
})

const planErrorInfo = (error: PlanError): RunErrorInfo => {
  const first = Option.fromNullishOr(error.findings[0])
  const place = Option.match(first, {
    onSome: ({ column, file, line }) => ({ file, line, column }),
    onNone: () => ({
      ...defined({ file: error.file, line: error.line, column: error.column })
    })
  })
  const cure = Option.match(first, {
    onSome: ({ instead }) => ({ cure: instead }),
    onNone: () => ({})
  })
  return { code: error.code, message: error.message, path: error.path, ...place, ...cure }
}

/** The same error under the name by which the user knows the plan. */
const named = (error: PlanError, path: string): PlanError => {
  const { code, column, file, findings, line, problem, unlisted } = error
  return new PlanError({
    code,
    path,
    findings,
    ...defined({ problem, unlisted, file, line, column })
  })
}

/** Why a plan does not run, as a summary. `name`: what the user called the plan, where that is not its path. */
export const planFailure = (failure: PlanError | PreludeError, name?: string): RunSummary => {
  if (failure._tag === "PreludeError") {
    return notStarted("invalid", { code: "prelude_unavailable", message: failure.message })
  }
  const error = name === undefined ? failure : named(failure, name)
  const summary = notStarted(error.code === "non_deterministic" ? "refused" : "invalid", planErrorInfo(error))
  return error.findings.length === 0 ? summary : { ...summary, findings: error.findings }
}
