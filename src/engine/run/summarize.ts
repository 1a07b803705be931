// From a run's journal to its summary (spec 11): the same for a run that has just ended, one printed again, and one
// that never began.
import { Result } from "effect"
import { defined } from "../../domain/defined.ts"
import { canonicalJson, type Json } from "../../domain/json/canonicalJson.ts"
import type { Coverage, RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { RunStatus } from "../../domain/run/RunStatus.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import { costOfRun, knownCost, toldCost, type RunState } from "../../journal/state/RunState.ts"

export const noCalls: RunSummary["calls"] = {
  total: 0,
  live: 0,
  cached: 0,
  replayed: 0,
  failed: 0,
  inDoubt: 0
}

const nothingSpent = { spentUsd: 0, heldUsd: 0, heldCalls: 0, unknownCostCalls: 0, unpricedCalls: 0 }

/** The summary of what ended before it had a journal. */
export const notStarted = (
  status: RunStatus,
  error: RunErrorInfo,
  more: { readonly runId?: string; readonly dir?: string; readonly changed?: ReadonlyArray<string> } = {}
): RunSummary => ({
  type: "RunSummary",
  ok: false,
  ...defined({ runId: more.runId }),
  status,
  error,
  ...defined({ changed: more.changed }),
  coverage: { done: 0, of: 0 },
  calls: noCalls,
  usage: { inputTokens: 0, outputTokens: 0 },
  ...nothingSpent,
  durationMs: 0,
  dir: more.dir ?? ""
})

/** The summary of a spec that JSON cannot carry. */
export const notPlain = (problem: string): RunSummary =>
  notStarted("invalid", { code: "invalid_input", message: `the spec is not plain data: ${problem}` })

export interface SummaryParts {
  readonly runId: string
  readonly dir: string
  readonly status: RunStatus
  readonly result?: Json
  readonly notices?: ReadonlyArray<string>
  readonly error?: RunErrorInfo
  readonly findings?: RunSummary["findings"]
  readonly suspended?: RunSummary["suspended"]
  readonly coverage: Coverage
  readonly calls: RunSummary["calls"]
  readonly durationMs: number
  /** Cost before this process began, to tell what it spent itself. */
  readonly costBefore: number
}

/** What to type to make the failed calls again. */
export const retryCure = (runId: string) => `alembic resume ${runId} --retry-failed`

/** Names that a shell takes as they are. */
const isPlain = (name: string): boolean => /^[\w./:-]+$/.test(name)

/**
 * The same where a person has refused some of them: a refusal stands, so that those are named which only another word
 * of theirs lets through, three at most.
 */
export const retryRefused = (
  runId: string,
  { failed, questions }: Pick<RunState, "failed" | "questions">
): string => {
  const names = [...questions.values()].flatMap(({ answer, event: { choices, item, kind, name } }) =>
    kind === "approval" && choices?.includes("approve") === true && answer === "refuse" && name !== "publish"
      ? [name !== undefined && isPlain(name) ? name : item]
      : []
  )
  if (names.length === 0) return retryCure(runId)
  const shown = names.slice(0, 3).map((name) => `--approve ${name}`)
  const approved = [...shown, ...(names.length > 3 ? ["…"] : [])].join(" ")
  return failed > names.length
    ? `${retryCure(runId)} (what was refused stays so without ${approved})`
    : `to have it done although it was refused: ${retryCure(runId)} ${approved}`
}

/** What to type once the plan is corrected: the edited plan is another run, and takes this one's answers. */
export const editCure = (runId: string) => `alembic run --reuse ${runId}`

/** What to do about a run that failed: making calls again helps only where calls failed. */
export const failureCure = (runId: string, code: string, state: RunState, isProgram: boolean): string =>
  isProgram
    ? "mend the program and run it again: what was answered is not paid again"
    : state.failed > 0 && code === "plan_error"
      ? retryRefused(runId, state)
      : `correct the plan, then: ${editCure(runId)} (what was answered is not paid again)`

/** Said of a run that returned with items lost. */
export const lossError = ({ done, of }: Coverage, runId: string, state: RunState): RunErrorInfo => ({
  code: "incomplete",
  message: `${of - done} of ${of} items were lost`,
  cure: `${retryRefused(runId, state)} (or accept the loss: --accept-loss)`
})

/** Sums of floating-point dollars are rounded to a billionth, so that they read as they were billed. */
const dollars = (usd: number) => Math.round(usd * 1e9) / 1e9

/** `costBefore`: what the run had cost when this process began. */
const costs = (state: RunState, costBefore: number) => {
  const cost = costOfRun(state)
  const { costUsd } = knownCost(cost)
  return {
    ...(costUsd === undefined
      ? {}
      : { costUsd: dollars(costUsd), costUsdNow: dollars(costUsd - costBefore) }),
    ...toldCost(cost)
  }
}

export const summarize = (state: RunState, parts: SummaryParts): RunSummary => ({
  type: "RunSummary",
  ok: parts.status === "completed",
  runId: parts.runId,
  status: parts.status,
  ...defined({ result: parts.result, notices: parts.notices, error: parts.error, findings: parts.findings }),
  coverage: parts.coverage,
  ...defined({ suspended: parts.suspended }),
  calls: parts.calls,
  usage: state.usage,
  ...costs(state, parts.costBefore),
  durationMs: Math.max(0, parts.durationMs),
  dir: parts.dir
})

/**
 * A plan's result out of its JSON text, members in canonical order: printed now or read back from the journal later,
 * it has the same bytes.
 */
export const resultValue = (text: string | undefined): Json | undefined => {
  if (text === undefined) return undefined
  const value = Result.try((): Json => JSON.parse(text))
  if (Result.isFailure(value)) return undefined
  const canonical = canonicalJson(value.success)
  return Result.isSuccess(canonical) ? JSON.parse(canonical.success) : undefined
}
