// Starts the process that a plan runs in, and, for a command that will surely need one, starts it before anything else
// is loaded. Nothing of a plan is in it yet. What is said to it is PlanProcess.node.ts's.
import { spawn, type ChildProcess } from "node:child_process"
import { dirname } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { defined } from "../../domain/defined.ts"
import { endsWithHost } from "../../kernel/processes/endsWithHost.node.ts"
import { keepWatch } from "../../kernel/processes/liveProcesses.node.ts"
import { defaultHeapMb } from "./planHeap.ts"

/** Node's arguments that make it the plan's process, and where it starts. */
export interface ChildCommand {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
}

/** The child's main module: source beside this file in a checkout, `plan-child.js` beside the bundle in a package. */
export const planChildEntry = (): URL =>
  import.meta.url.endsWith(".ts")
    ? new URL("../child/main.ts", import.meta.url)
    : new URL("./plan-child.js", import.meta.url)

/** The command of a child that is built. */
export const builtCommand = (path: string): ChildCommand => ({ args: [path], cwd: dirname(path) })

/** Only what a plan may depend on: nothing of the user's environment, one time zone, one locale. */
const environment = (): Record<string, string> => {
  const root = process.env.SystemRoot
  return { TZ: "UTC", LC_ALL: "C", ...defined({ SystemRoot: root }) }
}

const startNow = (command: ChildCommand, heapMb: number): ChildProcess => {
  const argv = [process.execPath, `--max-old-space-size=${heapMb}`, ...command.args]
  // A plan in an endless loop does not hear that its host is gone.
  const [program = process.execPath, ...args] = endsWithHost(argv)
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: environment(),
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true
  })
  child.on("exit", keepWatch(child.pid))
  return child
}

let ahead: { readonly child: ChildProcess; readonly main: string } | undefined

/** Starts a process for the next plan of this one. It ends with this process if no plan takes it. */
export const startAhead = (): void => {
  const main = fileURLToPath(planChildEntry())
  // From source it is bundled first, which is not for here.
  if (ahead !== undefined || main.endsWith(".ts")) return
  const child = startNow(builtCommand(main), defaultHeapMb)
  child.on("error", () => {})
  ahead = { child, main }
}

/** The process that was started ahead, if it is such a one and lives; else a new one. */
export const spawnPlan = (command: ChildCommand, heapMb: number): ChildProcess => {
  const started = ahead
  if (started !== undefined && heapMb === defaultHeapMb && command.args[0] === started.main) {
    ahead = undefined
    const { exitCode, pid, signalCode } = started.child
    if (pid !== undefined && exitCode === null && signalCode === null) return started.child
  }
  return startNow(command, heapMb)
}
