// The process: runs a command and ends with its exit code, after everything it said has been written.
import process from "node:process"
import { Effect, Exit } from "effect"
import { runCommand } from "../cli/root.ts"
import { boundYoungSpace } from "./boundYoungSpace.ts"
import { hostLayer, platformLayer } from "./layers.ts"
import { meetSupervisor } from "./signals/holdSignals.ts"
import { signalExitCode } from "./signals/supervision.ts"

/** A reader that has gone (`alembic list | head`) is no failure of ours. */
const ignoreClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
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
  ignoreClosedPipes()
  meetSupervisor()
  boundYoungSpace()
  // Nothing else may keep the process waiting for it: a command in which nothing is pending is over.
  const keepAlive = setInterval(() => {}, 2_147_483_647)
  void Effect.runPromiseExit(program(args)).then(async (exit) => {
    clearInterval(keepAlive)
    await Promise.all([flushed(process.stdout), flushed(process.stderr)])
    process.exit(Exit.isSuccess(exit) ? exit.value : signalExitCode("SIGINT"))
  })
}
