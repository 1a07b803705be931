// timers: `setTimeout` and its like for npm packages. What is due at once runs when the plan is quiet, in the same turn;
// a wait is a sleep of the run, as `Effect.sleep` is: journaled, slept for real once, not waited for in a replay. What
// is still waited for when the run returns is given up. Evaluated inside the plan's context: see ../intrinsics.ts.
import type { Forbid } from "../forbid.ts"
import type { Intrinsics } from "../intrinsics.ts"
import type { Recorder } from "../record.ts"
import type { Callers } from "./callers.ts"

interface Around {
  readonly advice: Forbid["advice"]
  readonly reach: Forbid["reach"]
  readonly caller: Callers["caller"]
  /** A sleep of the plan's clock begins; what is given back ends it. */
  readonly sleeping: (ms: number) => () => void
}

export const timers = (own: Intrinsics, recorder: Recorder, { advice, caller, reach, sleeping }: Around) => {
  const { apply, freeze, mapDelete, mapGet, mapSet, stringify } = own
  const { round } = Math
  const toPrimitive = Symbol.toPrimitive
  /** What Node and browsers can hold. */
  const longest = 2 ** 31 - 1

  let threw: (error: unknown) => void = () => {}
  let numbered = 0
  let queued = 0
  let begun = 0
  /** What runs when the plan is quiet, in the order it was asked for. */
  const due = new own.Map<number, () => void>()

  /** Calls `work` after a wait; what it throws ends the run. What is given back gives it up. */
  const after = (ms: number, work: () => void): (() => void) => {
    const guarded = (): void => {
      try {
        work()
      } catch (error) {
        threw(error)
      }
    }
    if (ms <= 0) {
      queued += 1
      const ticket = queued
      mapSet(due, ticket, guarded)
      return () => {
        mapDelete(due, ticket)
      }
    }
    const wake = sleeping(ms)
    const settle = (): void => {
      wake()
      guarded()
    }
    const { n } = recorder.call(
      "sleep",
      `{"ms":${stringify(ms)}}`,
      undefined,
      settle,
      recorder.mark(after),
      true
    )
    return () => recorder.cancel(n)
  }

  /** Whole milliseconds; what is no number is none. */
  const lengthOf = (ms: unknown): number => {
    const given = typeof ms === "number" || typeof ms === "string" ? +ms : 0
    return given > 0 ? round(given < longest ? given : longest) : 0
  }

  const started = new own.Map<number, Timer>()

  /** What Node gives for a timer; a browser's number where one is asked for. */
  class Timer {
    readonly #id: number
    readonly #ms: number
    readonly #work: () => void
    readonly #repeats: boolean
    #giveUp: (() => void) | undefined
    constructor(ms: number, repeats: boolean, work: () => void) {
      numbered += 1
      this.#id = numbered
      this.#ms = ms
      this.#repeats = repeats
      this.#work = work
      this.refresh()
    }
    refresh(): this {
      if (this.#giveUp !== undefined) this.#giveUp()
      mapSet(started, this.#id, this)
      this.#giveUp = after(this.#ms, () => {
        this.#giveUp = undefined
        if (!this.#repeats) mapDelete(started, this.#id)
        this.#work()
        if (this.#repeats && this.#giveUp === undefined && mapGet(started, this.#id) === this) this.refresh()
      })
      return this
    }
    close(): this {
      mapDelete(started, this.#id)
      if (this.#giveUp !== undefined) this.#giveUp()
      this.#giveUp = undefined
      return this
    }
    ref(): this {
      return this
    }
    /** One that ticks for nobody is housekeeping: each tick would be an event of the run, which it would keep open. */
    unref(): this {
      return this.#repeats ? this.close() : this
    }
    hasRef(): boolean {
      return true
    }
    [toPrimitive](): number {
      return this.#id
    }
  }

  type Callback = (...args: Array<unknown>) => unknown

  const start = (name: string, ms: number, repeats: boolean, work: unknown, args: Array<unknown>): Timer => {
    if (caller() === undefined) reach(`${name}()`, advice.timer)
    if (typeof work !== "function") throw new own.TypeError(`${name}: the callback must be a function`)
    return new Timer(ms, repeats, () => apply(work, undefined, args))
  }

  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) timer.close()
    else if (typeof timer === "number" || typeof timer === "string") mapGet(started, +timer)?.close()
  }

  return {
    begin: (onThrow: (error: unknown) => void): void => {
      threw = onThrow
    },
    after,
    /** Runs what has been due longest; false if nothing is. */
    runDue: (): boolean => {
      while (begun < queued) {
        begun += 1
        const work = mapGet(due, begun)
        if (work === undefined) continue
        mapDelete(due, begun)
        work()
        return true
      }
      return false
    },
    globals: freeze({
      setTimeout: (work: Callback, ms?: unknown, ...args: Array<unknown>) =>
        start("setTimeout", lengthOf(ms), false, work, args),
      // One that is due at once again and again would leave no turn to end.
      setInterval: (work: Callback, ms?: unknown, ...args: Array<unknown>) =>
        start("setInterval", lengthOf(ms) || 1, true, work, args),
      setImmediate: (work: Callback, ...args: Array<unknown>) => start("setImmediate", 0, false, work, args),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear
    })
  }
}
