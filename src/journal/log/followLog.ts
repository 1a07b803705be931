// followLog: the events of a run as a stream, also while another fiber or process appends them. It reads the log from
// its beginning, every line checked, and writes nothing. A line counts once it is whole in the file.
//
// Invariants:
// W1  Events come in order, each once, and none up to `since`; going on after the last one seen misses none.
// W2  Following ends once the run has ended or stopped and nothing more is in the log, or once nobody works on it.
import { Effect, Option, Stream } from "effect"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, JournalError } from "../JournalError.ts"
import { LogReader, type LineProblem } from "./LogReader.ts"
import type { RunListing } from "../maintenance/listRuns.ts"
import { runPaths } from "../store/RunDirectory.ts"

export interface EventsOptions {
  /** The `seq` of the last event that was seen; 0 unless given: all of them. */
  readonly since?: number
  /** Waits for what is appended until the run ends or stops. */
  readonly follow?: boolean
}

/** How often a log is looked at, and how many looks find nothing before it is asked whether anybody works on it. */
const lookEvery = "200 millis"
const quietLooks = 10
const chunkBytes = 256 * 1024

/** Events that a process ends its work with. */
const rests: ReadonlySet<RunEvent["type"]> = new Set([
  "RunCompleted",
  "RunFailed",
  "RunSuspended",
  "RunInterrupted"
])

export const followLog = (
  baseDir: string,
  runId: RunId,
  { follow = false, since = 0 }: EventsOptions,
  list: Effect.Effect<ReadonlyArray<RunListing>, JournalError>
): Stream.Stream<RunEvent, JournalError, FsPort> => {
  const path = runPaths(baseDir, runId).events
  const isWorkedOn = Effect.map(list, (runs) =>
    runs.some((run) => run.runId === runId && run.status === "running")
  )
  return Stream.unwrap(
    Effect.gen(function* () {
      const fs = yield* FsPort
      if ((yield* Effect.mapError(fs.stat(path), fromFsError)) === undefined) {
        return yield* new JournalError({ code: "run_missing", path, problem: "the run has no log" })
      }
      const handle = yield* Effect.mapError(fs.openRead(path), fromFsError)
      const reader = new LogReader(path)
      const buffer = new Uint8Array(chunkBytes)
      let isResting = false

      /** The next events; undefined where there are no further bytes. */
      const read = Effect.fnUntraced(function* (offset: number) {
        const count = yield* Effect.mapError(handle.readInto(offset, buffer), fromFsError)
        if (count === 0) return undefined
        const events: Array<RunEvent> = []
        let problem: LineProblem | undefined
        reader.push(
          buffer.slice(0, count),
          ({ event }) => {
            isResting = rests.has(event.type)
            if (event.seq > since) events.push(event)
          },
          (found) => {
            problem ??= found
          }
        )
        if (problem !== undefined) return yield* Effect.fail(reader.errorOf(problem))
        return { events, next: offset + count }
      })

      /** Waits for further bytes; undefined once there will be none. */
      const more = Effect.fnUntraced(function* (offset: number) {
        if (!follow || isResting) return undefined
        for (let quiet = 1; ; quiet++) {
          const isOver = quiet % quietLooks === 0 && !(yield* isWorkedOn)
          yield* isOver ? Effect.void : Effect.sleep(lookEvery)
          const found = yield* read(offset)
          if (found !== undefined || isOver) return found
        }
      })

      return Stream.paginate(0, (offset: number) =>
        Effect.gen(function* () {
          const found = (yield* read(offset)) ?? (yield* more(offset))
          return found === undefined
            ? ([[], Option.none<number>()] as const)
            : ([found.events, Option.some(found.next)] as const)
        })
      )
    })
  )
}
