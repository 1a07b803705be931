// Lending: an earlier run's answers for a run of an edited plan: the same question gets the answer it got then. All
// that may be lent is copied into the borrower's directory before the borrower asks anything, so that it stands alone
// from then on: the lender may be removed, and an archive of the borrower holds all it needs. What the lender was making
// when it was stopped is lent as a doubt, and nothing of the lender's is left running beside the borrower.
import { Effect, Result, Stream } from "effect"
import { callId, type CallIdentity } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import { canonicalJsonOf, type Json } from "../../domain/json/canonicalJson.ts"
import type { Fork } from "../../domain/run/Fork.ts"
import { Journal } from "../../journal/Journal.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { Doubts } from "../doubt/Doubts.ts"
import { textOfRole } from "../launch/keptText.ts"
import {
  encodeIndex,
  isLentRole,
  keyAlike,
  lentBy,
  lentRole,
  pieceRole,
  readIndex,
  type LentCall,
  type LentDoubt,
  type LentIndex
} from "./lentCopy.ts"

/** The role under which a run keeps whose answers it takes, so that it takes them also when it goes on. */
const lenderRole = "reuse"

/** Bytes after which a piece of the copy is full. */
const pieceBytes = 4 * 1024 * 1024

export const keptLender = (runId: string | undefined): Readonly<Record<string, string>> =>
  runId === undefined ? {} : { [lenderRole]: runId }

/**
 * Nothing that the lender started runs beside what the borrower makes: what a process that died has left is ended.
 * Refused while the lender itself is at work on something that acts.
 */
const quieten = Effect.fnUntraced(function* (runId: string) {
  const store = yield* Journal
  const ended = yield* Effect.mapError(store.endLeftChildren(yield* store.runId(runId)), (error) =>
    error.code === "run_locked"
      ? new JournalError({
          code: error.code,
          path: error.path,
          problem: `${runId}, whose answers are to be taken, is running a command: ${error.problem}`,
          cure: error.cure ?? `alembic tail ${runId}`,
          ...defined({ holder: error.holder })
        })
      : error
  )
  for (const one of ended) yield* Effect.logWarning(`${runId}: ${one}`)
})

/** The run whose answers are to be lent. It is only read, and kept open for the scope. */
export const openLender = Effect.fnUntraced(function* (runId: string) {
  const store = yield* Journal
  const lender = yield* store.open(yield* store.runId(runId), "read")
  yield* quieten(runId)
  return lender
})

/** Whose call it is, where a subflow made it. */
const ownerOf = ({ spec }: CallIdentity): string | undefined =>
  typeof spec === "object" && spec !== null && "of" in spec && typeof spec.of === "string"
    ? spec.of
    : undefined

/** What the lender's subflows asked of models, by call id, and what it does not know. */
const readLender = (lender: RunJournal) => {
  const verbs = new Map<string, string>()
  const counts = new Map<string, number>()
  return Stream.runFold(
    lender.events,
    () => ({ alike: new Map<string, NonNullable<LentCall["alike"]>>(), doubts: new Doubts() }),
    (read, event) => {
      const found = read.alike
      read.doubts.add(event)
      if (event.type !== "CallScheduled") return read
      const id = callId(event)
      const owner = ownerOf(event.call)
      if (event.call.verb !== "agent") verbs.set(id, event.call.verb)
      else if (owner !== undefined && !found.has(id)) {
        const room = verbs.get(owner) ?? ""
        const key = keyAlike(event.call)
        const occurrence = (counts.get(`${room} ${key}`) ?? 0) + 1
        counts.set(`${room} ${key}`, occurrence)
        found.set(id, { room, key, occurrence })
      }
      return read
    }
  )
}

/** The pieces of a copy as they fill. */
const makePieces = (journal: RunJournal) => {
  const names: Array<string> = []
  let filling: Array<Uint8Array> = []
  let size = 0
  const flush = Effect.gen(function* () {
    if (filling.length === 0) return
    const bytes = Buffer.concat(filling)
    filling = []
    size = 0
    names.push(yield* journal.blobs.putBytes(bytes))
  })
  /** Adds an answer's text; gives where it will stand. */
  const add = Effect.fnUntraced(function* (text: string) {
    const bytes = Buffer.from(text)
    if (size > 0 && size + bytes.length > pieceBytes) yield* flush
    const at: LentCall["at"] = [names.length, size, bytes.length]
    filling.push(bytes)
    size += bytes.length
    return at
  })
  /** Takes over the pieces of a copy whole; gives the number of the first. */
  const addPieces = Effect.fnUntraced(function* (from: RunJournal, pieces: ReadonlyArray<string>) {
    yield* flush
    const first = names.length
    for (const name of pieces) names.push(yield* journal.blobs.putBytes(yield* from.blobs.getBytes(name)))
    return first
  })
  return { names, flush, add, addPieces }
}

/** The answer with what a person has put in its place: it cost nothing, and says so of no model. */
const answeredBy = (result: Json, output: Json): Json => {
  if (typeof result !== "object" || result === null || Array.isArray(result) || !("adapterId" in result))
    return output
  const { adapterId, modelId, requestId } = result
  return {
    ok: true,
    ...defined({ adapterId, modelId, requestId }),
    durationMs: 0,
    text: typeof output === "string" ? output : canonicalJsonOf(output),
    ...(typeof output === "string" && result["output"] === undefined ? {} : { output }),
    finishReason: "stop",
    costUsd: 0,
    attempts: 0
  }
}

/**
 * Copies what `lender` may lend into the run's directory: its own answers that succeeded, what was lent to it in turn,
 * and what the run had borrowed before.
 */
const copyFrom = Effect.fnUntraced(function* (
  journal: RunJournal,
  lender: RunJournal,
  before: LentIndex | undefined,
  fork: Fork | undefined
) {
  const pieces = makePieces(journal)
  const calls: Array<LentCall> = []
  const seen = new Set<string>()
  const { alike, doubts: known } = yield* readLender(lender)
  const state = lender.state()
  for (let rank = 0; rank < state.completed.length; rank++) {
    const call = state.completed.at(rank)
    if (call === undefined) continue
    const set = fork !== undefined && call.id === callId(fork.at) ? fork.set.output : undefined
    if (call.failed && set === undefined) continue
    const cut = call.id.lastIndexOf("#")
    const among = alike.get(call.id)
    seen.add(call.id)
    calls.push({
      key: call.id.slice(0, cut),
      occurrence: Number(call.id.slice(cut + 1)),
      at: yield* pieces.add(
        set === undefined
          ? yield* lender.readResultText(call)
          : canonicalJsonOf(answeredBy(yield* lender.readResult(call.id), set))
      ),
      ...defined({ alike: among })
    })
  }
  const copies = [
    { of: lender, index: yield* readIndex(lender) },
    { of: journal, index: before }
  ]
  for (const { index, of } of copies) {
    if (index === undefined) continue
    const first = yield* pieces.addPieces(of, index.pieces)
    for (const { at, ...call } of index.calls) {
      if (seen.has(callId(call))) continue
      seen.add(callId(call))
      calls.push({ ...call, at: [first + at[0], at[1], at[2]] })
    }
  }
  yield* pieces.flush
  // What a log knows of a call is newer than what it was lent.
  const doubts = new Map<string, LentDoubt>()
  for (const { index } of copies.toReversed())
    for (const doubt of index?.doubts ?? []) {
      const id = callId(doubt)
      if (!seen.has(id) && state.calls.get(id) === undefined) doubts.set(id, doubt)
    }
  for (const doubt of known.all) {
    const among = alike.get(callId(doubt))
    doubts.set(callId(doubt), { ...doubt, ...defined({ alike: among }) })
  }
  const index: LentIndex = {
    v: 1,
    from: lender.runId,
    seq: state.lastSeq,
    pieces: pieces.names,
    calls,
    doubts: [...doubts.values()]
  }
  const encoder = new TextEncoder()
  const roles: Record<string, string | undefined> = {}
  for (const role of Object.keys(journal.meta.blobs)) if (isLentRole(role)) roles[role] = undefined
  for (const [n, name] of pieces.names.entries()) roles[pieceRole(n + 1)] = name
  roles[lenderRole] = yield* journal.blobs.putBytes(encoder.encode(lender.runId))
  roles[lentRole] = yield* journal.blobs.putBytes(encoder.encode(encodeIndex(index)))
  yield* journal.keep(roles)
  return index
})

const unreadable = (runId: string, error: JournalError) =>
  new JournalError({
    code: error.code,
    path: error.path,
    problem: `the run was begun with --reuse ${runId}, whose answers cannot be read: ${error.problem}`,
    cure: `alembic verify ${runId} says what is wrong with it; without it (alembic gc) this run asks anew what it has not taken over`
  })

/** The lender named when the run was begun, by an Alembic that did not copy; undefined, and said, if it is gone. */
const lenderOfOld = Effect.fnUntraced(function* (journal: RunJournal, runId: string) {
  const opened = yield* Effect.result(openLender(runId))
  if (Result.isSuccess(opened)) return opened.success
  if (opened.failure.code !== "run_missing") return yield* unreadable(runId, opened.failure)
  yield* Effect.logWarning(
    `${journal.runId}: begun with --reuse ${runId}, which is gone: what this run has not taken over from it is asked, and paid, anew`
  )
  return undefined
})

/** The lender may have begun to work again since: where it left something in doubt, nothing of that runs meanwhile. */
const stillQuiet = Effect.fnUntraced(function* ({ doubts = [], from }: LentIndex) {
  const store = yield* Journal
  if (doubts.length > 0 && (yield* store.exists(yield* store.runId(from)))) yield* quieten(from)
})

/**
 * What is lent to a run that is open to be written; undefined if nothing is. `given`: the lender named now, if one is;
 * else the one the run was begun with.
 */
export const lentTo = Effect.fnUntraced(function* (
  journal: RunJournal,
  given: RunJournal | undefined,
  fork: Fork | undefined
) {
  const from = given?.runId ?? (yield* textOfRole(journal, lenderRole))
  if (from === undefined) return undefined
  const index = yield* readIndex(journal)
  // A lender that is named again may have answers that it had not then.
  const current =
    index?.from === from &&
    index.doubts !== undefined &&
    (given === undefined || given.state().lastSeq === index.seq)
      ? index
      : undefined
  if (current !== undefined) {
    if (given === undefined) yield* stillQuiet(current)
    return lentBy(journal, current)
  }
  const lender = given ?? (yield* lenderOfOld(journal, from))
  if (lender === undefined) return index === undefined ? undefined : lentBy(journal, index)
  return lentBy(journal, yield* copyFrom(journal, lender, index, fork))
})
