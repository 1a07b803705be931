// Loaded into the command before anything else (NODE_OPTIONS): its main thread blocks for ever in the first write to
// stdout or stderr that holds the text BLOCK_AT, after it has said so. Nothing that runs in the process hears a signal.
import { writeSync } from "node:fs"
import process from "node:process"

const { BLOCK_AT } = process.env
if (BLOCK_AT !== undefined) {
  for (const stream of [process.stdout, process.stderr]) {
    const { write } = stream
    stream.write = (chunk, ...rest) => {
      if (!String(chunk).includes(BLOCK_AT)) return write.call(stream, chunk, ...rest)
      writeSync(2, "blocked\n")
      return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
  }
}
