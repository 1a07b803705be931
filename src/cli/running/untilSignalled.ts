// untilSignalled: work that has something to put away (a subprocess, a temporary directory) and cannot be gone on with:
// the first signal interrupts it, and it has cleaned up when the command ends.
import { Deferred, Effect } from "effect"
import { CommandError } from "../CommandError.ts"
import { Host } from "../Host.ts"

const stoppedBy = (signal: string) =>
  new CommandError({ code: "interrupted", message: `stopped by ${signal}`, status: "interrupted", signal })

/** Holds signals while `work` works. */
export const untilSignalled = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const host = yield* Host
      const stop = yield* Deferred.make<string>()
      yield* host.holdSignals(stop)
      const stopped = Effect.flatMap(Deferred.await(stop), (signal) => Effect.fail(stoppedBy(signal)))
      return yield* Effect.raceFirst(work, stopped)
    })
  )
