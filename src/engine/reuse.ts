// The call cache of an earlier run, for a run of an edited plan: the same question gets the answer it got then.
import { Effect, Option } from "effect"
import type { Json } from "../domain/canonicalJson.ts"
import { Journal } from "../journal/Journal.ts"
import { JournalError } from "../journal/JournalError.ts"
import type { RunJournal } from "../journal/RunJournal.ts"
import { keptText } from "./keptText.ts"
import type { RunContext } from "./RunContext.ts"

/** The role under which a run keeps whose answers it takes, so that it takes them also when it goes on. */
const role = "reuse"

export const keptReuse = (runId: string | undefined): Readonly<Record<string, string>> =>
  runId === undefined ? {} : { [role]: runId }

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

/** Those that the run was begun with; nothing if it was begun without. */
export const keptAnswers = Effect.fnUntraced(function* (journal: RunJournal) {
  const runId = yield* keptText(journal, role)
  if (runId === undefined) return undefined
  return yield* Effect.mapError(
    answersOf(runId),
    (error) =>
      new JournalError({
        code: error.code,
        path: error.path,
        problem: `the run was begun with --reuse ${runId}, whose answers cannot be read: ${error.problem}`,
        cure: `bring ${runId} back (alembic import), or begin anew: alembic run --fresh`
      })
  )
})
