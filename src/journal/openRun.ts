// openRun: makes a run's directory, or opens one that is there. Everything that can be wrong is found before
// anything is written, and writing begins with the lock.
//
// A run is made in an order that survives a crash at any step: the empty log first, then the blobs, meta.json last.
// So a directory with meta.json and no log has lost it, and one without meta.json and with an empty log was never
// finished and is made again.
import { Effect, Exit, Scope } from "effect"
import type { RunEvent } from "../domain/run/RunEvent.ts"
import type { RunId } from "../domain/run/RunSpec.ts"
import { isSyncUnsupported, temporaryMark } from "../kernel/files/durableFs.ts"
import { FsPort, type FileStat } from "../kernel/files/FsPort.ts"
import type { HostIdentity } from "../kernel/HostIdentity.ts"
import { makeBallast } from "./store/ballast.ts"
import { endLeftChildren, makeRunChildren } from "./store/children.ts"
import { readCheckpoint, type Checkpoint } from "./state/Checkpoint.ts"
import { makeContentStore, type ContentStore } from "./store/ContentStore.ts"
import { mendEnded } from "./state/derived.ts"
import { makeEventLog, type LogPosition } from "./log/EventLog.ts"
import { fromFsError, JournalError } from "./JournalError.ts"
import { genesis, type LineProblem, type LogReader } from "./log/LogReader.ts"
import { Projection } from "./state/projection.ts"
import { mainWorkflow, refuseLinks, runPaths, type RunPaths } from "./store/RunDirectory.ts"
import { makeRunJournal, type RunJournal } from "./RunJournal.ts"
import { acquireLock, type LockPurpose } from "./store/RunLock.ts"
import { decodeMeta, encodeMeta, specOf, type NewRun, type RunMeta } from "./store/RunMeta.ts"
import { scanLog } from "./log/scanLog.ts"
import { treeBytes } from "./store/treeBytes.ts"

/** `answer`: to write, for as long as it takes to journal what people have said. */
export type OpenRunMode = "write" | "answer" | "read"

const unsupportedWarning =
  "this file system cannot sync: after a power cut the run may have lost what it had acknowledged"

/** What stands in a run's directory, by its three witnesses. */
export const witnesses = Effect.fnUntraced(function* (paths: RunPaths) {
  const fs = yield* FsPort
  const stat = (path: string) => Effect.mapError(fs.stat(path), fromFsError)
  const events = yield* stat(paths.events)
  const meta = yield* stat(paths.meta)
  const checkpoint = yield* stat(paths.checkpoint)
  return { events, meta, checkpoint }
})

/** Is there a run, where these witnesses stand? */
export const isThere = ({
  checkpoint,
  events,
  meta
}: Readonly<Record<"checkpoint" | "events" | "meta", FileStat | undefined>>): boolean =>
  meta !== undefined || checkpoint !== undefined || (events !== undefined && events.size > 0)

/** Is there a run? A directory whose making was never finished is none. */
export const runExists = Effect.fnUntraced(function* (
  baseDir: string,
  runId: RunId
): Effect.fn.Return<boolean, JournalError, FsPort> {
  return isThere(yield* witnesses(runPaths(baseDir, runId)))
})

/** Leavings of processes that died: temporary files and claims on locks. Under the lock, so nobody uses them. */
const sweep = Effect.fnUntraced(function* (paths: RunPaths) {
  const fs = yield* FsPort
  const dirs = [paths.dir, paths.blobs, paths.children, paths.inbox, `${paths.workflows}/${mainWorkflow}`]
  for (const dir of dirs) {
    const names = yield* Effect.orElseSucceed(fs.list(dir), (): ReadonlyArray<string> => [])
    for (const name of names) {
      if (name.includes(temporaryMark) || name.startsWith("lock.claim-")) {
        yield* Effect.ignore(fs.remove(`${dir}/${name}`))
      }
    }
  }
})

const appending = Effect.fnUntraced(function* (paths: RunPaths, from: LogPosition, warnings: Array<string>) {
  const fs = yield* FsPort
  const handle = yield* Effect.mapError(fs.openAppend(paths.events), fromFsError)
  return {
    handle,
    openLog: (onDurable: (position: LogPosition) => Effect.Effect<void>) =>
      makeEventLog({
        path: paths.events,
        handle,
        from,
        onDurable,
        onUnsupported: () => {
          if (!warnings.includes(unsupportedWarning)) warnings.push(unsupportedWarning)
        }
      })
  }
})

/** What it had acquired when it failed is released at once: who catches the failure may need it. */
const releasedWhenFailed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.scope, (parent) =>
    Effect.flatMap(Scope.fork(parent), (own) =>
      Scope.provide(self, own).pipe(Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))))
    )
  )

/** Makes a run and opens it to be written. Fails with `run_exists` if it is there. */
export const createRun = Effect.fnUntraced(function* (
  baseDir: string,
  { blobs: contents, meta: given }: NewRun
): Effect.fn.Return<RunJournal, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const disk = yield* FsPort
  const { runId } = given
  const paths = runPaths(baseDir, runId)
  yield* refuseLinks(baseDir, paths)
  yield* Effect.mapError(disk.makeDirectory(paths.dir), fromFsError)
  const warnings: Array<string> = []
  yield* acquireLock(paths.lock)
  if (yield* runExists(baseDir, runId)) {
    return yield* new JournalError({
      code: "run_exists",
      path: paths.dir,
      problem: "the run was made before",
      cure: "resume it, or make another one of the same spec with --fresh"
    })
  }
  yield* sweep(paths)
  const { fs, hasRoom } = yield* makeBallast(disk, paths.ballast)
  const onDisk = Effect.provideService(FsPort, fs)
  const from = { seq: 0, hash: genesis, size: 0 }
  const { handle, openLog } = yield* onDisk(appending(paths, from, warnings))
  const durability = yield* Effect.matchEffect(handle.sync, {
    onSuccess: () => Effect.succeed("full" as const),
    onFailure: (error) => {
      if (!isSyncUnsupported(error)) return Effect.fail(fromFsError(error))
      warnings.push(unsupportedWarning)
      return Effect.succeed("best_effort" as const)
    }
  })
  const meta: RunMeta = { ...given, durability }
  const blobs = yield* onDisk(makeContentStore(paths.blobs))
  yield* blobs.putAll(contents)
  yield* Effect.mapError(fs.replace(paths.meta, encodeMeta(meta)), fromFsError)
  const reader = yield* Effect.mapError(fs.openRead(paths.events), fromFsError)
  const parts = {
    runId,
    paths,
    meta,
    projection: new Projection(),
    reader,
    blobs,
    warnings,
    tookOver: false,
    opened: from,
    blobBytes: 0,
    children: yield* makeRunChildren(paths, runId),
    disk,
    hasRoom,
    openLog
  }
  return yield* onDisk(makeRunJournal(parts))
}, releasedWhenFailed)

/** meta.json of the run, checked against its id and its parts. */
export const readMeta = Effect.fnUntraced(function* (
  paths: RunPaths,
  runId: RunId,
  blobs: ContentStore
): Effect.fn.Return<RunMeta, JournalError, FsPort> {
  const fs = yield* FsPort
  const bytes = yield* Effect.mapError(fs.readFile(paths.meta), (error) =>
    error.code === "ENOENT"
      ? new JournalError({
          code: "meta_missing",
          path: paths.meta,
          problem: "the run has lost its meta.json",
          cure: "restore it from a copy of this very run; it is never made anew"
        })
      : fromFsError(error)
  )
  const meta = yield* Effect.fromResult(decodeMeta(paths.meta, bytes))
  if (meta.runId !== runId) {
    return yield* new JournalError({
      code: "meta_mismatch",
      path: paths.meta,
      problem: `it is that of ${meta.runId}`,
      cure: "restore the file from a copy of this very run"
    })
  }
  yield* specOf(paths.meta, meta, blobs)
  return meta
})

const noSuchRun = (paths: RunPaths) =>
  new JournalError({
    code: "run_missing",
    path: paths.dir,
    problem: "there is no such run",
    cure: "`alembic list` shows the runs there are"
  })

/** A run without its log: what it is, and the blobs that say so. */
export interface DescribedRun {
  readonly runId: RunId
  readonly dir: string
  readonly meta: RunMeta
  readonly blobs: ContentStore
}

export const describedRun = Effect.fnUntraced(function* (
  baseDir: string,
  runId: RunId
): Effect.fn.Return<DescribedRun, JournalError, FsPort> {
  const paths = runPaths(baseDir, runId)
  yield* refuseLinks(baseDir, paths)
  if (!(yield* runExists(baseDir, runId))) return yield* noSuchRun(paths)
  const blobs = yield* makeContentStore(paths.blobs)
  return { runId, dir: paths.dir, meta: yield* readMeta(paths, runId, blobs), blobs }
})

const checkpointAhead = (path: string, checkpoint: Checkpoint, runId: RunId, lastSeq: number) =>
  new JournalError({
    code: "checkpoint_ahead",
    path,
    problem: `event ${checkpoint.lastSeq} was durable, and the log ends at event ${lastSeq}: answers are lost`,
    cure: `restore events.jsonl from a copy; or accept the loss: \`alembic repair ${runId} --truncate-at ${lastSeq}\``
  })

/** Takes the lock. On a full disk the ballast that a dead owner left is given up for it: a living one is asked for first. */
const lockOnFullDisk = Effect.fnUntraced(function* (
  disk: (typeof FsPort)["Service"],
  paths: RunPaths,
  purpose: LockPurpose | undefined
) {
  const outer = yield* Effect.scope
  const taking = Effect.flatMap(makeBallast(disk, paths.ballast), ({ fs }) =>
    acquireLock(paths.lock, purpose).pipe(
      Effect.provideService(FsPort, fs),
      Effect.provideService(Scope.Scope, outer)
    )
  )
  return yield* Effect.scoped(taking)
})

/**
 * Opens a run that is there. `read` writes nothing at all, and needs no right to. `onEvent` sees every event of the
 * log in order, in the one pass that checks it.
 */
export const openRun = Effect.fnUntraced(function* (
  baseDir: string,
  runId: RunId,
  mode: OpenRunMode,
  onEvent: (event: RunEvent) => void = () => {}
): Effect.fn.Return<RunJournal, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const disk = yield* FsPort
  const paths = runPaths(baseDir, runId)
  yield* refuseLinks(baseDir, paths)
  const found = yield* witnesses(paths)
  if (!(yield* runExists(baseDir, runId))) return yield* noSuchRun(paths)
  if (found.events === undefined) {
    return yield* new JournalError({
      code: "journal_missing",
      path: paths.events,
      problem: "the run was there, and its log is gone",
      cure: "restore events.jsonl from a copy of the run, or start another run with --fresh"
    })
  }
  const warnings: Array<string> = []
  const writes = mode !== "read"
  const tookOver = writes && (yield* lockOnFullDisk(disk, paths, mode === "answer" ? "answer" : undefined))
  if (tookOver) {
    warnings.push("the process that held the run is gone without a word; its lock was taken over")
  }
  if (writes) warnings.push(...(yield* endLeftChildren(paths)))
  // From here on a write that finds the disk full gives up the ballast, if a process that died has left one.
  const { fs, hasRoom } = writes
    ? yield* makeBallast(disk, paths.ballast)
    : { fs: disk, hasRoom: () => Effect.succeed(true) }
  const onDisk = Effect.provideService(FsPort, fs)
  const blobs = yield* onDisk(makeContentStore(paths.blobs))
  const meta = yield* readMeta(paths, runId, blobs)
  if (meta.durability === "best_effort") warnings.push(unsupportedWarning)

  const reading = yield* readCheckpoint(paths.checkpoint)
  const checkpoint = reading._tag === "read" ? reading.checkpoint : undefined
  const projection = new Projection()
  const handle = yield* Effect.mapError(fs.openRead(paths.events), fromFsError)
  const end = yield* Effect.mapError(handle.size, fromFsError)
  let problem: { readonly found: LineProblem; readonly reader: LogReader } | undefined
  let hashThere: string | undefined
  const scanned = yield* scanLog({
    path: paths.events,
    handle,
    end,
    onEntry: ({ event, hash, length, offset }) => {
      projection.advance(event, offset, length)
      onEvent(event)
      if (event.seq === checkpoint?.lastSeq) hashThere = hash
    },
    onProblem: (found, reader) => {
      problem = { found, reader }
      return false
    },
    ...(checkpoint === undefined ? {} : { lastHash: checkpoint.lastHash })
  })
  if (problem !== undefined) return yield* problem.reader.errorOf(problem.found)
  if (checkpoint !== undefined) {
    if (checkpoint.runId !== runId || (checkpoint.lastSeq === 0 && checkpoint.lastHash !== genesis)) {
      warnings.push("checkpoint.json is not this run's; it is made anew from the log")
    } else if (checkpoint.lastSeq > scanned.lastSeq) {
      return yield* checkpointAhead(paths.checkpoint, checkpoint, runId, scanned.lastSeq)
    } else if (checkpoint.lastSeq > 0 && hashThere !== checkpoint.lastHash) {
      return yield* scanned.errorOf({
        line: checkpoint.lastSeq,
        code: "journal_tampered",
        problem: "the line was changed: checkpoint.json knows it otherwise"
      })
    }
  } else if (reading._tag === "unreadable") {
    warnings.push("checkpoint.json was unreadable; it is made anew from the log")
  }

  const opened = { seq: scanned.lastSeq, hash: scanned.hash, size: scanned.offset }
  if (end > scanned.offset) {
    warnings.push(
      `events.jsonl ended in the middle of a line: ${end - scanned.offset} bytes after byte ${scanned.offset}` +
        (writes ? " were cut off" : " are not counted")
    )
  }
  const children = yield* makeRunChildren(paths, runId)
  const parts = {
    runId,
    paths,
    meta,
    projection,
    reader: handle,
    blobs,
    warnings,
    tookOver,
    opened,
    blobBytes: writes ? yield* treeBytes(paths.blobs) : 0,
    children,
    disk,
    hasRoom
  }
  if (!writes) return yield* makeRunJournal({ ...parts, openLog: undefined })
  yield* sweep(paths)
  const { handle: writer, openLog } = yield* onDisk(appending(paths, opened, warnings))
  // Before anything is appended: what follows a torn line would be fused with it.
  if (end > opened.size) {
    yield* Effect.catch(writer.truncate(opened.size), (error) =>
      isSyncUnsupported(error) ? Effect.void : Effect.fail(fromFsError(error))
    )
  }
  const journal = yield* onDisk(makeRunJournal({ ...parts, openLog }))
  // Of no consequence if it fails: they are derived, and a result that cannot be read fails where it is asked for.
  yield* Effect.ignore(mendEnded(paths, journal, opened))
  return journal
})
