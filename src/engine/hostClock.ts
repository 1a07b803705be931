// A plan's process is guarded in real time, also where the run's own time is logical.
import { Clock, Effect } from "effect"
import type { RunContext } from "./RunContext.ts"

export const onHostClock = <A, E, R>(run: RunContext, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, Clock.Clock, run.hostClock)
