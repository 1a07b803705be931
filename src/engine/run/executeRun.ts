// One run from opening its directory to its summary: create or resume, catch up, go live, seal. Every way it can end
// is a summary; nothing is thrown and nothing fails past here. Callers bring the spec and a way to start the plan.
import { Clock, Deferred, Effect, Random, Result, type Scope } from "effect"
import type { Budget, Contract } from "../../domain/Contract.ts"
import { callId, type CallRef } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunErrorInfo, RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunSpec } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { committedUsd, inDoubt } from "../../journal/state/RunState.ts"
import type { NewRun } from "../../journal/store/RunMeta.ts"
import { makeLogicalClock } from "../../kernel/LogicalClock.ts"
import { RunChildren } from "../../kernel/subprocess/RunChildren.ts"
import { makeTurnScheduler } from "../../kernel/TurnScheduler.ts"
import type { PlanDriver } from "../../plan/host/PlanProtocol.ts"
import { makeCallBook } from "../calls/CallBook.ts"
import { driveRun, type PlanRun } from "./driveRun.ts"
import { EngineVersions } from "../EngineVersions.ts"
import { changedFrom, findRun, type FoundRun } from "../launch/findRun.ts"
import { keepTexts } from "../launch/keptText.ts"
import { lentTo } from "../reuse/lending.ts"
import { nothingLent } from "../reuse/lentCopy.ts"
import { makeRunTelemetry } from "../telemetry/RunTelemetry.ts"
import { Subflows } from "../subflows/Subflows.ts"
import { append, type RunContext } from "./RunContext.ts"
import { RunHistory } from "../replay/RunHistory.ts"
import { diskIsFull, journalFailure } from "./journalFailure.ts"
import { counts, Witness } from "../people/Witness.ts"
import {
  failureCure,
  lossError,
  noCalls,
  notPlain,
  summarize,
  notStarted,
  type SummaryParts
} from "./summarize.ts"

export interface ExecuteOptions {
  /** How many model calls may be in flight. Recorded, since it shapes the log of a hermetic run. */
  readonly concurrency: number
  readonly budget: Budget
  readonly contract: Contract | undefined
  readonly approve: RunContext["approve"]
  readonly boards: Readonly<Record<string, Json>>
  readonly brake?: "off"
  readonly acceptLoss: boolean
  readonly maxJournalBytes?: number
  readonly minCoverage?: number
  /** Drop the failed answers of an ended run and run on. */
  readonly retryFailed: boolean
  /** Texts that a run that is gone on with keeps from now on, by role. */
  readonly keep: Readonly<Record<string, string>>
  /** Write no call cache. */
  readonly noCache: boolean
  /** What was approved in events up to this `seq` does not count. */
  readonly foreignUntil: number
  /** The run whose answers are taken, opened to be read, where one is named now. */
  readonly lender?: RunJournal
  readonly observe?: (event: RunEvent) => Effect.Effect<void>
  readonly issued?: RunContext["issued"]
  readonly observeDurable?: (event: RunEvent) => Effect.Effect<void>
  /** Completed with a signal's name when the run shall stop. */
  readonly stop?: Deferred.Deferred<string>
}

export interface RunRequest<R1, R2> {
  readonly spec: RunSpec
  /** The run, where the caller has looked for it. Otherwise the spec names it. */
  readonly found?: FoundRun
  /** What a new run's directory is made of. */
  readonly describe: Effect.Effect<NewRun, JournalError, R1>
  /** Starts the plan. Its process or fibers end with the scope. */
  readonly launch: Effect.Effect<PlanDriver, never, R2 | Scope.Scope>
  /** Why the run shall not be made or gone on with, if so. Asked before anything is. */
  readonly preflight?: Effect.Effect<RunErrorInfo | undefined>
  readonly options: ExecuteOptions
}

/** The summary of a run that has ended, as it stands in its journal. Nothing is executed. */
export const summaryOfEnd = Effect.fnUntraced(function* (
  journal: RunJournal,
  history: RunHistory,
  durationMs: number
) {
  const state = journal.state()
  const { end } = history
  if (end === undefined) return undefined
  const calls = {
    ...noCalls,
    total: state.modelCompleted,
    replayed: state.modelCompleted,
    failed: state.modelFailed
  }
  const base = {
    runId: journal.runId,
    dir: journal.dir,
    coverage: end.coverage,
    calls,
    durationMs,
    costBefore: committedUsd(state),
    ...defined({ notices: end.notices })
  }
  if (end.type === "RunFailed") {
    const result = end.resultBlob === undefined ? end.result : yield* journal.blobs.get(end.resultBlob.blob)
    return summarize(state, {
      ...base,
      status: end.status,
      ...defined({ result }),
      error: { cure: failureCure(journal.runId, end.error.code, state, history.isProgram), ...end.error },
      ...defined({ findings: end.findings })
    })
  }
  const result = yield* journal.result
  return summarize(state, {
    ...base,
    status: end.status,
    ...defined({ result }),
    ...(end.status === "incomplete" ? { error: lossError(end.coverage, journal.runId, state) } : {})
  })
})

const openJournal = Effect.fnUntraced(function* <R1, R2>(
  request: RunRequest<R1, R2>,
  { known, runId }: FoundRun,
  history: RunHistory
) {
  const store = yield* Journal
  const { spec } = request
  if (!known) {
    const created = yield* Effect.result(store.create(yield* request.describe))
    if (Result.isSuccess(created)) return created.success
    // Another process made it, and let go of it, since we looked.
    if (created.failure.code !== "run_exists") return yield* created.failure
  }
  const journal = yield* store.open(runId, "write", (event) => history.add(event))
  const changed = yield* changedFrom(journal, spec)
  if (changed.length === 0) return journal
  return yield* new JournalError({
    code: "meta_mismatch",
    path: journal.dir,
    problem: `the directory holds another run: ${changed.join(", ")} differ`,
    cure: "choose another --base-dir",
    changed
  })
})

/** What the journal has to say of the run's files, from the `from`-th warning on: a torn line, a disk that cannot sync. */
const tellWarnings = (journal: RunJournal, from = 0) =>
  Effect.suspend(() => {
    const warnings = journal.warnings().slice(from)
    return Effect.as(
      Effect.forEach(warnings, (warning) => Effect.logWarning(`${journal.runId}: ${warning}`), {
        discard: true
      }),
      from + warnings.length
    )
  })

/** A run that another V8 or ICU began: nothing of it is made anew, but what the plan sorts or prints may differ. */
const tellPlatform = Effect.fnUntraced(function* ({ meta, runId }: RunJournal) {
  const now = yield* EngineVersions
  const others = (["v8", "icu"] as const).filter((part) => meta.versions[part] !== now[part])
  if (others.length === 0) return
  const was = others.map((part) => `${part} ${meta.versions[part]} then, ${now[part]} now`)
  yield* Effect.logWarning(
    `${runId}: begun on another platform (${was.join("; ")}); answers are as journaled`
  )
})

/** Runs what `request` describes, or goes on with it, or says how it ended before. Never fails. */
export const executeRun = <R1, R2>(request: RunRequest<R1, R2>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const found = yield* Effect.result(
        request.found === undefined ? findRun(request.spec) : Effect.succeed(request.found)
      )
      if (Result.isFailure(found)) {
        const { failure } = found
        if (failure._tag === "JournalError") return journalFailure(failure)
        return notPlain(failure.message)
      }
      const { known, runId } = found.success
      return yield* Effect.catch(
        Effect.gen(function* () {
          const history = new RunHistory()
          if (request.spec.program !== undefined) history.holdToContent()
          const refused = known ? undefined : yield* request.preflight ?? Effect.undefined
          if (refused !== undefined) return notStarted("invalid", refused)
          const journal = yield* openJournal(request, found.success, history)
          const told = yield* tellWarnings(journal)
          if (known) yield* tellPlatform(journal)
          const summary = yield* runJournal(request, journal, history, known)
          yield* tellWarnings(journal, told)
          return summary
        }),
        (error) => Effect.succeed(journalFailure(error, runId, known))
      )
    })
  )

/**
 * Calls of members whose answer was one, but no statement or vote, and the councils that went without it: failed
 * calls as far as a person can see.
 */
const unreadableCalls = (journal: RunJournal, { unreadable }: RunHistory): ReadonlyArray<CallRef> => {
  const { calls } = journal.state()
  const members = unreadable.flatMap(({ call, subflow }) => {
    const known = calls.get(callId(call))
    return known?.status === "completed" && !known.failed ? [call, subflow] : []
  })
  const byId = new Map(members.map((ref) => [callId(ref), ref]))
  return [...byId.values()].filter((ref) => calls.get(callId(ref))?.status === "completed")
}

/**
 * The summary of a run whose journal could not be written any further: of what is durable. What was asked and has no
 * answer there is held, and in doubt, whatever came back. A full disk stops a run that has begun as any other shortage
 * does.
 */
const summaryOfUnwritten = Effect.fnUntraced(function* (
  journal: RunJournal,
  error: JournalError,
  parts: SummaryParts
) {
  const store = yield* Journal
  const durable = yield* Effect.result(Effect.scoped(store.open(journal.runId, "read")))
  const state = Result.isSuccess(durable) ? durable.success.state() : journal.state()
  const calls = { ...parts.calls, inDoubt: inDoubt(state).length, failed: state.modelFailed }
  const told = state.lastSeq > 0 && error.code === "no_space" ? diskIsFull(parts.runId, error) : {}
  return summarize(state, { ...parts, calls, ...told })
})

const runJournal = Effect.fnUntraced(function* <R1, R2>(
  request: RunRequest<R1, R2>,
  journal: RunJournal,
  history: RunHistory,
  known: boolean
) {
  const { options, spec } = request
  const hostClock = yield* Clock.Clock
  const startedAt = hostClock.currentTimeMillisUnsafe()
  const also = unreadableCalls(journal, history)
  const reopen =
    options.retryFailed &&
    (journal.state().failed > 0 || also.length > 0 || history.end?.type === "RunFailed")
  if (options.retryFailed && !reopen) {
    yield* Effect.logWarning(
      `${journal.runId}: --retry-failed: no call of the run has failed, so none is made again`
    )
  }
  // The code of a program is no part of what its run is: it may have been mended since it failed.
  const again = !reopen && history.isProgram && history.failedByItself
  if (history.end !== undefined && !reopen && !again) {
    const ended = yield* summaryOfEnd(journal, history, hostClock.currentTimeMillisUnsafe() - startedAt)
    if (ended !== undefined) return ended
  }
  const witness = yield* Witness
  // What was written elsewhere counts only by a MAC of this user's: where there is no key, nothing of it does.
  const forgotten = history.disown(
    options.foreignUntil,
    (asked, said, isForeign) =>
      (witness !== undefined || !isForeign) && counts(witness, journal.runId, asked, said)
  )
  if (forgotten.length > 0) {
    yield* Effect.logWarning(
      `${journal.runId}: ${forgotten.join(", ")} in the log, which nothing proves that this machine wrote: what would still act by it is asked again`
    )
  }
  // Of a run that was written elsewhere to its last event, nothing was answered here.
  if (options.foreignUntil > 0 && options.foreignUntil >= journal.state().lastSeq) {
    for (const item of yield* journal.inbox.items) yield* journal.inbox.remove(item)
  }
  // Before a person is asked whether it may cost something: they are told if a lender is gone.
  const reuse = yield* lentTo(journal, options.lender, spec.fork)
  const refused = known ? yield* request.preflight ?? Effect.undefined : undefined
  if (refused !== undefined) return notStarted("invalid", refused, { runId: journal.runId, dir: journal.dir })
  if (known) yield* keepTexts(journal, options.keep)
  const hermetic =
    spec.hermetic === true
      ? { clock: makeLogicalClock(history.lastAt), turns: makeTurnScheduler() }
      : undefined
  const driver = yield* request.launch
  const book = yield* makeCallBook(options.boards, spec.fork)
  const telemetry = yield* makeRunTelemetry(journal, spec.program !== undefined)
  const run: PlanRun = {
    journal,
    driver,
    book,
    concurrency: options.concurrency,
    budget: options.budget,
    brake: options.brake,
    acceptLoss: options.acceptLoss,
    minCoverage: options.minCoverage,
    reuse: reuse ?? nothingLent,
    contract: options.contract,
    subflows: yield* Subflows,
    boards: options.boards,
    approve: options.approve,
    hermetic,
    hostClock,
    observe: (event) => Effect.andThen(telemetry.observe(event), options.observe?.(event) ?? Effect.void),
    spanOf: telemetry.spanOf,
    issued: options.issued,
    stop: options.stop ?? (yield* Deferred.make<string>())
  }
  if (options.noCache) journal.withoutCache()
  if (options.maxJournalBytes !== undefined) journal.boundBytes(options.maxJournalBytes)
  if (options.observeDurable !== undefined) journal.watch(options.observeDurable)
  const costBefore = committedUsd(journal.state())
  const drive = Effect.gen(function* () {
    if (reopen) {
      const { failed } = journal.state()
      const event = yield* append(run, {
        type: "RunReopened",
        failed: failed + also.length,
        ...(also.length === 0 ? {} : { also })
      })
      history.add(event)
    }
    if (again) {
      history.add(yield* append(run, { type: "RunReopened", failed: 0, only: [...history.diedSteps] }))
    }
    return yield* driveRun(run, history, reopen || again)
  }).pipe(Effect.ensuring(telemetry.end))
  const driven = Effect.provideService(drive, RunChildren, journal.children)
  const ended = yield* hermetic === undefined
    ? driven
    : driven.pipe(Effect.provideService(Clock.Clock, hermetic.clock.clock), Random.withSeed(journal.runId))
  const parts = {
    runId: journal.runId,
    dir: journal.dir,
    costBefore,
    durationMs: hostClock.currentTimeMillisUnsafe() - startedAt,
    ...ended
  }
  return ended.unwritten === undefined
    ? summarize(journal.state(), parts)
    : yield* summaryOfUnwritten(journal, ended.unwritten, parts)
})
