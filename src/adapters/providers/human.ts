// A person as an adapter. An attempt never waits: it brings the answer that is already there, or fails with
// `awaiting_answer`, which the engine turns into a durable question.
import { Effect, Option, Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError } from "../../domain/ModelError.ts"
import type { JsonSchemaDocument, ModelRunInput } from "../../domain/ModelRun.ts"
import type { Adapter, AttemptSuccess } from "../Adapter.ts"
import { Answers } from "../Answers.ts"
import { compileSchema, readAnswer, type StructuredSchema } from "../structured/structuredOutput.ts"

/** What a person said, as the waist gets it. Text that the schema takes is the value itself, else JSON may stand in it. */
const spoken = (said: Json, schema: StructuredSchema | undefined): AttemptSuccess => {
  const isValue = schema !== undefined && (typeof said !== "string" || schema.issuesOf(said).length === 0)
  return {
    text: typeof said === "string" ? said : JSON.stringify(said),
    ...(isValue ? { output: said } : {}),
    finishReason: "stop",
    costUsd: 0
  }
}

const schemaOf = (document: JsonSchemaDocument | undefined): StructuredSchema | undefined =>
  document === undefined ? undefined : Result.getOrUndefined(compileSchema(document))

/** Why a call could not use that answer of a person, if so: asked when they give it, since nobody can mend it later. */
export const whyUnusable = (said: Json, document: JsonSchemaDocument | undefined): string | undefined => {
  const schema = schemaOf(document)
  const answer = spoken(said, schema)
  if (schema === undefined) return answer.text.trim() === "" ? "it is empty" : undefined
  const read = readAnswer(schema, answer)
  if (Result.isSuccess(read)) return undefined
  const [issue] = read.failure.issues
  return issue === undefined ? read.failure.message : `${issue.path} ${issue.problem}`
}

/** The `human` adapter. It reads `Answers` where the call runs; an answer that is text is taken as it is. */
export const makeHumanAdapter = (options: { readonly id?: string } = {}): Adapter => ({
  id: options.id ?? "human",
  free: true,
  hasSideEffects: false,
  attempt: Effect.fnUntraced(function* (input: ModelRunInput) {
    const answers = yield* Answers
    const answer =
      input.idempotencyKey === undefined ? Option.none() : yield* answers.lookup(input.idempotencyKey)
    if (Option.isNone(answer))
      return yield* makeError("awaiting_answer", "nobody has answered this question yet")
    return spoken(answer.value, schemaOf(input.schema))
  })
})
