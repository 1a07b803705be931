// archive: a run as one file, for another machine or for keeping. The same run gives the same bytes everywhere. It
// holds what a run is (log, meta, checkpoint, result, the blobs they name), not what can be made from it, nor locks.
import { Effect, Option, Result, type Scope } from "effect"
import { sha256Stream } from "../../domain/fingerprint.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsError, FsPort, type ReadHandle } from "../../kernel/files/FsPort.ts"
import { temporaryMark } from "../../kernel/files/durableFs.ts"
import type { HostIdentity } from "../../kernel/HostIdentity.ts"
import { claimAside } from "./importAside.ts"
import { fromFsError, JournalError } from "../JournalError.ts"
import { openRun, runExists } from "../openRun.ts"
import { keepOthersOut } from "../store/RunLock.ts"
import { checkRunId, isBlobName, runPaths, runsDirectory } from "../store/RunDirectory.ts"
import { blockBytes, readTarHeader, tarEnd, tarHeader, tarPadding } from "./tar.ts"
import { blobsOfMeta, blobsOfRun, verifyRun } from "./verify.ts"

export interface Archived {
  readonly runId: RunId
  /** SHA-256 of the archive. */
  readonly sha256: string
  readonly bytes: number
}

const chunkBytes = 1024 * 1024
const files = ["checkpoint.json", "events.jsonl", "meta.json", "result.json"]

const chunks = (size: number): ReadonlyArray<readonly [offset: number, length: number]> =>
  Array.from({ length: Math.ceil(size / chunkBytes) }, (_, n) => [
    n * chunkBytes,
    Math.min(chunkBytes, size - n * chunkBytes)
  ])

/** What is written is told to stand under its final name, which is what the caller knows. */
const writing = (path: string) => (error: FsError) =>
  fromFsError(new FsError({ op: error.op, path, code: error.code }))

const refuseExisting = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FsPort
  if ((yield* Effect.mapError(fs.stat(path), writing(path))) === undefined) return
  return yield* new JournalError({
    code: "file_exists",
    path,
    problem: "there is a file already",
    cure: "choose another name"
  })
})

/** A file beside `path` that is this export's alone; it is gone when the scope ends, unless it was renamed. */
const claimBeside = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FsPort
  const claim = Effect.gen(function* () {
    for (let n = 1; ; n++) {
      const name = `${path}${temporaryMark}${n}`
      const made = yield* Effect.result(fs.createExclusive(name, new Uint8Array(0)))
      if (made._tag === "Success") return name
      if (made.failure.code !== "EEXIST") return yield* writing(path)(made.failure)
    }
  })
  return yield* Effect.acquireRelease(claim, (name) => Effect.ignore(fs.remove(name)))
})

/** One file of the run, if it is there. */
const copyInto = Effect.fnUntraced(function* (
  write: (part: Uint8Array) => Effect.Effect<void, JournalError>,
  dir: string,
  runId: RunId,
  name: string
) {
  const fs = yield* FsPort
  const from = `${dir}/${name}`
  if ((yield* Effect.mapError(fs.stat(from), fromFsError)) === undefined) return
  const handle = yield* Effect.mapError(fs.openRead(from), fromFsError)
  const size = yield* Effect.mapError(handle.size, fromFsError)
  yield* write(tarHeader({ name: `${runId}/${name}`, size }))
  for (const [offset, length] of chunks(size)) {
    yield* write(yield* Effect.mapError(handle.read(offset, length), fromFsError))
    // A long export can be stopped.
    yield* Effect.yieldNow
  }
  yield* write(new Uint8Array(tarPadding(size)))
}, Effect.scoped)

/**
 * Writes the run to `path`, which must not exist: whole, or not at all. The run must be sound; fails with `run_locked`
 * if somebody works on it, and nobody can begin to while it is read.
 */
export const exportRun = Effect.fn("exportRun")(function* (
  baseDir: string,
  runId: RunId,
  path: string
): Effect.fn.Return<Archived, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const fs = yield* FsPort
  const paths = runPaths(baseDir, runId)
  if (yield* runExists(baseDir, runId)) yield* keepOthersOut(paths.lock)
  const report = yield* verifyRun(baseDir, runId)
  const [problem] = report.problems
  if (problem !== undefined) {
    return yield* new JournalError({
      code: "archive_invalid",
      path: paths.dir,
      problem: `the run is not sound: ${problem.message}`,
      cure: "`alembic verify` lists all problems"
    })
  }
  const journal = yield* openRun(baseDir, runId, "read")
  const named = new Set([
    ...(yield* blobsOfMeta(journal.meta, journal.blobs)),
    ...(yield* blobsOfRun(journal))
  ])
  const names = [...files, ...[...named].sort().map((name) => `blobs/${name}`)].sort()

  yield* refuseExisting(path)
  const unfinished = yield* claimBeside(path)
  const hash = sha256Stream()
  let bytes = 0
  yield* Effect.scoped(
    Effect.gen(function* () {
      const out = yield* Effect.mapError(fs.openAppend(unfinished), writing(path))
      const write = (part: Uint8Array) => {
        hash.update(part)
        bytes += part.length
        return Effect.mapError(out.append(part), writing(path))
      }
      for (const name of names) yield* copyInto(write, paths.dir, runId, name)
      yield* write(tarEnd())
      yield* Effect.mapError(out.sync, writing(path))
    })
  )
  yield* refuseExisting(path)
  yield* Effect.mapError(fs.rename(unfinished, path), writing(path))
  return { runId, sha256: hash.digest(), bytes }
}, Effect.scoped)

const invalid = (path: string, problem: string) =>
  new JournalError({
    code: "archive_invalid",
    path,
    problem,
    cure: "get the archive again, and compare its hash with the one that export printed"
  })

/** The run and the file within it that an archive's entry names; nothing else is ever written. */
const target = (name: string): Option.Option<{ readonly runId: RunId; readonly file: string }> => {
  const cut = name.indexOf("/")
  const file = name.slice(cut + 1)
  const allowed =
    files.includes(file) || (file.startsWith("blobs/") && isBlobName(file.slice("blobs/".length)))
  const runId = Result.getSuccess(checkRunId(name.slice(0, Math.max(cut, 0))))
  return allowed ? Option.map(runId, (runId) => ({ runId, file })) : Option.none()
}

const unpack = Effect.fnUntraced(function* (path: string, archive: ReadHandle, size: number, into: string) {
  const fs = yield* FsPort
  const hash = sha256Stream()
  let offset = 0
  let runId: RunId | undefined
  let last = ""
  const take = Effect.fnUntraced(function* (length: number) {
    const bytes = yield* Effect.mapError(archive.read(offset, length), fromFsError)
    if (bytes.length < length) return yield* invalid(path, "it ends too early")
    offset += length
    hash.update(bytes)
    return bytes
  })
  for (;;) {
    const block = yield* take(blockBytes)
    if (block.every((byte) => byte === 0)) break
    const entry = Option.getOrUndefined(readTarHeader(block))
    if (entry === undefined) return yield* invalid(path, "it is not an archive that `alembic export` made")
    const where = Option.getOrUndefined(target(entry.name))
    if (where === undefined)
      return yield* invalid(path, `it holds ${JSON.stringify(entry.name)}, which no run has`)
    if (entry.name <= last || (runId ?? where.runId) !== where.runId || entry.size > size) {
      return yield* invalid(path, "its entries are not those of one run, in order")
    }
    last = entry.name
    if (runId === undefined)
      yield* Effect.mapError(fs.makeDirectory(runPaths(into, where.runId).blobs), fromFsError)
    runId = where.runId
    const to = `${runPaths(into, runId).dir}/${where.file}`
    yield* Effect.scoped(
      Effect.gen(function* () {
        const out = yield* Effect.mapError(fs.openAppend(to), fromFsError)
        for (const [, length] of chunks(entry.size)) {
          yield* Effect.mapError(out.append(yield* take(length)), fromFsError)
        }
        yield* Effect.mapError(out.sync, fromFsError)
      })
    )
    const padding = yield* take(tarPadding(entry.size))
    if (padding.some((byte) => byte !== 0)) return yield* invalid(path, "it was changed between two files")
  }
  const end = yield* take(blockBytes)
  if (end.some((byte) => byte !== 0) || offset !== size || runId === undefined) {
    return yield* invalid(path, "something follows its end, or it is empty")
  }
  return { runId, sha256: hash.digest(), bytes: size }
})

/** Takes in an archive. It is unpacked aside, verified, and only then put among the runs. */
export const importRun = Effect.fn("importRun")(function* (
  baseDir: string,
  path: string
): Effect.fn.Return<Archived, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const fs = yield* FsPort
  const archive = yield* Effect.mapError(fs.openRead(path), fromFsError)
  const size = yield* Effect.mapError(archive.size, fromFsError)
  yield* Effect.mapError(fs.makeDirectory(runsDirectory(baseDir)), fromFsError)
  const aside = yield* claimAside(baseDir)
  const archived = yield* unpack(path, archive, size, aside)
  const { runId } = archived
  const report = yield* verifyRun(aside, runId)
  const [problem] = report.problems
  if (problem !== undefined) return yield* invalid(path, `the run in it is not sound: ${problem.message}`)
  if (yield* runExists(baseDir, runId)) {
    return yield* new JournalError({
      code: "run_exists",
      path: runPaths(baseDir, runId).dir,
      problem: "the run is here already",
      cure: "nothing is to be done; or import into another --base-dir"
    })
  }
  // A directory whose making was never finished may stand there, empty of a run.
  yield* Effect.mapError(fs.removeTree(runPaths(baseDir, runId).dir), fromFsError)
  yield* Effect.mapError(fs.rename(runPaths(aside, runId).dir, runPaths(baseDir, runId).dir), fromFsError)
  return archived
}, Effect.scoped)
