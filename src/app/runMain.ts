// The process: runs a command and ends with its exit code, after everything it said has been written.
import process from "node:process"
import { Effect, Exit } from "effect"
import { runCommand } from "../cli/root.ts"
import { boundYoungSpace } from "./boundYoungSpace.ts"
import { hostLayer, platformLayer } from "./layers.ts"
import { meetSupervisor } from "./signals/holdSignals.ts"
import { signalExitCode } from "./signals/supervision.ts"

/** What was to be said cannot be: sysexits' EX_IOERR, as no status of a run is. */
const unsaid = 74

/**
 * A reader that has gone (`alembic list | head`) is no failure of ours. A full disk or a broken device is: the command
 * goes on, since what it does is durable in its own place, and ends with a code that says that its words are not whole.
 */
const watchOutput = (): { readonly isWhole: () => boolean } => {
  let whole = true
  for (const [name, stream] of [
    ["stdout", process.stdout],
    ["stderr", process.stderr]
  ] as const) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || !whole) return
      whole = false
      if (name === "stdout")
        process.stderr.write(
          `error [output_lost] stdout cannot be written (${error.code ?? error.message}): what was said there is not whole\n  next: the same with its output elsewhere; what a run did is in its journal (alembic inspect @last)\n`
        )
    })
  }
  return { isWhole: () => whole }
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => void stream.write("", () => resolve()))

/** Whether the usual variables name a collector of telemetry. */
const isObserved = ["", "TRACES_", "METRICS_", "LOGS_"].some(
  (signal) => (process.env[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`] ?? "") !== ""
)

const program = (args: ReadonlyArray<string>) => {
  const command = Effect.provide(Effect.provide(runCommand(args), hostLayer), platformLayer)
  return isObserved
    ? Effect.flatMap(
        Effect.promise(() => import("./telemetry.ts")),
        ({ withTelemetry }) => withTelemetry(command)
      )
    : command
}

/** Runs the command and ends the process. */
export const runMain = (args: ReadonlyArray<string>): void => {
  const output = watchOutput()
  meetSupervisor()
  boundYoungSpace()
  // Nothing else may keep the process waiting for it: a command in which nothing is pending is over.
  const keepAlive = setInterval(() => {}, 2_147_483_647)
  void Effect.runPromiseExit(program(args)).then(async (exit) => {
    clearInterval(keepAlive)
    await Promise.all([flushed(process.stdout), flushed(process.stderr)])
    const code = Exit.isSuccess(exit) ? exit.value : signalExitCode("SIGINT")
    process.exit(output.isWhole() ? code : unsaid)
  })
}
