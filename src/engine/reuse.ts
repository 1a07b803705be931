// The call cache of an earlier run, for a run of an edited plan: the same question gets the answer it got then.
import { Effect, Option } from "effect"
import type { Json } from "../domain/canonicalJson.ts"
import { Journal } from "../journal/Journal.ts"
import type { RunContext } from "./RunContext.ts"

/** Answers of `runId`'s calls that succeeded, by call id. The run is only read, and kept open for the scope. */
export const answersOf = Effect.fnUntraced(function* (runId: string) {
  const store = yield* Journal
  const journal = yield* store.open(yield* store.runId(runId), "read")
  const answer: RunContext["reuse"] = (id) => {
    const call = journal.state().calls.get(id)
    return call?.status === "completed" && !call.failed
      ? Effect.map(journal.readResult(id), Option.some)
      : Effect.succeed(Option.none<Json>())
  }
  return answer
})
