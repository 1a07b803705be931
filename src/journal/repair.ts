// repair: makes the files that are derived from a log again; and gives up the end of a damaged log, on request only,
// keeping a copy of all of it. What is kept must be sound; what was derived from the rest goes with it.
import { Effect, Option, type Scope } from "effect"
import { sha256 } from "../domain/fingerprint.ts"
import type { RunId } from "../domain/RunSpec.ts"
import { FsPort } from "../kernel/FsPort.ts"
import type { HostIdentity } from "../kernel/HostIdentity.ts"
import { fromFsError, JournalError } from "./JournalError.ts"
import { emptyInbox } from "./inbox.ts"
import type { LineProblem, LogReader } from "./LogReader.ts"
import { openRun } from "./openRun.ts"
import { mainWorkflow, refuseLinks, runPaths, type RunPaths } from "./RunDirectory.ts"
import { acquireLock } from "./RunLock.ts"
import { scanLog } from "./scanLog.ts"

export interface Repaired {
  /** Lines that are kept. */
  readonly kept: number
  readonly removedBytes: number
  /** The copy of the log as it was. */
  readonly backup: string
}

const copyBytes = 1024 * 1024

/** Copies a log to the first free name of `<path>.bak`, `.bak-2`, …; durable when it returns. */
const backUp = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<string, JournalError, FsPort | Scope.Scope> {
  const fs = yield* FsPort
  let backup = `${path}.bak`
  for (let n = 2; (yield* Effect.mapError(fs.stat(backup), fromFsError)) !== undefined; n++)
    backup = `${path}.bak-${n}`
  const from = yield* Effect.mapError(fs.openRead(path), fromFsError)
  const to = yield* Effect.mapError(fs.openAppend(backup), fromFsError)
  const size = yield* Effect.mapError(from.size, fromFsError)
  for (let offset = 0; offset < size; offset += copyBytes) {
    const bytes = yield* Effect.mapError(from.read(offset, Math.min(copyBytes, size - offset)), fromFsError)
    yield* Effect.mapError(to.append(bytes), fromFsError)
  }
  yield* Effect.mapError(to.sync, fromFsError)
  return backup
})

/** The files that are made from the log, by the names they have in the run's directory. */
const derivedFiles = (paths: RunPaths) => [
  paths.checkpoint,
  paths.result,
  paths.parked,
  paths.cache(mainWorkflow)
]

const removeDerived = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const fs = yield* FsPort
  for (const file of files) {
    yield* Effect.catch(fs.remove(file), (error) =>
      error.code === "ENOENT" || error.code === "ENOTDIR" ? Effect.void : Effect.fail(fromFsError(error))
    )
  }
})

/**
 * Makes what is derived from a sound log again: checkpoint, result, parked items, and the call cache if there was one.
 * Answers the files that were missing or said otherwise. Fails, changing nothing, if the log is not sound.
 */
export const remakeDerived = Effect.fn("remakeDerived")(function* (
  baseDir: string,
  runId: RunId
): Effect.fn.Return<ReadonlyArray<string>, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const fs = yield* FsPort
  const paths = runPaths(baseDir, runId)
  const files = derivedFiles(paths)
  const hashes = Effect.forEach(files, (file) =>
    Effect.map(Effect.option(fs.readFile(file)), (bytes) => Option.getOrUndefined(Option.map(bytes, sha256)))
  )
  const before = yield* hashes
  const journal = yield* openRun(baseDir, runId, "write")
  if (before[3] === undefined) journal.withoutCache()
  // One that has grown too large is not written, and must not stay as it is.
  yield* removeDerived([paths.parked, paths.cache(mainWorkflow)])
  if (journal.state().end === undefined) yield* removeDerived([paths.result])
  yield* journal.checkpoint
  const after = yield* hashes
  return files.filter((_, index) => before[index] !== after[index])
}, Effect.scoped)

/** Cuts the log after line `truncateAt`. Fails, changing nothing, if there is something wrong up to there. */
export const repairRun = Effect.fn("repairRun")(function* (
  baseDir: string,
  runId: RunId,
  options: { readonly truncateAt: number }
): Effect.fn.Return<Repaired, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const fs = yield* FsPort
  const paths = runPaths(baseDir, runId)
  const { truncateAt } = options
  yield* refuseLinks(baseDir, paths)
  const stat = yield* Effect.mapError(fs.stat(paths.events), fromFsError)
  if (stat === undefined) {
    return yield* new JournalError({
      code: "journal_missing",
      path: paths.events,
      problem: "there is no log to repair",
      cure: "`alembic list` shows the runs there are"
    })
  }
  yield* acquireLock(paths.lock)
  const handle = yield* Effect.mapError(fs.openRead(paths.events), fromFsError)
  let end = 0
  let kept = 0
  let problem: { readonly found: LineProblem; readonly reader: LogReader } | undefined
  yield* scanLog({
    path: paths.events,
    handle,
    end: stat.size,
    onEntry: ({ length, line, offset }) => {
      if (line > truncateAt) return
      kept = line
      end = offset + length + 1
    },
    onProblem: (found, reader) => {
      if (found.line <= truncateAt) problem ??= { found, reader }
      return found.line <= truncateAt
    }
  })
  if (problem !== undefined) return yield* problem.reader.errorOf(problem.found)
  if (kept < truncateAt || truncateAt < 0) {
    return yield* new JournalError({
      code: "bad_id",
      path: paths.events,
      problem: `the log has ${kept} sound lines, so it cannot be cut after line ${truncateAt}`,
      cure: "`alembic verify` lists what is wrong, by line"
    })
  }
  const backup = yield* backUp(paths.events)
  // What vouches for the part that goes must go first: a checkpoint must never be ahead of its log.
  yield* removeDerived(derivedFiles(paths))
  // Nor may what people answered to questions that go be taken for answers to others that are asked by their names.
  yield* emptyInbox(paths)
  const log = yield* Effect.mapError(fs.openAppend(paths.events), fromFsError)
  yield* Effect.mapError(log.truncate(end), fromFsError)
  return { kept, removedBytes: stat.size - end, backup }
}, Effect.scoped)
