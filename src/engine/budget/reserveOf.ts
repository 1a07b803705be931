// reserveOf: what is journaled of an attempt before it is sent.
import type { Amount } from "../../domain/budget/Spending.ts"
import type { BudgetDesk } from "./BudgetDesk.ts"

/** That it may cost money, and its worst case where that is bounded. */
export interface Reserve {
  readonly paid?: boolean
  readonly reserveUsd?: number
  readonly reserveTokens?: { readonly output: number; readonly all: number }
}

/** `need` undefined: it is free. */
export const reserveOf = (
  desk: BudgetDesk,
  call: Parameters<BudgetDesk["isBounded"]>[0],
  need: Amount | undefined
): Reserve =>
  need === undefined
    ? {}
    : {
        paid: true,
        ...(need.usd === undefined || !desk.isBounded(call) ? {} : { reserveUsd: need.usd }),
        ...(desk.countsTokens(call) ? { reserveTokens: { output: need.outputTokens, all: need.tokens } } : {})
      }
