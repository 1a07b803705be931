// performRun: what `run` and `resume` have in common: signals are held, events are shown as they are appended (as
// lines once they are durable), and the summary is the last thing said. How the run is run is the engine's.
import { Deferred, Effect, Fiber, Schema, Scope, type Stream } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { defined } from "../../domain/defined.ts"
import { wholeNanos } from "../../domain/budget/nanos.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import { exitCodeOf } from "../../domain/run/RunStatus.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import type { RunOptions } from "../../engine/Engine.ts"
import { Witness } from "../../engine/people/Witness.ts"
import { Host } from "../Host.ts"
import { Output } from "../Output.ts"
import { answeredHere } from "./askHere.ts"
import { notify, type Notifying } from "./notify.ts"
import { makePreflight, type Spending } from "./preflight.ts"
import { dollarsText } from "../render/numbers.ts"
import { eventLine } from "../render/run/eventLine.ts"
import { madeUpByRule } from "../render/offlineNotice.ts"
import { asTyped } from "../render/nextCommand.ts"
import { planCure } from "../render/planCures.ts"
import type { Claiming } from "../trust/origin.ts"
import { makeProgress } from "../render/run/progress.ts"
import { resultText, summaryText } from "../render/run/summaryText.ts"

export interface RunTerms extends Spending {
  /** The offline model answers from a file, which is not made up. */
  readonly fixtures: boolean
  /** Writes down where the run comes from, as its events tell. */
  readonly claiming: Claiming
  /** What was typed after `alembic` when the run was begun, as far as it says what is run. */
  readonly typed?: string
  /** What the log holds already. */
  readonly before?: Stream.Stream<RunEvent, unknown>
  /** Who has gone away is told of its end. */
  readonly notifying?: Notifying | undefined
  /** The result as people read it; as JSON unless given. */
  readonly show?: (result: Json) => string
}

/** The lower of two caps, where one is absent the other. */
export const lower = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined ? right : right === undefined ? left : Math.min(left, right)

/** Every failure ends with the next command to type. */
const withCure = (summary: RunSummary, typed: string | undefined): RunSummary => {
  const { error, runId } = summary
  if (error === undefined) return summary
  const cure =
    error.cure ??
    planCure(error.code, error.file ?? error.path) ??
    (runId === undefined
      ? "correct what the message names, then the same again"
      : `alembic resume ${runId} --retry-failed`)
  return { ...summary, error: { ...error, cure: asTyped(typed)(cure) } }
}

const isOffline = Schema.is(Schema.Struct({ adapterId: Schema.Literal("offline") }))

/** What was billed beyond the cap: no bound holds a provider that does not keep it. US dollars. */
const overCap = ({ spentUsd }: RunSummary, maxUsd: number | undefined): number | undefined =>
  maxUsd === undefined || spentUsd <= maxUsd ? undefined : wholeNanos(spentUsd - maxUsd)

/** Runs `run`, which is given how to watch, stop and preflight it, and prints what comes of it. */
export const performRun = <R>(
  run: (
    how: Pick<RunOptions, "observe" | "observeDurable" | "issued" | "stop" | "preflight">
  ) => Effect.Effect<RunSummary, never, R>,
  terms: RunTerms
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const host = yield* Host
      const output = yield* Output
      const stop = yield* Deferred.make<string>()
      const scope = yield* Effect.scope
      const progress = yield* makeProgress(defined({ maxUsd: terms.maxUsd, before: terms.before }))
      const { guarded, preflight } = yield* makePreflight(terms)
      /** Until the run is begun or gone on with there is nothing to put away: a signal ends the command at once. */
      const prepared: NonNullable<RunOptions["preflight"]> = (bundle) =>
        Effect.tap(preflight(bundle), (refused) => {
          isAgreed = refused === undefined
          return isAgreed ? Scope.provide(host.holdSignals(stop), scope) : Effect.void
        })
      /** What files ask for was agreed to. Of a run that has ended nothing is asked, and so nothing of it is done. */
      let isAgreed = false
      let madeUp = false
      const observe = (event: RunEvent) => {
        if (event.type === "CallCompleted" && isOffline(event.result)) madeUp = !terms.fixtures
        return Effect.andThen(terms.claiming.claim(event), progress.observe(event))
      }
      // A line that was read stands in the log, also if the process dies right after.
      const observeDurable = (event: RunEvent) =>
        output.json ? output.emitLine(eventLine(event)) : Effect.void
      const announce = yield* Effect.forkChild(
        Effect.flatMap(Deferred.await(stop), (signal) =>
          output.note(`${signal}: stopping; a second one exits at once`)
        )
      )
      const perform = run({
        observe,
        observeDurable,
        issued: progress.issued,
        stop,
        preflight: prepared
      }).pipe(
        Effect.provideService(AdapterRegistry, guarded),
        Effect.provideService(Witness, yield* host.trust.witness),
        Effect.ensuring(Effect.andThen(progress.rest, terms.claiming.leave)),
        // The run's lock is let go of before anybody is asked: an answer is journaled under it.
        Effect.tap((summary) =>
          terms.notifying === undefined ? Effect.void : notify(terms.notifying, summary, isAgreed)
        ),
        Effect.scoped
      )
      let ended = yield* perform
      while (!(yield* Deferred.isDone(stop)) && (yield* answeredHere(ended))) ended = yield* perform
      yield* progress.done
      const summary = withCure(ended, terms.typed)
      yield* Fiber.interrupt(announce)
      const signal = (yield* Deferred.isDone(stop)) ? yield* Deferred.await(stop) : undefined
      const overCapUsd = overCap(summary, terms.maxUsd)
      yield* output.emit(overCapUsd === undefined ? summary : { ...summary, overCapUsd })
      if (!output.json || !summary.ok) yield* output.note(summaryText(summary, output.style))
      if (overCapUsd !== undefined)
        yield* output.note(
          output.style.red(
            `${dollarsText(summary.spentUsd)} was billed under a cap of ${dollarsText(terms.maxUsd ?? 0)}: a call cost more than the bound that it was held to`
          )
        )
      if (summary.result !== undefined) yield* output.data((terms.show ?? resultText)(summary.result))
      if (madeUp) yield* output.note(output.style.dim(madeUpByRule))
      yield* output.exitWith(exitCodeOf(summary.status, signal))
    })
  )
