// The base directory, as the command line names it: what stands there already must be a directory, else the command
// ends before anything is read or written. Whether a missing one can be made is seen when it is made.
import { Effect, FileSystem } from "effect"
import { badInput } from "../CommandError.ts"
import { baseDirFlag } from "../flags.ts"
import { isMissing, resolvePath, whyUnreadable } from "./textFiles.ts"

/** Absolute. Fails with exit code 2 where something else stands, or a symbolic link that leads nowhere. */
export const baseDirectory = Effect.gen(function* () {
  const given = yield* baseDirFlag
  const path = yield* resolvePath(given)
  const fs = yield* FileSystem.FileSystem
  const refuse = (why: string) =>
    badInput("not_a_directory", `base directory ${given}: ${why}`, {
      path,
      cure: "--base-dir DIR, a directory, or one that can be made"
    })
  const found = yield* Effect.result(fs.stat(path))
  if (found._tag === "Success") {
    return found.success.type === "Directory" ? path : yield* refuse("it is not a directory")
  }
  if (!isMissing(found.failure)) return yield* refuse(whyUnreadable(found.failure))
  const link = yield* Effect.option(fs.readLink(path))
  return link._tag === "Some"
    ? yield* refuse(`it is a symbolic link to ${link.value}, which is not there`)
    : path
})
