// Drives an opened run to its end in this process: catch up with the journal, go live, write how it ended.
import { Effect } from "effect"
import type { RunEventBody } from "../domain/RunEvent.ts"
import type { RunSummary } from "../domain/RunSummary.ts"
import type { PlanState } from "../plan/PlanProtocol.ts"
import { catchUp } from "./catchUp.ts"
import type { Divergence } from "./Divergence.ts"
import { ledgerOf } from "./ledgerOf.ts"
import type { LiveCounts } from "./LiveAnswers.ts"
import { liveRun } from "./liveRun.ts"
import type { Suspension } from "./pendingItems.ts"
import { append, type RunContext } from "./RunContext.ts"
import type { RunHistory } from "./RunHistory.ts"
import type { Session } from "./Session.ts"
import { lossError, resultValue, retryCure, type SummaryParts } from "./summarize.ts"

type Ended = Pick<
  SummaryParts,
  "status" | "result" | "error" | "findings" | "suspended" | "coverage" | "calls"
>
type End = Extract<RunEventBody, { type: "RunCompleted" | "RunFailed" }>

/** How the plan's end is journaled. `counts`: of the whole run, what the budget refused and which gate closed. */
const endOf = (
  run: RunContext,
  session: Session,
  state: PlanState,
  { closedGate, overBudget }: Pick<LiveCounts, "closedGate" | "overBudget">
): End => {
  const { coverage } = session
  if (state.t === "failed") {
    const { error, findings } = state
    return {
      type: "RunFailed",
      status: error.code === "non_deterministic" ? "refused" : error.code === "no_run" ? "invalid" : "failed",
      error,
      ...(findings === undefined ? {} : { findings }),
      coverage
    }
  }
  const value = state.t === "returned" ? resultValue(state.result) : undefined
  const result = value === undefined ? {} : { result: value }
  if (overBudget > 0 && !run.acceptLoss) {
    const error = {
      code: "budget_exceeded",
      message: `${overBudget} call(s) did not fit in the budget and were not made`,
      cure: `raise the budget, then: ${retryCure(run.journal.runId)}`
    }
    return { type: "RunFailed", status: "failed", error, ...result, coverage }
  }
  if (closedGate !== undefined) {
    const { detail, gate } = closedGate
    const why = typeof detail === "string" ? `: ${detail}` : ""
    const error = {
      code: "gate_failed",
      message: `the gate ${gate} did not pass${why}`,
      cure: `alembic inspect ${run.journal.runId}; once what it says is mended: ${retryCure(run.journal.runId)}`
    }
    return { type: "RunFailed", status: "failed", error, ...result, coverage }
  }
  return {
    type: "RunCompleted",
    status: session.lostSlots > 0 ? "incomplete" : "completed",
    ...result,
    coverage
  }
}

const endedBy = (end: End, runId: string): Pick<Ended, "status" | "result" | "error" | "findings"> => ({
  status: end.status,
  ...(end.result === undefined ? {} : { result: end.result }),
  ...(end.type === "RunFailed" ? { error: { cure: retryCure(runId), ...end.error } } : {}),
  ...(end.type === "RunFailed" && end.findings !== undefined ? { findings: end.findings } : {}),
  ...(end.status === "incomplete" ? { error: lossError(end.coverage, runId) } : {})
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
  ...(until === undefined ? {} : { until }),
  ...(error === undefined ? {} : { error })
})

const interrupted = (run: RunContext, signal: string) =>
  Effect.andThen(append(run, { type: "RunInterrupted", signal }), run.journal.checkpoint)

/** `reopened`: the run had ended and goes on without its failed answers. */
export const driveRun = Effect.fnUntraced(function* (
  run: RunContext,
  history: RunHistory,
  reopened: boolean
) {
  const { journal } = run
  const { beyond, replayed, session } = yield* catchUp(run, history)
  const counts: LiveCounts = {
    live: 0,
    cached: 0,
    replayed,
    failed: 0,
    inDoubt: 0,
    overBudget: history.overBudget,
    closedGate: history.closedGate
  }
  const calls = (): RunSummary["calls"] => {
    const { cached, failed, inDoubt, live } = counts
    return {
      total: live + cached + counts.replayed,
      live,
      cached,
      replayed: counts.replayed,
      failed,
      inDoubt
    }
  }
  const parts = () => ({ coverage: session.coverage, calls: calls() })
  if (session.divergence !== undefined) return { ...diverged(session.divergence, journal.runId), ...parts() }

  if (history.isEmpty) {
    const hermetic = run.hermetic === undefined ? {} : { hermetic: true }
    yield* append(run, {
      type: "RunStarted",
      runId: journal.runId,
      v: 1,
      concurrency: run.concurrency,
      ...hermetic
    })
  } else if (!reopened) yield* append(run, { type: "RunResumed" })

  const ledger = ledgerOf(run.budget, journal.state())
  const live = yield* Effect.scoped(liveRun(run, history, session, beyond, ledger, counts)).pipe(
    Effect.onInterrupt(() => Effect.ignore(interrupted(run, "interrupt")))
  )
  if (live.t === "stopped") {
    yield* interrupted(run, live.signal)
    return {
      status: "interrupted" as const,
      error: {
        code: "interrupted",
        message: `stopped by ${live.signal}; every answer so far is kept`,
        cure: `alembic resume ${journal.runId}`
      },
      ...parts()
    }
  }
  if (live.t === "suspended") {
    const suspended = suspendedBy(live)
    if (suspended !== undefined) yield* append(run, { type: "RunSuspended", ...suspended })
    yield* journal.checkpoint
    return { status: "suspended" as const, ...(suspended === undefined ? {} : { suspended }), ...parts() }
  }
  const end = endOf(run, session, session.state, counts)
  yield* append(run, end)
  yield* journal.commit
  yield* journal.seal(end.result)
  return { ...endedBy(end, journal.runId), ...parts() } satisfies Ended
})
