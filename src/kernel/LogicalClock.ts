// LogicalClock: time for hermetic runs. It starts at 0 and stands still until it is told to move, and then moves
// exactly to the earliest due sleeper. Whoever drives the run decides when; nothing here waits for real time.
import { Duration, Effect, type Clock } from "effect"

interface Sleeper {
  readonly due: number
  readonly order: number
  readonly wake: () => void
}

/** Earliest due first; of those due together, the one that began to sleep first. */
const before = (a: Sleeper, b: Sleeper): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)

/** A binary heap by `before`, since thousands of calls may wait at once. */
class Sleepers {
  private readonly heap: Array<Sleeper> = []
  private readonly gone = new Set<Sleeper>()

  add(sleeper: Sleeper): void {
    const { heap } = this
    let at = heap.push(sleeper) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      const parent = heap[up]
      if (parent === undefined || before(parent, sleeper)) break
      heap[at] = parent
      at = up
    }
    heap[at] = sleeper
  }

  remove(sleeper: Sleeper): void {
    this.gone.add(sleeper)
  }

  get size(): number {
    return this.heap.length - this.gone.size
  }

  get first(): Sleeper | undefined {
    for (;;) {
      const top = this.heap[0]
      if (top === undefined || !this.gone.has(top)) return top
      this.gone.delete(top)
      this.pop()
    }
  }

  take(): Sleeper | undefined {
    const top = this.first
    if (top !== undefined) this.pop()
    return top
  }

  private pop(): void {
    const { heap } = this
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      let down = at * 2 + 1
      const left = heap[down]
      if (left === undefined) break
      const right = heap[down + 1]
      const least = right !== undefined && before(right, left) ? right : left
      if (least === right) down++
      if (before(last, least)) break
      heap[at] = least
      at = down
    }
    heap[at] = last
  }
}

export interface LogicalClock {
  /** To be provided as Effect's `Clock`. */
  readonly clock: Clock.Clock
  /** Milliseconds, from 0. */
  readonly now: () => number
  /** How many sleep. */
  readonly sleeping: () => number
  /** When the earliest sleeper is due; undefined if none sleeps. */
  readonly nextDue: () => number | undefined
  /** Moves to the earliest due time and wakes all that are due then, in the order they began to sleep. */
  readonly advanceToNextDue: Effect.Effect<boolean>
  /** Moves to the earliest due time and wakes the first one only. False if none sleeps. */
  readonly wakeNext: Effect.Effect<boolean>
  /** Moves forward to `ms`, waking nobody: to go on where an earlier process of the run stopped. */
  readonly moveTo: (ms: number) => Effect.Effect<void>
}

/** A clock that stands at `startMs`. */
export const makeLogicalClock = (startMs = 0): LogicalClock => {
  const sleepers = new Sleepers()
  let now = startMs
  let order = 0
  const nanos = () => BigInt(Math.round(now * 1_000_000))

  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const ms = Duration.toMillis(duration)
    if (!Number.isFinite(ms)) return Effect.never
    return Effect.callback<void>((resume) => {
      let asleep = true
      const sleeper: Sleeper = {
        due: now + Math.max(0, ms),
        order: order++,
        wake: () => {
          asleep = false
          resume(Effect.void)
        }
      }
      sleepers.add(sleeper)
      return Effect.sync(() => {
        if (asleep) sleepers.remove(sleeper)
      })
    })
  }

  const wakeNext = Effect.sync(() => {
    const sleeper = sleepers.take()
    if (sleeper === undefined) return false
    now = Math.max(now, sleeper.due)
    sleeper.wake()
    return true
  })

  const advanceToNextDue = Effect.sync(() => {
    const due = sleepers.first?.due
    if (due === undefined) return false
    now = Math.max(now, due)
    while (sleepers.first?.due === due) sleepers.take()?.wake()
    return true
  })

  return {
    clock: {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep
    },
    now: () => now,
    sleeping: () => sleepers.size,
    nextDue: () => sleepers.first?.due,
    advanceToNextDue,
    wakeNext,
    moveTo: (ms) =>
      Effect.sync(() => {
        now = Math.max(now, ms)
      })
  }
}
