// Signals of the process. The first SIGINT or SIGTERM ends the command in an orderly way: a run that holds signals
// stops so that it can be resumed, anything else is interrupted. The second one ends the process at once, and with it
// every process that it had started (kernel/liveProcesses.node.ts).
import process from "node:process"
import { Deferred, Effect, type Scope } from "effect"

const numbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 }

/** The exit code of a process that a signal ended. */
export const signalExitCode = (signal: string): number => 128 + (numbers[signal] ?? 0)

export interface Signals {
  /** Completed by the first signal that nobody holds. */
  readonly unheld: Deferred.Deferred<string>
  /** Takes the first signal until the scope ends. */
  readonly hold: Effect.Effect<Deferred.Deferred<string>, never, Scope.Scope>
}

/** Listens until the scope ends. */
export const listenToSignals: Effect.Effect<Signals, never, Scope.Scope> = Effect.gen(function* () {
  const unheld = yield* Deferred.make<string>()
  let holder: Deferred.Deferred<string> | undefined
  let seen = false

  const onSignal = (signal: string): void => {
    if (seen) process.exit(signalExitCode(signal))
    seen = true
    Deferred.doneUnsafe(holder ?? unheld, Effect.succeed(signal))
  }

  const hold = Effect.acquireRelease(
    Effect.map(Deferred.make<string>(), (taken) => {
      holder = taken
      return taken
    }),
    () =>
      Effect.sync(() => {
        holder = undefined
      })
  )

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      for (const name of Object.keys(numbers)) process.on(name, onSignal)
    }),
    () =>
      Effect.sync(() => {
        for (const name of Object.keys(numbers)) process.off(name, onSignal)
      })
  )
  return { unheld, hold }
})
