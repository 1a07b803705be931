// Room on the disk: what was paid for must be written. Before a call is paid, the run's disk must have room for what it
// may bring; and a file of some size, the ballast, lies in the run's directory, to be given up the moment the disk is
// full all the same, since others fill it too. What else a full disk means is JournalError's.
//
// Invariants:
// L1  There is no ballast without a process that may have paid for something: a run that pays nothing makes none, and
//     it goes when the run is let go of.
// L2  A write that finds the disk full is made once more after the ballast was given up; without ballast it fails.
// L3  There is room only while the ballast lies there whole and `roomBytes` are free beside it.
import { Effect, type Scope } from "effect"
import type { FsError, FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"

export const ballastBytes = 1024 * 1024
/** More than the answers of a run's calls in flight take together. */
export const roomBytes = 4 * 1024 * 1024

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

export interface Ballast {
  /** The same files, where a write that finds the disk full is made again after the ballast was given up (L2). */
  readonly fs: (typeof FsPort)["Service"]
  /** Whether there is room for what a paid call may bring. It makes the ballast where there is none yet. */
  readonly hasRoom: Effect.Effect<boolean, JournalError>
}

/** The ballast at `path`, beside the files that are written through `Ballast.fs`. Gone when the scope ends. */
export const makeBallast = Effect.fnUntraced(function* (
  fs: (typeof FsPort)["Service"],
  path: string
): Effect.fn.Return<Ballast, never, Scope.Scope> {
  const directory = path.slice(0, path.lastIndexOf("/"))
  /** Undefined: nobody has looked yet. A process that was killed may have left one. */
  let lies: boolean | undefined
  const giveUp = Effect.suspend(() => {
    lies = false
    return fs.remove(path)
  })
  yield* Effect.addFinalizer(() => (lies === undefined ? Effect.void : Effect.ignore(giveUp)))

  const look = Effect.suspend(() =>
    lies === undefined
      ? Effect.map(
          Effect.orElseSucceed(fs.stat(path), () => undefined),
          (stat) => (lies = stat?.type === "file" && stat.size === ballastBytes)
        )
      : Effect.succeed(lies)
  )

  /** Once more, if there is something to give up. */
  const again = <A, R>(write: Effect.Effect<A, FsError, R>): Effect.Effect<A, FsError, R> =>
    Effect.catch(write, (error) =>
      full.has(error.code)
        ? Effect.flatMap(look, (there) =>
            there ? Effect.andThen(Effect.ignore(giveUp), write) : Effect.fail(error)
          )
        : Effect.fail(error)
    )

  const hasRoom = Effect.gen(function* () {
    const free = yield* Effect.mapError(fs.freeBytes(directory), fromFsError)
    const there = yield* look
    if (free !== undefined && free < roomBytes + (there ? 0 : ballastBytes)) return false
    if (there) return true
    const made = yield* Effect.result(fs.replace(path, noise(ballastBytes)))
    if (made._tag === "Success") return (lies = true)
    // Where the disk does not say how much is free, or a quota is smaller than the disk.
    return full.has(made.failure.code) ? false : yield* fromFsError(made.failure)
  })

  return {
    hasRoom,
    fs: {
      ...fs,
      openAppend: (file) =>
        Effect.map(again(fs.openAppend(file)), (handle) => ({
          ...handle,
          append: (bytes) => again(handle.append(bytes))
        })),
      replace: (file, bytes) => again(fs.replace(file, bytes)),
      replaceAll: (into, files) => again(fs.replaceAll(into, files)),
      createExclusive: (file, bytes) => again(fs.createExclusive(file, bytes)),
      makeDirectory: (file) => again(fs.makeDirectory(file))
    }
  }
})
