// Admission: whether an attempt may be sent. It is admitted by every scope on its path or by none: the run, and the
// board or other part of it that has a budget of its own. Pure: who keeps the sums is Spending, who waits is the
// caller's.
//
// Invariants (each has its property test):
// A1  What is admitted fits: in every scope, committed and the attempt together do not pass the cap.
// A2  What does not fit waits exactly where what is in flight in that scope, ended at no cost at all, would make it fit.
// A3  A bound of zero or less admits only what is free.
// A4  What has no known price is refused under a cap in dollars, whatever is left.
// A5  What is free is always admitted, and counts no call.
import { Schema } from "effect"
import type { Budget } from "../Contract.ts"
import { defined } from "../defined.ts"
import { ceilNanos } from "./nanos.ts"
import { committedOf, type Amount, type Sums } from "./Spending.ts"

/** One scope on the path of an attempt, the run first. */
export interface Scope {
  /** As a refusal calls it: `budget`, `the board's budget`. */
  readonly name: string
  readonly caps: Budget
  readonly sums: Sums
  /** Held for attempts that are in flight now, and may end at less. */
  readonly inFlight: Amount
}

export type Admission =
  | { readonly _tag: "admitted" }
  /** `at`: the place on the path of the scope that has to wait. */
  | { readonly _tag: "wait"; readonly at: number }
  | Refused

const bounds = ["usd", "calls", "outputTokens", "tokens"] as const
type Bound = (typeof bounds)[number]

/** What refused an attempt, so that a cure can name what has to be raised. */
export const Refusal = Schema.Struct({
  /** The scope's name. */
  budget: Schema.String,
  /** `price`: that of the model is not known, whatever is left. `ms`: the time is over. */
  bound: Schema.Literals([...bounds, "price", "ms"]),
  /** What the attempt would have had to hold, in US dollars, where dollars were too few. */
  needUsd: Schema.optionalKey(Schema.Number)
})
export type Refusal = typeof Refusal.Type

export interface Refused extends Refusal {
  readonly _tag: "refused"
  readonly why: string
}

/** What of it stands in the call's error, as its detail. */
export const refusalOf = ({ bound, budget, needUsd }: Refused): Refusal => ({
  budget,
  bound,
  ...defined({ needUsd })
})

const committed = (sums: Sums, bound: Bound): number => (bound === "usd" ? committedOf(sums) : sums[bound])

/** `newCall`: the attempt is the first of its dispatch that may cost something. */
const needOf = (need: Amount, bound: Bound, newCall: boolean): number => {
  if (bound === "calls") return newCall ? 1 : 0
  return bound === "usd" ? ceilNanos(need.usd ?? 0) : need[bound]
}

/** Sums of dollars are whole nanos; a cap may be any number. Half a nano is less than either. */
const slack = 5e-10

/** `need` undefined: the attempt is free. */
export const admission = (
  path: ReadonlyArray<Scope>,
  need: Amount | undefined,
  newCall: boolean
): Admission => {
  if (need === undefined) return { _tag: "admitted" }
  let waits: number | undefined
  for (const [at, { caps, inFlight, name, sums }] of path.entries()) {
    if (caps.usd !== undefined && need.usd === undefined) {
      return {
        _tag: "refused",
        why: `its price is not known, and there is a cost bound (${name}.usd)`,
        budget: name,
        bound: "price"
      }
    }
    for (const bound of bounds) {
      const cap = caps[bound]
      if (cap === undefined) continue
      const needed = bound === "usd" && need.usd !== undefined ? { needUsd: ceilNanos(need.usd) } : {}
      if (cap <= 0)
        return {
          _tag: "refused",
          why: `${name}.${bound} is ${cap}: only free adapters may run`,
          budget: name,
          bound,
          ...needed
        }
      const over = committed(sums, bound) + needOf(need, bound, newCall) - cap
      if (over <= slack) continue
      // A call in flight stays a call: there is nothing to wait for.
      const mayFree = bound === "calls" ? 0 : (inFlight[bound] ?? 0)
      if (over - mayFree > slack) {
        const what = bound === "usd" && need.usd !== undefined ? ` of at most $${ceilNanos(need.usd)}` : ""
        return {
          _tag: "refused",
          why: `an attempt${what} does not fit in what is left of ${name}.${bound} (${cap})`,
          budget: name,
          bound,
          ...needed
        }
      }
      waits ??= at
    }
  }
  return waits === undefined ? { _tag: "admitted" } : { _tag: "wait", at: waits }
}
