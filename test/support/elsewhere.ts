// The command as a process somewhere else: another folder, time zone and locale, a run directory that cannot be
// written, no network. What this machine lets nobody do (unshare needs rights) is said, not pretended.
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { buildCommand } from "./buildCommand.ts"
import type { Ended } from "./commandProcess.ts"

const main = buildCommand()

/** Whether a process may be given a network and mounts of its own here. */
export const canUnshare = (() => {
  try {
    execFileSync("unshare", ["-m", "-n", "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

export interface Elsewhere {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Cannot be written while the command runs. */
  readonly readOnly?: string
  readonly offline?: boolean
}

const below = (path: string): ReadonlyArray<string> => [
  path,
  ...(statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => below(join(path, name))) : [])
]

/** Takes away, or gives back, the right to write: what root does not heed, so that root mounts it read-only instead. */
const writable = (path: string, yes: boolean) => {
  for (const one of below(path)) {
    const directory = statSync(one).isDirectory()
    chmodSync(one, directory ? (yes ? 0o700 : 0o500) : yes ? 0o600 : 0o400)
  }
}

const mounted = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"`

const wrapped = ({ offline, readOnly }: Elsewhere, command: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!canUnshare || (offline !== true && readOnly === undefined)) return command
  const inside = readOnly === undefined ? command : ["sh", "-c", mounted, "sh", readOnly, ...command]
  return ["unshare", "-m", ...(offline === true ? ["-n"] : []), ...inside]
}

/** Runs `alembic` there to its end. */
export const finishElsewhere = (where: Elsewhere, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.promise(async () => {
    const { cwd, env = {}, readOnly } = where
    if (readOnly !== undefined && !canUnshare) writable(readOnly, false)
    const [program = "", ...rest] = wrapped(where, [process.execPath, main, ...args])
    const child = spawn(program, rest, {
      cwd,
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk))
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk))
    const ended = await new Promise<Ended>((resolve) =>
      child.on("close", (code, signal) => resolve({ code: code ?? signal, out, err }))
    )
    if (readOnly !== undefined && !canUnshare) writable(readOnly, true)
    return ended
  })
