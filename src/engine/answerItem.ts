// Answers a pending item of a run from outside: the answer is an event, and the next resume finds it.
import { Effect, Result, Schema } from "effect"
import { compileSchema } from "../adapters/structuredOutput.ts"
import type { Json } from "../domain/canonicalJson.ts"
import { JsonSchemaDocument } from "../domain/ModelRun.ts"
import type { RunEventOf } from "../domain/RunEvent.ts"
import { Journal } from "../journal/Journal.ts"
import { onItsClock } from "./onItsClock.ts"

/** An item that is not there, is answered already, or does not take this answer. Nothing was written. */
export class AnswerError extends Schema.TaggedError<AnswerError>()("AnswerError", {
  code: Schema.Literals(["unknown_item", "already_answered", "bad_answer", "not_an_approval"]),
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

/** Appends the answer, durably; with `kind` only to an item of that kind. Takes the run's lock, so a running run is not disturbed. */
export const answerItem = Effect.fn("Engine.answerItem")(function* (
  runId: string,
  item: string,
  answer: Json,
  kind?: "approval"
) {
  const store = yield* Journal
  const journal = yield* store.open(yield* store.runId(runId), "write")
  const question = journal.state().questions.get(item)
  if (question === undefined) {
    const waiting = [...journal.state().questions.values()].filter((one) => one.answer === undefined)
    return yield* new AnswerError({
      code: "unknown_item",
      item,
      message: `${runId} asks no ${item}`,
      cure:
        waiting.length === 0
          ? `alembic resume ${runId}`
          : `it waits for: ${waiting.map(({ event }) => event.item).join(", ")}`
    })
  }
  if (question.answer !== undefined) {
    return yield* new AnswerError({
      code: "already_answered",
      item,
      message: `${item} was answered already`,
      cure: `alembic resume ${runId}`
    })
  }
  if (kind !== undefined && question.event.kind !== kind) {
    return yield* new AnswerError({
      code: "not_an_approval",
      item,
      message: `${item} asks for an answer, not for an approval`,
      cure: `alembic answer ${runId} ${item} ANSWER`
    })
  }
  const problem = problemOf(question.event, answer)
  if (problem !== undefined) {
    return yield* new AnswerError({
      code: "bad_answer",
      item,
      message: `${JSON.stringify(answer)} does not answer ${item}: ${problem}`,
      cure: `alembic answer ${runId} ${item} ${question.event.choices?.[0] ?? "…"}`
    })
  }
  yield* onItsClock(journal, journal.append({ type: "QuestionAnswered", item, answer }))
  yield* journal.commit
  yield* journal.checkpoint
}, Effect.scoped)
