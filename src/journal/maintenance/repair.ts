// repair: makes the files that are derived from a log again; and gives up the end of a damaged log, on request only,
// keeping a copy of all of it. What is kept must be sound; what was derived from the rest goes with it.
import { Effect, Option, type Scope } from "effect"
import { lostBetween, type Lost } from "../../domain/budget/Spending.ts"
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { defined } from "../../domain/defined.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import type { HostIdentity } from "../../kernel/HostIdentity.ts"
import { fromFsError, JournalError } from "../JournalError.ts"
import { emptyInbox } from "../store/inbox.ts"
import { genesis, type LineProblem, type LogReader } from "../log/LogReader.ts"
import { openRun } from "../openRun.ts"
import { Projection } from "../state/projection.ts"
import { mainWorkflow, refuseLinks, runPaths, type RunPaths } from "../store/RunDirectory.ts"
import { acquireLock } from "../store/RunLock.ts"
import { scanLog } from "../log/scanLog.ts"

export interface Repaired {
  /** Lines that are kept. */
  readonly kept: number
  readonly removedBytes: number
  /** The copy of the log as it was. */
  readonly backup: string
  /** What the part that was given up told of, and what stays counted. */
  readonly lost?: Lost
}

const copyBytes = 1024 * 1024
/** What is kept of a log up to this is written in one step with what tells of the rest, so that no crash parts them. */
const inOneStepBytes = 256 * 1024 * 1024

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

/** The event that stands for what was given up, as the next line of the log. */
const repairedLine = (lost: Lost, { at, hash, seq }: { at: number; hash: string; seq: number }): Uint8Array =>
  new TextEncoder().encode(`${canonicalJsonOf({ type: "RunRepaired", ...lost, seq, at, prev: hash })}\n`)

/**
 * Cuts the log after line `truncateAt`. Fails, changing nothing, if there is something wrong up to there, or if sound
 * lines would go: unless `evenSound`. What they told that was spent stays counted.
 */
export const repairRun = Effect.fn("repairRun")(function* (
  baseDir: string,
  runId: RunId,
  options: { readonly truncateAt: number; readonly evenSound?: boolean }
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
  let at = 0
  let lastHash: string = genesis
  let sound = 0
  let isSound = true
  const whole = new Projection()
  const left = new Projection()
  let problem: { readonly found: LineProblem; readonly reader: LogReader } | undefined
  yield* scanLog({
    path: paths.events,
    handle,
    end: stat.size,
    onEntry: ({ event, hash, length, line, offset }) => {
      whole.advance(event, offset, length)
      if (isSound) sound = line
      if (line > truncateAt) return
      left.advance(event, offset, length)
      kept = line
      end = offset + length + 1
      at = event.at
      lastHash = hash
    },
    onProblem: (found, reader) => {
      isSound = false
      sound = Math.min(sound, found.line - 1)
      if (found.line <= truncateAt) problem ??= { found, reader }
      return true
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
  if (sound > truncateAt && options.evenSound !== true) {
    return yield* new JournalError({
      code: "still_sound",
      path: paths.events,
      problem: `lines ${truncateAt + 1} to ${sound} of the log are sound, and tell of what was answered and paid`,
      cure: isSound
        ? "nothing needs to be given up; --even-sound gives them up all the same"
        : `--truncate-at ${sound} keeps them; --even-sound gives them up all the same`
    })
  }
  const lost = lostBetween(whole.state.spending.of(), left.state.spending.of())
  const backup = yield* backUp(paths.events)
  // What vouches for the part that goes must go first: a checkpoint must never be ahead of its log.
  yield* removeDerived(derivedFiles(paths))
  // Nor may what people answered to questions that go be taken for answers to others that are asked by their names.
  yield* emptyInbox(paths)
  const line = lost === undefined ? undefined : repairedLine(lost, { at, hash: lastHash, seq: kept + 1 })
  if (line !== undefined && end <= inOneStepBytes) {
    const keeping = yield* Effect.mapError(handle.read(0, end), fromFsError)
    yield* Effect.mapError(fs.replace(paths.events, Buffer.concat([keeping, line])), fromFsError)
  } else {
    const log = yield* Effect.mapError(fs.openAppend(paths.events), fromFsError)
    yield* Effect.mapError(log.truncate(end), fromFsError)
    if (line !== undefined) yield* Effect.mapError(Effect.andThen(log.append(line), log.sync), fromFsError)
  }
  return { kept, removedBytes: stat.size - end, backup, ...defined({ lost }) }
}, Effect.scoped)
