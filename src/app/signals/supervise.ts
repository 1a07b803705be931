// The supervisor: the process that a person starts and sends signals to. It starts the host, hands on what it hears,
// and ends the host when the rules of supervision.ts say so.
import { spawn } from "node:child_process"
import process from "node:process"
import { endsWithHost } from "../../kernel/processes/endsWithHost.node.ts"
import { killAll } from "../../kernel/processes/liveProcesses.node.ts"
import { held, saidOf, sayOf, signalExitCode, step, unsignalled, type Happened } from "./supervision.ts"

/** A killed process that does not go is not waited for longer. */
const goneMs = 1000

/** Runs `script` with the arguments as the host, and exits as it does. `unstarted`: where it cannot be started. */
export const supervise = (script: string, args: ReadonlyArray<string>, unstarted: () => void): void => {
  const argv = [process.execPath, ...process.execArgv, script, ...args]
  const [program = process.execPath, ...rest] = endsWithHost(argv)
  const host = spawn(program, rest, { stdio: ["inherit", "inherit", "inherit", "ipc"] })
  const live = new Set<number>()
  let state = unsignalled
  let timer: NodeJS.Timeout | undefined

  const happens = (happened: Happened): void => {
    const [next, deeds] = step(state, happened)
    state = next
    for (const deed of deeds) {
      switch (deed._tag) {
        case "tell":
          // A host that is about to exit has closed its end.
          if (host.connected) host.send(sayOf(deed.said), () => {})
          break
        case "limit":
          clearTimeout(timer)
          timer = setTimeout(() => happens({ _tag: "timeIsOver" }), deed.ms)
          break
        case "listen":
          setTimeout(() => happens({ _tag: "silence" }), deed.ms)
          break
        case "note":
          process.stderr.write(`${deed.text}\n`)
          break
        case "end":
          // The host first: it must not begin anything any more.
          host.kill("SIGKILL")
          killAll(live)
          setTimeout(() => process.exit(next.code), goneMs)
          break
        case "exit":
          process.exit(deed.code)
      }
    }
  }

  for (const name of held) process.on(name, () => happens({ _tag: "signal", name, at: "supervisor" }))
  host.on("error", (error) => {
    if (host.pid !== undefined) return
    for (const name of held) process.removeAllListeners(name)
    process.stderr.write(`alembic: no process of its own (${error.message}); signals may be heard late\n`)
    unstarted()
  })
  host.on("message", (message) => {
    const said = saidOf(message)
    switch (said?._tag) {
      case "hold":
      case "release":
      case "heard":
        return happens(said)
      case "signal":
        return happens({ ...said, at: "host" })
      case "watch":
        return void live.add(said.target)
      case "unwatch":
        return void live.delete(said.target)
      default:
        return
    }
  })
  host.on("exit", (code, signal) => {
    // Whatever ended it, nothing that it has started outlives it.
    if (signal !== null) killAll(live)
    happens({ _tag: "exited", code: code ?? (signal === null ? 1 : signalExitCode(signal)) })
  })
}
