// The first thing that runs of the built command: says which Node it needs, keeps what V8 compiles of the command for
// the next start, and loads what the arguments ask for; what has something to put away when a signal comes gets a
// process of its own. Built into `dist/main.js` by itself, so that it is small.
import process from "node:process"
import { fileURLToPath } from "node:url"
import { keepCompiled } from "./keepCompiled.ts"
import { needsSupervisor } from "./signals/needsSupervisor.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`alembic needs Node 22.19 or later; this is ${process.versions.node}\n`)
  process.exit(2)
}
const args = process.argv.slice(2)
// Without a word there is no command: help, version and wrong usage start from a bundle of just what they need.
const full = args.some((arg) => !arg.startsWith("-") || /^--(wizard|completions)/.test(arg))
const load = async (): Promise<void> => {
  keepCompiled()
  const program = full ? "./command.js" : "./front.js"
  await import(program)
}
if (needsSupervisor(args)) {
  const { supervise } = await import("./signals/supervise.ts")
  supervise(fileURLToPath(new URL("./host.js", import.meta.url)), args, () => void load())
} else await load()
