// Waiting items: what runs wait for, read out of their journals, and the answering of one. What an answer does is the
// engine's, when the run is resumed.
import { claimAnswered, originOf } from "../trust/origin.ts"
import { Effect, Result, Schema } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { nameGiven } from "../../engine/people/approvalName.ts"
import { callId } from "../../domain/Call.ts"
import type { CallRecord } from "../../engine/inspect/CallRecord.ts"
import { recordsOf } from "../../engine/inspect/inspectRun.ts"
import { selectCalls } from "../../engine/inspect/selectCalls.ts"
import { Witness } from "../../engine/people/Witness.ts"
import { answerItem, changeAnswer, openQuestions } from "../../engine/people/answerItem.ts"
import { Journal } from "../../journal/Journal.ts"
import type { RunState } from "../../journal/state/RunState.ts"
import { badInput, fromJournal } from "../CommandError.ts"
import { Host } from "../Host.ts"
import { Output } from "../Output.ts"
import { cureText } from "../render/errorText.ts"
import { resolveRun } from "../inputs/runReference.ts"

export interface WaitingItem {
  readonly runId: RunId
  readonly item: string
  readonly kind: RunEventOf<"QuestionAsked">["kind"]
  readonly text: string
  readonly choices?: ReadonlyArray<string>
  readonly schema?: Json
  readonly default?: Json
}

export interface ParkedRun {
  readonly runId: RunId
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly until?: number
  readonly items: ReadonlyArray<string>
  /** Of the items, what a person has to say yes to: a gate, a unit without a tier, a call in doubt. */
  readonly approvals: ReadonlyArray<{ readonly item: string; readonly text: string }>
}

type Question = RunEventOf<"QuestionAsked">

/** The state of each run that may wait, one after the other. A damaged run is left out: `alembic list` names it. */
const waitingRuns = <A>(
  given: string | undefined,
  read: (
    runId: RunId,
    state: RunState,
    open: Effect.Success<ReturnType<typeof openQuestions>>
  ) => ReadonlyArray<A>
) =>
  Effect.gen(function* () {
    const store = yield* Journal
    const { trust } = yield* Host
    const witness = yield* trust.witness
    const ids =
      given === undefined
        ? (yield* Effect.mapError(store.list, fromJournal))
            .filter(({ status }) => status !== "damaged")
            .map(({ runId }) => runId)
        : [yield* resolveRun(given)]
    const found: Array<A> = []
    for (const runId of ids) {
      const waiting = yield* store.open(runId, "read").pipe(
        Effect.flatMap((journal) =>
          openQuestions(journal).pipe(
            Effect.map((open) => read(runId, journal.state(), open)),
            Effect.provideService(Witness, witness)
          )
        ),
        Effect.mapError(fromJournal),
        Effect.scoped
      )
      found.push(...waiting)
    }
    return found
  })

const itemOf = (
  runId: RunId,
  { choices, default: otherwise, item, kind, schema, text }: Question
): WaitingItem => ({
  runId,
  item,
  kind,
  text,
  ...defined({ choices, schema, default: otherwise })
})

/** Every question without an answer, of one run or of all. */
export const pendingQuestions = (given: string | undefined) =>
  waitingRuns(given, (runId, _, open) => open.map((question) => itemOf(runId, question)))

export const parkedRuns = (given: string | undefined) =>
  waitingRuns(given, (runId, { questions, suspended }, open): ReadonlyArray<ParkedRun> => {
    if (suspended === undefined) return []
    const approvals = open.flatMap(({ item, kind, text }) => (kind === "approval" ? [{ item, text }] : []))
    const isOpen = new Set(open.map(({ item }) => item))
    // What was answered since the run stopped waits for a resume alone.
    const items = suspended.items.filter((item) => isOpen.has(item) || !questions.has(item))
    return [{ runId, ...suspended, items, approvals }]
  })

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** Text as it is; where the question has a schema, JSON if it is any. */
export const readAnswer = (
  text: string,
  question: Pick<WaitingItem, "schema"> | undefined
): Effect.Effect<Json> => {
  if (question?.schema === undefined) return Effect.succeed(text)
  return Effect.succeed(Result.getOrElse(decodeJson(text), (): Json => text))
}

/** Whether the approval is called so; one of an earlier version has its name at the beginning of its text alone. */
const isCalled = ({ kind, name, text }: Question, given: string): boolean =>
  kind === "approval" && (name === undefined ? text.startsWith(`${given}: `) : name === nameGiven(given))

/**
 * The item that is meant: by its id; an approval by its name (`publish`, `<mission>/<unit>`, a call's label); a question
 * by the label or the number of the call that asks it.
 */
const meant = (
  { questions }: RunState,
  calls: ReadonlyArray<CallRecord>,
  item: string,
  answered: boolean
): Question | undefined => {
  const known = questions.get(item)?.event
  if (known !== undefined) return known
  const open = [...questions.values()].flatMap(({ answer, event }) =>
    (answer !== undefined) === answered ? [event] : []
  )
  const asking = new Set(selectCalls(calls, item).map(callId))
  // What was asked last is what the run waits for: content that has changed since is asked about again.
  return (
    open.findLast((event) => isCalled(event, item)) ?? open.findLast((event) => asking.has(callId(event)))
  )
}

/** How an answer is given: for the first time, to an approval alone, or instead of the one before. */
export type Giving = "answer" | "approval" | "change"

/** Answers an item of a run: into its log, or left for the process that runs it. */
export const answerNow = Effect.fnUntraced(function* (
  runId: RunId,
  item: string,
  answer: Json,
  giving: Giving = "answer"
) {
  const store = yield* Journal
  const origin = yield* originOf(runId)
  const lastSeq = yield* Effect.scoped(
    Effect.map(Effect.mapError(store.open(runId, "read"), fromJournal), (journal) => journal.state().lastSeq)
  )
  const { trust } = yield* Host
  const given =
    giving === "change"
      ? Effect.as(changeAnswer(runId, item, answer), "journaled" as const)
      : answerItem(runId, item, answer, giving === "approval" ? giving : undefined)
  const became = yield* given.pipe(
    Effect.provideService(Witness, yield* trust.witness),
    Effect.catchTags({
      AnswerError: ({ code, cure, message }) => Effect.fail(badInput(code, message, { cure })),
      JournalError: (error) => Effect.fail(fromJournal(error))
    })
  )
  if (became === "journaled") yield* claimAnswered(runId, origin, lastSeq)
  return became
})

/** Answers the item that `named` means, and says what leads on. */
export const answerNamed = Effect.fnUntraced(function* (
  runId: RunId,
  named: string,
  answerOf: (question: Question | undefined) => Effect.Effect<Json>,
  giving: Giving = "answer"
) {
  const store = yield* Journal
  const question = yield* Effect.scoped(
    Effect.gen(function* () {
      const journal = yield* Effect.mapError(store.open(runId, "read"), fromJournal)
      if (journal.state().questions.has(named)) return journal.state().questions.get(named)?.event
      const { calls } = yield* Effect.mapError(recordsOf(journal), fromJournal)
      return meant(journal.state(), calls, named, giving === "change")
    })
  )
  const item = question?.item ?? named
  const answer = yield* answerOf(question)
  const became = yield* answerNow(runId, item, answer, giving)
  // What was left for a running process is answered, although the log does not say so yet.
  const left = (yield* pendingQuestions(runId)).filter((one) => one.item !== item)
  const [other] = left
  const next =
    other === undefined
      ? became === "left"
        ? `alembic tail ${runId}`
        : `alembic resume ${runId}`
      : other.kind === "approval"
        ? `alembic approve ${runId} ${other.item}`
        : `alembic answer ${runId} ${other.item} ANSWER`
  return { item, answer, became, left: left.length, next }
})

/** The same for a person at a terminal. */
export const giveAnswer = Effect.fnUntraced(function* (
  given: string,
  named: string,
  answerOf: (question: Question | undefined) => Effect.Effect<Json>,
  giving: Giving = "answer"
) {
  const output = yield* Output
  const runId = yield* resolveRun(given)
  const { answer, became, item, left, next } = yield* answerNamed(runId, named, answerOf, giving)
  const running = became === "left" ? ", which is running and goes on with it" : ""
  const word = giving === "change" ? "changed the answer to" : "answered"
  yield* output.emit({ type: "AnswerSummary", ok: true, runId, item, answer, left })
  yield* output.print(
    `${output.style.green(word)} ${item} of ${runId}${running}\n${cureText(next, output.style)}`
  )
})
