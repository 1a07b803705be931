// A process that holds its first signal and never lets go of it, or lets go before the first one comes, for
// test/app/signals/holdSignals.test.ts. It says each step.
import { Deferred, Effect } from "effect"
import { holdSignals } from "../../src/app/signals/holdSignals.ts"

const held = process.argv[2] === "held"

const program = Effect.gen(function* () {
  const stop = yield* Deferred.make<string>()
  // Something must be pending for the process to wait.
  setInterval(() => {}, 1_000_000)
  if (!held) {
    yield* Effect.scoped(holdSignals(stop))
    process.stdout.write("ready\n")
    return yield* Effect.never
  }
  yield* holdSignals(stop)
  process.stdout.write("ready\n")
  process.stdout.write(`held ${yield* Deferred.await(stop)}\n`)
  return yield* Effect.never
})

void Effect.runPromise(Effect.scoped(program))
