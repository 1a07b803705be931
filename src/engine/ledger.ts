// The ledger: what a run may spend, has spent and has promised to spend. Pure. A call is admitted only when its
// worst case fits beside everything settled and everything outstanding, so that no schedule, crash or resume can
// pass a cap.
//
// Invariants:
// L1  settled + outstanding never exceeds a cap, as long as calls settle at or below what they reserved.
// L2  A call that does not fit waits while anything is outstanding, and is refused only when nothing is.
// L3  A bound of zero or less admits only calls whose worst case is zero.
// L4  A call without a known price is refused under a cost bound, whatever is left.
// L5  Settling or releasing is idempotent: a call is counted once. Free calls are never counted.
// L6  `promised` is the sum of what is outstanding: deciding about a call costs the same however many are in flight.
import { HashMap, Option } from "effect"
import type { Budget } from "../domain/Contract.ts"
import type { TokenUsage } from "../domain/ModelError.ts"

/** A worst case, or what became of it. `usd` undefined: the price is not known. */
export interface Amount {
  readonly usd: number | undefined
  readonly outputTokens: number
  readonly tokens: number
}

export interface Spent {
  readonly usd: number
  readonly outputTokens: number
  readonly tokens: number
  readonly calls: number
}

export interface Ledger {
  readonly budget: Budget
  readonly settled: Spent
  readonly outstanding: HashMap.HashMap<string, Amount>
  /** The sum of what is outstanding; dollars as integers of 1e-9 dollar. */
  readonly promised: Readonly<Record<Bound, number>>
}

export const emptyLedger = (
  budget: Budget,
  settled: Spent = { usd: 0, outputTokens: 0, tokens: 0, calls: 0 }
): Ledger => ({ budget, settled, outstanding: HashMap.empty(), promised: nothing })

/** Dollars are summed as integers of 1e-9 dollar, so that sums do not depend on order. */
const nano = (usd: number) => Math.ceil(usd * 1e9 - 1e-6)

export type Admission =
  | { readonly t: "admitted"; readonly ledger: Ledger }
  | { readonly t: "wait" }
  | { readonly t: "refused"; readonly why: string }

type Bound = "usd" | "calls" | "outputTokens" | "tokens"

const nothing: Ledger["promised"] = { usd: 0, calls: 0, outputTokens: 0, tokens: 0 }

const total = (self: Ledger, bound: Bound): number =>
  (bound === "usd" ? nano(self.settled.usd) : self.settled[bound]) + self.promised[bound]

const need = (amount: Amount, bound: Bound): number =>
  bound === "usd" ? nano(amount.usd ?? 0) : bound === "calls" ? 1 : amount[bound]

/** What is promised with `amount` more, or with it taken back. */
const promising = (self: Ledger, amount: Amount, sign: 1 | -1): Ledger["promised"] => ({
  usd: self.promised.usd + sign * need(amount, "usd"),
  calls: self.promised.calls + sign,
  outputTokens: self.promised.outputTokens + sign * amount.outputTokens,
  tokens: self.promised.tokens + sign * amount.tokens
})

const without = (self: Ledger, id: string, amount: Amount): Ledger => ({
  ...self,
  outstanding: HashMap.remove(self.outstanding, id),
  promised: promising(self, amount, -1)
})

const bounds: ReadonlyArray<Bound> = ["usd", "calls", "outputTokens", "tokens"]
const names: Record<Bound, string> = {
  usd: "budget.usd",
  calls: "budget.calls",
  outputTokens: "budget.outputTokens",
  tokens: "budget.tokens"
}

/** May call `id` be dispatched, at worst for `amount`? */
export const admit = (self: Ledger, id: string, amount: Amount, free: boolean): Admission => {
  if (free) return { t: "admitted", ledger: self }
  if (self.budget.usd !== undefined && amount.usd === undefined) {
    return { t: "refused", why: "its price is not known, and the run has a cost bound (budget.usd)" }
  }
  for (const bound of bounds) {
    const cap = self.budget[bound]
    if (cap === undefined) continue
    const limit = bound === "usd" ? Math.floor(cap * 1e9 + 1e-6) : cap
    if (limit <= 0) return { t: "refused", why: `${names[bound]} is ${cap}: only free adapters may run` }
    if (total(self, bound) + need(amount, bound) <= limit) continue
    if (self.promised.calls > 0) return { t: "wait" }
    return { t: "refused", why: `its worst case does not fit in what is left of ${names[bound]} (${cap})` }
  }
  const outstanding = HashMap.set(self.outstanding, id, amount)
  return { t: "admitted", ledger: { ...self, outstanding, promised: promising(self, amount, 1) } }
}

/** What the call came to. Unknown parts settle at what was reserved. */
export const settle = (
  self: Ledger,
  id: string,
  actual: { readonly usd?: number | undefined; readonly usage?: TokenUsage | undefined }
): Ledger => {
  const reserved = Option.getOrUndefined(HashMap.get(self.outstanding, id))
  if (reserved === undefined) return self
  const { usage } = actual
  const outputTokens = usage?.outputTokens ?? reserved.outputTokens
  const tokens =
    usage?.totalTokens ??
    (usage?.inputTokens === undefined || usage.outputTokens === undefined
      ? reserved.tokens
      : usage.inputTokens + usage.outputTokens)
  const { settled } = self
  return {
    ...without(self, id, reserved),
    settled: {
      usd: (nano(settled.usd) + nano(actual.usd ?? reserved.usd ?? 0)) / 1e9,
      outputTokens: settled.outputTokens + outputTokens,
      tokens: settled.tokens + tokens,
      calls: settled.calls + 1
    }
  }
}

/** The call was never dispatched. */
export const release = (self: Ledger, id: string): Ledger => {
  const reserved = Option.getOrUndefined(HashMap.get(self.outstanding, id))
  return reserved === undefined ? self : without(self, id, reserved)
}
