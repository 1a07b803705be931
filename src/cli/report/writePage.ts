// Writes a page where the person wants it: whoever looks at it meanwhile sees the one before, or this one.
import { Effect, FileSystem } from "effect"
import { badInput } from "../CommandError.ts"
import { resolvePath, whyUnreadable } from "../inputs/textFiles.ts"

/** Gives its absolute path and its size in bytes. */
export const writePage = Effect.fnUntraced(function* (name: string, text: string, cure: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* resolvePath(name)
  const unfinished = `${path}.unfinished`
  const written = Effect.andThen(fs.writeFileString(unfinished, text), fs.rename(unfinished, path))
  yield* Effect.mapError(
    Effect.onError(written, () => Effect.ignore(fs.remove(unfinished))),
    (error) =>
      badInput("unwritable", `${name} cannot be written: ${whyUnreadable(error)}`, { path: name, cure })
  )
  return { path, bytes: new TextEncoder().encode(text).length }
})
