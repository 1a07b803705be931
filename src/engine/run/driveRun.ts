// Drives an opened run to its end in this process: catch up with the journal, go live, write how it ended.
import { Effect } from "effect"
import { councilFirstRules } from "../../domain/run/rules.ts"
import type { RunEventBody } from "../../domain/run/RunEvent.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import { committedOf } from "../../domain/budget/Spending.ts"
import { wholeNanos } from "../../domain/budget/nanos.ts"
import { defined } from "../../domain/defined.ts"
import { journalErrorInfo, journalStatus } from "../../journal/state/journalStatus.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { RunState } from "../../journal/state/RunState.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import type { PlanDriver, PlanState } from "../../plan/host/PlanProtocol.ts"
import { takeInbox } from "../people/answerItem.ts"
import { wholeRun } from "../budget/BudgetDesk.ts"
import type { RefusedBy } from "../budget/RefusedBy.ts"
import { catchUp } from "./catchUp.ts"
import type { Divergence } from "../replay/Divergence.ts"
import { gatedPlan } from "../gates/gatedPlan.ts"
import type { LiveCounts } from "../calls/LiveAnswers.ts"
import { liveRun } from "./liveRun.ts"
import type { Suspension } from "../people/pendingItems.ts"
import { append, type RunContext } from "./RunContext.ts"
import type { RunHistory } from "../replay/RunHistory.ts"
import type { Session } from "./Session.ts"
import {
  editCure,
  failureCure,
  lossError,
  resultValue,
  retryCure,
  retryRefused,
  type SummaryParts
} from "./summarize.ts"

type Ended = Pick<
  SummaryParts,
  "status" | "result" | "notices" | "error" | "findings" | "suspended" | "coverage" | "calls"
> & {
  /** What kept the journal from being written any further. Absent: it was written to its end. */
  readonly unwritten?: JournalError
}
type End = Extract<RunEventBody, { type: "RunCompleted" | "RunFailed" }>

const overBudgetText = (calls: number, { bound }: RefusedBy = {}): string =>
  bound === "price"
    ? `${calls} call(s) were not sent: what a model costs is not known, and there is a cost bound`
    : `${calls} call(s) did not fit in the budget and were not sent`

/** The next number above with two digits that count. */
const roundedUp = (usd: number): number => {
  const step = 10 ** (Math.floor(Math.log10(usd)) - 1)
  return wholeNanos(Math.ceil(wholeNanos(usd) / step - 1e-9) * step)
}

/** A cap under which what was refused fits besides what is committed; twice the one there was at least. */
const roomyCap = (run: RunContext, cap: number, calls: number, needUsd = 0): number => {
  const committed = committedOf(run.journal.state().spending.of())
  return roundedUp(Math.max(cap * 2, committed + needUsd * calls, 1e-9))
}

/**
 * What to type when the budget was too small. A contract's budget is part of what the run is: with another it is another
 * run.
 */
const moreBudgetCure = (
  run: RunContext,
  calls: number,
  { bound, budget: of, model = "its model", needUsd }: RefusedBy = {}
): string => {
  const { budget, contract, journal } = run
  const { runId } = journal
  const again = `${editCure(runId)} (what was answered is not paid again)`
  if (bound === "price")
    return `name the price of ${model} under prices in alembic.json, then: ${retryCure(runId)} --config alembic.json`
  if (of !== undefined && of !== wholeRun) return `raise ${of}, then: ${again}`
  return contract?.budget === undefined && budget.usd !== undefined
    ? `${retryCure(runId)} --max-usd ${budget.usd > 0 ? roomyCap(run, budget.usd, calls, needUsd) : 1}`
    : `raise the contract's budget, then: ${again}`
}

/** How the plan's end is journaled. `counts`: of the whole run, what the budget refused and which gate closed. */
const endOf = (
  run: RunContext,
  session: Session,
  state: PlanState,
  {
    broken,
    closedGate,
    overBudget,
    refusedBy
  }: Pick<LiveCounts, "broken" | "closedGate" | "overBudget" | "refusedBy">
): End => {
  const { coverage } = session
  if (state.t === "failed") {
    const { error, findings } = state
    return {
      type: "RunFailed",
      status: error.code === "non_deterministic" ? "refused" : error.code === "no_run" ? "invalid" : "failed",
      error,
      ...defined({ findings }),
      coverage
    }
  }
  const value = state.t === "returned" ? resultValue(state.result) : undefined
  const notices = state.t === "returned" ? state.notices : undefined
  const result = value === undefined ? {} : { result: value, ...defined({ notices }) }
  if (overBudget > 0 && !run.acceptLoss) {
    const error = {
      code: "budget_exceeded",
      message: overBudgetText(overBudget, refusedBy),
      cure: moreBudgetCure(run, overBudget, refusedBy)
    }
    return { type: "RunFailed", status: "failed", error, ...result, coverage }
  }
  if (broken !== undefined && !run.acceptLoss) {
    const error = {
      ...broken,
      cure: `correct it, then: ${editCure(run.journal.runId)} (pays only for what changed)`
    }
    return { type: "RunFailed", status: "failed", error, ...result, coverage }
  }
  if (closedGate !== undefined) {
    const { detail, gate } = closedGate
    const why = typeof detail === "string" ? `: ${detail}` : ""
    const { runId } = run.journal
    const again = retryRefused(runId, run.journal.state())
    // A person's refusal stands: it is not asked for again, and only another word of theirs is another.
    const cure =
      gate === "publish" && detail === "refused"
        ? `to publish it after all: ${retryCure(runId)} --approve publish`
        : again !== retryCure(runId)
          ? again
          : `alembic inspect ${runId}; once what it says is mended: ${again}`
    const error = { code: "gate_failed", message: `the gate ${gate} did not pass${why}`, cure }
    return { type: "RunFailed", status: "failed", error, ...result, coverage }
  }
  return {
    type: "RunCompleted",
    status: session.lostSlots > 0 ? "incomplete" : "completed",
    ...result,
    coverage
  }
}

const endedBy = (
  end: End,
  runId: string,
  state: RunState,
  isProgram: boolean
): Pick<Ended, "status" | "result" | "notices" | "error" | "findings"> => ({
  status: end.status,
  ...defined({ result: end.result, notices: end.notices }),
  ...(end.type === "RunFailed"
    ? { error: { cure: failureCure(runId, end.error.code, state, isProgram), ...end.error } }
    : {}),
  ...(end.type === "RunFailed" && end.findings !== undefined ? { findings: end.findings } : {}),
  ...(end.status === "incomplete" ? { error: lossError(end.coverage, runId, state) } : {})
})

const diverged = (divergence: Divergence, runId: string): Pick<Ended, "status" | "error"> => ({
  status: "failed",
  error: {
    code: "diverged",
    message: divergence.message,
    ...divergence.site,
    cure: `alembic replay ${runId} shows where; the journal was not touched`
  }
})

const suspendedBy = ({ error, items, reason, until }: Suspension): RunSummary["suspended"] => ({
  reason,
  items,
  ...defined({ until, error })
})

const interrupted = Effect.fnUntraced(function* (run: RunContext, signal: string) {
  // A run that had not begun has nothing to write down.
  if (run.journal.state().lastSeq === 0) return
  yield* append(run, { type: "RunInterrupted", signal })
  yield* run.journal.checkpoint
})

const stoppedBy = (signal: string, runId: string): Pick<Ended, "status" | "error"> => ({
  status: "interrupted",
  error: {
    code: "interrupted",
    message: `stopped by ${signal}; every answer so far is kept`,
    cure: `alembic resume ${runId}`
  }
})

/** What the plan had asked for when it failed and nobody had made: so the journal has every call that it issued. */
const cancelUnmade = Effect.fnUntraced(function* (run: RunContext, session: Session) {
  for (const { id, n, ref } of session.pending.values()) {
    if (n > 0 && run.journal.state().calls.get(id) === undefined)
      yield* append(run, { type: "CallCancelled", n, ...ref })
  }
})

/** What is known of the run when it ends, however it ends. */
interface Progress {
  session: Session | undefined
  readonly counts: LiveCounts
}

const partsOf = (journal: RunJournal, { counts, session }: Progress): Pick<Ended, "coverage" | "calls"> => {
  const { cached, inDoubt, live, replayed } = counts
  const failed = journal.state().modelFailed
  return {
    coverage: session?.coverage ?? { done: 0, of: 0 },
    calls: { total: live + cached + replayed, live, cached, replayed, failed, inDoubt }
  }
}

const toItsEnd = Effect.fnUntraced(function* (
  run: RunContext,
  history: RunHistory,
  reopened: boolean,
  progress: Progress
) {
  const { journal } = run
  const { counts } = progress
  // Before anything is asked: what was answered while nobody could take it.
  if (!history.isEmpty) {
    for (const event of yield* takeInbox(journal, (body) => append(run, body))) history.add(event)
  }
  // The process before this one stopped right after the gates: what they were decided on may have changed since.
  const stale = reopened ? undefined : history.decidedGates
  if (stale !== undefined) history.add(yield* append(run, { type: "RunReopened", failed: 0, only: [stale] }))
  // What the journal answers, in subflows too, which are asked nothing where their own answer is known.
  counts.replayed = journal.state().modelCompleted
  const { beyond, session } = yield* catchUp(run, history)
  progress.session = session
  if (session.divergence !== undefined) return diverged(session.divergence, journal.runId)

  if (history.isEmpty) {
    const hermetic = run.hermetic === undefined ? {} : { hermetic: true }
    const { concurrency } = run
    const { rules } = journal.state()
    yield* append(run, { type: "RunStarted", runId: journal.runId, v: 1, concurrency, ...hermetic, rules })
  } else if (!reopened && stale === undefined) {
    yield* append(run, { type: "RunResumed", ...(journal.tookOver ? { tookOver: true } : {}) })
  }

  const live = yield* Effect.scoped(liveRun(run, history, session, beyond, counts)).pipe(
    Effect.onInterrupt(() => Effect.ignore(interrupted(run, "interrupt")))
  )
  if (live._tag === "stopped") {
    yield* interrupted(run, live.signal)
    return stoppedBy(live.signal, journal.runId)
  }
  if (live._tag === "suspended") {
    const suspended = suspendedBy(live)
    if (suspended !== undefined) yield* append(run, { type: "RunSuspended", ...suspended })
    // Who answered while the run was stopping finds it stopped: their answer is in the log by then.
    yield* takeInbox(journal, (body) => append(run, body))
    yield* journal.checkpoint
    return { status: "suspended" as const, ...defined({ suspended }) }
  }
  const state: PlanState =
    live._tag === "unwritable" ? { t: "failed", error: journalErrorInfo(live.error) } : session.state
  yield* cancelUnmade(run, session)
  // Who answered in time is not told later that nobody did.
  yield* takeInbox(journal, (body) => append(run, body))
  const end = endOf(run, session, state, counts)
  yield* append(run, end)
  yield* journal.commit
  yield* journal.seal(end.result)
  return endedBy(end, journal.runId, journal.state(), history.isProgram)
})

/** A run as it is opened: its plan is not yet between its gates. */
export type PlanRun = Omit<RunContext, "driver" | "council"> & { readonly driver: PlanDriver }

/** Whether a run whose plan returned fails whatever its gates say, so that nobody is asked about them. */
const failsAnyway = (
  { acceptLoss }: Pick<RunContext, "acceptLoss">,
  { broken, overBudget }: Pick<LiveCounts, "broken" | "overBudget">
): boolean => !acceptLoss && (overBudget > 0 || broken !== undefined)

/**
 * `reopened`: the run had ended and goes on without its failed answers. Never fails: a journal that cannot be written
 * any further is how the run ends, with what is known of it.
 */
export const driveRun = Effect.fnUntraced(function* (plan: PlanRun, history: RunHistory, reopened: boolean) {
  const { broken, closedGate, overBudget, refusedBy } = history
  const counts: LiveCounts = {
    live: 0,
    cached: 0,
    replayed: 0,
    inDoubt: 0,
    broken,
    closedGate,
    passedGates: new Set(history.passedGates),
    overBudget,
    refusedBy
  }
  const progress: Progress = { session: undefined, counts }
  const { council, driver } = gatedPlan(plan.driver, plan.contract, {
    councilFirst: plan.journal.state().rules >= councilFirstRules,
    seen: () => ({
      passed: counts.passedGates,
      closed: counts.closedGate !== undefined || failsAnyway(plan, counts),
      reopened: plan.journal.state().reopened
    })
  })
  const run: RunContext = { ...plan, driver, council }
  const ended: Omit<Ended, "coverage" | "calls"> = yield* toItsEnd(run, history, reopened, progress).pipe(
    Effect.catchTag("Stopped", ({ signal }) =>
      Effect.as(interrupted(run, signal), stoppedBy(signal, run.journal.runId))
    ),
    Effect.catchTag("JournalError", (error) =>
      Effect.succeed({ status: journalStatus(error), error: journalErrorInfo(error), unwritten: error })
    )
  )
  return { ...ended, ...partsOf(run.journal, progress) }
})
