// GivenFiles on the file system of the machine. What is at the path is looked at before it is opened (to open some
// devices does something), opened without waiting and without following, and looked at again through the descriptor:
// whoever may write in the folder may put something else there in between.
import { constants, type Stats } from "node:fs"
import { lstat, open, realpath, type FileHandle } from "node:fs/promises"
import { join, sep } from "node:path"
import { Clock, Effect, Layer } from "effect"
import { defined } from "../../domain/defined.ts"
import { GivenFileError, GivenFiles, maxGivenBytes, maxGivenMs } from "./GivenFiles.ts"

const chunkBytes = 1024 * 1024
const flags =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NOCTTY ?? 0)

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "UNKNOWN"

const kindOf = (stats: Stats): string =>
  stats.isFIFO()
    ? "a named pipe"
    : stats.isSocket()
      ? "a socket"
      : stats.isCharacterDevice() || stats.isBlockDevice()
        ? "a device"
        : "no file"

const read = Effect.fnUntraced(function* (root: string, path: string, maxBytes: number) {
  const refuse = (code: GivenFileError["code"], detail?: string) =>
    new GivenFileError({ path, code, ...defined({ detail }) })
  const step = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => {
        const code = codeOf(cause)
        if (code === "ENOENT" || code === "ENOTDIR") return refuse("missing")
        // What was no link a moment ago is one now.
        return code === "ELOOP" ? refuse("outside") : refuse("unreadable", code)
      }
    })
  const regular = (stats: Stats) =>
    stats.isFile()
      ? Effect.succeed(stats)
      : Effect.fail(stats.isDirectory() ? refuse("directory") : refuse("not_regular", kindOf(stats)))

  const inside = yield* step(() => realpath(root))
  const whole = join(inside, path)
  /** Where the path leads now, which must be below the root. */
  const resolve = Effect.flatMap(
    step(() => realpath(whole)),
    (real) =>
      real.startsWith(inside.endsWith(sep) ? inside : `${inside}${sep}`)
        ? Effect.succeed(real)
        : Effect.fail(refuse("outside"))
  )
  const real = yield* resolve
  yield* Effect.flatMap(
    step(() => lstat(real)),
    regular
  )
  const handle: FileHandle = yield* Effect.acquireRelease(
    step(() => open(real, flags)),
    (opened) => Effect.ignore(step(() => opened.close()))
  )
  const stats = yield* Effect.flatMap(
    step(() => handle.stat()),
    regular
  )
  const there = yield* Effect.flatMap(resolve, (now) => step(() => lstat(now)))
  if (there.ino !== stats.ino || there.dev !== stats.dev) return yield* refuse("outside")
  const tooLarge = refuse("too_large", String(maxBytes))
  if (stats.size > maxBytes) return yield* tooLarge
  // Some files say that they are empty, and some grow: read to the end, and no further than the limit.
  const chunks: Array<Uint8Array> = []
  for (let size = 0; ;) {
    const into = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(stats.size - size, 0) + 4096))
    const { bytesRead } = yield* step(() => handle.read(into, 0, into.length, null))
    if (bytesRead === 0) return new Uint8Array(Buffer.concat(chunks))
    size += bytesRead
    if (size > maxBytes) return yield* tooLarge
    chunks.push(into.subarray(0, bytesRead))
  }
})

/** The live layer. */
export const layer: Layer.Layer<GivenFiles> = Layer.succeed(
  GivenFiles,
  GivenFiles.of({
    read: (root, path, { maxBytes = maxGivenBytes } = {}) =>
      Effect.scoped(read(root, path, maxBytes)).pipe(
        Effect.timeoutOrElse({
          duration: maxGivenMs,
          orElse: () => Effect.fail(new GivenFileError({ path, code: "too_slow" }))
        }),
        // The time is that of the file system, also in a run whose own time is logical.
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      )
  })
)
