// listRuns: what runs there are, in short. Reads the checkpoint where it covers the log, and the log where not.
import { Effect, Option, Result } from "effect"
import { defined } from "../../domain/defined.ts"
import { costOfRun, knownCost, type RunCost } from "../state/RunState.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import type { HostIdentity } from "../../kernel/HostIdentity.ts"
import { digestOf, readCheckpoint, type RunDigest } from "../state/Checkpoint.ts"
import { makeContentStore } from "../store/ContentStore.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { openRun, readMeta, runExists } from "../openRun.ts"
import { checkRunId, runPaths, runsDirectory } from "../store/RunDirectory.ts"
import { lockHolder } from "../store/RunLock.ts"

export interface RunListing {
  readonly runId: RunId
  /** `open`: neither ended nor suspended; `running`: so, and a process works on it. `damaged`: see `error`. */
  readonly status: RunDigest["status"] | "running" | "damaged"
  readonly goal: string
  /** Milliseconds of the run's own clock. */
  readonly startedAt?: number
  /** Calls that were made, whatever became of them. */
  readonly calls: number
  /** Absent if a call is unpriced. */
  readonly costUsd?: number
  /** The same told apart; absent for a damaged run. */
  readonly cost?: RunCost
  readonly error?: JournalError
}

/** The state in short, from the checkpoint if the log ends where it does. */
const shortState = Effect.fnUntraced(function* (baseDir: string, runId: RunId) {
  const fs = yield* FsPort
  const paths = runPaths(baseDir, runId)
  const events = yield* Effect.mapError(fs.stat(paths.events), fromFsError)
  const reading = yield* readCheckpoint(paths.checkpoint)
  if (
    reading._tag === "read" &&
    reading.checkpoint.runId === runId &&
    reading.checkpoint.bytes === events?.size
  ) {
    const { cost, ...digest } = reading.checkpoint.state
    if (cost !== undefined) return { ...digest, cost }
  }
  const state = (yield* openRun(baseDir, runId, "read")).state()
  return { ...digestOf(state), cost: costOfRun(state) }
}, Effect.scoped)

const listRun = Effect.fnUntraced(function* (baseDir: string, runId: RunId) {
  const paths = runPaths(baseDir, runId)
  const blobs = yield* makeContentStore(paths.blobs)
  const meta = yield* readMeta(paths, runId, blobs)
  const goal = meta.parts.goal === undefined ? "" : yield* blobs.get(meta.parts.goal)
  const state = yield* shortState(baseDir, runId)
  const held = state.status === "open" && (yield* lockHolder(paths.lock)) !== undefined
  const { costUsd } = knownCost(state.cost)
  const listing: RunListing = {
    runId,
    status: held ? "running" : state.status,
    goal: typeof goal === "string" ? goal : "",
    calls: state.modelCalls,
    cost: state.cost,
    ...defined({ startedAt: state.startedAt, costUsd })
  }
  return listing
})

export const listRuns = Effect.fnUntraced(function* (
  baseDir: string
): Effect.fn.Return<ReadonlyArray<RunListing>, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const names = yield* Effect.catch(fs.list(runsDirectory(baseDir)), (error) =>
    error.code === "ENOENT" ? Effect.succeed([]) : Effect.fail(fromFsError(error))
  )
  const listings: Array<RunListing> = []
  for (const name of names) {
    const runId = Option.getOrUndefined(Result.getSuccess(checkRunId(name)))
    if (runId === undefined || !(yield* runExists(baseDir, runId))) continue
    const listing = yield* Effect.catch(listRun(baseDir, runId), (error) =>
      Effect.succeed<RunListing>({ runId, status: "damaged", goal: "", calls: 0, error })
    )
    listings.push(listing)
  }
  return listings
})
