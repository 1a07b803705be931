// CallCache: workflows/<wf-id>/cache.json, the answers of a run by content, for another run to reuse. Derived from
// the log, which is read instead where the cache is absent, unreadable or behind.
import { Effect, Option, Schema } from "effect"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import type { CallState, RunState } from "../state/RunState.ts"

export const CachedCall = Schema.Struct({ key: Schema.String, occurrence: Schema.Int, result: Schema.Json })
export type CachedCall = typeof CachedCall.Type

/** Most text that a cache holds, in UTF-16 units. A larger one is not written: its log is as good a source. */
export const maxCacheText = 32 * 1024 * 1024

const CacheFile = Schema.Struct({
  v: Schema.Literal(1),
  /** The event up to which it is complete. */
  lastSeq: Schema.Int,
  /** Hash of that event's line, so that another log's cache is not taken for this one's. */
  lastHash: Schema.String,
  calls: Schema.Array(CachedCall)
})
export type CacheFile = typeof CacheFile.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(CacheFile))

/** The text of one entry, canonical as `resultText` is: the log's own text of the answer. */
export const cacheEntryText = (
  { key, occurrence }: { readonly key: string; readonly occurrence: number },
  resultText: string
): string => `{"key":${JSON.stringify(key)},"occurrence":${occurrence},"result":${resultText}}`

export const writeCallCache = Effect.fnUntraced(function* (
  path: string,
  at: { readonly seq: number; readonly hash: string },
  entries: ReadonlyArray<string>
): Effect.fn.Return<void, JournalError, FsPort> {
  const fs = yield* FsPort
  const text = `{"calls":[${entries.join(",")}],"lastHash":"${at.hash}","lastSeq":${at.seq},"v":1}\n`
  const dir = path.slice(0, path.lastIndexOf("/"))
  yield* Effect.mapError(
    Effect.andThen(fs.makeDirectory(dir), fs.replace(path, new TextEncoder().encode(text))),
    fromFsError
  )
})

/** Writes the cache of a log that ends at `at`, unless it would be too large. */
export const saveCallCache = Effect.fnUntraced(function* (
  path: string,
  at: { readonly seq: number; readonly hash: string },
  { completed }: Pick<RunState, "completed">,
  resultTextOf: (call: CallState) => Effect.Effect<string, JournalError>
): Effect.fn.Return<void, JournalError, FsPort> {
  // An entry is about as long as its line. One look at all of them, before any is read for nothing.
  let lines = 0
  for (let rank = 0; rank < completed.length; rank++) lines += completed.at(rank)?.length ?? 0
  if (lines > maxCacheText) return
  const entries: Array<string> = []
  let size = 0
  for (let rank = 0; rank < completed.length; rank++) {
    const call = completed.at(rank)
    if (call === undefined || call.failed) continue
    const cut = call.id.lastIndexOf("#")
    const ref = { key: call.id.slice(0, cut), occurrence: Number(call.id.slice(cut + 1)) }
    const text = cacheEntryText(ref, yield* resultTextOf(call))
    size += text.length
    if (size > maxCacheText) return
    entries.push(text)
  }
  yield* writeCallCache(path, at, entries)
})

/** The cache if it is complete for a log that ends at `at`. */
export const readCallCache = Effect.fnUntraced(function* (
  path: string,
  at: { readonly seq: number; readonly hash: string }
): Effect.fn.Return<ReadonlyArray<CachedCall> | undefined, never, FsPort> {
  const fs = yield* FsPort
  const bytes = yield* Effect.option(fs.readFile(path))
  if (Option.isNone(bytes)) return undefined
  const file = decode(new TextDecoder().decode(bytes.value))
  return Option.isSome(file) && file.value.lastSeq === at.seq && file.value.lastHash === at.hash
    ? file.value.calls
    : undefined
})
