// Files named on the command line, as text: found from the working directory, bounded, UTF-8 or a clear error.
import { Effect, FileSystem, Option, Path, Result } from "effect"
import { badInput } from "../CommandError.ts"
import { Host } from "../Host.ts"
import { Output } from "../Output.ts"

/** Bytes of a goal, contract, argument or configuration file; more is a mistake. */
const maxTextBytes = 4 * 1024 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** UTF-8 without its byte order mark; undefined if it is not UTF-8. */
export const textOf = (bytes: Uint8Array): string | undefined =>
  Option.getOrUndefined(Result.getSuccess(Result.try(() => utf8.decode(bytes))))

const reasons: Readonly<Record<string, string>> = {
  NotFound: "there is no such file",
  PermissionDenied: "permission denied",
  BadResource: "part of its path is not a directory, or links go in a circle"
}

interface PlatformFailure {
  readonly reason: { readonly _tag: string; readonly message: string }
}

/** What the file system said, for people. */
export const whyUnreadable = ({ reason }: PlatformFailure): string => reasons[reason._tag] ?? reason.message

export const isMissing = ({ reason }: PlatformFailure): boolean => reason._tag === "NotFound"

/** A path as the person gave it, on disk. */
export const resolvePath = Effect.fnUntraced(function* (path: string) {
  const { cwd } = yield* Host
  return (yield* Path.Path).resolve(cwd, path)
})

/**
 * Where the file is that was named on the command line, links followed, if it is one and can be read. `what`: how errors
 * call it.
 */
export const namedFile = Effect.fnUntraced(function* (what: string, path: string, cure: string) {
  const fs = yield* FileSystem.FileSystem
  const refuse = (why: string) => badInput("unreadable", `${what} ${path}: ${why}`, { path, cure })
  const readable = Effect.mapError((error: PlatformFailure) => refuse(whyUnreadable(error)))
  const file = yield* readable(fs.realPath(yield* resolvePath(path)))
  const { type } = yield* readable(fs.stat(file))
  if (type !== "File") return yield* refuse(type === "Directory" ? "it is a directory" : "it is not a file")
  yield* readable(fs.access(file, { readable: true }))
  return file
})

/** The text of a file that was named on the command line. `what`: how errors call it. */
export const readText = Effect.fnUntraced(function* (what: string, path: string, cure: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* resolvePath(path)
  const refuse = (why: string) => badInput("unreadable", `${what} ${path}: ${why}`, { path, cure })
  const readable = Effect.mapError((error: PlatformFailure) => refuse(whyUnreadable(error)))
  const info = yield* readable(fs.stat(file))
  if (info.type === "Directory") return yield* refuse("it is a directory")
  // A pipe ends, as in --goal <(command); a device need not.
  if (info.type !== "File" && info.type !== "FIFO") return yield* refuse("it is not a file")
  if (Number(info.size) > maxTextBytes) return yield* refuse(`it is over ${maxTextBytes} bytes`)
  // Whoever is to write to a pipe may never come.
  const waiting = Effect.flatMap(Output, (output) =>
    Effect.delay(
      output.note(`waiting for ${what} ${path}: it is a pipe, and nobody has written it yet`),
      "2 seconds"
    )
  )
  const reading = readable(fs.readFile(file))
  const bytes = yield* info.type === "FIFO"
    ? Effect.raceFirst(reading, Effect.andThen(waiting, Effect.never))
    : reading
  const text = textOf(bytes)
  return text === undefined ? yield* refuse("it is not UTF-8 text") : text
})
