// Evidence as a person gives it: every file of a directory, sorted, as bytes. What cannot be read is evidence that is
// unreadable, never left out. What evidence proves is the verifier's.
import { Effect, FileSystem, Path } from "effect"
import type { Evidence } from "../verifier/Evidence.ts"
import { loadEvidence } from "../verifier/loadEvidence.ts"
import { badInput } from "./CommandError.ts"
import { resolvePath, whyUnreadable } from "./inputsText.ts"

/** Bytes of one file, and entries of the directory; more is a mistake. */
const maxBytes = 64 * 1024 * 1024
const maxEntries = 100_000

/** Below `folder`, with `/`, sorted; links to directories are not followed. */
const filesBelow = Effect.fnUntraced(function* (shown: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const cure = "--evidence DIR, a directory of files"
  const refuse = (why: string) => badInput("unreadable", `evidence ${shown}: ${why}`, { path: shown, cure })
  const readable = Effect.mapError((error: Parameters<typeof whyUnreadable>[0]) =>
    refuse(whyUnreadable(error))
  )
  const info = yield* readable(fs.stat(folder))
  if (info.type !== "Directory") return yield* refuse("it is not a directory")
  const names = yield* readable(fs.readDirectory(folder, { recursive: true }))
  if (names.length > maxEntries) return yield* refuse(`it has over ${maxEntries} entries`)
  return names.map((name) => name.replaceAll("\\", "/")).toSorted()
})

/** One entry of the directory as evidence; a directory is none. */
const evidenceOf = Effect.fnUntraced(function* (folder: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const unreadable = (reason: string): ReadonlyArray<Evidence> => [{ kind: "unreadable", id: path, reason }]
  const file = paths.join(folder, path)
  return yield* Effect.gen(function* () {
    const { size, type } = yield* fs.stat(file)
    if (type === "Directory") return []
    if (type !== "File") return unreadable("it is not a regular file")
    if (Number(size) > maxBytes) return unreadable(`it is over ${maxBytes} bytes`)
    return loadEvidence([{ path, bytes: yield* fs.readFile(file) }])
  }).pipe(Effect.catch((error) => Effect.succeed(unreadable(whyUnreadable(error)))))
})

/** Everything in the directory that `shown` names, as evidence. */
export const readEvidence = Effect.fnUntraced(function* (shown: string) {
  const folder = yield* resolvePath(shown)
  const found: Array<Evidence> = []
  for (const path of yield* filesBelow(shown, folder)) found.push(...(yield* evidenceOf(folder, path)))
  return found
})
