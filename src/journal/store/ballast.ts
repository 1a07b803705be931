// Room on the disk: what was paid for must be written. Before a call is paid, the run's disk must have room for what the
// calls in flight may bring; and a file of that size, the ballast, lies in the run's directory. A disk that others fill
// all the same is met by cutting off the ballast what each write needs. What else a full disk means is JournalError's.
//
// Invariants:
// L1  There is no ballast without a process that may have paid for something: a run that pays nothing makes none, and
//     it goes when the run is let go of.
// L2  A write that finds the disk full is made again after as much was cut off the ballast as it needs, and once more
//     without any ballast. One write does this at a time.
// L3  There is room for `bytes` only while the ballast is that long, at least `leastBallast` and at most `mostBallast`,
//     and `roomBytes` are free beside it, and what is over `mostBallast`.
import { Effect, Semaphore, type Scope } from "effect"
import type { FsError, FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"

export const leastBallast = 1024 * 1024
/** A longer one would take longer to write than most answers take to come. */
const mostBallast = 32 * 1024 * 1024
/** What a run writes beside the answers of its calls. */
export const roomBytes = 4 * 1024 * 1024
/** The ballast is cut in pieces of this length: a file system gives space back in blocks. */
const piece = 64 * 1024

/** The disk is full, or what this user may have of it. */
const full: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"])

/** Bytes that no file system makes smaller: noise, from a fixed beginning. */
const noise = (length: number): Uint8Array => {
  const words = new Uint32Array(length / 4)
  let state = 0x9e3779b9
  for (let at = 0; at < words.length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[at] = state
  }
  return new Uint8Array(words.buffer)
}

const pieces = (bytes: number): number => Math.ceil(bytes / piece) * piece

export interface Ballast {
  /** The same files, where a write that finds the disk full is made again with the ballast's room (L2). */
  readonly fs: (typeof FsPort)["Service"]
  /** Whether there is room for `bytes` of answers (L3). It makes the ballast, or makes it longer. */
  readonly hasRoom: (bytes: number) => Effect.Effect<boolean, JournalError>
}

/** The ballast at `path`, beside the files that are written through `Ballast.fs`. Gone when the scope ends. */
export const makeBallast = Effect.fnUntraced(function* (
  fs: (typeof FsPort)["Service"],
  path: string
): Effect.fn.Return<Ballast, never, Scope.Scope> {
  const directory = path.slice(0, path.lastIndexOf("/"))
  const turn = yield* Semaphore.make(1)
  /** Its bytes. Undefined: nobody has looked yet. A process that was killed may have left one. */
  let length: number | undefined
  const giveUp = Effect.suspend(() => {
    length = 0
    return fs.remove(path)
  })
  yield* Effect.addFinalizer(() => (length === undefined ? Effect.void : Effect.ignore(giveUp)))

  const look = Effect.suspend(() =>
    length === undefined
      ? Effect.map(
          Effect.orElseSucceed(fs.stat(path), () => undefined),
          (stat) => (length = stat?.type === "file" ? stat.size : 0)
        )
      : Effect.succeed(length)
  )

  const cut = Effect.fnUntraced(function* (bytes: number) {
    const left = (yield* look) - pieces(bytes + piece)
    if (left < piece) return yield* giveUp
    yield* Effect.flatMap(fs.openAppend(path), ({ truncate }) => truncate(left))
    length = left
  }, Effect.scoped)

  const grow = Effect.fnUntraced(function* (to: number) {
    const more = to - (yield* look)
    if (more <= 0) return
    yield* Effect.flatMap(fs.openAppend(path), ({ append }) => append(noise(more)))
    length = to
  }, Effect.scoped)

  /** A write of so many bytes, made again where the disk is full and there is something to cut. */
  const again = <A, R>(bytes: number, write: Effect.Effect<A, FsError, R>): Effect.Effect<A, FsError, R> => {
    const ifFull = (next: Effect.Effect<A, FsError, R>) => (error: FsError) =>
      full.has(error.code)
        ? Effect.flatMap(look, (there) => (there > 0 ? next : Effect.fail(error)))
        : Effect.fail(error)
    const bare = Effect.andThen(Effect.ignore(giveUp), write)
    const shorter = Effect.catch(Effect.andThen(Effect.ignore(cut(bytes)), write), ifFull(bare))
    return Effect.catch(write, (error) =>
      full.has(error.code) ? turn.withPermit(Effect.catch(write, ifFull(shorter))) : Effect.fail(error)
    )
  }

  const hasRoom = Effect.fnUntraced(function* (bytes: number) {
    const wanted = pieces(Math.min(Math.max(bytes, leastBallast), mostBallast))
    const free = yield* Effect.mapError(fs.freeBytes(directory), fromFsError)
    const more = Math.max(0, wanted - (yield* look))
    if (free !== undefined && free < roomBytes + more + Math.max(0, bytes - mostBallast)) return false
    const grown = yield* Effect.result(grow(wanted))
    if (grown._tag === "Success") return true
    // Where the disk does not say how much is free, or a quota is smaller than the disk.
    return full.has(grown.failure.code) ? false : yield* fromFsError(grown.failure)
  }, turn.withPermit)

  return {
    hasRoom,
    fs: {
      ...fs,
      openAppend: (file) =>
        Effect.map(again(0, fs.openAppend(file)), (handle) => ({
          ...handle,
          append: (bytes) => again(bytes.length, handle.append(bytes))
        })),
      replace: (file, bytes) => again(bytes.length, fs.replace(file, bytes)),
      replaceAll: (into, files) =>
        again(
          files.reduce((sum, { bytes }) => sum + pieces(bytes.length), 0),
          fs.replaceAll(into, files)
        ),
      createExclusive: (file, bytes) => again(bytes.length, fs.createExclusive(file, bytes)),
      makeDirectory: (file) => again(0, fs.makeDirectory(file))
    }
  }
})
