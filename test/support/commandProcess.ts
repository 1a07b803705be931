// The command as it is shipped, as a process of its own, for what only a process can show: signals, kills, exit codes, two at once.
import { Effect } from "effect"
import { spawn, type ChildProcess } from "node:child_process"
import { buildCommand } from "./buildCommand.ts"

const main = buildCommand()

export interface Ended {
  /** Exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Effect.Effect<Ended>
}

/** Starts `alembic` in a folder, and ends it with the scope if it has not ended by then. */
export const start = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { PATH, TMPDIR, XDG_CACHE_HOME } = process.env
        const env = { PATH, TMPDIR, XDG_CACHE_HOME, NO_COLOR: "1" }
        const child = spawn(process.execPath, [main, ...args], {
          cwd,
          env,
          stdio: ["ignore", "pipe", "pipe"]
        })
        let out = ""
        let err = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk))
        child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk))
        const ended = new Promise<Ended>((resolve) =>
          child.on("close", (code, signal) => resolve({ code: code ?? signal, out, err }))
        )
        return { child, ended }
      }),
      ({ child, ended }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return ended
        })
    ),
    ({ child, ended }): Running => ({ child, ended: Effect.promise(() => ended) })
  )

/** Runs `alembic` to its end. */
export const finish = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(start(cwd, ...args), ({ ended }) => ended)

/** The last line of stdout as JSON. */
export const summaryOf = ({ out }: Ended): Record<string, unknown> =>
  JSON.parse(out.trim().split("\n").at(-1) ?? "")
