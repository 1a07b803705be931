// fanOut: promises of calls that know whether anybody looked at them, and slots: many pieces of work, a value or a
// reason for each, in order. Used by both promise styles. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "./intrinsics.ts"
import type { PlainJson } from "./plainJson.ts"
import type { RawSite, Recorder } from "./record.ts"

export interface SlotOutcome {
  readonly lost: boolean
  readonly value: unknown
}

export const fanOut = (own: Intrinsics, plain: PlainJson, recorder: Recorder) => {
  const { put, member, isArray, then, TypeError: OwnTypeError } = own
  const OwnPromise = own.Promise

  /**
   * The promise of a call. Awaiting it goes through `then` (its constructor is not `Promise`), which is how a call
   * that nobody awaits is told.
   */
  class CallPromise extends OwnPromise<unknown> {
    #seen: (() => void) | undefined
    constructor(executor: ConstructorParameters<typeof OwnPromise<unknown>>[0], seen?: () => void) {
      super(executor)
      this.#seen = seen
    }
    static override get [Symbol.species]() {
      return OwnPromise
    }
    // oxlint-disable-next-line unicorn/no-thenable
    override then<A = unknown, B = never>(
      onValue?: ((value: unknown) => A | PromiseLike<A>) | null,
      onError?: ((reason: unknown) => B | PromiseLike<B>) | null
    ): Promise<A | B> {
      this.#seen?.()
      this.#seen = undefined
      return then(this, onValue, onError)
    }
  }
  own.freeze(CallPromise)
  own.freeze(CallPromise.prototype)

  /** A promise that must be awaited before the run returns; rejected if `work` throws. */
  const promised = (
    verb: string,
    site: RawSite | undefined,
    work: (settle: (value: unknown) => void, fail: (reason: unknown) => void) => void
  ): Promise<unknown> => {
    let settle: (value: unknown) => void = () => {}
    let fail: (reason: unknown) => void = () => {}
    const promise = new CallPromise(
      (onValue, onError) => {
        settle = onValue
        fail = onError
      },
      recorder.watch(verb, site)
    )
    plain.isCall(promise, verb, site)
    try {
      work(settle, fail)
    } catch (error) {
      // Once the run has ended for good there is nothing to reject: a loop that issues calls must stop.
      if (recorder.ending() !== undefined) throw error
      fail(error)
    }
    return promise
  }

  const planFailure = (error: unknown) => {
    const message = messageOf(error)
    return { ok: false, status: "failed", error: { code: "plan_error", message, retryable: false } }
  }

  const messageOf = (error: unknown): string => {
    const message = member(error, "message")
    return own.slice(
      typeof message === "string" && message !== "" ? message : own.text(error),
      0,
      own.longestMessage
    )
  }

  const isLost = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null || member(value, "ok") !== false) return false
    const status = member(value, "status")
    const failed =
      status === "failed" || status === "skipped" || status === "parked" || status === "cancelled"
    return failed && typeof member(member(value, "error"), "code") === "string"
  }

  /** Functions of an array, read once. */
  const functions = (
    list: unknown,
    verb: string,
    what: string
  ): Array<(...args: Array<unknown>) => unknown> => {
    const items = elements(list, verb, what)
    const checked: Array<(...args: Array<unknown>) => unknown> = []
    for (let index = 0; index < items.length; index++) {
      const item = items[index]
      if (typeof item !== "function") {
        const cure =
          member(item, "then") === undefined
            ? ""
            : ": give () => … that makes the call, not the promise of it"
        throw new OwnTypeError(`${verb}: $[${index}] is not a function${cure}`)
      }
      put(checked, index, item)
    }
    return checked
  }

  const elements = (list: unknown, verb: string, what: string): Array<unknown> => {
    if (!isArray(list)) throw new OwnTypeError(`${verb}: ${what} must be an array`)
    const { length } = list
    if (length > recorder.limits.list) {
      return recorder.passed(`${verb}: a list of ${length}; at most ${recorder.limits.list}`)
    }
    const items: Array<unknown> = []
    for (let index = 0; index < length; index++) put(items, index, list[index])
    return items
  }

  /** Runs `work` for each index, `concurrency` at a time, and hands over all outcomes in order. Never rejects. */
  const slots = (
    count: number,
    concurrency: number,
    work: (index: number) => unknown,
    outcomeOf: (value: unknown) => SlotOutcome,
    onThrow: (error: unknown) => SlotOutcome,
    done: (values: Array<unknown>, answered: number) => void
  ): void => {
    const values: Array<unknown> = []
    for (let index = 0; index < count; index++) put(values, index, undefined)
    let next = 0
    let left = count
    let answered = 0
    if (count === 0) return done(values, 0)
    const one = async (index: number): Promise<void> => {
      let outcome: SlotOutcome
      try {
        outcome = outcomeOf(await work(index))
      } catch (error) {
        outcome = onThrow(error)
      }
      put(values, index, outcome.value)
      if (!outcome.lost) answered += 1
      left -= 1
      if (left === 0) done(values, answered)
      else advance()
    }
    const advance = (): void => {
      if (next >= count) return
      const index = next
      next += 1
      void one(index)
    }
    const first = concurrency < count ? concurrency : count
    for (let index = 0; index < first; index++) advance()
  }

  const concurrencyOf = (options: unknown, verb: string): number => {
    const value = member(options, "concurrency")
    if (value === undefined) return recorder.limits.list
    if (typeof value === "number" && value >= 1 && value % 1 === 0) return value
    throw new OwnTypeError(`${verb}: $.concurrency must be a whole number of at least 1`)
  }

  const acceptOf = (options: unknown, verb: string): boolean => {
    const value = member(options, "accept")
    if (value === undefined) return false
    if (value === "loss") return true
    throw new OwnTypeError(`${verb}: $.accept must be "loss"`)
  }

  return { promised, planFailure, messageOf, isLost, functions, elements, slots, concurrencyOf, acceptOf }
}

export type FanOut = ReturnType<typeof fanOut>
