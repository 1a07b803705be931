// derived: checkpoint.json and result.json of a run that has ended, made again where they are missing or say other than
// its log. The log itself is never touched here; the call cache is repair's.
import { Effect, Option } from "effect"
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { checkpointOf, digestOf, encodeCheckpoint } from "./Checkpoint.ts"
import type { LogPosition } from "../log/EventLog.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import type { RunPaths } from "../store/RunDirectory.ts"
import type { RunJournal } from "../RunJournal.ts"

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0

const bytesAt = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FsPort
  return Option.getOrUndefined(yield* Effect.option(fs.readFile(path)))
})

/** Makes the file be `bytes`, or not be there; true if it was otherwise. */
const put = Effect.fnUntraced(function* (path: string, bytes: Uint8Array | undefined) {
  const fs = yield* FsPort
  if (same(yield* bytesAt(path), bytes)) return false
  yield* Effect.mapError(bytes === undefined ? fs.remove(path) : fs.replace(path, bytes), fromFsError)
  return true
})

/** checkpoint.json and result.json of a run that has ended and was just opened to be written. */
export const mendEnded = Effect.fnUntraced(function* (
  paths: RunPaths,
  journal: RunJournal,
  at: LogPosition
): Effect.fn.Return<void, JournalError, FsPort> {
  const state = journal.state()
  if (state.end === undefined) return
  yield* put(paths.checkpoint, encodeCheckpoint(checkpointOf(journal.runId, at, digestOf(state))))
  const result = yield* journal.result
  yield* put(
    paths.result,
    result === undefined ? undefined : new TextEncoder().encode(`${canonicalJsonOf(result)}\n`)
  )
})
