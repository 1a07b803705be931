// RunDirectory: where each file of a run is, and the one gate for names. Ids are checked here before any file is
// touched, and every component below the base is looked at for symbolic links. It opens and writes nothing.
import { Effect, Result } from "effect"
import { RunId, runIdPattern } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, JournalError } from "../JournalError.ts"

export interface RunPaths {
  readonly dir: string
  readonly events: string
  readonly checkpoint: string
  readonly meta: string
  readonly result: string
  /** What is parked for a person. */
  readonly parked: string
  readonly lock: string
  readonly blobs: string
  /** The subprocesses that are running for it. */
  readonly children: string
  /** Answers that came in while another process held the run. */
  readonly inbox: string
  /** Given up when the disk is full. */
  readonly ballast: string
  readonly workflows: string
  /** The call cache of one workflow. */
  readonly cache: (workflowId: string) => string
}

const workflowIdPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/
/** Names that Windows gives to devices, with or without an extension. */
const devices = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/
const blobPattern = /^[0-9a-f]{64}$/

/** The workflow of a plan's own calls. */
export const mainWorkflow = "main"

const badId = (path: string, what: string, id: string) =>
  new JournalError({
    code: "bad_id",
    path,
    // The id is quoted, bounded and free of control characters: it came from outside.
    problem: `${JSON.stringify(id.slice(0, 80).toWellFormed())} is not ${what}`,
    cure: "`alembic list` shows the runs there are"
  })

export const runsDirectory = (baseDir: string): string => `${baseDir}/runs`

/** A run id, or `bad_id`. The only way to a `RunId` from outside. */
export const checkRunId = (id: string): Result.Result<RunId, JournalError> =>
  runIdPattern.test(id) ? Result.succeed(RunId.make(id)) : Result.fail(badId("runs", "a run id", id))

/** Refuses what would be another name on a file system that folds case or trims dots. */
export const checkWorkflowId = (id: string): Result.Result<string, JournalError> =>
  workflowIdPattern.test(id) && !devices.test(id) && !id.endsWith(".")
    ? Result.succeed(id)
    : Result.fail(
        badId("workflows", "a workflow id (lower case letters, digits, `.`, `_`, `-`; at most 64)", id)
      )

export const isBlobName = (name: string): boolean => blobPattern.test(name)

/** The paths of a run. `cache` throws on a workflow id that `checkWorkflowId` refuses: check first. */
export const runPaths = (baseDir: string, runId: RunId): RunPaths => {
  const dir = `${runsDirectory(baseDir)}/${runId}`
  return {
    dir,
    events: `${dir}/events.jsonl`,
    checkpoint: `${dir}/checkpoint.json`,
    meta: `${dir}/meta.json`,
    result: `${dir}/result.json`,
    parked: `${dir}/t4-parked.jsonl`,
    lock: `${dir}/lock`,
    blobs: `${dir}/blobs`,
    children: `${dir}/children`,
    inbox: `${dir}/inbox`,
    ballast: `${dir}/ballast`,
    workflows: `${dir}/workflows`,
    cache: (workflowId) => `${dir}/workflows/${Result.getOrThrow(checkWorkflowId(workflowId))}/cache.json`
  }
}

/** Refuses a run in which any component below the base is a symbolic link. Nothing there is fine. */
export const refuseLinks = Effect.fnUntraced(function* (
  baseDir: string,
  paths: RunPaths
): Effect.fn.Return<void, JournalError, FsPort> {
  const fs = yield* FsPort
  const all = [
    runsDirectory(baseDir),
    paths.dir,
    paths.events,
    paths.checkpoint,
    paths.meta,
    paths.result,
    paths.parked,
    paths.lock,
    paths.blobs,
    paths.children,
    paths.inbox,
    paths.ballast,
    paths.workflows,
    `${paths.workflows}/${mainWorkflow}`,
    paths.cache(mainWorkflow)
  ]
  for (const path of all) {
    const stat = yield* Effect.mapError(fs.stat(path), fromFsError)
    if (stat?.type === "symlink") {
      return yield* new JournalError({
        code: "symlink",
        path,
        problem: "is a symbolic link, which is not followed inside a run",
        cure: "put the file or directory itself there"
      })
    }
  }
})
