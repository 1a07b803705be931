// lineWindow: single lines of a log, by where they stand. The stretch that was read last is kept: answers are mostly read
// in the order they stand there.
import { Effect } from "effect"
import type { ReadHandle } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"

/** How much of the log is read at once. */
const windowBytes = 256 * 1024

/** Gives a line to `use`, which takes what it needs of it at once: the buffer is used again. */
export type ReadLine = <A>(
  offset: number,
  length: number,
  use: (line: Uint8Array) => A
) => Effect.Effect<A, JournalError>

/** `written`: that the log is in the file up to there. */
export const lineWindow = (
  reader: ReadHandle,
  written: (end: number) => Effect.Effect<void, JournalError>
): ReadLine => {
  let buffer = new Uint8Array(0)
  let window = { offset: 0, length: 0 }
  return (offset, length, use) => {
    const holds = () => offset >= window.offset && offset + length <= window.offset + window.length
    const used = () => use(buffer.subarray(offset - window.offset, offset - window.offset + length))
    if (holds()) return Effect.succeed(used())
    const read = Effect.suspend(() => {
      const room = Math.max(length, windowBytes)
      if (buffer.length < room || buffer.length > room * 4) buffer = new Uint8Array(room)
      window = { offset: 0, length: 0 }
      return Effect.map(Effect.mapError(reader.readInto(offset, buffer), fromFsError), (count) => {
        window = { offset, length: count }
        // A log that has become shorter has no such line.
        return holds() ? used() : use(new Uint8Array(0))
      })
    })
    return Effect.andThen(written(offset + length), read)
  }
}
