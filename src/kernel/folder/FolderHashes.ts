// FolderHashes: what stands in a folder now, as one hash for each file, so that it can be told whether anything has
// changed. It answers with no contents: reading a file is GivenFiles.ts. Live layer: FolderHashes.node.ts.
import { Context, type Effect } from "effect"
import { sha256 } from "../../domain/fingerprint.ts"

/** `[path, hash]`, sorted by path, with `/`. What is no regular file has words in place of a hash. */
export type PathHashes = ReadonlyArray<readonly [string, string]>

/** Stands before why a hash is not known: nobody can tell whether such an entry has changed. */
export const unknown = "unknown: "

export interface FolderView {
  readonly root: string
  /** Paths that are not looked at: a file, or a folder, which ends in `/`. */
  readonly without: ReadonlyArray<string>
}

/** Absent: folders cannot be looked at, only files by their names. */
export const FolderHashes = Context.Reference<((view: FolderView) => Effect.Effect<PathHashes>) | undefined>(
  "alembic/kernel/FolderHashes",
  { defaultValue: () => undefined }
)

/** Whether the path is one of those, or in one of them. */
export const isAmong = (paths: ReadonlyArray<string>, path: string): boolean =>
  paths.some((one) => (one.endsWith("/") ? `${path}/`.startsWith(one) : path === one))

const compare = (a: readonly [string, string], b: readonly [string, string]): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0

/** The folder, `depth` names deep at most, that an entry becomes a part of. */
const folderOf = (path: string, depth: number): string | undefined => {
  const installed = /^(?:.*?\/)?node_modules\//.exec(path)?.[0]
  if (installed !== undefined) return installed
  const names = path.split("/")
  return names.length > depth ? `${names.slice(0, depth).join("/")}/` : undefined
}

const foldedAt = (hashes: PathHashes, depth: number): PathHashes => {
  const entries: Array<readonly [string, string]> = []
  const folders = new Map<string, Array<string>>()
  for (const [path, hash] of hashes) {
    const folder = folderOf(path, depth)
    if (folder === undefined) {
      entries.push([path, hash])
      continue
    }
    const lines = folders.get(folder)
    const line = `${JSON.stringify(path)} ${hash}\n`
    if (lines === undefined) folders.set(folder, [line])
    else lines.push(line)
  }
  for (const [folder, lines] of folders) entries.push([folder, sha256(lines.join(""))])
  return entries.sort(compare)
}

/**
 * 1. A change of any entry changes the entry that it became a part of, and no other.
 * 2. `node_modules/` is one entry. At most `most` entries are left where the top of the folder has no more.
 */
export const folded = (hashes: PathHashes, most = 2_000): PathHashes => {
  const deepest = hashes.reduce((depth, [path]) => Math.max(depth, path.split("/").length), 1)
  let depth = deepest
  let entries = foldedAt(hashes, depth)
  while (entries.length > most && depth > 1) entries = foldedAt(hashes, --depth)
  return entries
}
