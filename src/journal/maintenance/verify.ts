// verify: everything that is wrong with a run's directory, found in one pass and without writing. It says how far
// the chain vouches for the log, since nothing in a log can tell that whole lines were cut from its end.
import { Effect, Option, Stream, type Scope } from "effect"
import { callId } from "../../domain/Call.ts"
import { canonicalJsonOf, type Json } from "../../domain/json/canonicalJson.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { RunChildren } from "../../kernel/subprocess/RunChildren.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { readCallCache } from "../store/CallCache.ts"
import {
  checkpointOf,
  digestOf,
  encodeCheckpoint,
  readCheckpoint,
  type Checkpoint
} from "../state/Checkpoint.ts"
import { makeContentStore, type ContentStore } from "../store/ContentStore.ts"
import { fromFsError, JournalError, type JournalErrorCode } from "../JournalError.ts"
import { readMeta, runExists } from "../openRun.ts"
import { Projection } from "../state/projection.ts"
import { mainWorkflow, refuseLinks, runPaths, type RunPaths } from "../store/RunDirectory.ts"
import type { RunMeta } from "../store/RunMeta.ts"
import { makeRunJournal, type RunJournal } from "../RunJournal.ts"
import { scanLog } from "../log/scanLog.ts"

/** `line`: of events.jsonl, from 1; 0 if the problem is in another file. */
export interface VerifyProblem {
  readonly line: number
  readonly code: JournalErrorCode | "torn_tail" | "checkpoint_edited" | "result_edited" | "cache_edited"
  readonly message: string
}

export interface VerifyReport {
  readonly ok: boolean
  /** Sound events. */
  readonly events: number
  /** The last event that is surely as it was written, and before which nothing is missing. */
  readonly vouchedTo: number
  readonly problems: ReadonlyArray<VerifyProblem>
}

const problemOf = (error: JournalError): VerifyProblem => ({
  line: error.line ?? 0,
  code: error.code,
  message: error.message
})

/** Names of blobs that an event needs. */
const blobOf = (event: RunEvent): string | undefined => {
  if (event.type === "AttemptEnded") return event.raw?.blob
  return event.type === "CallCompleted" || event.type === "RunCompleted" ? event.resultBlob?.blob : undefined
}

/** Names of blobs that meta.json needs: its parts, its roles, and the attachments its `files` part names. */
export const blobsOfMeta = Effect.fnUntraced(function* (
  meta: RunMeta,
  blobs: ContentStore
): Effect.fn.Return<ReadonlyArray<string>, JournalError> {
  const names = [...Object.values(meta.parts), ...Object.values(meta.blobs)]
  const files = meta.parts.files === undefined ? [] : yield* blobs.get(meta.parts.files)
  for (const file of Array.isArray(files) ? files : []) {
    const hash: Json | undefined = Array.isArray(file) ? file[1] : undefined
    if (typeof hash === "string") names.push(hash)
  }
  return names
})

/** Names of blobs that the events of a run need. */
export const blobsOfRun = (journal: RunJournal): Effect.Effect<ReadonlyArray<string>, JournalError> =>
  Stream.runFold(
    journal.events,
    (): Array<string> => [],
    (names, event) => {
      const name = blobOf(event)
      if (name !== undefined) names.push(name)
      return names
    }
  )

const checkBlobs = Effect.fnUntraced(function* (
  blobs: ContentStore,
  needed: ReadonlyMap<string, number>,
  add: (problem: VerifyProblem) => void
) {
  const present = new Set(yield* blobs.list)
  for (const name of new Set([...present, ...needed.keys()])) {
    const read = yield* Effect.result(blobs.getBytes(name))
    if (read._tag === "Failure") add({ ...problemOf(read.failure), line: needed.get(name) ?? 0 })
  }
})

type End = RunEventOf<"RunCompleted"> | RunEventOf<"RunFailed">

const resultTextOf = (result: Json | undefined): string | undefined =>
  result === undefined ? undefined : `${canonicalJsonOf(result)}\n`

/** Whether the text is the result of one of the ends. */
const isResultOf = Effect.fnUntraced(function* (ends: ReadonlyArray<End>, text: string, blobs: ContentStore) {
  for (const { result, resultBlob } of ends) {
    const kept = resultBlob === undefined ? result : yield* Effect.option(blobs.get(resultBlob.blob))
    const known = Option.isOption(kept) ? Option.getOrUndefined(kept) : kept
    if (resultTextOf(known) === text) return true
  }
  return false
})

/**
 * The derived answers against the log's: result.json and the call cache. Either may be absent, neither may lie. `left`:
 * ends of a run that was reopened and has not been sealed since, whose result may still lie there.
 */
const checkDerived = Effect.fnUntraced(function* (
  paths: RunPaths,
  journal: RunJournal,
  at: { readonly seq: number; readonly hash: string },
  left: ReadonlyArray<End>,
  add: (problem: VerifyProblem) => void
) {
  const fs = yield* FsPort
  const result = yield* Effect.option(fs.readFile(paths.result))
  if (Option.isSome(result)) {
    // A result that cannot be read is reported with its blob.
    const known = yield* Effect.orElseSucceed(journal.result, () => undefined)
    const text = new TextDecoder().decode(result.value)
    if (resultTextOf(known) !== text && !(yield* isResultOf(left, text, journal.blobs))) {
      add({ line: 0, code: "result_edited", message: `${paths.result}: is not the result that the log has` })
    }
  }
  // A cache that is behind or unreadable is used by nobody; only one that is taken for whole could do harm.
  const path = paths.cache(mainWorkflow)
  for (const call of (yield* readCallCache(path, at)) ?? []) {
    const answer = yield* Effect.option(journal.readResult(callId(call)))
    if (Option.isNone(answer) || canonicalJsonOf(answer.value) !== canonicalJsonOf(call.result)) {
      return add({ line: 0, code: "cache_edited", message: `${path}: has an answer that the log has not` })
    }
  }
})

const checkCheckpoint = (
  paths: RunPaths,
  checkpoint: Checkpoint,
  rebuilt: Checkpoint | undefined,
  lastSeq: number
): VerifyProblem | undefined => {
  if (checkpoint.lastSeq > lastSeq) {
    return {
      line: lastSeq,
      code: "checkpoint_ahead",
      message: `${paths.checkpoint}: event ${checkpoint.lastSeq} was durable, and the log ends at event ${lastSeq}`
    }
  }
  if (rebuilt === undefined) return undefined
  if (rebuilt.lastHash !== checkpoint.lastHash) {
    return {
      line: checkpoint.lastSeq,
      code: "journal_tampered",
      message: `${paths.events}:${checkpoint.lastSeq}: the line, or what checkpoint.json says of it, was changed`
    }
  }
  // A version that did not tell costs apart left them out.
  const { cost: _cost, ...state } = rebuilt.state
  const comparable = checkpoint.state.cost === undefined ? { ...rebuilt, state } : rebuilt
  return canonicalJsonOf(comparable) === canonicalJsonOf(checkpoint)
    ? undefined
    : {
        line: 0,
        code: "checkpoint_edited",
        message: `${paths.checkpoint}: is not what the log adds up to there`
      }
}

/** Reads all of a run. Fails only where there is no run to read, or the disk cannot be read. */
export const verifyRun = Effect.fn("verifyRun")(function* (
  baseDir: string,
  runId: RunId
): Effect.fn.Return<VerifyReport, JournalError, FsPort | Scope.Scope> {
  const fs = yield* FsPort
  const paths = runPaths(baseDir, runId)
  const problems: Array<VerifyProblem> = []
  const add = (problem: VerifyProblem) => void problems.push(problem)

  const links = yield* Effect.result(refuseLinks(baseDir, paths))
  if (links._tag === "Failure") {
    return { ok: false, events: 0, vouchedTo: 0, problems: [problemOf(links.failure)] }
  }
  if (!(yield* runExists(baseDir, runId))) {
    return yield* new JournalError({
      code: "run_missing",
      path: paths.dir,
      problem: "there is no such run",
      cure: "`alembic list` shows the runs there are"
    })
  }
  const blobs = yield* makeContentStore(paths.blobs)
  const needed = new Map<string, number>()
  const meta = yield* Effect.result(
    Effect.flatMap(readMeta(paths, runId, blobs), (meta) =>
      Effect.map(blobsOfMeta(meta, blobs), (names) => ({ meta, names }))
    )
  )
  if (meta._tag === "Failure") add(problemOf(meta.failure))
  else for (const name of meta.success.names) needed.set(name, 0)

  const stat = yield* Effect.mapError(fs.stat(paths.events), fromFsError)
  if (stat === undefined) {
    add({ line: 0, code: "journal_missing", message: `${paths.events}: the log is gone` })
    yield* checkBlobs(blobs, needed, add)
    return { ok: false, events: 0, vouchedTo: 0, problems }
  }

  const reading = yield* readCheckpoint(paths.checkpoint)
  const checkpoint = reading._tag === "read" ? reading.checkpoint : undefined
  if (reading._tag === "unreadable") {
    add({ line: 0, code: "checkpoint_edited", message: `${paths.checkpoint}: is not readable` })
  } else if (checkpoint !== undefined) {
    const bytes = yield* Effect.mapError(fs.readFile(paths.checkpoint), fromFsError)
    if (Buffer.compare(encodeCheckpoint(checkpoint), bytes) !== 0) {
      add({ line: 0, code: "checkpoint_edited", message: `${paths.checkpoint}: is not as it was written` })
    }
  }

  const projection = new Projection()
  let events = 0
  const ends: Array<End> = []
  let rebuilt: Checkpoint | undefined
  let firstBad = Infinity
  const handle = yield* Effect.mapError(fs.openRead(paths.events), fromFsError)
  const scanned = yield* scanLog({
    path: paths.events,
    handle,
    end: stat.size,
    onEntry: ({ event, hash, length, line, offset }) => {
      events++
      projection.advance(event, offset, length)
      if (event.type === "RunCompleted" || event.type === "RunFailed") ends.push(event)
      if (event.seq === checkpoint?.lastSeq) {
        const position = { seq: event.seq, hash, size: offset + length + 1 }
        rebuilt = checkpointOf(runId, position, digestOf(projection.state))
      }
      const blob = blobOf(event)
      if (blob !== undefined && !needed.has(blob)) needed.set(blob, line)
    },
    onProblem: ({ code, line, problem }) => {
      firstBad = Math.min(firstBad, line)
      add({ line, code, message: `${paths.events}:${line}: ${problem}` })
      return true
    },
    ...(checkpoint === undefined ? {} : { lastHash: checkpoint.lastHash })
  })
  if (scanned.offset < stat.size) {
    const bytes = stat.size - scanned.offset
    const message = `${paths.events}:${scanned.line + 1}: ${bytes} bytes of an unfinished line; a resume cuts them off`
    add({ line: scanned.line + 1, code: "torn_tail", message })
  }
  if (checkpoint !== undefined) {
    const problem = checkCheckpoint(paths, checkpoint, rebuilt, scanned.lastSeq)
    if (problem !== undefined) {
      add(problem)
      if (problem.code !== "checkpoint_edited") firstBad = Math.min(firstBad, problem.line)
    }
  }
  yield* checkBlobs(blobs, needed, add)
  if (firstBad === Infinity && meta._tag === "Success") {
    const opened = { seq: scanned.lastSeq, hash: scanned.hash, size: scanned.offset }
    const journal = yield* makeRunJournal({
      runId,
      paths,
      meta: meta.success.meta,
      projection,
      reader: handle,
      blobs,
      warnings: [],
      tookOver: false,
      opened,
      children: RunChildren.defaultValue(),
      disk: yield* FsPort,
      hasRoom: () => Effect.succeed(true),
      blobBytes: 0,
      openLog: undefined
    })
    const isSealed = projection.state.end !== undefined && checkpoint?.lastSeq === scanned.lastSeq
    yield* checkDerived(paths, journal, opened, isSealed ? [] : ends, add)
  }

  const whole = rebuilt?.lastSeq === scanned.lastSeq ? scanned.lastSeq : Math.max(scanned.lastSeq - 1, 0)
  return {
    ok: problems.length === 0,
    events,
    vouchedTo: firstBad === Infinity ? whole : Math.max(0, Math.min(whole, firstBad - 1)),
    problems
  }
}, Effect.scoped)
