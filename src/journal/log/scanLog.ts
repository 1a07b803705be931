// scanLog: reads an event log from its first byte to its last in bounded memory, every line checked. Used to open,
// to verify and to stream; it writes nothing.
import { Effect, Option, Stream } from "effect"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { ReadHandle } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { LogReader, type LineProblem, type LogEntry } from "./LogReader.ts"

const chunkBytes = 256 * 1024

/** Reads the next chunk into `buffer`, which is used again and again: a scan leaves no garbage of the log's size. */
const readChunk = (
  handle: ReadHandle,
  offset: number,
  end: number,
  buffer: Uint8Array
): Effect.Effect<Uint8Array, JournalError> => {
  const into = buffer.subarray(0, Math.min(buffer.length, end - offset))
  return Effect.mapError(
    Effect.map(handle.readInto(offset, into), (count) => into.subarray(0, count)),
    fromFsError
  )
}

/** Reads bytes 0 to `end` of a log; `onEntry` sees every sound event, `onProblem` all that is wrong. */
export const scanLog = Effect.fnUntraced(function* (options: {
  readonly path: string
  readonly handle: ReadHandle
  readonly end: number
  readonly onEntry: (entry: LogEntry) => void
  /** False stops the scan. */
  readonly onProblem: (problem: LineProblem, reader: LogReader) => boolean
  /** Hash of the last line, where the checkpoint knows it. */
  readonly lastHash?: string
}): Effect.fn.Return<LogReader, JournalError> {
  const reader = new LogReader(options.path)
  const buffer = new Uint8Array(Math.max(1, Math.min(chunkBytes, options.end)))
  const scan = { stopped: false }
  const onProblem = (problem: LineProblem) => {
    if (!scan.stopped) scan.stopped = !options.onProblem(problem, reader)
  }
  for (let offset = 0; offset < options.end;) {
    const chunk = yield* readChunk(options.handle, offset, options.end, buffer)
    if (chunk.length === 0) break
    reader.push(chunk, options.onEntry, onProblem)
    if (scan.stopped) break
    offset += chunk.length
  }
  reader.finish(onProblem, options.lastHash)
  return reader
})

/** The sound events of a log, in order; fails with the first problem. */
export const streamLog = (
  path: string,
  handle: ReadHandle,
  end: () => number
): Stream.Stream<RunEvent, JournalError> =>
  Stream.suspend(() => {
    const reader = new LogReader(path)
    const until = end()
    const buffer = new Uint8Array(Math.max(1, Math.min(chunkBytes, until)))
    return Stream.paginate(0, (offset: number) =>
      Effect.flatMap(readChunk(handle, offset, until, buffer), (chunk) => {
        const events: Array<RunEvent> = []
        let problem: LineProblem | undefined
        const onProblem = (found: LineProblem) => {
          problem ??= found
        }
        reader.push(chunk, (entry) => events.push(entry.event), onProblem)
        const next = offset + chunk.length
        const more = chunk.length > 0 && next < until
        if (!more) reader.finish(onProblem)
        if (problem !== undefined) return Effect.fail(reader.errorOf(problem))
        return Effect.succeed([events, more ? Option.some(next) : Option.none<number>()] as const)
      })
    )
  })
