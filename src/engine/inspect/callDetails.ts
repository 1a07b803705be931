// callDetails: calls of a run with all that the journal has of them: what was asked, every answer that came, who used it.
// A second reading of the log, for the calls that are wanted alone.
import { Effect, Option, Schema, Stream } from "effect"
import { callId, type CallIdentity } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { ModelRunFailure } from "../../domain/ModelRun.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import type { AttemptRecord, CallRecord } from "./CallRecord.ts"

export interface AttemptDetail extends Omit<AttemptRecord, "raw"> {
  /** What the model said, where that is not the answer. */
  readonly said?: string
}

export interface CallDetail extends Omit<CallRecord, "tries"> {
  /** As it was sent: prompt, system, schema, options. Absent where the log does not hold that it was made. */
  readonly call?: CallIdentity
  /** The answer as the plan got it: a ModelRunResult of a model. */
  readonly result?: Json
  readonly tries: ReadonlyArray<AttemptDetail>
  /** Numbers of the calls whose prompts hold this answer word for word. */
  readonly usedIn: ReadonlyArray<number>
  /** Numbers of the calls that it made itself. */
  readonly made: ReadonlyArray<number>
}

/** Answers that are shorter stand in prompts by chance. */
const telling = 12

const decodeText = Schema.decodeUnknownOption(
  Schema.Struct({ text: Schema.optionalKey(Schema.String), output: Schema.optionalKey(Schema.Json) })
)

/** A failure of a model's call: no answer. */
const isModelFailure = Schema.is(ModelRunFailure)

/** The text of an answer; of one that is not a model's, its JSON. A failure has none. */
export const answerText = (result: Json | undefined): string | undefined => {
  if (result === undefined || isModelFailure(result)) return undefined
  const text = Option.getOrUndefined(decodeText(result))?.text
  return text ?? (typeof result === "string" ? result : JSON.stringify(result, undefined, 2))
}

/** How an answer may stand in a later prompt: its text, or what it was decoded to. */
const traces = (result: Json | undefined): ReadonlyArray<string> => {
  const read = Option.getOrUndefined(decodeText(result))
  const texts = [read?.text, read?.output === undefined ? undefined : JSON.stringify(read.output)]
  return texts.flatMap((text) => (text !== undefined && text.length >= telling ? [text] : []))
}

const rawText = (journal: RunJournal, { raw, ...attempt }: AttemptRecord) =>
  raw === undefined
    ? Effect.succeed<AttemptDetail>(attempt)
    : Effect.map(Effect.option(journal.blobs.get(raw.blob)), (said): AttemptDetail => ({
        ...attempt,
        ...Option.match(said, {
          onNone: () => ({}),
          onSome: (value) => ({ said: typeof value === "string" ? value : JSON.stringify(value) })
        })
      }))

/** What the wanted calls were asked, and what they answered, by `callId`. */
const contents = Effect.fnUntraced(function* (journal: RunJournal, wanted: ReadonlyArray<CallRecord>) {
  const ids = new Set(wanted.map(callId))
  const asked = new Map<string, CallIdentity>()
  const results = new Map<string, Json>()
  const collect = (event: RunEvent) =>
    Effect.sync(() => {
      if (event.type !== "CallScheduled" && event.type !== "CallCompleted" && event.type !== "CallParked")
        return
      const id = callId(event)
      if (!ids.has(id)) return
      if (event.type === "CallScheduled") asked.set(id, event.call)
      else if (event.type === "CallParked") results.set(id, event.result)
      else if (event.result !== undefined) results.set(id, event.result)
    })
  yield* Stream.runForEach(journal.events, collect)
  for (const call of wanted) {
    const id = callId(call)
    if (results.has(id) || (call.status !== "completed" && call.status !== "failed")) continue
    const result = yield* Effect.option(journal.readResult(id))
    if (Option.isSome(result)) results.set(id, result.value)
  }
  return { asked, results }
})

/** By `callId`: the numbers of the calls in whose prompts the answer stands. */
const usersOf = Effect.fnUntraced(function* (
  journal: RunJournal,
  all: ReadonlyArray<CallRecord>,
  results: ReadonlyMap<string, Json>
) {
  const usedIn = new Map<string, Set<number>>()
  const sought = [...results].flatMap(([id, result]) => traces(result).map((text) => ({ id, text })))
  if (sought.length === 0) return usedIn
  const numbers = new Map(all.map((call) => [callId(call), call.number]))
  yield* Stream.runForEach(journal.events, (event) =>
    Effect.sync(() => {
      if (event.type !== "CallScheduled") return
      const id = callId(event)
      const prompt = `${event.call.system ?? ""}\n${event.call.prompt ?? JSON.stringify(event.call.spec ?? "")}`
      for (const one of sought) {
        if (one.id === id || !prompt.includes(one.text)) continue
        const users = usedIn.get(one.id) ?? new Set<number>()
        usedIn.set(one.id, users.add(numbers.get(id) ?? 0))
      }
    })
  )
  return usedIn
})

/** So many answers are looked for in later prompts; it takes the product of both. */
const mostSought = 200

/** The calls with what is known of them, in their order. `all`: every call of the run, for who used what. */
export const callDetails = Effect.fnUntraced(function* (
  journal: RunJournal,
  all: ReadonlyArray<CallRecord>,
  wanted: ReadonlyArray<CallRecord>
) {
  const { asked, results } = yield* contents(journal, wanted)
  const usedIn =
    wanted.length > mostSought ? new Map<string, Set<number>>() : yield* usersOf(journal, all, results)
  const makers = Map.groupBy(all, ({ parent }) => parent)
  return yield* Effect.forEach(wanted, (record) =>
    Effect.gen(function* () {
      const { tries, ...call } = record
      const id = callId(record)
      const detail: CallDetail = {
        ...call,
        ...defined({ call: asked.get(id), result: results.get(id) }),
        tries: yield* Effect.forEach(tries, (attempt) => rawText(journal, attempt)),
        usedIn: [...(usedIn.get(id) ?? [])].toSorted((a, b) => a - b),
        made: (makers.get(call.number) ?? []).map(({ number }) => number)
      }
      return detail
    })
  )
})
