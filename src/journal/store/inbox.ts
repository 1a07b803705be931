// Inbox: what people answer, before it is in the run's log. Whoever has an answer leaves it in `<run>/inbox/`, a file an
// item, made in one step; only the lock's holder journals it. The file decides which of several answers is the one, so
// that it stays where it is when its answer is in the log. What an answer means, and whether it is one, is the engine's.
import { Effect, Option, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../../domain/json/canonicalJson.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, JournalError } from "../JournalError.ts"
import type { RunPaths } from "./RunDirectory.ts"

export interface LeftAnswer {
  readonly item: string
  readonly answer: Json
  /** Fingerprint of what was asked. Absent: left by a version that did not say. */
  readonly asked?: string
  /** That this machine left it (engine/people/Witness.ts). */
  readonly mac?: string
}

export interface Inbox {
  /** The items that something was left for, whether it is in the log already or not. */
  readonly items: Effect.Effect<ReadonlyArray<string>, JournalError>
  /** What was left for an item. What cannot be read is removed: nobody could ever take it. */
  readonly read: (item: string) => Effect.Effect<LeftAnswer | undefined, JournalError>
  /** It answers nothing that is asked. */
  readonly remove: (item: string) => Effect.Effect<void, JournalError>
}

const ending = ".json"
const itemPattern = /^[a-z]+-[1-9]\d{0,8}$/
const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      v: Schema.Literal(1),
      answer: Schema.Json,
      asked: Schema.optionalKey(Schema.String),
      mac: Schema.optionalKey(Schema.String)
    })
  )
)

const fileOf = (paths: RunPaths, item: string) => `${paths.inbox}/${item}${ending}`

const itemsIn = Effect.fnUntraced(function* (paths: RunPaths) {
  const fs = yield* FsPort
  const names = yield* Effect.catch(fs.list(paths.inbox), (error) =>
    error.code === "ENOENT" ? Effect.succeed<ReadonlyArray<string>>([]) : Effect.fail(fromFsError(error))
  )
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter((item) => itemPattern.test(item))
})

/** Removes all that was left: the log that it was left for is another now. */
export const emptyInbox = Effect.fnUntraced(function* (paths: RunPaths) {
  const fs = yield* FsPort
  for (const item of yield* itemsIn(paths)) {
    yield* Effect.mapError(fs.remove(fileOf(paths, item)), fromFsError)
  }
})

export const makeInbox = Effect.fnUntraced(function* (
  paths: RunPaths,
  writes: boolean
): Effect.fn.Return<Inbox, never, FsPort> {
  const fs = yield* FsPort
  const remove = (item: string) => Effect.mapError(fs.remove(fileOf(paths, item)), fromFsError)

  const read = Effect.fnUntraced(function* (item: string) {
    const bytes = yield* Effect.catch(fs.readFile(fileOf(paths, item)), (error) =>
      error.code === "ENOENT" ? Effect.succeed(undefined) : Effect.fail(fromFsError(error))
    )
    if (bytes === undefined) return undefined
    const left = Option.getOrUndefined(decode(new TextDecoder().decode(bytes)))
    if (left === undefined) {
      if (writes) yield* remove(item)
      return undefined
    }
    const { v: _, ...said } = left
    return { item, ...said }
  })

  return { items: Effect.provideService(itemsIn(paths), FsPort, fs), read, remove }
})

/** Leaves an answer for the run's holder, durably. False: another answer to the item was left before. */
export const leaveAnswer = Effect.fnUntraced(function* (
  paths: RunPaths,
  { item, ...left }: LeftAnswer
): Effect.fn.Return<boolean, JournalError, FsPort> {
  const fs = yield* FsPort
  if (!itemPattern.test(item)) {
    return yield* new JournalError({ code: "bad_id", path: paths.inbox, problem: `${item} is no item` })
  }
  yield* Effect.mapError(fs.makeDirectory(paths.inbox), fromFsError)
  const bytes = new TextEncoder().encode(canonicalJsonOf({ v: 1, ...left }))
  return yield* Effect.catch(Effect.as(fs.createExclusive(fileOf(paths, item), bytes), true), (error) =>
    error.code === "EEXIST" ? Effect.succeed(false) : Effect.fail(fromFsError(error))
  )
})
