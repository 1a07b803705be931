// The list's index: what `list` said of each run when its files were as they are now. Only a cache: a run whose files
// changed is read again, a missing or broken index is made again, and nothing else reads it.
import { Effect, Option, Result, Schema } from "effect"
import { guardOf } from "../../domain/guardOf.ts"
import { FsPort, type FileStat } from "../../kernel/files/FsPort.ts"
import { RunDigest } from "../state/Checkpoint.ts"
import { RunCost } from "../state/RunState.ts"

/** What is listed of a run besides who holds it. */
export const ListedRun = Schema.Struct({
  status: RunDigest.fields.status,
  goal: Schema.String,
  startedAt: Schema.optionalKey(Schema.Number),
  calls: Schema.Int,
  cost: RunCost,
  /** The plan's file as it was named, or the program's name. */
  plan: Schema.optionalKey(Schema.String),
  /** Its arguments as JSON, the beginning of them. */
  args: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  hermetic: Schema.optionalKey(Schema.Boolean)
})
export type ListedRun = typeof ListedRun.Type

/** Size and time of the log, the meta and the checkpoint: the listing holds while they are the same. */
const Stamp = Schema.Array(Schema.Number)
export type Stamp = typeof Stamp.Type

export const stampOf = (stats: ReadonlyArray<FileStat | undefined>): Stamp =>
  stats.flatMap((stat) => (stat === undefined ? [-1, -1] : [stat.size, stat.mtimeMs]))

const sameStamp = (one: Stamp, other: Stamp): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at])

const Entry = Schema.Struct({ stamp: Stamp, listed: ListedRun })
type Entry = typeof Entry.Type

/** Guarded and not decoded: there may be ten thousand of them. */
const isEntry = guardOf(Entry)
const isIndex = guardOf(
  Schema.Struct({ v: Schema.Literal(1), runs: Schema.Record(Schema.String, Schema.Unknown) })
)

const decode = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  const read = Result.try((): unknown => JSON.parse(new TextDecoder().decode(bytes)))
  return Result.isSuccess(read) && isIndex(read.success) ? read.success.runs : {}
}

/** With fewer runs, reading each is as quick. */
const worthIndexing = 64

const indexPath = (baseDir: string): string => `${baseDir}/list-index.json`

export interface ListIndex {
  readonly known: (runId: string, stamp: Stamp) => ListedRun | undefined
  readonly add: (runId: string, stamp: Stamp, listed: ListedRun) => void
  /** Keeps what was known or added for the runs that are there, if that is news. A disk that cannot be written is none. */
  readonly save: Effect.Effect<void>
}

export const openListIndex = Effect.fnUntraced(function* (baseDir: string) {
  const fs = yield* FsPort
  const path = indexPath(baseDir)
  const read = yield* Effect.option(fs.readFile(path))
  const before: Readonly<Record<string, unknown>> = Option.isSome(read) ? decode(read.value) : {}
  const now = new Map<string, Entry>()
  let isNews = false
  const index: ListIndex = {
    known: (runId, stamp) => {
      const entry: unknown = Object.hasOwn(before, runId) ? before[runId] : undefined
      if (!isEntry(entry) || !sameStamp(entry.stamp, stamp)) return undefined
      now.set(runId, entry)
      return entry.listed
    },
    add: (runId, stamp, listed) => {
      now.set(runId, { stamp, listed })
      isNews = true
    },
    save: Effect.suspend(() =>
      (isNews || now.size !== Object.keys(before).length) && now.size >= worthIndexing
        ? Effect.ignore(
            fs.replace(
              path,
              new TextEncoder().encode(JSON.stringify({ v: 1, runs: Object.fromEntries(now) }))
            )
          )
        : Effect.void
    )
  }
  return index
})
