// A notice to whoever waits for a run: a command line of theirs, given to the system's shell. It gets no keys: what a
// subprocess needs at all, the way to the desktop, and the facts of the run as variables.
import process from "node:process"
import { Effect } from "effect"
import { childEnvironment } from "../../adapters/providers/commandEnvironment.ts"
import { runSubprocess } from "../../kernel/subprocess/Subprocess.node.ts"

const desktop = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"]

/** Runs it for ten seconds at most, and gives what was wrong with it. */
export const notice = (
  command: string,
  facts: Readonly<Record<string, string>>
): Effect.Effect<string | undefined> =>
  Effect.map(
    runSubprocess({
      argv: process.platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command],
      env: childEnvironment(process.env, { reads: "text", passEnv: desktop, env: facts }),
      timeLimitMs: 10_000,
      maxOutputBytes: 64 * 1024,
      drainMs: 0,
      killGraceMs: 1000
    }),
    ({ exitCode, killedBy, spawnError, stderr }) => {
      if (spawnError !== undefined) return `it could not be started (${spawnError.code})`
      if (killedBy !== undefined) return "it took more than 10 s, and was ended"
      return exitCode === 0
        ? undefined
        : `exit code ${exitCode ?? "none"} ${stderr.trim().slice(0, 200)}`.trim()
    }
  )
