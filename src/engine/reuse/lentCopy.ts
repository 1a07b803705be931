// LentCopy: the answers that another run lent, as they stand in the borrowing run's own directory: an index, and pieces
// that hold the answers' texts one after the other. So the lender may go, and the borrower still has them. What the
// lender does not know, because it was stopped while a call was being made, is lent as a doubt.
import { Effect, Option, Result, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { callId, computeCacheKey, type CallIdentity, type CallRef } from "../../domain/Call.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { textOfRole } from "../launch/keptText.ts"

/** The role of the index among the run's blobs; pieces are `lent-1`, `lent-2`, … */
export const lentRole = "lent"
export const isLentRole = (role: string): boolean => /^lent(?:-[1-9]\d*)?$/.test(role)
export const pieceRole = (n: number): string => `${lentRole}-${n}`

const ref = {
  key: Schema.String,
  occurrence: Schema.Int,
  /**
   * Of a call that a subflow made: the subflow's verb, the key of what was asked without whose it was, and which of the
   * lender's calls alike it was, from 1. So an edited subflow finds what it asks again.
   */
  alike: Schema.optionalKey(
    Schema.Struct({ room: Schema.String, key: Schema.String, occurrence: Schema.Int })
  )
}

const LentCall = Schema.Struct({
  ...ref,
  /** Piece (from 0), first byte in it, bytes. */
  at: Schema.Tuple([Schema.Int, Schema.Int, Schema.Int])
})
export type LentCall = typeof LentCall.Type

/** A call that may have acted: see `doubt/Doubts.ts`. */
const LentDoubt = Schema.Struct({ ...ref, retry: Schema.Int, skipped: Schema.Boolean })
export type LentDoubt = typeof LentDoubt.Type

/**
 * `from`: the lender, and `seq` how much of its log was lent. `pieces`: names of blobs. `doubts` absent: made by a
 * version that lent none; the lender knows them.
 */
const LentIndex = Schema.Struct({
  v: Schema.Literal(1),
  from: Schema.String,
  seq: Schema.Int,
  pieces: Schema.Array(Schema.String),
  calls: Schema.Array(LentCall),
  doubts: Schema.optionalKey(Schema.Array(LentDoubt))
})
export type LentIndex = typeof LentIndex.Type

const IndexText = Schema.fromJsonString(LentIndex)
export const encodeIndex = Schema.encodeSync(IndexText)
const decodeIndex = Schema.decodeUnknownEffect(IndexText)
const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))

/** The index of what the run has borrowed, if it has one. */
export const readIndex = Effect.fnUntraced(function* (journal: RunJournal) {
  const text = yield* textOfRole(journal, lentRole)
  if (text === undefined) return undefined
  return yield* Effect.mapError(
    decodeIndex(text),
    () =>
      new JournalError({
        code: "blob_corrupt",
        path: `${journal.dir}/blobs/${journal.meta.blobs[lentRole] ?? ""}`,
        problem: "the list of answers that another run lent is not readable",
        cure: "restore it from a copy of the run"
      })
  )
})

/** The key of what a subflow asked, whichever subflow it was. */
export const keyAlike = (call: CallIdentity): string => {
  const { spec: _, ...asked } = call
  return Result.getOrThrow(computeCacheKey(asked))
}

/** A call of a subflow among those alike: see `LentCall.alike`. */
export type Alike = NonNullable<LentCall["alike"]>

/**
 * A lent answer by the call's id; none if it was not lent. With `alike`, that of the call of another subflow of the same
 * verb that asked the same, the k-th for the k-th: so of an edited council or mission only what changed is asked.
 */
type LentAnswer = (id: string, alike?: Alike) => Effect.Effect<Option.Option<Json>, JournalError>

/** What another run lent. A doubt is found as an answer is, and where there is an answer there is none. */
export interface Lent {
  readonly answer: LentAnswer
  readonly doubt: (id: string, alike?: Alike) => LentDoubt | undefined
}

export const nothingLent: Lent = {
  answer: () => Effect.succeed(Option.none()),
  doubt: () => undefined
}

const alikeId = ({ key, occurrence, room }: Alike): string =>
  // The council of a contract is held by the run; it was held in its missions once.
  `${room === "gates" ? "mission" : room} ${key}#${occurrence}`

/** Finds one by the call's id, else by what it is alike to. What one subflow was lent is not lent to another as well. */
const lookup = <One extends CallRef & { readonly alike?: Alike }>(all: ReadonlyArray<One>) => {
  const byId = new Map(all.map((one) => [callId(one), one]))
  const byAlike = new Map(
    all.flatMap((one) => (one.alike === undefined ? [] : [[alikeId(one.alike), one] as const]))
  )
  const taken = new Set<One>()
  return (id: string, alike: Alike | undefined): One | undefined => {
    const among = alike === undefined ? undefined : byAlike.get(alikeId(alike))
    const found = byId.get(id) ?? (among === undefined || taken.has(among) ? undefined : among)
    if (found !== undefined) taken.add(found)
    return found
  }
}

/** What a copy lends. One piece is kept in memory: answers are mostly asked for in the order they were lent. */
export const lentBy = (journal: RunJournal, { calls, doubts = [], pieces }: LentIndex): Lent => {
  const callOf = lookup(calls)
  const decoder = new TextDecoder()
  let open: { readonly n: number; readonly bytes: Uint8Array } | undefined
  const piece = Effect.fnUntraced(function* (n: number) {
    if (open?.n === n) return open.bytes
    const bytes = yield* journal.blobs.getBytes(pieces[n] ?? "")
    open = { n, bytes }
    return bytes
  })
  const answer: LentAnswer = Effect.fnUntraced(function* (id, alike) {
    const call = callOf(id, alike)
    if (call === undefined) return Option.none<Json>()
    const [n, start, length] = call.at
    const text = decoder.decode((yield* piece(n)).subarray(start, start + length))
    return yield* Effect.mapBoth(decodeAnswer(text), {
      onSuccess: Option.some<Json>,
      onFailure: () =>
        new JournalError({
          code: "blob_corrupt",
          path: `${journal.dir}/blobs/${pieces[n] ?? ""}`,
          problem: "a lent answer is not where the list of lent answers says",
          cure: "restore it from a copy of the run"
        })
    })
  })
  return { answer, doubt: lookup(doubts) }
}
