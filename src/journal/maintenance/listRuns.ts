// listRuns: what runs there are, in short. What the index does not know is read: the checkpoint where it covers the log,
// the log where not.
import { Effect, Option, Result, Schema } from "effect"
import { defined } from "../../domain/defined.ts"
import { costOfRun, knownCost, type RunCost } from "../state/RunState.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import type { HostIdentity } from "../../kernel/HostIdentity.ts"
import { digestOf, readCheckpoint, type RunDigest } from "../state/Checkpoint.ts"
import { makeContentStore } from "../store/ContentStore.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { openListIndex, stampOf, type ListedRun, type ListIndex } from "./listIndex.ts"
import { isThere, openRun, readMeta, witnesses } from "../openRun.ts"
import { checkRunId, runPaths, runsDirectory } from "../store/RunDirectory.ts"
import { lockHolder } from "../store/RunLock.ts"

export interface RunListing {
  readonly runId: RunId
  /** `open`: neither ended nor suspended; `running`: so, and a process works on it. `damaged`: see `error`. */
  readonly status: RunDigest["status"] | "running" | "damaged"
  readonly goal: string
  /** Milliseconds of the run's own clock. */
  readonly startedAt?: number
  /** When its log was last written, in milliseconds of the file system. A hermetic run's own clock tells no dates. */
  readonly writtenAt: number
  /** From its begin until its log was last written; absent for a hermetic run. */
  readonly durationMs?: number
  /** Calls that were made, whatever became of them. */
  readonly calls: number
  /** Absent if a call is unpriced. */
  readonly costUsd?: number
  /** The same told apart; absent for a damaged run. */
  readonly cost?: RunCost
  /** The plan's file as it was named, or the program's name. */
  readonly plan?: string
  /** The beginning of its arguments, as JSON. */
  readonly args?: string
  /** What a person called it, and filed it under. */
  readonly name?: string
  readonly tags?: ReadonlyArray<string>
  readonly error?: JournalError
}

/** The roles under which a run keeps its name and its tags. */
export const nameRole = "name"
export const tagsRole = "tags"

/** Characters of the goal and of the arguments that are listed. */
const listedGoal = 4096
const listedArgs = 200

const decodeTags = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

const beginning = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

/** The state in short, from the checkpoint if the log ends where it does. */
const shortState = Effect.fnUntraced(function* (baseDir: string, runId: RunId, size: number | undefined) {
  const reading = yield* readCheckpoint(runPaths(baseDir, runId).checkpoint)
  if (reading._tag === "read" && reading.checkpoint.runId === runId && reading.checkpoint.bytes === size) {
    const { cost, ...digest } = reading.checkpoint.state
    if (cost !== undefined) return { ...digest, cost }
  }
  const state = (yield* openRun(baseDir, runId, "read")).state()
  return { ...digestOf(state), cost: costOfRun(state) }
}, Effect.scoped)

const readListed = Effect.fnUntraced(function* (baseDir: string, runId: RunId, size: number | undefined) {
  const paths = runPaths(baseDir, runId)
  const blobs = yield* makeContentStore(paths.blobs)
  const meta = yield* readMeta(paths, runId, blobs)
  const partOf = (hash: string | undefined) =>
    hash === undefined ? Effect.succeed(undefined) : blobs.get(hash)
  const textOf = (hash: string | undefined) =>
    hash === undefined
      ? Effect.succeed(undefined)
      : Effect.map(blobs.getBytes(hash), (bytes) => new TextDecoder().decode(bytes))
  const goal = yield* partOf(meta.parts.goal)
  const plan = yield* partOf(meta.parts.entry ?? meta.parts.program)
  const args = yield* partOf(meta.parts.args)
  const name = yield* textOf(meta.blobs[nameRole])
  const tags = yield* textOf(meta.blobs[tagsRole])
  const { cost, modelCalls, startedAt, status } = yield* shortState(baseDir, runId, size)
  const listed: ListedRun = {
    status,
    goal: typeof goal === "string" ? beginning(goal, listedGoal) : "",
    calls: modelCalls,
    cost,
    ...defined({
      startedAt,
      plan: typeof plan === "string" ? plan : undefined,
      args: args === undefined ? undefined : beginning(JSON.stringify(args), listedArgs),
      name,
      tags: Option.getOrUndefined(decodeTags(tags)),
      hermetic: meta.parts.hermetic === undefined ? undefined : true
    })
  }
  return listed
})

/** Undefined: no run is there. */
const listRun = Effect.fnUntraced(function* (baseDir: string, runId: RunId, index: ListIndex) {
  const paths = runPaths(baseDir, runId)
  const files = yield* witnesses(paths)
  if (!isThere(files)) return undefined
  const { checkpoint, events, meta } = files
  const stamp = stampOf([events, meta, checkpoint])
  const known = index.known(runId, stamp)
  const listed = known ?? (yield* readListed(baseDir, runId, events?.size))
  const writtenAt = Math.floor(events?.mtimeMs ?? 0)
  // A log that is being written may change again within the time that its file system tells apart.
  if (known === undefined && listed.status !== "open") index.add(runId, stamp, listed)
  const held = listed.status === "open" && (yield* lockHolder(paths.lock)) !== undefined
  const { hermetic, status, ...rest } = listed
  const listing: RunListing = {
    ...rest,
    runId,
    status: held ? "running" : status,
    writtenAt,
    ...defined({
      costUsd: knownCost(listed.cost).costUsd,
      durationMs:
        listed.startedAt === undefined || hermetic === true
          ? undefined
          : Math.max(0, Math.round(writtenAt - listed.startedAt))
    })
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
  const index = yield* openListIndex(baseDir)
  const listings: Array<RunListing> = []
  for (const name of names) {
    const runId = Option.getOrUndefined(Result.getSuccess(checkRunId(name)))
    if (runId === undefined) continue
    const listing = yield* Effect.catch(listRun(baseDir, runId, index), (error) =>
      Effect.succeed<RunListing>({ runId, status: "damaged", goal: "", calls: 0, writtenAt: 0, error })
    )
    if (listing !== undefined) listings.push(listing)
  }
  yield* index.save
  return listings
})
