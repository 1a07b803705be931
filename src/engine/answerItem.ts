// Answers a pending item of a run from outside, at any time: the answer is an event, which the run that goes on finds,
// or the running one takes in.
import { Effect, Result, Schema } from "effect"
import { compileSchema } from "../adapters/structuredOutput.ts"
import type { Json } from "../domain/canonicalJson.ts"
import { JsonSchemaDocument } from "../domain/ModelRun.ts"
import type { RunEvent, RunEventBody, RunEventOf } from "../domain/RunEvent.ts"
import type { RunId } from "../domain/RunSpec.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { RunJournal } from "../journal/RunJournal.ts"
import { onItsClock } from "./onItsClock.ts"

/** An item that is not there, is answered already, or does not take this answer. Nothing was written. */
export class AnswerError extends Schema.TaggedError<AnswerError>()("AnswerError", {
  code: Schema.Literals(["unknown_item", "already_answered", "bad_answer", "not_an_approval", "run_ended"]),
  item: Schema.String,
  message: Schema.String,
  cure: Schema.String
}) {}

const isSchema = Schema.is(JsonSchemaDocument)

/** What is wrong with `answer` to that question, if anything. */
const problemOf = ({ choices, schema }: RunEventOf<"QuestionAsked">, answer: Json): string | undefined => {
  if (choices !== undefined && !(typeof answer === "string" && choices.includes(answer))) {
    return `it takes one of ${choices.join(", ")}`
  }
  const compiled = isSchema(schema) ? Result.getOrUndefined(compileSchema(schema)) : undefined
  const [issue] = compiled?.issuesOf(answer) ?? []
  return issue === undefined ? undefined : `${issue.path} ${issue.problem}`
}

/** Why the run does not take that answer to that item, if it does not. */
const refusal = (
  { runId, state }: Pick<RunJournal, "runId" | "state">,
  item: string,
  answer: Json,
  kind: "approval" | undefined
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
  if (question.answer !== undefined) return answeredAlready(runId, item)
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
    message: `${JSON.stringify(answer)} does not answer ${item}: ${problem}`,
    cure: `alembic answer ${runId} ${item} ${question.event.choices?.[0] ?? "…"}`
  })
}

const answeredAlready = (runId: string, item: string) =>
  new AnswerError({
    code: "already_answered",
    item,
    message: `${item} was answered already`,
    cure: `alembic resume ${runId}`
  })

/**
 * Journals what others left for the run, each answer that is one; gives the events. What is left was taken before a
 * crash, or answers nothing that is asked: the first answer to an item is the one.
 */
export const takeInbox = Effect.fnUntraced(function* (
  journal: RunJournal,
  write: (body: RunEventBody) => Effect.Effect<RunEvent, JournalError>
) {
  const left = yield* journal.inbox.list
  const taken: Array<RunEvent> = []
  for (const { answer, item } of left) {
    if (refusal(journal, item, answer, undefined) !== undefined) continue
    taken.push(yield* write({ type: "QuestionAnswered", item, answer }))
  }
  if (taken.length > 0) yield* journal.commit
  for (const { item } of left) yield* journal.inbox.remove(item)
  return taken
})

/** With the run's lock: what others have left comes first. */
const answerHeld = Effect.fnUntraced(function* (
  runId: RunId,
  item: string,
  answer: Json,
  kind: "approval" | undefined
) {
  const journal = yield* (yield* Journal).open(runId, "write")
  yield* onItsClock(journal, takeInbox(journal, journal.append))
  const refused = refusal(journal, item, answer, kind)
  if (refused !== undefined) yield* Effect.fail(refused)
  yield* onItsClock(journal, journal.append({ type: "QuestionAnswered", item, answer }))
  yield* journal.commit
  yield* journal.checkpoint
  return "journaled" as const
}, Effect.scoped)

/** While another process holds the run: left for it to take. */
const answerRunning = Effect.fnUntraced(function* (
  runId: RunId,
  item: string,
  answer: Json,
  kind: "approval" | undefined
) {
  const store = yield* Journal
  const journal = yield* store.open(runId, "read")
  const refused = refusal(journal, item, answer, kind)
  if (refused !== undefined) yield* Effect.fail(refused)
  if (!(yield* store.leaveAnswer(runId, { item, answer }))) yield* Effect.fail(answeredAlready(runId, item))
  return "left" as const
}, Effect.scoped)

/**
 * Answers, durably; with `kind` only an item of that kind. A run that nobody holds has the answer in its log; one that
 * is running gets it through its inbox (`left`): there is one writer. Of two answers to an item one wins, the other is
 * refused.
 */
export const answerItem = Effect.fn("Engine.answerItem")(function* (
  given: string,
  item: string,
  answer: Json,
  kind?: "approval"
) {
  const runId = yield* (yield* Journal).runId(given)
  return yield* Effect.catchTag(answerHeld(runId, item, answer, kind), "JournalError", (error) =>
    error.code === "run_locked" ? answerRunning(runId, item, answer, kind) : Effect.fail(error)
  )
})
