// Where a log ends, and what it is up to there: for whoever signs it, and finds it changed by others later.
import { Effect, type Scope } from "effect"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { scanLog } from "../log/scanLog.ts"
import { runPaths } from "../store/RunDirectory.ts"
import { readCheckpoint } from "./Checkpoint.ts"

/** An event of a log, and the hash of its line, which is of all lines before it too. */
export interface LogHead {
  readonly seq: number
  readonly hash: string
}

/** The head that the run's process wrote down last; undefined where it wrote none. */
export const headOf = Effect.fnUntraced(function* (
  baseDir: string,
  runId: RunId
): Effect.fn.Return<LogHead | undefined, JournalError, FsPort> {
  const reading = yield* readCheckpoint(runPaths(baseDir, runId).checkpoint)
  return reading._tag === "read" && reading.checkpoint.lastSeq > 0
    ? { seq: reading.checkpoint.lastSeq, hash: reading.checkpoint.lastHash }
    : undefined
})

/**
 * Whether the log still has that head: read from the checkpoint where it stands there, since no run opens whose log
 * differs from it, else from the log.
 */
export const hasHead = Effect.fnUntraced(function* (
  baseDir: string,
  runId: RunId,
  { hash, seq }: LogHead
): Effect.fn.Return<boolean, JournalError, FsPort | Scope.Scope> {
  const known = yield* headOf(baseDir, runId)
  if (known?.seq === seq) return known.hash === hash
  const fs = yield* FsPort
  const { events } = runPaths(baseDir, runId)
  const handle = yield* Effect.mapError(fs.openRead(events), fromFsError)
  let found = false
  yield* scanLog({
    path: events,
    handle,
    end: yield* Effect.mapError(handle.size, fromFsError),
    onEntry: (entry) => {
      if (entry.event.seq === seq) found = entry.hash === hash
    },
    onProblem: () => false
  })
  return found
}, Effect.scoped)
