// FolderHashes on the file system of the machine. Links are read and not followed, pipes and devices are not opened.
// A file is read again only where its inode, size or times are others: the time of its last change cannot be set.
import { createReadStream, fstatSync, type BigIntStats } from "node:fs"
import { lstat, readdir, readlink } from "node:fs/promises"
import { Clock, Effect, Layer } from "effect"
import { sha256, sha256Stream } from "../../domain/fingerprint.ts"
import { FolderHashes, folded, isAmong, unknown, type FolderView } from "./FolderHashes.ts"

/** A larger one stands by its size and times. */
const maxHashedBytes = 256n * 1024n * 1024n
/** A folder that takes longer is not looked at. */
const maxMs = 120_000
const atOnce = 16

const stampOf = ({ ctimeNs, dev, ino, mtimeNs, size }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(" ")

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "UNKNOWN"

/** What stands for a file that could not be looked at; undefined where it is gone meanwhile. */
const unreadAs = (cause: unknown): string | undefined => {
  const code = codeOf(cause)
  return code === "ENOENT" || code === "ENOTDIR" ? undefined : `${unknown}${code}`
}

/** What this process prints may go into a file of the folder: it changes with every line. */
const printedTo = (): ReadonlySet<string> =>
  new Set(
    [1, 2].flatMap((descriptor) => {
      try {
        const { dev, ino } = fstatSync(descriptor, { bigint: true })
        return [`${dev} ${ino}`]
      } catch {
        return []
      }
    })
  )

const contentOf = async (path: Buffer, signal: AbortSignal): Promise<string> => {
  const hash = sha256Stream()
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk)
  return hash.digest()
}

interface Entry {
  /** Below the folder looked at; a folder's ends in `/`. */
  readonly path: string
  readonly at: Buffer
}

const slash = Buffer.from("/")

/** A name as text. One that is not UTF-8 is spelled by its bytes, so that no two are the same. */
const spelled = (name: Buffer): string => {
  const text = name.toString("utf8")
  return Buffer.from(text).equals(name) ? text : `bytes:${name.toString("hex")}`
}

const makeLook = () => {
  const known = new Map<string, readonly [stamp: string, hash: string]>()

  const hashOf = async (path: Buffer, printed: ReadonlySet<string>, signal: AbortSignal) => {
    const stats = await lstat(path, { bigint: true })
    if (stats.isSymbolicLink()) return `link: ${sha256(await readlink(path, { encoding: "buffer" }))}`
    if (!stats.isFile()) return "no regular file"
    if (printed.has(`${stats.dev} ${stats.ino}`)) return undefined
    const stamp = stampOf(stats)
    if (stats.size > maxHashedBytes) return `large: ${sha256(stamp)}`
    const mode = `${(stats.mode & 0o7777n).toString(8)} `
    const name = path.toString("latin1")
    const earlier = known.get(name)
    if (earlier?.[0] === stamp) return mode + earlier[1]
    const hash = await contentOf(path, signal)
    // Only what is the same before and after it was read is known.
    if (stampOf(await lstat(path, { bigint: true })) === stamp) known.set(name, [stamp, hash])
    return mode + hash
  }

  return async ({ root, without }: FolderView, signal: AbortSignal) => {
    const printed = printedTo()
    const found: Array<readonly [string, string]> = []
    const files: Array<Entry> = []
    const folders: Array<Entry> = [{ path: "", at: Buffer.from(root) }]
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      signal.throwIfAborted()
      const { at, path: folder } = next
      try {
        const entries = await readdir(at, { withFileTypes: true, encoding: "buffer" })
        // A folder is seen by what is in it; one that holds nothing by itself.
        if (entries.length === 0 && folder !== "") found.push([folder, "empty"])
        for (const entry of entries) {
          const path = `${folder}${spelled(entry.name)}`
          if (isAmong(without, path)) continue
          const below = Buffer.concat([at, slash, entry.name])
          if (entry.isDirectory()) folders.push({ path: `${path}/`, at: below })
          else files.push({ path, at: below })
        }
      } catch (cause) {
        const unread = unreadAs(cause)
        if (unread !== undefined) found.push([folder, unread])
      }
    }
    const next = files.values()
    const worker = async () => {
      for (const { at, path } of next) {
        signal.throwIfAborted()
        const hash = await hashOf(at, printed, signal).catch(unreadAs)
        if (hash !== undefined) found.push([path, hash])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    return folded(found)
  }
}

/** The live layer. */
export const layer: Layer.Layer<never> = Layer.sync(FolderHashes, () => {
  const look = makeLook()
  return (view) =>
    Effect.promise((signal) => look(view, signal)).pipe(
      Effect.timeoutOrElse({
        duration: maxMs,
        orElse: () =>
          Effect.succeed([["", `${unknown}not looked at within ${maxMs / 1000} seconds`]] as const)
      }),
      // The time is that of the file system, also in a run whose own time is logical.
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
})
