// gc: which runs may go, by age, count and size, and their removal. What is in use is never touched, and what is
// not ended only on request. Planning writes nothing; removal takes the run's lock first.
import { Clock, Effect, Option, Result } from "effect"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import type { HostIdentity } from "../../kernel/HostIdentity.ts"
import { endLeftChildren } from "../store/children.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { listRuns, type RunListing } from "./listRuns.ts"
import { checkRunId, runPaths, runsDirectory } from "../store/RunDirectory.ts"
import { acquireLock, lockHolder } from "../store/RunLock.ts"
import { treeBytes } from "../store/treeBytes.ts"

export interface GcOptions {
  /** Runs whose log was last written longer ago than this go. Milliseconds. */
  readonly olderThanMs?: number
  /** Only that many runs stay, the last written ones. */
  readonly keep?: number
  /** Only so many bytes stay, the last written runs first. */
  readonly maxBytes?: number
  /** Also runs that are suspended, interrupted or damaged. */
  readonly unfinished?: boolean
}

export interface GcCandidate {
  readonly runId: RunId
  readonly status: RunListing["status"]
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly lastWritten: number
  readonly reason: "age" | "count" | "size"
}

/** What was named for removal and stays, since somebody works on it. */
export interface GcOutcome {
  readonly removed: ReadonlyArray<GcCandidate>
  readonly skipped: ReadonlyArray<GcCandidate>
}

const ended: ReadonlySet<RunListing["status"]> = new Set([
  "completed",
  "incomplete",
  "failed",
  "refused",
  "invalid"
])

/** What `collect` would remove. */
export const planGc = Effect.fn("planGc")(function* (
  baseDir: string,
  options: GcOptions
): Effect.fn.Return<ReadonlyArray<GcCandidate>, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const now = yield* Clock.currentTimeMillis
  const runs: Array<Omit<GcCandidate, "reason"> & { readonly spare: boolean }> = []
  for (const { runId, status } of yield* listRuns(baseDir)) {
    const paths = runPaths(baseDir, runId)
    const stat = yield* Effect.mapError(fs.stat(paths.events), fromFsError)
    const inUse = (yield* Effect.orElseSucceed(lockHolder(paths.lock), () => undefined)) !== undefined
    runs.push({
      runId,
      status,
      bytes: yield* treeBytes(paths.dir),
      lastWritten: stat?.mtimeMs ?? 0,
      spare: inUse || (!ended.has(status) && options.unfinished !== true)
    })
  }
  runs.sort((a, b) => b.lastWritten - a.lastWritten || (a.runId < b.runId ? -1 : 1))

  const candidates: Array<GcCandidate> = []
  let bytes = 0
  let kept = 0
  for (const { spare, ...run } of runs) {
    const reason =
      options.olderThanMs !== undefined && now - run.lastWritten > options.olderThanMs
        ? "age"
        : options.keep !== undefined && kept >= options.keep
          ? "count"
          : options.maxBytes !== undefined && bytes + run.bytes > options.maxBytes
            ? "size"
            : undefined
    if (reason !== undefined && !spare) candidates.push({ ...run, reason })
    else {
      kept++
      bytes += run.bytes
    }
  }
  return candidates
})

/**
 * Removes the runs. One that somebody began to work on since the plan was made stays. A crash in between leaves a
 * directory that is no run any more, which the next collection removes.
 */
export const collect = Effect.fn("collect")(function* (
  baseDir: string,
  plan: ReadonlyArray<GcCandidate>
): Effect.fn.Return<GcOutcome, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const removed: Array<GcCandidate> = []
  const skipped: Array<GcCandidate> = []
  for (const run of plan) {
    const paths = runPaths(baseDir, run.runId)
    const gone = `${runsDirectory(baseDir)}/.gone-${run.runId}`
    const outcome = yield* Effect.result(
      Effect.scoped(
        acquireLock(paths.lock).pipe(
          Effect.andThen(endLeftChildren(paths)),
          // In one step, with its lock in it: nobody ever sees half a run.
          Effect.andThen(Effect.mapError(fs.rename(paths.dir, gone), fromFsError))
        )
      )
    )
    if (outcome._tag === "Success") removed.push(run)
    else if (outcome.failure.code === "run_locked") skipped.push(run)
    else return yield* outcome.failure
  }
  const names = yield* Effect.catch(fs.list(runsDirectory(baseDir)), (error) =>
    error.code === "ENOENT" ? Effect.succeed([]) : Effect.fail(fromFsError(error))
  )
  for (const name of names) {
    const was = name.startsWith(".gone-")
      ? Result.getSuccess(checkRunId(name.slice(".gone-".length)))
      : Option.none()
    if (Option.isSome(was))
      yield* Effect.mapError(fs.removeTree(`${runsDirectory(baseDir)}/${name}`), fromFsError)
  }
  return { removed, skipped }
})
