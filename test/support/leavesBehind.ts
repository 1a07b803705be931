// A process that starts another one, which holds its stdout open, watches over it, and exits as it is told, for
// test/kernel/processes/liveProcesses.test.ts.
import { spawn } from "node:child_process"
import { keepWatch } from "../../src/kernel/processes/liveProcesses.node.ts"

const [how, group] = process.argv.slice(2)
const deaf = `process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1e9)`
// The one that holds on longest: a grandchild where the whole group is watched, else the child.
const code =
  group === "group"
    ? `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(deaf)}], { stdio: ["ignore", "inherit", "inherit", 3] }); setInterval(() => {}, 1e9)`
    : deaf
const child = spawn(process.execPath, ["-e", code], {
  stdio: ["ignore", "pipe", "inherit", 1],
  detached: group === "group"
})
keepWatch(child.pid, { group: group === "group" })
child.stdout?.once("data", () => {
  if (how === "exit") process.exit(3)
  throw new Error("nobody catches this")
})
