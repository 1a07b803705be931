// A run's own clock, for what is written into its log while it does not run. A hermetic run's time is logical: it
// stands where its log ends, and the host's time is nowhere in it.
import { Clock, Effect } from "effect"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { makeLogicalClock } from "../../kernel/LogicalClock.ts"

/** Runs `self` at the time that the run's log has come to, if the run is hermetic; else at the host's. */
export const onItsClock = <A, E, R>(journal: RunJournal, self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const { hermetic, lastAt } = journal.state()
    return hermetic
      ? Effect.provideService(self, Clock.Clock, makeLogicalClock(lastAt).clock)
      : Effect.map(self, (value) => value)
  })
