// Alembic: the engine as a service. What every call would demand besides the caller's own services is the layer's; a
// program brings only what it uses itself. It also knows the runs of this process, so that the same run twice is one.
//
// Invariants:
// J1  The same run, begun again in this process while it is at work, is joined: both callers get the one summary. A
//     caller that is interrupted ends the run; whoever had joined it then goes on with it.
import { Context, Deferred, Effect, Exit, Layer, Result, Stream } from "effect"
import { AdapterRegistry } from "../adapters/registry/AdapterRegistry.ts"
import { Guards } from "../adapters/guard/Guards.ts"
import { defined } from "../domain/defined.ts"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { RunEvent } from "../domain/run/RunEvent.ts"
import { runIdFor } from "../domain/run/RunSpec.ts"
import type { RunSummary } from "../domain/run/RunSummary.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { EventsOptions } from "../journal/log/followLog.ts"
import type { RunListing } from "../journal/maintenance/listRuns.ts"
import type { Hooks } from "../plan/hooks/Hooks.ts"
import { PlanBundler } from "../plan/bundler/PlanBundler.ts"
import { PlanVm } from "../plan/host/PlanVm.ts"
import { Prelude } from "../plan/prelude/Prelude.ts"
import { IdempotencyKey, step } from "../plan/hooks/steps.ts"
import { answerItem, type AnswerError } from "./people/answerItem.ts"
import type { EngineServices, RunOptions, ReplaySummary } from "./Engine.ts"
import { EngineVersions } from "./EngineVersions.ts"
import { replayRun } from "./replay/replayRun.ts"
import { resumeRun } from "./launch/resumeRun.ts"
import { inspectRun, type Inspection } from "./inspect/inspectRun.ts"
import { Subflows } from "./subflows/Subflows.ts"
import { runPlan, type RunPlanOptions } from "./launch/runPlan.ts"
import {
  replayProgram,
  runProgram,
  specOfProgram,
  typedSummary,
  type ProgramSpec,
  type ProgramSummary,
  type TypedProgram
} from "./program/runProgram.ts"
import { notStarted } from "./run/summarize.ts"

export type { ProgramSpec, ProgramSummary, TypedProgram }

/** Where an answer went: into the log, or to the process that runs the run. */
export type Answered = "journaled" | "left"

/** Runs a program: with a `success` schema, `result` is what the program returned. */
export interface RunProgram<Needs> {
  <A, E, R>(
    given: TypedProgram<A, E>,
    program: Effect.Effect<NoInfer<A>, NoInfer<E>, R>
  ): Effect.Effect<ProgramSummary<A, E>, never, Exclude<R, Hooks> | Needs>
  <A, E, R>(
    given: ProgramSpec & { readonly success?: never },
    program: Effect.Effect<A, E, R>
  ): Effect.Effect<RunSummary, never, Exclude<R, Hooks> | Needs>
}

interface Methods<Needs> {
  /**
   * Runs `program` as the run that its spec describes: a new one, the same one again where it stopped, or, if it is at
   * work in this process, that very one. A run whose program failed is driven again on its journaled answers; one that
   * completed stays so. Never fails: how it ended is in the summary.
   */
  readonly runProgram: RunProgram<Needs>
  /** Runs `program` on the journal of its run alone; what it does besides calls and steps happens again. */
  readonly replayProgram: <A, E, R>(
    given: ProgramSpec | TypedProgram<A, E>,
    program: Effect.Effect<A, E, R>
  ) => Effect.Effect<ReplaySummary, never, Exclude<R, Hooks> | Needs>
  /** Runs the plan at `path`. Never fails. */
  readonly runPlan: (path: string, options: RunPlanOptions) => Effect.Effect<RunSummary, never, Needs>
  /** Goes on with a plan's run out of its own directory. Never fails. */
  readonly resume: (runId: string, how?: RunOptions) => Effect.Effect<RunSummary, never, Needs>
  /** Replays a plan's run out of its own directory. Never fails. */
  readonly replay: (
    runId: string,
    options?: { readonly plan?: string }
  ) => Effect.Effect<ReplaySummary, never, Needs>
  /** Answers what a run asks, while it runs or not. */
  readonly answer: (
    runId: string,
    item: string,
    answer: Json
  ) => Effect.Effect<Answered, AnswerError | JournalError, Needs>
  /** Lets an approval that a run waits for through; `refuse` does not. */
  readonly approve: (
    runId: string,
    item: string,
    decision?: "approve" | "refuse"
  ) => Effect.Effect<Answered, AnswerError | JournalError, Needs>
  /** The events of a run, from the one after `since` on; with `follow`, also those to come, until it ends or stops. */
  readonly events: (runId: string, options?: EventsOptions) => Stream.Stream<RunEvent, JournalError, Needs>
  /** One run: how it stands, how it ended (a program's typed error with its tag and value), and every call. */
  readonly inspect: (runId: string) => Effect.Effect<Inspection, JournalError, Needs>
  /** All runs, by id. */
  readonly list: Effect.Effect<ReadonlyArray<RunListing>, JournalError, Needs>
}

/** What programs run on: all but what plans in files need. */
export type ProgramServices = Exclude<EngineServices, PlanBundler | PlanVm | Prelude>

const programsOnly = {
  code: "not_available",
  message: "this engine runs programs alone: it has no services for plans in files",
  cure: "provide Alembic.layerNoDeps with PlanBundler, PlanVm and Prelude, or engineLayer"
}
const noPlans = notStarted("invalid", programsOnly)

/** J1 */
const makeJoining = () => {
  const atWork = new Map<string, Deferred.Deferred<RunSummary | undefined>>()
  const joined = <R>(
    runId: string,
    run: Effect.Effect<RunSummary, never, R>
  ): Effect.Effect<RunSummary, never, R> =>
    Effect.suspend(() => {
      const other = atWork.get(runId)
      if (other !== undefined) {
        return Effect.flatMap(Deferred.await(other), (summary) =>
          summary === undefined ? joined(runId, run) : Effect.succeed(summary)
        )
      }
      const mine = Deferred.makeUnsafe<RunSummary | undefined>()
      atWork.set(runId, mine)
      return Effect.onExit(run, (exit) =>
        Effect.sync(() => {
          atWork.delete(runId)
          Deferred.doneUnsafe(mine, Exit.succeed(Exit.isSuccess(exit) ? exit.value : undefined))
        })
      )
    })
  return joined
}

const picked = Context.pick(Journal, AdapterRegistry, Guards, EngineVersions, Subflows)
const pickedForPlans = Context.pick(PlanBundler, PlanVm, Prelude)

type Ends = Partial<Pick<TypedProgram<unknown, unknown>, "success" | "error">>

const summaryAs = ({ error, success }: Ends, summary: RunSummary) =>
  success === undefined ? summary : typedSummary({ success, ...defined({ error }) }, summary)

type PlanServices = PlanBundler | PlanVm | Prelude

const make = Effect.fnUntraced(function* (plans: Context.Context<PlanServices> | undefined) {
  const everything = yield* Effect.context<ProgramServices>()
  const parts = picked(everything)
  const joined = makeJoining()
  const store = Context.get(everything, Journal)
  const { identity } = Context.get(everything, AdapterRegistry)

  const programIn = Effect.fnUntraced(function* <A, E, R>(
    given: ProgramSpec & Ends,
    program: Effect.Effect<A, E, R>
  ) {
    const context = yield* Effect.context<Exclude<R, Hooks>>()
    const run = Effect.provideContext(runProgram(given, program, context), parts)
    const runId = runIdFor(specOfProgram(given, identity))
    const summary = yield* Result.isSuccess(runId) ? joined(runId.success, run) : run
    return summaryAs(given, summary)
  })

  function runIn<A, E, R>(
    given: TypedProgram<A, E>,
    program: Effect.Effect<NoInfer<A>, NoInfer<E>, R>
  ): Effect.Effect<ProgramSummary<A, E>, never, Exclude<R, Hooks>>
  function runIn<A, E, R>(
    given: ProgramSpec & { readonly success?: never },
    program: Effect.Effect<A, E, R>
  ): Effect.Effect<RunSummary, never, Exclude<R, Hooks>>
  function runIn(
    given: ProgramSpec & Ends,
    program: Effect.Effect<unknown, unknown, unknown>
  ): Effect.Effect<unknown, never, unknown> {
    return programIn(given, program)
  }

  /** What plans in files need besides; without it, `without`. */
  const withPlans = <A>(self: Effect.Effect<A, never, EngineServices>, without: A): Effect.Effect<A> =>
    plans === undefined
      ? Effect.succeed(without)
      : self.pipe(Effect.provideContext(plans), Effect.provideContext(parts))

  const methods: Methods<never> = {
    runProgram: runIn,
    replayProgram: Effect.fnUntraced(function* <A, E, R>(
      given: ProgramSpec | TypedProgram<A, E>,
      program: Effect.Effect<A, E, R>
    ) {
      const context = yield* Effect.context<Exclude<R, Hooks>>()
      return yield* Effect.provideContext(replayProgram(given, program, context), parts)
    }),
    runPlan: (path, options) => withPlans(runPlan(path, options), noPlans),
    resume: (runId, how = {}) => joined(runId, withPlans(resumeRun(runId, how), noPlans)),
    replay: (runId, options) =>
      withPlans<ReplaySummary>(replayRun(runId, options), {
        type: "ReplaySummary",
        ok: false,
        runId,
        identical: false,
        events: 0,
        error: programsOnly
      }),
    answer: (runId, item, answer) => Effect.provideContext(answerItem(runId, item, answer), parts),
    approve: (runId, item, decision = "approve") =>
      Effect.provideContext(answerItem(runId, item, decision, "approval"), parts),
    events: (runId, options) =>
      Stream.unwrap(Effect.map(store.runId(runId), (id) => store.events(id, options))),
    inspect: (runId) => Effect.provideContext(Effect.flatMap(store.runId(runId), inspectRun), parts),
    list: store.list
  }
  return methods
})

function runHere<A, E, R>(
  given: TypedProgram<A, E>,
  program: Effect.Effect<NoInfer<A>, NoInfer<E>, R>
): Effect.Effect<ProgramSummary<A, E>, never, Exclude<R, Hooks> | Alembic>
function runHere<A, E, R>(
  given: ProgramSpec & { readonly success?: never },
  program: Effect.Effect<A, E, R>
): Effect.Effect<RunSummary, never, Exclude<R, Hooks> | Alembic>
function runHere(
  { success, ...given }: ProgramSpec & Ends,
  program: Effect.Effect<unknown, unknown, unknown>
): Effect.Effect<unknown, never, unknown> {
  return Effect.flatMap(Alembic, (alembic): Effect.Effect<unknown, never, unknown> =>
    success === undefined
      ? alembic.runProgram(given, program)
      : alembic.runProgram({ ...given, success }, program)
  )
}

/**
 * The engine.
 *
 * @example
 * ```ts
 * const summary = yield* Alembic.runProgram({ program: "sky-1", goal: "One answer" }, program)
 * ```
 */
export class Alembic extends Context.Service<Alembic, Methods<never>>()("alembic/engine/Alembic") {
  /** On services that are provided: for plans in files and programs. */
  static readonly layerNoDeps: Layer.Layer<Alembic, never, EngineServices> = Layer.effect(
    Alembic,
    Effect.flatMap(Effect.context<PlanServices>(), (context) => make(pickedForPlans(context)))
  )
  /** For programs alone. */
  static readonly layerPrograms: Layer.Layer<Alembic, never, ProgramServices> = Layer.effect(
    Alembic,
    make(undefined)
  )

  /** An effect of a program that is done once: see plan/hooks/steps.ts. */
  static readonly step = step
  static readonly IdempotencyKey = IdempotencyKey

  static readonly runProgram: RunProgram<Alembic> = runHere
  static readonly replayProgram = <A, E, R>(
    given: ProgramSpec | TypedProgram<A, E>,
    program: Effect.Effect<A, E, R>
  ) => Effect.flatMap(Alembic, (alembic) => alembic.replayProgram(given, program))
}
