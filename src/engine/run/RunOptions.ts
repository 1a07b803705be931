// From how a caller wants a run to be run to the engine's own options: the one place where their defaults are.
import { Option } from "effect"
import type { Budget, Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import type { RunOptions } from "../Engine.ts"
import type { ExecuteOptions } from "./executeRun.ts"

/** Model calls in flight at once, unless the caller says otherwise. */
export const defaultConcurrency = 8

const lower = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined ? right : right === undefined ? left : Math.min(left, right)

/** The contract's budget, tightened by the caller's own cap. */
const budgetOf = (contract: Contract | undefined, maxUsd: number | undefined): Budget => {
  const usd = lower(contract?.budget?.usd, maxUsd)
  return { ...contract?.budget, ...defined({ usd }) }
}

export const runOptions = (
  how: RunOptions,
  contract: Contract | undefined,
  lender: ExecuteOptions["lender"]
): ExecuteOptions => ({
  concurrency: how.concurrency ?? defaultConcurrency,
  budget: budgetOf(contract, how.maxUsd),
  contract,
  approve: how.approve ?? [],
  boards: how.boards ?? {},
  acceptLoss: how.acceptLoss ?? false,
  ...defined({ brake: how.brake }),
  ...Option.match(Option.fromNullishOr(how.maxJournalBytes ?? contract?.journal?.maxBytes), {
    onNone: () => ({}),
    onSome: (maxJournalBytes) => ({ maxJournalBytes })
  }),
  retryFailed: how.retryFailed ?? false,
  noCache: how.noCache ?? false,
  keep: how.extra ?? {},
  foreignUntil: how.foreignUntil ?? 0,
  ...Option.match(Option.fromNullishOr(contract?.coverage?.min), {
    onNone: () => ({}),
    onSome: (minCoverage) => ({ minCoverage })
  }),
  ...defined({
    lender,
    observe: how.observe,
    issued: how.issued,
    observeDurable: how.observeDurable,
    stop: how.stop
  })
})
