// BudgetDesk: what the run in this process may still spend. The sums are the journal's (Spending, folded by the
// projection), so that a restart begins no budget anew; what is kept here is what only this process knows: which of
// the money that is held belongs to attempts in flight, and may come back.
import { admission, type Admission, type Scope } from "../../domain/budget/admission.ts"
import { nothing, type Amount } from "../../domain/budget/Spending.ts"
import type { Budget } from "../../domain/Contract.ts"
import type { RunState } from "../../journal/state/RunState.ts"

/** A part of a run with a budget of its own, inside the run's. */
export interface Part {
  /** Unique in the run: the subflow's call and the part of it. */
  readonly id: string
  /** As a refusal calls it. */
  readonly name: string
  readonly caps: Budget
}

/** A call, as far as its budget is concerned. */
interface Asker {
  readonly id: string
  readonly part?: Part
}

interface Flying {
  readonly parts: ReadonlyArray<string>
  readonly amount: Amount
}

/** The whole run, as a place where money is held. */
const whole = ""
/** As a refusal calls the run's own budget. */
export const wholeRun = "budget"

const plus = (one: Amount, other: Amount, sign: 1 | -1): Amount => ({
  usd: (one.usd ?? 0) + sign * (other.usd ?? 0),
  outputTokens: one.outputTokens + sign * other.outputTokens,
  tokens: one.tokens + sign * other.tokens
})

export const makeBudgetDesk = (state: () => RunState, caps: Budget) => {
  const flying = new Map<string, Flying>()
  const inFlight = new Map<string, Amount>()

  const count = ({ amount, parts }: Flying, sign: 1 | -1): void => {
    for (const part of [whole, ...parts])
      inFlight.set(part, plus(inFlight.get(part) ?? nothing, amount, sign))
  }

  const pathOf = (part: Part | undefined): ReadonlyArray<Scope> => {
    const { spending } = state()
    const run: Scope = { name: wholeRun, caps, sums: spending.of(), inFlight: inFlight.get(whole) ?? nothing }
    if (part === undefined) return [run]
    const { id, name } = part
    return [run, { name, caps: part.caps, sums: spending.of(id), inFlight: inFlight.get(id) ?? nothing }]
  }

  /** The attempt of that call that was in flight is not any more: what is held for it does not come back by waiting. */
  const landed = (call: Asker): void => {
    const known = flying.get(call.id)
    if (known === undefined) return
    flying.delete(call.id)
    count(known, -1)
  }

  return {
    /** Whether an attempt of the call may be sent. `newCall`: it is the first of its dispatch that may cost something. */
    admit: (call: Asker, need: Amount | undefined, newCall: boolean): Admission =>
      admission(pathOf(call.part), need, newCall),
    /** The attempt is in flight; its reserve has been journaled. */
    sent: (call: Asker, amount: Amount | undefined): void => {
      landed(call)
      if (amount === undefined) return
      const one: Flying = { parts: call.part === undefined ? [] : [call.part.id], amount }
      flying.set(call.id, one)
      count(one, 1)
    },
    landed,
    /** Whether attempts of that call are bounded in dollars. */
    isBounded: (call: Asker): boolean => caps.usd !== undefined || call.part?.caps.usd !== undefined,
    /** Whether they are bounded in tokens. */
    countsTokens: (call: Asker): boolean =>
      [caps, call.part?.caps ?? {}].some(
        ({ outputTokens, tokens }) => outputTokens !== undefined || tokens !== undefined
      )
  }
}
export type BudgetDesk = ReturnType<typeof makeBudgetDesk>
