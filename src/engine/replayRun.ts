// Replay: the plan runs again on the journal alone. Same calls and same result, or a named divergence. Nothing is
// dispatched, nothing written; the directory may be read-only.
import { Clock, Deferred, Effect, Option, type Scope } from "effect"
import type { Json } from "../domain/canonicalJson.ts"
import type { RunId, RunSpec } from "../domain/RunSpec.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { RunJournal } from "../journal/RunJournal.ts"
import type { PlanDriver } from "../plan/PlanProtocol.ts"
import { makeCallBook } from "./CallBook.ts"
import { catchUp } from "./catchUp.ts"
import { endDiffers, missingCall, noteDiffers, resultDiffers } from "./Divergence.ts"
import type { ReplaySummary } from "./Engine.ts"
import type { RunContext } from "./RunContext.ts"
import { asWritten, inDialect, launchPlan, readyFile, storedPlan } from "./planLaunch.ts"
import { findRun } from "./findRun.ts"
import { noteOf, readEvent, readScheduled, RunHistory } from "./RunHistory.ts"
import type { Session } from "./Session.ts"
import { resultValue } from "./summarize.ts"

/** Codes by which a plan's process ends for want of time or memory: what this machine is short of, not the plan. */
const starved: ReadonlySet<string> = new Set(["plan_timeout", "plan_out_of_memory", "plan_crashed"])

/** Codes of runs that failed although the plan returned. */
const returned: ReadonlySet<string> = new Set(["budget_exceeded", "gate_failed", "no_mission"])

/** What the journal has and the plan did not do. */
const leftOut = Effect.fnUntraced(function* (journal: RunJournal, history: RunHistory, session: Session) {
  const noted = history.notedAs(session.notesSeen)
  if (noted !== undefined) {
    const event = Option.getOrUndefined(yield* readEvent(journal, noted))
    return noteDiffers(noted, event === undefined ? undefined : noteOf(event), undefined)
  }
  for (let n = session.lastIssued + 1; n <= history.lastNumber; n++) {
    const seq = history.scheduledAs(n)
    if (seq === undefined) continue
    return missingCall({ n, seq, ...(yield* readScheduled(journal, seq)) })
  }
  return undefined
})

/** How the plan ended, against how the run did. */
const compareEnd = Effect.fnUntraced(function* (journal: RunJournal, history: RunHistory, session: Session) {
  const { end } = history
  const { state } = session
  if (end === undefined) return undefined
  const imposed =
    end.type === "RunFailed" && (returned.has(end.error.code) || end.error.code === history.broken?.code)
  if (end.type === "RunFailed" && !imposed) {
    if (state.t !== "failed") return endDiffers(end.seq, `ended with ${end.error.code}`, "did not")
    if (state.error.code === end.error.code) return undefined
    return endDiffers(end.seq, `ended with ${end.error.code}`, `ends with ${state.error.code}`)
  }
  if (state.t === "failed")
    return endDiffers(end.seq, "returned", `ends with ${state.error.code}: ${state.error.message}`)
  if (state.t === "waiting") return endDiffers(end.seq, "returned", "waits for a call")
  const { done, of } = session.coverage
  if (end.coverage.done !== done || end.coverage.of !== of) {
    return endDiffers(
      end.seq,
      `covered ${end.coverage.done} of ${end.coverage.of}`,
      `covers ${done} of ${of}`
    )
  }
  if (end.status === "incomplete" && session.lostUnaccepted === 0) {
    return endDiffers(end.seq, "was incomplete", "accepts what it lost")
  }
  const journaled = end.type === "RunCompleted" ? yield* journal.result : end.result
  const now = resultValue(state.result)
  const found = resultDiffers(end.seq, journaled, now)
  return found.pointer === undefined ? undefined : found
})

const replaying = Effect.fnUntraced(function* (journal: RunJournal, history: RunHistory, run: RunContext) {
  // The council said no before the plan began: there is nothing of the plan to compare.
  if (history.neverBegan) return undefined
  const { session } = yield* Effect.catchTag(catchUp(run, history), "Stopped", (stopped) =>
    Effect.die(stopped)
  )
  if (session.divergence !== undefined) return session.divergence
  const { end } = history
  if (end === undefined) return undefined
  // A run that was ended for want of time or memory did so somewhere; being ended elsewhere is no divergence.
  if (end.type === "RunFailed" && starved.has(end.error.code)) return undefined
  if (history.strict) {
    const less = yield* leftOut(journal, history, session)
    if (less !== undefined) return less
  }
  return yield* compareEnd(journal, history, session)
})

const failed = (runId: string, code: string, message: string, cure?: string): ReplaySummary => ({
  type: "ReplaySummary",
  ok: false,
  runId,
  identical: false,
  events: 0,
  error: { code, message, ...(cure === undefined ? {} : { cure }) }
})

const replayFailure = (runId: string, error: JournalError): ReplaySummary =>
  failed(runId, error.code, error.message, error.cure)

/** Replays an opened run with a plan that was not started yet. */
const replayWith = Effect.fnUntraced(function* (
  journal: RunJournal,
  history: RunHistory,
  driver: PlanDriver,
  boards: NonNullable<RunSpec["boards"]>
) {
  const run: RunContext = {
    journal,
    driver,
    council: () => undefined,
    book: yield* makeCallBook(boards),
    concurrency: 1,
    budget: {},
    contract: undefined,
    rooms: {},
    boards,
    approve: [],
    acceptLoss: true,
    minCoverage: undefined,
    reuse: () => Effect.succeed(Option.none<Json>()),
    hermetic: undefined,
    hostClock: yield* Clock.Clock,
    observe: () => Effect.void,
    stop: yield* Deferred.make<string>()
  }
  const divergence = yield* replaying(journal, history, run)
  const summary: ReplaySummary = {
    type: "ReplaySummary",
    ok: divergence === undefined,
    runId: journal.runId,
    identical: divergence === undefined,
    events: journal.state().lastSeq,
    ...(history.strict ? {} : { compared: "content" as const }),
    ...(divergence === undefined ? {} : { divergence })
  }
  return summary
})

/** A plan that was started, and the boards that its councils know by name. */
interface Launched {
  readonly driver: PlanDriver
  readonly boards: NonNullable<RunSpec["boards"]>
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
  launch: (journal: RunJournal) => Effect.Effect<Launched, E, R | Scope.Scope>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const history = new RunHistory()
      const journal = yield* (yield* Journal).open(runId, "read", (event) => history.add(event))
      const { boards, driver, dialect } = yield* launch(journal)
      return yield* replayWith(journal, history, driver, boards).pipe(dialect)
    })
  )

/** Replays the run that `spec` names. */
export const replayJournal = <R>(spec: RunSpec, launch: Effect.Effect<PlanDriver, never, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const { runId } = yield* findRun(spec)
    return yield* Effect.catch(
      replayOpened(runId, () =>
        Effect.map(launch, (driver): Launched => ({ driver, boards: spec.boards ?? {}, dialect: asWritten }))
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
          return { driver, boards: spec.boards ?? {}, dialect: inDialect(other.bundle) }
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
