// Evidence as a person gives it: every file of a directory, sorted, as bytes. What cannot be read is evidence that is
// unreadable, never left out. What evidence proves is the verifier's.
import { Effect, FileSystem } from "effect"
import { GivenFiles } from "../../kernel/files/GivenFiles.ts"
import type { Evidence } from "../../verifier/Evidence.ts"
import { loadEvidence } from "../../verifier/loadEvidence.ts"
import { badInput } from "../CommandError.ts"
import { resolvePath, whyUnreadable } from "./textFiles.ts"

/** Entries of the directory; more is a mistake. */
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
  const files = yield* GivenFiles
  return yield* files.read(folder, path).pipe(
    Effect.map((bytes) => loadEvidence([{ path, bytes }])),
    Effect.catch(({ code, message }) =>
      Effect.succeed<ReadonlyArray<Evidence>>(
        code === "directory" ? [] : [{ kind: "unreadable", id: path, reason: message }]
      )
    )
  )
})

/** Everything in the directory that `shown` names, as evidence. */
export const readEvidence = Effect.fnUntraced(function* (shown: string) {
  const folder = yield* resolvePath(shown)
  const found: Array<Evidence> = []
  for (const path of yield* filesBelow(shown, folder)) found.push(...(yield* evidenceOf(folder, path)))
  return found
})
