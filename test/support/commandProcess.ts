// The command as it is shipped, as a process of its own, for what only a process can show: signals, kills, exit codes, two at once.
import { Effect, Option, Result } from "effect"
import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { hashOf, requirementsOf } from "../../src/cli/trust/requirements.ts"
import { decodeContract } from "../../src/engine/launch/planSpec.ts"
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

const textOf = (...path: ReadonlyArray<string>): string | undefined =>
  statSync(join(...path), { throwIfNoEntry: false })?.isFile() === true
    ? readFileSync(join(...path), "utf8")
    : undefined

const hashFor = (config: string | undefined, contractText: string | undefined): string => {
  const decoded = contractText === undefined ? undefined : decodeContract(JSON.parse(contractText))
  const contract = decoded === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(decoded))
  return hashOf(requirementsOf({ config, contract }))
}

/** What a run of the folder needs, as its directory keeps it. */
const hashOfRun = (dir: string): string => {
  const { blobs = {}, parts = {} } = JSON.parse(textOf(dir, "meta.json") ?? "{}")
  const blob = (hash: unknown) => (typeof hash === "string" ? textOf(dir, "blobs", hash) : undefined)
  return hashFor(blob(blobs.config), blob(parts.contract))
}

/** What the test itself wrote is trusted; what asks for trust has tests of its own (test/cli/trust). */
const trusted = (cwd: string, args: ReadonlyArray<string>): string => {
  const at = args.indexOf("--contract")
  const own = hashFor(textOf(cwd, "alembic.json"), at < 0 ? undefined : textOf(cwd, args[at + 1] ?? ""))
  const runs = join(cwd, ".alembic", "runs")
  const kept = existsSync(runs) ? readdirSync(runs).map((name) => hashOfRun(join(runs, name))) : []
  return [own, ...kept].join(",")
}

/** Where a command is started. */
export type Place = string | { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

/**
 * As if the machine had taken both from one moment to the next, the supervisor and its host. With the supervisor alone
 * killed, the kernel closes its channel before it ends the host, which may then find the time to end what it has started.
 */
export const killOutright = ({ child }: { readonly child: ChildProcess }): void => {
  child.kill("SIGSTOP")
  const children = `/proc/${child.pid}/task/${child.pid}/children`
  const hosts = existsSync(children)
    ? readFileSync(children, "utf8")
        .split(" ")
        .filter((pid) => pid !== "")
    : []
  for (const pid of hosts) process.kill(Number(pid), "SIGKILL")
  child.kill("SIGKILL")
}

/** Starts `alembic` in a folder, and ends it with the scope if it has not ended by then. */
export const start = (place: Place, ...args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { cwd, env: more } = typeof place === "string" ? { cwd: place, env: {} } : place
        const { PATH, TMPDIR, XDG_CACHE_HOME, XDG_STATE_HOME } = process.env
        const own = { PATH, TMPDIR, XDG_CACHE_HOME, XDG_STATE_HOME }
        const env = { ...own, NO_COLOR: "1", ALEMBIC_TRUST: trusted(cwd, args), ...more }
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
export const finish = (cwd: Place, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(start(cwd, ...args), ({ ended }) => ended)

/** The last line of stdout as JSON. */
export const summaryOf = ({ out }: Ended): Record<string, unknown> =>
  JSON.parse(out.trim().split("\n").at(-1) ?? "")
