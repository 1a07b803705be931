// lines: one JSON text a line over the process's own pipes, read and written synchronously. The plan's process has
// nothing to do between two messages, and a blocking read is the fastest way to wait.
import { readSync, writeSync } from "node:fs"

const newline = 10
const chunk = Buffer.allocUnsafe(1 << 16)
let rest: Array<Buffer> = []

/** The next line; undefined when the host has gone. */
export const readLine = (): string | undefined => {
  for (;;) {
    const last = rest.at(-1)
    const at = last?.indexOf(newline) ?? -1
    if (last !== undefined && at >= 0) {
      const line = Buffer.concat([...rest.slice(0, -1), last.subarray(0, at)]).toString("utf8")
      rest = [last.subarray(at + 1)]
      return line
    }
    const size = receive()
    if (size === 0) return undefined
    rest.push(Buffer.from(chunk.subarray(0, size)))
  }
}

const receive = (): number => {
  for (;;) {
    try {
      return readSync(0, chunk)
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      if (code === "EOF") return 0
      if (code !== "EAGAIN" && code !== "EINTR") throw cause
    }
  }
}

export const writeLine = (line: string): void => {
  const bytes = Buffer.from(`${line}\n`, "utf8")
  let sent = 0
  while (sent < bytes.length) {
    try {
      sent += writeSync(1, bytes, sent)
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      if (code !== "EAGAIN" && code !== "EINTR") throw cause
    }
  }
}
