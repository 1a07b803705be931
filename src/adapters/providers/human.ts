// A person as an adapter. An attempt never waits: it brings the answer that is already there, or fails with
// `awaiting_answer`, which the engine turns into a durable question.
import { Effect, Option } from "effect"
import { makeError } from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import type { Adapter } from "../Adapter.ts"
import { Answers } from "../Answers.ts"

/** The `human` adapter. It reads `Answers` where the call runs; an answer that is text is taken as it is. */
export const makeHumanAdapter = (options: { readonly id?: string } = {}): Adapter => ({
  id: options.id ?? "human",
  free: true,
  acts: false,
  attempt: Effect.fnUntraced(function* (input: ModelRunInput) {
    const answers = yield* Answers
    const answer =
      input.idempotencyKey === undefined ? Option.none() : yield* answers.lookup(input.idempotencyKey)
    if (Option.isNone(answer))
      return yield* makeError("awaiting_answer", "nobody has answered this question yet")
    const { value } = answer
    return {
      text: typeof value === "string" ? value : JSON.stringify(value),
      ...(typeof value !== "string" && input.schema !== undefined && { output: value }),
      finishReason: "stop",
      costUsd: 0
    }
  })
})
