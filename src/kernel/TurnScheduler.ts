// TurnScheduler: an Effect scheduler whose fibers run only when it is told to, so that "quiet" can be seen: nothing
// is queued and no microtask is left. The in-process driver of Effect programs and hermetic runs stand on it.
import { Effect, Scheduler } from "effect"

export interface TurnScheduler {
  /** Give it to `Effect.runForkWith` or provide it as `Scheduler.Scheduler`. */
  readonly scheduler: Scheduler.Scheduler
  /**
   * Runs what is queued, and what that queues, until nothing is left. Promises the fibers wait for are given a turn
   * of the host's event loop each time; input and output still on its way is not waited for.
   */
  readonly untilQuiet: Effect.Effect<void>
}

export const makeTurnScheduler = (): TurnScheduler => {
  const queued = new Set<() => void>()
  const scheduler = new Scheduler.MixedScheduler("async", (task) => {
    queued.add(task)
    return () => void queued.delete(task)
  })
  const drain = () => {
    let ran = false
    while (queued.size > 0) {
      ran = true
      for (const task of queued) {
        queued.delete(task)
        task()
      }
    }
    return ran
  }
  // A microtask may be any number of hops from its end; a yield to the host's scheduler comes after all of them.
  const untilQuiet: Effect.Effect<void> = Effect.suspend(() => {
    const ran = drain()
    return Effect.andThen(Effect.yieldNow, ran || queued.size > 0 ? untilQuiet : Effect.void)
  })
  return { scheduler, untilQuiet }
}
