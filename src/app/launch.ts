// The first thing that runs of the built command: says which Node it needs, keeps what V8 compiles of the command for
// the next start, and loads what the arguments ask for. Built into `dist/main.js` by itself, so that it is small.
import module from "node:module"
import process from "node:process"
import { userCache } from "../kernel/userDirectories.node.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`alembic needs Node 22.19 or later; this is ${process.versions.node}\n`)
  process.exit(2)
}
// Node's own default is a temporary folder that all users share. NODE_COMPILE_CACHE has been heard by now.
const directory = userCache("node")
if (directory !== undefined) module.enableCompileCache(directory)
// Without a word there is no command: help, version and wrong usage start from a bundle of just what they need.
const full = process.argv.slice(2).some((arg) => !arg.startsWith("-") || /^--(wizard|completions)/.test(arg))
const program = full ? "./command.js" : "./front.js"
await import(program)
