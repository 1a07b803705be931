// The ledger of a run as this process opens it: what its journal says was spent, with calls in doubt at their worst.
import type { Budget } from "../domain/Contract.ts"
import type { RunState } from "../journal/RunState.ts"
import { emptyLedger, type Ledger } from "./ledger.ts"

export const ledgerOf = (budget: Budget, state: RunState): Ledger => {
  const { inputTokens, outputTokens } = state.usage
  return emptyLedger(budget, {
    usd: state.spentUsd + state.reservedUsd,
    outputTokens,
    tokens: inputTokens + outputTokens,
    calls: state.calls.size
  })
}
