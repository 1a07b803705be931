// Which commands get a supervisor: those that hold signals (Host.holdSignals). One too many costs the start of a process.
import process from "node:process"

const holding: ReadonlySet<string> = new Set(["run", "resume", "fork", "council", "ask"])

/** `doctor --model` waits for a model, which may be a subprocess. */
const triesModel = (args: ReadonlyArray<string>): boolean =>
  args.includes("doctor") && args.some((arg) => arg === "--model" || arg.startsWith("--model="))

export const needsSupervisor = (args: ReadonlyArray<string>): boolean =>
  process.platform !== "win32" &&
  (args.some((arg) => holding.has(arg)) || triesModel(args)) &&
  !args.some((arg) => arg === "--help" || arg === "-h") &&
  // A debugger looks at the one process that it was started for.
  !process.execArgv.some((arg) => arg.startsWith("--inspect"))
