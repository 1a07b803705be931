// Spending: what a run has spent and what it may still be billed for, in the run as a whole and in each scope inside
// it (a board's budget). Made by folding what happened to calls; the journal's projection and a debate outside a run
// are this fold, so that a process that opens a run goes on with the sums of the process before.
//
// A call is dispatched, makes attempts one after another, and ends. At most one attempt of it is in flight. Before an
// attempt is sent its worst case is held. Dollars are whole 1e-9 dollars, so that a sum does not depend on its order.
//
// Invariants (each has its property test):
// S1  In every scope: committed = spent + unknown + held, and each is the sum over the calls of the scope.
// S2  Only a dispatch or the start of an attempt raises what is held, each by its own reserve and by nothing else.
// S3  An attempt that ends at or below its reserve never raises what is committed.
// S4  The end of a call counts all attempts since its dispatch once: what was settled for them before is replaced.
// S5  A dispatch that is made again stays counted at what was held for it: it may have been billed.
// S6  The run's sums are at least those of each scope inside it.
import type { TokenUsage } from "../ModelError.ts"
import { wholeNanos } from "./nanos.ts"

/** What an attempt may come to at worst. `usd` undefined: the price is not known, or nobody asked for it. */
export interface Amount {
  readonly usd: number | undefined
  readonly outputTokens: number
  readonly tokens: number
}

export const nothing: Amount = { usd: 0, outputTokens: 0, tokens: 0 }

/** The sums of one scope. Current: they change as calls do. */
export interface Sums {
  /** Known cost of what has ended, in US dollars. */
  readonly spentUsd: number
  /** What was held for what has ended at a cost that is not known. */
  readonly unknownUsd: number
  /** Calls that ended at a cost that is not known, dispatches in doubt that were made again included. */
  readonly unknownCalls: number
  /** Of those, the ones for which nothing was held: they may have cost anything. */
  readonly unboundedCalls: number
  /** Calls that ended at a cost that is not known, and dispatches in doubt for which nothing was held. */
  readonly unpriced: number
  /** Held for attempts in flight or in doubt, those that were given up included. */
  readonly heldUsd: number
  readonly heldCalls: number
  /** Of those, the ones whose worst case is not known. */
  readonly heldUnbounded: number
  /** Dispatches that may have cost something. */
  readonly calls: number
  /** Tokens that were used, and those that are held or are not known. */
  readonly outputTokens: number
  readonly tokens: number
}

type Growing = { -readonly [Key in keyof Sums]: Sums[Key] }

const zero = (): Growing => ({
  spentUsd: 0,
  unknownUsd: 0,
  unknownCalls: 0,
  unboundedCalls: 0,
  unpriced: 0,
  heldUsd: 0,
  heldCalls: 0,
  heldUnbounded: 0,
  calls: 0,
  outputTokens: 0,
  tokens: 0
})

/** Everything spent, and everything that may still be. Never more than the cap, if attempts were admitted by it. */
export const committedOf = ({
  heldUsd,
  spentUsd,
  unknownUsd
}: Pick<Sums, "heldUsd" | "spentUsd" | "unknownUsd">): number => wholeNanos(spentUsd + unknownUsd + heldUsd)

/** What became of an attempt or a call. `costUsd` undefined: it may have been billed, nobody knows how much. */
export interface Settled {
  readonly costUsd: number | undefined
  readonly usage?: TokenUsage | undefined
}

/** What sums lack of other sums, each at least 0. */
export interface Lost {
  readonly spentUsd: number
  readonly unknownUsd: number
  readonly calls: number
  readonly outputTokens: number
  readonly tokens: number
}

/** `left` with it comes to at least what `whole` came to, in every respect. Undefined: it does already. */
export const lostBetween = (whole: Sums, left: Sums): Lost | undefined => {
  const over = (a: number, b: number) => Math.max(0, wholeNanos(a - b))
  const spentUsd = over(whole.spentUsd, left.spentUsd)
  const lost = {
    spentUsd,
    unknownUsd: over(committedOf(whole), committedOf(left) + spentUsd),
    calls: over(whole.calls, left.calls),
    outputTokens: over(whole.outputTokens, left.outputTokens),
    tokens: over(whole.tokens, left.tokens)
  }
  return Object.values(lost).some((amount) => amount > 0) ? lost : undefined
}

/** What the attempts of a dispatch came to that have ended. */
interface Past {
  readonly usd: number
  readonly unknownUsd: number
  readonly unknown: boolean
  readonly unbounded: boolean
  /** The call has ended at a cost that is not known. */
  readonly unpriced: boolean
  readonly outputTokens: number
  readonly tokens: number
}

/** One dispatch of a call. */
interface Dispatch {
  readonly scope: string | undefined
  /** An attempt of it may have cost something: it counts among the calls. */
  readonly counted: boolean
  readonly past: Past
  /** For the attempt in flight. */
  readonly held: Amount | undefined
}

const noPast: Past = {
  usd: 0,
  unknownUsd: 0,
  unknown: false,
  unbounded: false,
  unpriced: false,
  outputTokens: 0,
  tokens: 0
}

const fresh = (scope: string | undefined): Dispatch => ({
  scope,
  counted: false,
  past: noPast,
  held: undefined
})

/** Adds what a dispatch comes to to the sums of a scope, or takes it away. In place: every event of a log comes here. */
const add = (sums: Growing, { counted, held, past }: Dispatch, sign: 1 | -1): void => {
  sums.spentUsd = wholeNanos(sums.spentUsd + sign * past.usd)
  if (past.unknown) {
    sums.unknownUsd = wholeNanos(sums.unknownUsd + sign * past.unknownUsd)
    sums.unknownCalls += sign
    if (past.unbounded) sums.unboundedCalls += sign
    if (past.unbounded || past.unpriced) sums.unpriced += sign
  }
  if (held !== undefined) {
    sums.heldUsd = wholeNanos(sums.heldUsd + sign * (held.usd ?? 0))
    sums.heldCalls += sign
    if (held.usd === undefined) sums.heldUnbounded += sign
  }
  if (counted) sums.calls += sign
  sums.outputTokens += sign * (past.outputTokens + (held?.outputTokens ?? 0))
  sums.tokens += sign * (past.tokens + (held?.tokens ?? 0))
}

const allTokens = ({ inputTokens, outputTokens, totalTokens }: TokenUsage): number | undefined =>
  inputTokens === undefined || outputTokens === undefined ? totalTokens : inputTokens + outputTokens

/** The attempt in flight, if there is one, has ended. */
const attemptSettled = (dispatch: Dispatch, { costUsd, usage = {} }: Settled): Dispatch => {
  const { held, past } = dispatch
  if (held === undefined) return dispatch
  const unknown = costUsd === undefined
  // What cost nothing was not billed, so that it used nothing that a bound is for.
  const worst = costUsd === 0 ? nothing : held
  return {
    ...dispatch,
    held: undefined,
    past: {
      ...past,
      usd: past.usd + wholeNanos(costUsd ?? 0),
      unknownUsd: past.unknownUsd + (unknown ? (held.usd ?? 0) : 0),
      unknown: past.unknown || unknown,
      unbounded: past.unbounded || (unknown && held.usd === undefined),
      outputTokens: past.outputTokens + (usage.outputTokens ?? worst.outputTokens),
      tokens: past.tokens + (allTokens(usage) ?? worst.tokens)
    }
  }
}

/** The call has ended; `settled` is of all its attempts since the dispatch. */
const callSettled = (dispatch: Dispatch, { costUsd, usage = {} }: Settled): Dispatch => {
  const { past, ...rest } = attemptSettled(dispatch, { costUsd })
  const told = costUsd !== undefined
  return {
    ...rest,
    past: {
      usd: told ? wholeNanos(costUsd) : past.usd,
      unknownUsd: told ? 0 : past.unknownUsd,
      unknown: !told,
      unbounded: !told && (past.unbounded || !past.unknown),
      unpriced: !told,
      outputTokens: usage.outputTokens ?? past.outputTokens,
      tokens: allTokens(usage) ?? past.tokens
    }
  }
}

export class Spending {
  private readonly run = zero()
  private readonly scopes = new Map<string, Growing>()
  /** Dispatches that have not ended, by call id. */
  private readonly open = new Map<string, Dispatch>()

  /** The sums of the whole run, or of one scope in it. */
  of(scope?: string): Sums {
    return scope === undefined ? this.run : (this.scopes.get(scope) ?? zero())
  }

  /** Held for the attempt of that call that is in flight or in doubt. */
  heldFor(id: string): Amount | undefined {
    return this.open.get(id)?.held
  }

  /** Known cost of the attempts that have ended since the dispatch of that call. */
  settledFor(id: string): number {
    return this.open.get(id)?.past.usd ?? 0
  }

  /** Whether the dispatch of that call that has not ended counts among the calls. */
  isCounted(id: string): boolean {
    return this.open.get(id)?.counted === true
  }

  /**
   * A call is dispatched, perhaps again; `reserve` undefined: its first attempt is free. What was in flight of an
   * earlier dispatch may have been billed.
   */
  dispatched(id: string, reserve: Amount | undefined, scope?: string): void {
    const before = this.open.get(id)
    if (before !== undefined) this.change(before, attemptSettled(before, { costUsd: undefined }))
    this.open.delete(id)
    if (reserve === undefined && scope === undefined) return
    this.put(id, undefined, { ...fresh(scope), held: reserve, counted: reserve !== undefined })
  }

  /** A further attempt is sent; `reserve` undefined: it is free. One before it that never ended was lost. */
  attemptStarted(id: string, reserve: Amount | undefined): void {
    const before = this.open.get(id)
    if (before === undefined && reserve === undefined) return
    const settled = attemptSettled(before ?? fresh(undefined), { costUsd: undefined })
    this.put(id, before, { ...settled, held: reserve, counted: settled.counted || reserve !== undefined })
  }

  /** An attempt has ended, and the call has not. */
  attemptEnded(id: string, settled: Settled): void {
    const before = this.open.get(id)
    if (before !== undefined) this.put(id, before, attemptSettled(before, settled))
  }

  /** The call has ended, or waits for another time. */
  ended(id: string, settled: Settled): void {
    const before = this.open.get(id)
    this.open.delete(id)
    if (before !== undefined) return this.change(before, callSettled(before, settled))
    // Nothing was held for it: a free call, or one whose intent was lost. It is told for its cost alone.
    if (settled.costUsd !== 0)
      this.change(undefined, callSettled(fresh(undefined), { costUsd: settled.costUsd }))
  }

  /** What a part of the log that was given up told of, over what is known without it. */
  lost({ calls, outputTokens, spentUsd, tokens, unknownUsd }: Lost): void {
    const { run } = this
    run.spentUsd = wholeNanos(run.spentUsd + spentUsd)
    run.unknownUsd = wholeNanos(run.unknownUsd + unknownUsd)
    if (unknownUsd > 0) run.unknownCalls += 1
    run.calls += calls
    run.outputTokens += outputTokens
    run.tokens += tokens
  }

  private put(id: string, before: Dispatch | undefined, after: Dispatch): void {
    this.open.set(id, after)
    this.change(before, after)
  }

  private change(before: Dispatch | undefined, after: Dispatch): void {
    this.move(this.run, before, after)
    if (after.scope === undefined) return
    const sums = this.scopes.get(after.scope) ?? zero()
    this.scopes.set(after.scope, sums)
    this.move(sums, before, after)
  }

  private move(sums: Growing, before: Dispatch | undefined, after: Dispatch): void {
    if (before !== undefined) add(sums, before, -1)
    add(sums, after, 1)
  }
}
