// A process that holds its first signal and never lets go of it, for test/app/signals.test.ts. It says each step.
import { Deferred, Effect } from "effect"
import { listenToSignals, signalExitCode } from "../../src/app/signals.ts"

const held = process.argv[2] === "held"

const program = Effect.scoped(
  Effect.gen(function* () {
    const signals = yield* listenToSignals
    const first = held ? yield* signals.hold : signals.unheld
    // Something must be pending for the process to wait.
    const alive = setInterval(() => {}, 1_000_000)
    process.stdout.write("ready\n")
    const signal = yield* Deferred.await(first)
    process.stdout.write(`${held ? "held" : "unheld"} ${signal}\n`)
    if (held) return yield* Effect.never
    clearInterval(alive)
    process.exitCode = signalExitCode(signal)
  })
)

void Effect.runPromise(program)
