// RunJournal: one opened run: append, commit, read back, seal. It keeps the state current with what is appended and
// the derived files (checkpoint, call cache, result) behind the log. Opening and making runs is openRun.ts's.
import { Clock, Effect, Option, Result, Semaphore, Stream, type Scope } from "effect"
import { defined } from "../domain/defined.ts"
import { canonicalJson, type Json } from "../domain/json/canonicalJson.ts"
import type { RunEvent, RunEventBody } from "../domain/run/RunEvent.ts"
import type { RunId } from "../domain/run/RunSpec.ts"
import { FsPort, type ReadHandle } from "../kernel/files/FsPort.ts"
import type { RunChildren } from "../kernel/subprocess/RunChildren.ts"
import { saveCallCache } from "./store/CallCache.ts"
import { checkpointOf, digestOf, writeCheckpoint, type Checkpoint } from "./state/Checkpoint.ts"
import type { ContentStore } from "./store/ContentStore.ts"
import { makeDurableEvents, type Tell } from "./log/durableEvents.ts"
import { payloadText, type EventLog, type LogPosition } from "./log/EventLog.ts"
import { makeInbox, type Inbox } from "./store/inbox.ts"
import { makeJournalBound, type Bounded } from "./store/journalBound.ts"
import { fromFsError, JournalError, notCanonical } from "./JournalError.ts"
import { lineWindow } from "./log/lineWindow.ts"
import { parseEvent } from "./log/LogReader.ts"
import { writeParked } from "./store/parkedFile.ts"
import { makeKeptRoles, type KeptRoles } from "./store/keptRoles.ts"
import type { Projection } from "./state/projection.ts"
import type { CallState, RunState } from "./state/RunState.ts"
import { mainWorkflow, type RunPaths } from "./store/RunDirectory.ts"
import type { RunMeta } from "./store/RunMeta.ts"
import { withoutResult } from "./log/resultBlob.ts"
import { answerTexts, resultTextOf, type CallAnswer } from "./log/resultText.ts"
import { streamLog } from "./log/scanLog.ts"

/** Text of a result above which it goes to a blob, in bytes. */
export const inlineBytes = 256 * 1024
/** More than that is not kept waiting to be written. */
const groupBytes = 16 * 1024 * 1024
/** A checkpoint is due after that many events, or that many milliseconds. */
const checkpointEvents = 1000
const checkpointMs = 1000

/** An answer of the journal. */
export interface Completion {
  readonly id: string
  readonly n: number
  readonly rank: number
  readonly result: Json
}

export interface RunJournal extends KeptRoles, Bounded {
  readonly runId: RunId
  readonly dir: string
  /** Current with everything appended. The same object all the time. */
  readonly state: () => RunState
  /** Appends in order. Durable only after `commit`. Large results go to a blob, which is durable before. */
  readonly append: (body: RunEventBody) => Effect.Effect<RunEvent, JournalError>
  /**
   * Appends the answer of a call, as a CallCompleted, and gives the text of its result: the very text that the log
   * holds. Fails with `not_canonical` if JSON cannot carry it; then nothing is appended.
   */
  readonly appendAnswer: (
    answer: CallAnswer
  ) => Effect.Effect<{ readonly event: RunEvent; readonly text: string }, JournalError>
  /** Everything appended before is durable. */
  readonly commit: Effect.Effect<void, JournalError>
  /** The answer of a call, by `callId`; fails if the journal has none. */
  readonly readResult: (id: string) => Effect.Effect<Json, JournalError>
  /** The same as JSON text; by what `state` says of the call where that is at hand. */
  readonly readResultText: (call: string | CallState) => Effect.Effect<string, JournalError>
  /** Answers in journal order, from a rank on, at most `limit`. */
  readonly readCompletions: (
    fromRank: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Completion>, JournalError>
  /** All answers that are durable when it starts, in journal order. */
  readonly completions: Stream.Stream<Completion, JournalError>
  /** All events that are durable when it starts. */
  readonly events: Stream.Stream<RunEvent, JournalError>
  /** The result of a run that ended, failed ones included; undefined if it had none or has not ended. */
  readonly result: Effect.Effect<Json | undefined, JournalError>
  readonly blobs: ContentStore
  /** Writes checkpoint and call cache: on suspension, interruption and failure. */
  readonly checkpoint: Effect.Effect<void, JournalError>
  /** The same, and result.json: after the terminal event was committed. */
  readonly seal: (result?: Json) => Effect.Effect<void, JournalError>
  /** Tells of every event that is appended from now on, in order, once it is durable. `tell` must be quick. */
  readonly watch: (tell: Tell) => void
  /** From now on no call cache is written (`--no-cache`); the log is the truth all the same. */
  readonly withoutCache: () => void
  /** Whether the disk has room for `bytes` of answers of calls in flight. */
  readonly hasRoom: (bytes: number) => Effect.Effect<boolean, JournalError>
  /** Where the subprocesses that work for the run are written down. */
  readonly children: (typeof RunChildren)["Service"]
  /** Answers left by others: only who holds the run's lock takes them. */
  readonly inbox: Inbox
  /** Whether the run's lock was taken over from a process that died. */
  readonly tookOver: boolean
  /** What was found and mended when the run was opened, and what the file system cannot do. */
  readonly warnings: () => ReadonlyArray<string>
}

export interface RunJournalParts extends Pick<RunJournal, "children" | "hasRoom" | "tookOver"> {
  readonly runId: RunId
  readonly paths: RunPaths
  readonly meta: RunMeta
  readonly projection: Projection
  readonly reader: ReadHandle
  readonly blobs: ContentStore
  readonly warnings: Array<string>
  /** The files as they are. What is written in `FsPort` may take the room that is kept for answers (ballast.ts). */
  readonly disk: (typeof FsPort)["Service"]
  /** What its blobs came to when it was opened. */
  readonly blobBytes: number
  /** Where the log stood when it was opened. */
  readonly opened: LogPosition
  /** Makes the log to append to; absent when the run is only read. */
  readonly openLog:
    | ((
        onDurable: (position: LogPosition) => Effect.Effect<void>
      ) => Effect.Effect<EventLog, JournalError, Scope.Scope>)
    | undefined
}

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })

export const makeRunJournal = Effect.fnUntraced(function* (
  parts: RunJournalParts
): Effect.fn.Return<RunJournal, JournalError, FsPort | Scope.Scope> {
  const { blobs, paths, projection, reader, runId, warnings } = parts
  /** For what can be made again from the log: it takes nothing of the room that is kept for answers. */
  const onDisk = Effect.provideService(FsPort, parts.disk)
  /** A full disk is no hindrance: what is not written is made when the run is opened again. */
  const derived = (name: string, write: Effect.Effect<void, JournalError>) =>
    Effect.catchIf(
      write,
      ({ code }) => code === "no_space",
      () => Effect.sync(() => void warnings.push(`${name} was not written: the disk is full`))
    )
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const state = projection.state

  const readOnly = new JournalError({
    code: "read_only",
    path: paths.events,
    problem: "the run was opened to be read",
    cure: "open it to be written"
  })

  const kept = yield* makeKeptRoles(
    paths.meta,
    parts.meta,
    parts.openLog === undefined ? readOnly : undefined
  )

  // The checkpoint that is due, if one is: its state and position belong together only at the moment of an append.
  let due: Checkpoint | undefined
  let lastCheckpoint = { seq: parts.opened.seq, at: clock.currentTimeMillisUnsafe() }
  let writing = false

  // One at a time, and the latest wins whoever comes last.
  const turn = yield* Semaphore.make(1)
  let savedSeq = -1
  const saveCheckpoint = (checkpoint: Checkpoint) =>
    turn.withPermits(1)(
      Effect.suspend(() =>
        checkpoint.lastSeq < savedSeq
          ? Effect.void
          : Effect.map(onDisk(writeCheckpoint(paths.checkpoint, checkpoint)), () => {
              savedSeq = checkpoint.lastSeq
            })
      )
    )

  const told = makeDurableEvents()
  const saveDue = (position: LogPosition): Effect.Effect<void> => {
    if (due === undefined || writing || position.seq < due.lastSeq) return Effect.void
    const checkpoint = due
    due = undefined
    writing = true
    // On nobody's path, and of no consequence if it fails: it is derived.
    const save = Effect.ensuring(
      Effect.ignore(saveCheckpoint(checkpoint)),
      Effect.sync(() => {
        writing = false
      })
    )
    return Effect.asVoid(Effect.forkIn(save, scope))
  }
  const onDurable = (position: LogPosition) => Effect.andThen(told.durable(position.seq), saveDue(position))

  const log = parts.openLog === undefined ? undefined : yield* parts.openLog(onDurable)
  const position = (): LogPosition => log?.durable() ?? parts.opened
  const bound = makeJournalBound(
    paths.events,
    () => (log?.enqueued() ?? parts.opened).size + parts.blobBytes + blobs.written()
  )

  const noteCheckpoint = (log: EventLog): void => {
    const { seq } = log.enqueued()
    const now = clock.currentTimeMillisUnsafe()
    if (seq - lastCheckpoint.seq < checkpointEvents && now - lastCheckpoint.at < checkpointMs) return
    due = checkpointOf(runId, log.enqueued(), digestOf(state))
    lastCheckpoint = { seq, at: now }
  }

  /** Puts a large result into a blob, by its canonical text. */
  const spilled = (body: RunEventBody, text: string) => {
    const bytes = Buffer.from(text)
    return Effect.map(blobs.putBytes(bytes), (blob) => withoutResult(body, { blob, bytes: bytes.length }))
  }

  const appendTo = (log: EventLog, body: RunEventBody, text: string): Effect.Effect<RunEvent, JournalError> =>
    Clock.clockWith((clock) => {
      const placed = log.enqueue(body, text, clock.currentTimeMillisUnsafe())
      if (Result.isFailure(placed)) return Effect.fail(placed.failure)
      const { event, length, offset } = placed.success
      projection.advance(event, offset, length)
      noteCheckpoint(log)
      told.appended(event)
      const waiting = log.enqueued().size - log.durable().size
      return waiting > groupBytes ? Effect.as(log.commit, event) : Effect.succeed(event)
    })

  const appendLarge = (log: EventLog, body: RunEventBody, text: string) =>
    Effect.flatMap(spilled(body, text), (smaller) =>
      Effect.flatMap(Effect.fromResult(payloadText(paths.events, smaller)), (payload) =>
        appendTo(log, smaller, payload)
      )
    )

  /** What keeps from appending. A log that failed refuses before a blob is written for nothing. */
  const refusal = (log: EventLog | undefined) => (log === undefined ? readOnly : log.failure())

  const appendAnswer: RunJournal["appendAnswer"] = (answer) => {
    const failed = refusal(log)
    if (log === undefined || failed !== undefined) return Effect.fail(failed ?? readOnly)
    const texts = answerTexts(paths.events, answer)
    if (Result.isFailure(texts)) return Effect.fail(texts.failure)
    const { payload, result } = texts.success
    const body: RunEventBody = { type: "CallCompleted", ...answer }
    const appended =
      payload.length > inlineBytes ? appendLarge(log, body, result) : appendTo(log, body, payload)
    return Effect.map(appended, (event) => ({ event, text: result }))
  }

  const append = (body: RunEventBody): Effect.Effect<RunEvent, JournalError> => {
    const failed = refusal(log)
    if (log === undefined || failed !== undefined) return Effect.fail(failed ?? readOnly)
    if (body.type === "CallCompleted" && body.result !== undefined) {
      const { key, occurrence, result, reused } = body
      const answer = { key, occurrence, result, ...defined({ reused }) }
      return Effect.map(appendAnswer(answer), ({ event }) => event)
    }
    if (body.type === "RunCompleted" && body.result !== undefined) {
      const text = canonicalJson(body.result)
      if (Result.isSuccess(text) && text.success.length > inlineBytes)
        return appendLarge(log, body, text.success)
    }
    const text = payloadText(paths.events, body)
    if (Result.isFailure(text)) return Effect.fail(text.failure)
    const refused = bound.refuses(body.type, text.success.length)
    return refused === undefined ? appendTo(log, body, text.success) : Effect.fail(refused)
  }

  const commit: Effect.Effect<void, JournalError> = log === undefined ? Effect.fail(readOnly) : log.commit

  const readLine = lineWindow(reader, (end) =>
    // What was appended and not committed is not in the file yet.
    log !== undefined && end > log.durable().size ? log.commit : Effect.void
  )

  const damaged = (what: string) =>
    new JournalError({
      code: "journal_corrupt",
      path: paths.events,
      problem: `${what} is no longer where it was when the run was opened`,
      cure: "`alembic verify` says what happened to the log"
    })

  const resultAt = Effect.fnUntraced(function* (what: string, offset: number, length: number) {
    const event = Option.getOrUndefined(yield* readLine(offset, length, parseEvent))
    if (event?.type !== "CallCompleted" && event?.type !== "RunCompleted" && event?.type !== "RunFailed")
      return yield* damaged(what)
    return event.resultBlob === undefined ? event.result : yield* blobs.get(event.resultBlob.blob)
  })

  const resultOf = (call: CallState): Effect.Effect<Json, JournalError> =>
    Effect.flatMap(resultAt(`the answer of call ${call.n}`, call.offset, call.length), (result) =>
      result === undefined ? Effect.fail(damaged(`the answer of call ${call.n}`)) : Effect.succeed(result)
    )

  const readResult = (id: string): Effect.Effect<Json, JournalError> => {
    const call = state.calls.get(id)
    return call?.status === "completed" ? resultOf(call) : Effect.fail(damaged(`an answer of call ${id}`))
  }

  const textOf = (line: Uint8Array) => resultTextOf(decoder.decode(line))

  const textAgain = (value: Json) =>
    Effect.mapError(Effect.fromResult(canonicalJson(value)), ({ message }) =>
      notCanonical(paths.events, message)
    )

  const readResultText = (of: string | CallState): Effect.Effect<string, JournalError> => {
    const call = typeof of === "string" ? state.calls.get(of) : of
    if (call?.status !== "completed") {
      return Effect.fail(damaged(`an answer of call ${typeof of === "string" ? of : of.id}`))
    }
    return Effect.flatMap(readLine(call.offset, call.length, textOf), (text) =>
      Option.isSome(text) ? Effect.succeed(text.value) : Effect.flatMap(resultOf(call), textAgain)
    )
  }

  const readCompletions = Effect.fnUntraced(function* (fromRank: number, limit: number) {
    const found: Array<Completion> = []
    for (let rank = fromRank; rank < state.completed.length && found.length < limit; rank++) {
      const call = state.completed.at(rank)
      if (call !== undefined) found.push({ id: call.id, n: call.n, rank, result: yield* resultOf(call) })
    }
    return found
  })

  const completions = Stream.suspend(() => {
    const until = state.completed.length
    return Stream.paginate(0, (rank: number) =>
      Effect.map(readCompletions(rank, 256), (found) => {
        const next = (found[found.length - 1]?.rank ?? until) + 1
        return [found, next < until ? Option.some(next) : Option.none<number>()] as const
      })
    )
  })

  const result: RunJournal["result"] = Effect.suspend(() =>
    state.end === undefined
      ? Effect.succeed(undefined)
      : resultAt("the result", state.end.offset, state.end.length)
  )

  let cached = true

  const checkpoint: Effect.Effect<void, JournalError> = Effect.gen(function* () {
    yield* commit
    due = undefined
    const at = position()
    yield* derived("checkpoint.json", saveCheckpoint(checkpointOf(runId, at, digestOf(state))))
    yield* derived("t4-parked.jsonl", onDisk(writeParked(paths.parked, state)))
    if (cached)
      yield* derived(
        "cache.json",
        onDisk(saveCallCache(paths.cache(mainWorkflow), at, state, readResultText))
      )
  })

  const seal = Effect.fnUntraced(function* (result?: Json) {
    yield* commit
    const text = result === undefined ? undefined : canonicalJson(result)
    if (text !== undefined && Result.isFailure(text))
      return yield* notCanonical(paths.result, text.failure.message)
    const { disk } = parts
    // The result of an end before this one is none of this end's.
    const write =
      text === undefined
        ? disk.remove(paths.result)
        : disk.replace(paths.result, Buffer.from(`${text.success}\n`))
    yield* derived("result.json", Effect.mapError(write, fromFsError))
    yield* checkpoint
  })

  return {
    watch: told.watch,
    withoutCache: () => {
      cached = false
    },
    runId,
    dir: paths.dir,
    get meta() {
      return kept.meta
    },
    keep: kept.keep,
    state: () => state,
    append,
    appendAnswer,
    commit,
    readResult,
    readResultText,
    readCompletions,
    completions,
    events: streamLog(paths.events, reader, () => position().size),
    result,
    blobs,
    checkpoint,
    seal,
    tookOver: parts.tookOver,
    children: parts.children,
    inbox: yield* makeInbox(paths, parts.openLog !== undefined),
    hasRoom: parts.hasRoom,
    boundBytes: bound.boundBytes,
    isFull: bound.isFull,
    warnings: () => warnings
  }
})
