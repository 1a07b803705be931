// Answers a pending item of a run from outside, at any time: the answer is an event, which the run that goes on finds,
// or the running one takes in.
import { Effect, Result, Schema, Stream } from "effect"
import { whyUnusable } from "../../adapters/providers/human.ts"
import { canonicalJson, canonicalJsonOf, maxValueDepth, type Json } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { JsonSchemaDocument } from "../../domain/ModelRun.ts"
import type { RunEvent, RunEventBody, RunEventOf } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { realSleep } from "../run/untilStopped.ts"
import { answered, counts, signed, Witness } from "./Witness.ts"
import { onItsClock } from "./onItsClock.ts"

/** An item that is not there, is answered already, or does not take this answer. Nothing was written. */
export class AnswerError extends Schema.TaggedError<AnswerError>()("AnswerError", {
  code: Schema.Literals([
    "unknown_item",
    "already_answered",
    "answer_used",
    "bad_answer",
    "not_an_approval",
    "not_answered",
    "run_ended"
  ]),
  item: Schema.String,
  message: Schema.String,
  cure: Schema.String
}) {}

const isSchema = Schema.is(JsonSchemaDocument)

/** What is wrong with `answer` to that question, if anything. */
const problemOf = (
  { choices, kind, schema }: RunEventOf<"QuestionAsked">,
  answer: Json
): string | undefined => {
  const carried = canonicalJson(answer, { maxDepth: maxValueDepth })
  if (Result.isFailure(carried)) return carried.failure.problem
  if (choices !== undefined)
    return typeof answer === "string" && choices.includes(answer)
      ? undefined
      : `it takes one of ${choices.join(", ")}`
  return kind === "question" ? whyUnusable(answer, isSchema(schema) ? schema : undefined) : undefined
}

/** Why the run does not take that answer to that item, if it does not. */
const refusal = (
  { runId, state }: Pick<RunJournal, "runId" | "state">,
  item: string,
  answer: Json,
  kind: "approval" | undefined,
  change = false
): AnswerError | undefined => {
  const question = state().questions.get(item)
  if (question === undefined) {
    const waiting = [...state().questions.values()].filter((one) => one.answer === undefined)
    return new AnswerError({
      code: "unknown_item",
      item,
      message: `${runId} asks no ${item}`,
      cure:
        waiting.length === 0
          ? `alembic resume ${runId}`
          : `it waits for: ${waiting.map(({ event }) => event.item).join(", ")}`
    })
  }
  if (question.answer !== undefined && !change) return answeredAlready(runId, item)
  const { end } = state()
  if (end !== undefined) {
    return new AnswerError({
      code: "run_ended",
      item,
      message: `${runId} has ended (${end.status}), and nothing of it waits for ${item} any more`,
      cure: `alembic inspect ${runId}`
    })
  }
  if (kind !== undefined && question.event.kind !== kind) {
    return new AnswerError({
      code: "not_an_approval",
      item,
      message: `${item} asks for an answer, not for an approval`,
      cure: `alembic answer ${runId} ${item} ANSWER`
    })
  }
  const problem = problemOf(question.event, answer)
  if (problem === undefined) return undefined
  return new AnswerError({
    code: "bad_answer",
    item,
    message: `${JSON.stringify(answer).slice(0, 200).toWellFormed()} does not answer ${item}: ${problem}`,
    cure: `alembic answer ${runId} ${item} ${question.event.choices?.[0] ?? "…"}`
  })
}

const answeredAlready = (runId: string, item: string) =>
  new AnswerError({
    code: "already_answered",
    item,
    message: `${item} was answered already`,
    cure: `alembic resume ${runId}, or alembic answer ${runId} ${item} ANSWER --change`
  })

/** What was asked: an answer that was left is for that, and for nothing that has the same item. */
const askedIn = ({ choices, hash, key, kind, occurrence, text }: RunEventOf<"QuestionAsked">): string =>
  sha256(canonicalJsonOf([kind, key, occurrence, text, choices ?? null, hash ?? null]))

type Asking = Pick<RunJournal, "runId" | "state" | "inbox">

/** What was left for an item that nobody has answered, if it answers what is asked. */
const leftFor = Effect.fnUntraced(function* (journal: Asking, item: string) {
  const left = yield* journal.inbox.read(item)
  const question = journal.state().questions.get(item)
  if (left === undefined || question === undefined) return undefined
  if (left.asked !== undefined && left.asked !== askedIn(question.event)) return undefined
  if (!counts(yield* Witness, journal.runId, question.event, left)) return undefined
  return refusal(journal, item, left.answer, undefined) === undefined ? left : undefined
})

const isAnswered = ({ state }: Pick<Asking, "state">, item: string): boolean =>
  state().questions.get(item)?.answer !== undefined

/** Whether something was left that the log does not have. */
export const hasLeft = (journal: Asking) =>
  Effect.map(journal.inbox.items, (items) =>
    items.some((item) => journal.state().questions.has(item) && !isAnswered(journal, item))
  )

/** The questions that wait for an answer: what was left for the next who holds the run is one. */
export const openQuestions = Effect.fnUntraced(function* (journal: Asking) {
  const { end, questions } = journal.state()
  if (end !== undefined) return []
  const left = new Set(yield* journal.inbox.items)
  const open: Array<RunEventOf<"QuestionAsked">> = []
  for (const { answer, event } of questions.values()) {
    if (answer !== undefined) continue
    if (left.has(event.item) && (yield* leftFor(journal, event.item)) !== undefined) continue
    open.push(event)
  }
  return open
})

/**
 * Journals what people left for the run, each answer that is one; gives the events. What answers nothing that is asked
 * is removed. What is in the log stays in the inbox, so that nobody can leave another answer to the same item.
 */
export const takeInbox = Effect.fnUntraced(function* (
  journal: RunJournal,
  write: (body: RunEventBody) => Effect.Effect<RunEvent, JournalError>
) {
  const taken: Array<RunEvent> = []
  for (const item of yield* journal.inbox.items) {
    if (isAnswered(journal, item)) continue
    const left = yield* leftFor(journal, item)
    if (left === undefined) yield* journal.inbox.remove(item)
    else {
      const asked = journal.state().questions.get(item)?.event
      taken.push(yield* write(yield* answered(journal.runId, asked, { item, answer: left.answer })))
    }
  }
  if (taken.length > 0) yield* journal.commit
  return taken
})

interface Given {
  readonly runId: RunId
  readonly item: string
  readonly answer: Json
  readonly kind: "approval" | undefined
}

/** Refuses what is no answer before anything is left; gives what was asked. */
const checked = Effect.fnUntraced(function* ({ answer, item, kind, runId }: Given) {
  const journal = yield* (yield* Journal).open(runId, "read")
  const refused = refusal(journal, item, answer, kind)
  if (refused !== undefined) return yield* refused
  const question = journal.state().questions.get(item)
  return {
    asked: question === undefined ? "" : askedIn(question.event),
    ...(yield* signed(runId, question?.event, answer))
  }
}, Effect.scoped)

/** With the run's lock: journals all that was left, whoever left it. */
const settle = Effect.fnUntraced(function* ({ answer, item, kind, runId }: Given) {
  const journal = yield* (yield* Journal).open(runId, "answer")
  const taken = yield* onItsClock(journal, takeInbox(journal, journal.append))
  if (taken.length > 0) yield* journal.checkpoint
  return {
    answered: journal.state().questions.get(item)?.answer,
    refused: refusal(journal, item, answer, kind)
  }
}, Effect.scoped)

/** How long another process is waited for that only journals an answer. */
const patienceMs = 10_000
const lookEveryMs = 25

/** The same, once nobody else only journals an answer. `running`: the lock's holder works on the run, and takes it. */
const settled = Effect.fnUntraced(function* (given: Given) {
  for (let waited = 0; ; waited += lookEveryMs) {
    const tried = yield* Effect.result(settle(given))
    if (Result.isSuccess(tried)) return tried.success
    if (tried.failure.code !== "run_locked") return yield* tried.failure
    if (tried.failure.heldFor === undefined || waited >= patienceMs) return "running" as const
    yield* realSleep(lookEveryMs)
  }
})

/**
 * Answers, durably; with `kind` only an item of that kind. An answer is left in the run's inbox, where the first one to
 * an item wins and every other is refused, whoever holds the run; then the lock's holder journals it. If that is a
 * process that works on the run, it is `left` for it; else this one does it, with what others have left.
 */
export const answerItem = Effect.fn("Engine.answerItem")(function* (
  text: string,
  item: string,
  answer: Json,
  kind?: "approval"
) {
  const store = yield* Journal
  const given: Given = { runId: yield* store.runId(text), item, answer, kind }
  for (;;) {
    const isFirst = yield* store.leaveAnswer(given.runId, { item, answer, ...(yield* checked(given)) })
    const end = yield* settled(given)
    if (end === "running") {
      if (isFirst) return "left" as const
      return yield* answeredAlready(given.runId, item)
    }
    const { answered, refused } = end
    // What was there before was no answer to what is asked, and is gone: this one may be.
    if (!isFirst && refused === undefined) continue
    if (isFirst && answered !== undefined && canonicalJsonOf(answered) === canonicalJsonOf(answer))
      return "journaled" as const
    return yield* refused ?? answeredAlready(given.runId, item)
  }
})

/** Nobody may say another thing than the run has acted on. */
const answerUsed = (runId: string, item: string) =>
  new AnswerError({
    code: "answer_used",
    item,
    message: `the run has gone on with the answer to ${item}`,
    cure: `alembic fork ${runId} --at CALL --set output=@FILE, which leaves this run as it is`
  })

/** Whether the log goes on behind the item's answer with anything but answers. */
const isUsed = Effect.fnUntraced(function* (journal: RunJournal, item: string) {
  let answered = false
  let used = false
  yield* Stream.runForEach(journal.events, (event) =>
    Effect.sync(() => {
      if (event.type === "QuestionAnswered") {
        if (event.item !== item) return
        answered = true
        used = false
      } else if (answered) used = true
    })
  )
  return used
})

/**
 * Changes the answer that was given to an item, as long as the run has not gone on with it. The log keeps both: the last
 * one counts. Fails where a process works on the run, which may be using it.
 */
export const changeAnswer = Effect.fn("Engine.changeAnswer")(function* (
  text: string,
  item: string,
  answer: Json
) {
  const store = yield* Journal
  const runId = yield* store.runId(text)
  const opened = yield* Effect.result(store.open(runId, "answer"))
  if (Result.isFailure(opened))
    return yield* opened.failure.code === "run_locked" ? answerUsed(runId, item) : opened.failure
  const journal = opened.success
  yield* onItsClock(journal, takeInbox(journal, journal.append))
  const refused = refusal(journal, item, answer, undefined, true)
  if (refused !== undefined) return yield* refused
  if (!isAnswered(journal, item))
    return yield* new AnswerError({
      code: "not_answered",
      item,
      message: `${item} has no answer that could be changed`,
      cure: `alembic answer ${runId} ${item} ANSWER`
    })
  if (yield* isUsed(journal, item)) return yield* answerUsed(runId, item)
  const asked = journal.state().questions.get(item)?.event
  yield* onItsClock(
    journal,
    Effect.flatMap(answered(runId, asked, { item, answer }), (body) => journal.append(body))
  )
  yield* journal.commit
  yield* journal.checkpoint
}, Effect.scoped)
