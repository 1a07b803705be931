// A plan is driven in real time, also where the run's own time is logical, and only until the run is told to stop: a
// plan that computes for long does not keep a signal waiting.
import { Clock, Deferred, Effect, Schema } from "effect"
import type { RunContext } from "./RunContext.ts"

/** The run was told to stop while the plan was at work. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", { signal: Schema.String }) {}

const realClock = Clock.Clock.defaultValue()

/** Sleeps in real time, whatever clock the host has: what a program awaits besides its calls happens in real time. */
export const realSleep = (ms: number): Effect.Effect<void> =>
  Effect.provideService(Effect.sleep(ms), Clock.Clock, realClock)

/** One exchange with the plan, on the host's clock. */
export const untilStopped = <A, E, R>(
  run: RunContext,
  exchange: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Stopped, R> =>
  exchange.pipe(
    Effect.raceFirst(
      Effect.flatMap(Deferred.await(run.stop), (signal) => Effect.fail(new Stopped({ signal })))
    ),
    Effect.provideService(Clock.Clock, run.hostClock)
  )
