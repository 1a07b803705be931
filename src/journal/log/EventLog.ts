// EventLog: events.jsonl as something to append to. It gives events their place (seq, time, chain), keeps them in
// order, and makes them durable in groups. The first failure is final: nothing is written after it.
// Reading is LogReader's; what events mean is projection's.
//
// Invariants:
// E1  What `commit` has acknowledged is durable, and so is everything enqueued before it.
// E2  The file is a prefix of what was enqueued, at a line's end, also after a failure.
// E3  Committers that wait together share one sync; one that waits alone does not wait for others.
import { Deferred, Effect, Exit, Result, type Cause, type Scope } from "effect"
import { canonicalJson } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { guardOf } from "../../domain/guardOf.ts"
import { RunEventBody, type RunEvent } from "../../domain/run/RunEvent.ts"
import { isSyncUnsupported } from "../../kernel/files/durableFs.ts"
import type { AppendHandle, FsError } from "../../kernel/files/FsPort.ts"
import { fromFsError, JournalError, notCanonical } from "../JournalError.ts"
import { maxLineBytes } from "./LogReader.ts"

/** Where a log stands: the last event, its line's hash, and the size of the file. */
export interface LogPosition {
  readonly seq: number
  readonly hash: string
  readonly size: number
}

/** An event with its place, and where its line will stand. */
export interface Enqueued {
  readonly event: RunEvent
  readonly offset: number
  readonly length: number
}

export interface EventLog {
  /** Gives the event its place; it is not written yet. `text` is its `payloadText`, `at` the time of the run's Clock. */
  readonly enqueue: (body: RunEventBody, text: string, at: number) => Result.Result<Enqueued, JournalError>
  /** Returns when everything enqueued so far is durable. */
  readonly commit: Effect.Effect<void, JournalError>
  /** Where the durable log stands. */
  readonly durable: () => LogPosition
  /** Where the log stands with everything enqueued. */
  readonly enqueued: () => LogPosition
  /** Why nothing can be written any more. */
  readonly failure: () => JournalError | undefined
}

interface Waiter {
  readonly seq: number
  readonly done: Deferred.Deferred<void, JournalError>
}

interface Line {
  readonly bytes: Uint8Array
  readonly at: LogPosition
}

export interface EventLogOptions {
  readonly path: string
  readonly handle: AppendHandle
  readonly from: LogPosition
  /** Told once if the file system cannot sync. */
  readonly onUnsupported: () => void
  /** Run after every group that became durable, before the next: must be quick. */
  readonly onDurable: (position: LogPosition) => Effect.Effect<void>
}

const isReadable: (body: unknown) => boolean = guardOf(RunEventBody)

/**
 * What an event says besides its place and type, as it will stand in the log. It is read again by the same shapes: what
 * they would not take is not written.
 */
export const payloadText = (path: string, body: RunEventBody): Result.Result<string, JournalError> => {
  if (!isReadable(body))
    return Result.fail(notCanonical(path, `this ${body.type} could not be read again from the log`))
  const { type: _, ...payload } = body
  return Result.mapError(canonicalJson(payload), ({ message }) => notCanonical(path, message))
}

export const makeEventLog = Effect.fnUntraced(function* (
  options: EventLogOptions
): Effect.fn.Return<EventLog, never, Scope.Scope> {
  const { handle, path } = options
  const scope = yield* Effect.scope
  let next = options.from
  let durable = options.from
  let pending: Array<Line> = []
  let waiters: Array<Waiter> = []
  let flushing = false
  // Whether the last group had company. Then the sync leaves the thread to the others.
  let crowded = false
  let unsupported = false
  let failure: JournalError | undefined

  const enqueue: EventLog["enqueue"] = (body, text, at) => {
    if (failure !== undefined) return Result.fail(failure)
    const { type } = body
    const seq = next.seq + 1
    // The place first, so that a person who reads the file sees it; the rest in canonical order.
    const head = `{"seq":${seq},"at":${at},"prev":"${next.hash}","type":"${type}"`
    const line = text === "{}" ? `${head}}` : `${head},${text.slice(1)}`
    const bytes = Buffer.from(`${line}\n`)
    const length = bytes.length - 1
    if (length > maxLineBytes) {
      return Result.fail(
        new JournalError({
          code: "too_large",
          path,
          problem: `a ${type} event of ${length} bytes is over the limit of ${maxLineBytes}`,
          cure: "ask for less at once, or split the work"
        })
      )
    }
    const offset = next.size
    const event: RunEvent = { seq, at, prev: next.hash, ...body }
    next = { seq, hash: sha256(bytes.subarray(0, length)), size: offset + bytes.length }
    pending.push({ bytes, at: next })
    return Result.succeed({ event, offset, length })
  }

  const sync = (alone: boolean): Effect.Effect<void, FsError> => {
    if (unsupported) return Effect.void
    return Effect.catch(alone ? handle.syncNow : handle.sync, (error) => {
      if (!isSyncUnsupported(error)) return Effect.fail(error)
      unsupported = true
      options.onUnsupported()
      return Effect.void
    })
  }

  /** Who is told of it hears of it before those who waited go on. */
  const reached = (position: LogPosition): Effect.Effect<void> => {
    durable = position
    return Effect.map(options.onDurable(position), () => release(position))
  }

  const release = (position: LogPosition): void => {
    const waiting = waiters
    waiters = []
    for (const waiter of waiting) {
      if (waiter.seq <= position.seq) Deferred.doneUnsafe(waiter.done, Exit.void)
      else waiters.push(waiter)
    }
  }

  const fail = (error: FsError): void => {
    failure = fromFsError(error)
    pending = []
    const waiting = waiters
    waiters = []
    for (const waiter of waiting) Deferred.doneUnsafe(waiter.done, Exit.fail(failure))
  }

  /** One by one, after the group as a whole did not fit: answers that were paid for are kept as far as possible. */
  const salvage = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>, error: FsError) {
    let kept: LogPosition | undefined
    for (const line of lines) {
      const written = yield* Effect.result(handle.append(line.bytes))
      if (written._tag === "Failure") break
      kept = line.at
    }
    if (kept !== undefined) {
      const synced = yield* Effect.result(sync(true))
      if (synced._tag === "Failure") return fail(synced.failure)
      yield* reached(kept)
    }
    fail(error)
  })

  /** Writes and syncs everything pending, as one group. */
  const flush = Effect.fnUntraced(function* () {
    const lines = pending
    const last = lines[lines.length - 1]
    if (last === undefined) return
    pending = []
    const alone = !crowded && waiters.length <= 1
    crowded = waiters.length > 1
    const bytes = lines.length === 1 ? last.bytes : Buffer.concat(lines.map((line) => line.bytes))
    const written = yield* Effect.result(handle.append(bytes))
    if (written._tag === "Failure") return yield* salvage(lines, written.failure)
    const synced = yield* Effect.result(sync(alone))
    // Whether the lines are on the disk is unknown now; whoever opens the log next will see.
    if (synced._tag === "Failure") return fail(synced.failure)
    yield* reached(last.at)
  })

  const flushAll: Effect.Effect<void> = Effect.suspend(() => {
    if (waiters.length > 0 && failure === undefined) return Effect.andThen(flush(), flushAll)
    flushing = false
    return Effect.void
  })

  /** A defect of the writer is the committers' too: nobody waits for a sync that will not come. */
  const abandoned = (cause: Cause.Cause<never>) =>
    Effect.sync(() => {
      failure = new JournalError({ code: "io_error", path, problem: "the writer of the log died" })
      flushing = false
      pending = []
      const waiting = waiters
      waiters = []
      for (const waiter of waiting) Deferred.doneUnsafe(waiter.done, Exit.failCause(cause))
    })

  const commit: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    if (durable.seq >= next.seq) return failure === undefined ? Effect.void : Effect.fail(failure)
    if (failure !== undefined) return Effect.fail(failure)
    const done = Deferred.makeUnsafe<void, JournalError>()
    waiters.push({ seq: next.seq, done })
    if (flushing) return Deferred.await(done)
    flushing = true
    // The yield lets everybody who is ready now join the group. The group is not the first committer's own: it goes
    // on when that one is interrupted.
    return Effect.andThen(
      Effect.forkIn(
        Effect.uninterruptible(Effect.andThen(Effect.yieldNow, Effect.catchCause(flushAll, abandoned))),
        scope
      ),
      Deferred.await(done)
    )
  })

  return {
    enqueue,
    commit,
    durable: () => durable,
    enqueued: () => next,
    failure: () => failure
  }
})
