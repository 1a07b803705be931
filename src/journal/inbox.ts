// Inbox: answers to a run's questions that came in while another process held the run. Whoever has an answer leaves it
// in `<run>/inbox/`, a file an item, made in one step so that of two answers one wins; only the lock's holder journals
// it. What an answer means, and whether it is one, is the engine's.
import { Effect, Option, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../domain/canonicalJson.ts"
import { FsPort } from "../kernel/FsPort.ts"
import { fromFsError, JournalError } from "./JournalError.ts"
import type { RunPaths } from "./RunDirectory.ts"

export interface LeftAnswer {
  readonly item: string
  readonly answer: Json
}

export interface Inbox {
  /** What was left, by item. What cannot be read is removed: nobody could ever take it. */
  readonly list: Effect.Effect<ReadonlyArray<LeftAnswer>, JournalError>
  /** After the answer is durable in the log, or is none. */
  readonly remove: (item: string) => Effect.Effect<void, JournalError>
}

const ending = ".json"
const itemPattern = /^[a-z]+-[1-9]\d{0,8}$/
const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ v: Schema.Literal(1), answer: Schema.Json }))
)

const fileOf = (paths: RunPaths, item: string) => `${paths.inbox}/${item}${ending}`

export const makeInbox = Effect.fnUntraced(function* (
  paths: RunPaths
): Effect.fn.Return<Inbox, never, FsPort> {
  const fs = yield* FsPort
  const remove = (item: string) => Effect.mapError(fs.remove(fileOf(paths, item)), fromFsError)

  const read = Effect.fnUntraced(function* (item: string) {
    const bytes = yield* Effect.mapError(fs.readFile(fileOf(paths, item)), fromFsError)
    const left = Option.getOrUndefined(decode(new TextDecoder().decode(bytes)))
    if (left !== undefined) return [{ item, answer: left.answer }]
    yield* remove(item)
    return []
  })

  const list = Effect.gen(function* () {
    const names = yield* Effect.catch(fs.list(paths.inbox), (error) =>
      error.code === "ENOENT" ? Effect.succeed<ReadonlyArray<string>>([]) : Effect.fail(fromFsError(error))
    )
    const items = names
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length))
      .filter((item) => itemPattern.test(item))
    return (yield* Effect.forEach(items, read)).flat()
  })
  return { list, remove }
})

/** Leaves an answer for the run's holder, durably. False: another answer to the item was left before. */
export const leaveAnswer = Effect.fnUntraced(function* (
  paths: RunPaths,
  { answer, item }: LeftAnswer
): Effect.fn.Return<boolean, JournalError, FsPort> {
  const fs = yield* FsPort
  if (!itemPattern.test(item)) {
    return yield* new JournalError({ code: "bad_id", path: paths.inbox, problem: `${item} is no item` })
  }
  yield* Effect.mapError(fs.makeDirectory(paths.inbox), fromFsError)
  const bytes = new TextEncoder().encode(canonicalJsonOf({ v: 1, answer }))
  return yield* Effect.catch(Effect.as(fs.createExclusive(fileOf(paths, item), bytes), true), (error) =>
    error.code === "EEXIST" ? Effect.succeed(false) : Effect.fail(fromFsError(error))
  )
})
