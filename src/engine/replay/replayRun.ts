// Replay: the plan runs again on the journal alone. Same calls and same result, or a named divergence. Nothing is
// dispatched, nothing written; the directory may be read-only.
import { Clock, Deferred, Effect, Option, type Scope } from "effect"
import type { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { firstRules } from "../../domain/run/rules.ts"
import type { RunId, RunSpec } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import type { PlanDriver } from "../../plan/host/PlanProtocol.ts"
import { forkOf } from "../reuse/forkOf.ts"
import { makeCallBook } from "../calls/CallBook.ts"
import { catchUp } from "../run/catchUp.ts"
import { endDiffers, missingCall, noteDiffers, resultDiffers, type Divergence } from "./Divergence.ts"
import type { ReplaySummary } from "../Engine.ts"
import type { RunContext } from "../run/RunContext.ts"
import { asWritten, inDialect, launchPlan, readyFile, storedPlan } from "../launch/planLaunch.ts"
import { findRun } from "../launch/findRun.ts"
import { noteOf, readEvent, readScheduled, RunHistory } from "./RunHistory.ts"
import { nothingLent } from "../reuse/lentCopy.ts"
import type { Session } from "../run/Session.ts"
import { resultValue } from "../run/summarize.ts"

/** What the journal has and the plan did not do. */
const leftOut = Effect.fnUntraced(function* (journal: RunJournal, history: RunHistory, session: Session) {
  const noted = history.notedAs(session.notesSeen)
  if (noted !== undefined) {
    const event = Option.getOrUndefined(yield* readEvent(journal, noted))
    return noteDiffers(noted, event === undefined ? undefined : noteOf(event), undefined)
  }
  const n = history.numberAfter(session.lastIssued)
  const seq = n === undefined ? undefined : history.scheduledAs(n)
  if (n !== undefined && seq !== undefined)
    return missingCall({ n, seq, ...(yield* readScheduled(journal, seq)) })
  return undefined
})

/** What a replay comes to: nothing, where all is the same. `upToHere`: nothing was compared behind the changed rule. */
interface Comparison {
  readonly divergence?: Divergence
  readonly rule?: string
  readonly upToHere?: true
  readonly compared?: ReplaySummary["compared"]
}

const diverges = (divergence: Divergence | undefined): Comparison => defined({ divergence })

/** Rules by which a run that began under the first ones may have ended otherwise than it would now. */
const changedRules = {
  loss: "in a workflow script, a null that the script gives of itself is no longer a lost item",
  result: "a result may now hold a Date, kept as its ISO text, and undefined in an array, kept as null",
  args: "a plan now sees the keys of its arguments in sorted order, then in the order in which they were typed"
}

/** Whether a caller may have written the keys of the arguments in another order than the sorted one. */
const hasOrder = (value: Json | undefined): boolean =>
  typeof value === "object" &&
  value !== null &&
  ((!Array.isArray(value) && Object.keys(value).length > 1) || Object.values(value).some(hasOrder))

const letters = (value: Json | undefined): string => [...(JSON.stringify(value) ?? "")].toSorted().join("")

/**
 * Of a run of the first rules that has arguments: a difference in the order of things alone is their order, which was
 * not kept. Whether what follows differs in anything else cannot be told, since its answers are those of other prompts.
 */
const byOrderOfArgs = (comparison: Comparison, rules: number, args: Json | undefined): Comparison => {
  const { divergence } = comparison
  if (divergence === undefined || rules !== firstRules || !hasOrder(args)) return comparison
  const { journaled, now } = divergence
  const isOrder = journaled !== undefined && letters(journaled) === letters(now)
  return isOrder ? { rule: changedRules.args, upToHere: true } : comparison
}

/** How the plan ended, against how the run did. */
const compareEnd = Effect.fnUntraced(function* (
  journal: RunJournal,
  history: RunHistory,
  session: Session,
  isScript: boolean
) {
  const { end } = history
  const { state } = session
  if (end === undefined) return {}
  const isFirst = journal.state().rules === firstRules
  const differs = (was: string, now: string): Comparison => ({ divergence: endDiffers(end.seq, was, now) })
  if (end.type === "RunFailed" && history.failedByItself) {
    const { code } = end.error
    if (state.t === "returned" && state.notices !== undefined && isFirst && code === "result_not_json")
      return { rule: changedRules.result }
    if (state.t !== "failed") return differs(`ended with ${code}`, "did not")
    return state.error.code === code ? {} : differs(`ended with ${code}`, `ends with ${state.error.code}`)
  }
  if (state.t === "failed")
    return differs("returned", `ends with ${state.error.code}: ${state.error.message}`)
  if (state.t === "waiting") return differs("returned", "waits for a call")
  const { done, of } = session.coverage
  const sameLoss = end.coverage.done === done && end.coverage.of === of
  const byRule = isFirst && isScript && !sameLoss
  if (!sameLoss && !byRule)
    return differs(`covered ${end.coverage.done} of ${end.coverage.of}`, `covers ${done} of ${of}`)
  if (end.status === "incomplete" && session.lostUnaccepted === 0 && !byRule)
    return differs("was incomplete", "accepts what it lost")
  const journaled = end.type === "RunCompleted" ? yield* journal.result : end.result
  const found = resultDiffers(end.seq, journaled, resultValue(state.result))
  if (found.pointer !== undefined) return { divergence: found }
  return sameLoss ? {} : { rule: changedRules.loss }
})

const replaying = Effect.fnUntraced(function* (
  journal: RunJournal,
  history: RunHistory,
  run: RunContext,
  isScript: boolean
): Effect.fn.Return<Comparison, JournalError, AdapterRegistry> {
  // The council said no before the plan began: there is nothing of the plan to compare.
  if (history.neverBegan) return {}
  const { session } = yield* Effect.catchTag(
    catchUp(run, history, { toItsEnd: true }),
    "Stopped",
    (stopped) => Effect.die(stopped)
  )
  if (session.divergence !== undefined) return diverges(session.divergence)
  const { end } = history
  if (end === undefined) return {}
  // A run that was ended in the midst of a turn was so somewhere; being ended elsewhere is no divergence.
  if (history.cutShort) return { compared: "calls" as const }
  if (history.strict) {
    const less = yield* leftOut(journal, history, session)
    if (less !== undefined) return diverges(less)
  }
  const unmade = history.isProgram && journal.state().reopened === 0 ? session.unmade : undefined
  if (unmade !== undefined) {
    const seq = history.scheduledAs(unmade.n) ?? 0
    return diverges(missingCall({ seq, n: unmade.n, ...(yield* readScheduled(journal, seq)) }))
  }
  return yield* compareEnd(journal, history, session, isScript)
})

const failed = (runId: string, code: string, message: string, cure?: string): ReplaySummary => ({
  type: "ReplaySummary",
  ok: false,
  runId,
  identical: false,
  events: 0,
  error: { code, message, ...defined({ cure }) }
})

const replayFailure = (runId: string, error: JournalError): ReplaySummary =>
  failed(runId, error.code, error.message, error.cure)

/** Replays an opened run with a plan that was not started yet. */
const replayWith = Effect.fnUntraced(function* (
  journal: RunJournal,
  history: RunHistory,
  { args, boards, driver, isScript }: Omit<Launched, "dialect">
) {
  const run: RunContext = {
    journal,
    driver,
    council: () => undefined,
    book: yield* makeCallBook(boards, yield* forkOf(journal)),
    concurrency: 1,
    budget: {},
    contract: undefined,
    subflows: {},
    boards,
    approve: [],
    brake: undefined,
    acceptLoss: true,
    minCoverage: undefined,
    reuse: nothingLent,
    hermetic: undefined,
    hostClock: yield* Clock.Clock,
    observe: () => Effect.void,
    spanOf: () => undefined,
    stop: yield* Deferred.make<string>()
  }
  const { compared, divergence, rule, upToHere } = byOrderOfArgs(
    yield* replaying(journal, history, run, isScript),
    journal.state().rules,
    args
  )
  const summary: ReplaySummary = {
    type: "ReplaySummary",
    ok: divergence === undefined,
    runId: journal.runId,
    identical: divergence === undefined && upToHere === undefined,
    events: journal.state().lastSeq,
    ...(history.strict ? {} : { compared: "content" as const }),
    ...defined({ compared, rule, divergence })
  }
  return summary
})

/** A plan that was started, and the boards that its councils know by name. */
interface Launched {
  readonly driver: PlanDriver
  readonly args: Json | undefined
  readonly boards: NonNullable<RunSpec["boards"]>
  readonly isScript: boolean
  readonly dialect: ReturnType<typeof inDialect>
}

/**
 * How long a turn may take, in milliseconds. A run that returned once does so again, on however slow a machine; what
 * never did, or another plan, is not waited for without end.
 */
const patience = (journal: RunJournal, otherPlan: string | undefined): number => {
  const status = journal.state().end?.status
  const returned = status === "completed" || status === "incomplete"
  return returned && otherPlan === undefined ? 600_000 : 30_000
}

/** Opens a run to be read and replays it. */
const replayOpened = <E, R>(
  runId: RunId,
  launch: (journal: RunJournal) => Effect.Effect<Launched, E, R | Scope.Scope>,
  isProgram = false
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const history = new RunHistory()
      if (isProgram) history.holdToContent()
      const journal = yield* (yield* Journal).open(runId, "read", (event) => history.add(event))
      const launched = yield* launch(journal)
      return yield* replayWith(journal, history, launched).pipe(launched.dialect)
    })
  )

/** Replays the run that `spec` names. */
export const replayJournal = <R>(spec: RunSpec, launch: Effect.Effect<PlanDriver, never, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const { runId } = yield* findRun(spec)
    return yield* Effect.catch(
      replayOpened(
        runId,
        () =>
          Effect.map(launch, (driver): Launched => ({
            driver,
            args: undefined,
            boards: spec.boards ?? {},
            isScript: false,
            dialect: asWritten
          })),
        spec.program !== undefined
      ),
      (error) => Effect.succeed(replayFailure(runId, error))
    )
  }).pipe(
    Effect.catchTags({
      NotCanonicalError: ({ message }) => Effect.succeed(failed("", "invalid_input", message)),
      JournalError: (error) => Effect.succeed(replayFailure("", error))
    })
  )

/**
 * Replays a run out of its own directory, or with another plan's file to see where that one parts from it. Never
 * fails.
 */
export const replayRun = Effect.fn("Engine.replayRun")(
  (runId: string, options: { readonly plan?: string } = {}) =>
    Effect.gen(function* () {
      const id = yield* (yield* Journal).runId(runId)
      return yield* replayOpened(
        id,
        Effect.fnUntraced(function* (journal) {
          const { inputs, ready, spec } = yield* storedPlan(journal)
          const other = options.plan === undefined ? ready : (yield* readyFile(options.plan, false)).ready
          const driver = yield* launchPlan(other, inputs, { turnTimeoutMs: patience(journal, options.plan) })
          const isScript = other.bundle.kind === "workflow"
          return {
            driver,
            args: inputs.args,
            boards: spec.boards ?? {},
            isScript,
            dialect: inDialect(other.bundle)
          }
        })
      )
    }).pipe(
      Effect.catchTag("JournalError", (error) => Effect.succeed(replayFailure(runId, error))),
      Effect.catchTags({
        PlanError: ({ code, message }) => Effect.succeed(failed(runId, code, message)),
        PreludeError: ({ message }) => Effect.succeed(failed(runId, "prelude_unavailable", message))
      })
    )
)
