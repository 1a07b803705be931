// A command-line tool that ends exactly as it is told: `node fakeTool.mjs <JSON, base64>`.
// { stdout, stderr (base64), exitCode, signal, fault: "grandchild-holds-stdout" | "hang" | "ignore-sigterm" | "flood"
//   | "echo" | "slow-bytes", port }. It and its grandchild hold a connection to `port` as
// long as they live; with a grandchild it goes on once the peer there says so.
import { spawn } from "node:child_process"
import { readFileSync, writeSync } from "node:fs"
import { connect } from "node:net"

const script = JSON.parse(Buffer.from(process.argv[2], "base64").toString("utf8"))
const write = (fd, text) => {
  const bytes = Buffer.from(text ?? "", "base64")
  for (let sent = 0; sent < bytes.length;) sent += writeSync(fd, bytes, sent)
}
const lifeline = script.port === undefined ? undefined : connect(script.port, "127.0.0.1")
const holding =
  script.port === undefined ? "" : `require("node:net").connect(${Number(script.port)}, "127.0.0.1");`
const stay = () => setInterval(() => {}, 1 << 30)

if (script.fault === "ignore-sigterm") process.on("SIGTERM", () => {})
if (script.fault === "echo") {
  writeSync(1, JSON.stringify({ argv: process.argv.slice(3), stdin: readFileSync(0, "utf8") }))
  process.exit(0)
}
if (script.fault === "grandchild-holds-stdout") {
  const grandchild = spawn(process.execPath, ["-e", `${holding}setInterval(() => {}, 1e9)`], {
    stdio: ["ignore", 1, 2]
  })
  grandchild.unref()
  if (lifeline !== undefined) await new Promise((resolve) => lifeline.once("data", resolve))
}
write(2, script.stderr)
if (script.fault === "slow-bytes") {
  for (const byte of Buffer.from(script.stdout, "base64")) {
    writeSync(1, Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
} else if (script.fault === "flood") {
  for (;;) writeSync(1, "x".repeat(65536))
} else write(1, script.stdout)
if (script.fault === "hang" || script.fault === "ignore-sigterm") stay()
else if (script.signal) process.kill(process.pid, script.signal)
else process.exit(script.exitCode)
