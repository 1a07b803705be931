// The ledger of a run as this process opens it: what its journal says was spent, with calls in doubt at their worst.
import type { Budget } from "../domain/Contract.ts"
import { committedUsd, type RunState } from "../journal/RunState.ts"
import { emptyLedger, type Ledger } from "./ledger.ts"
import type { RunHistory } from "./RunHistory.ts"

export const ledgerOf = (budget: Budget, history: RunHistory, state: RunState): Ledger =>
  emptyLedger(budget, { usd: committedUsd(state), ...history.committed })
