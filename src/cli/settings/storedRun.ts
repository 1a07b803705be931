// A stored run: what its directory says of how it was begun. So resume and replay give names the meaning they had.
import { Effect, Option, Result } from "effect"
import type { Json } from "../../domain/canonicalJson.ts"
import type { RunId } from "../../domain/RunSpec.ts"
import { keptText } from "../../engine/keptText.ts"
import { decodeContract } from "../../engine/planSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import type { ModelSettings } from "../Host.ts"
import { resolveRun } from "../runReference.ts"
import { modelsOf, readKept } from "./runSettings.ts"

/** The cost bound of a contract, if it has one. */
const capOf = (contract: Json): number | undefined =>
  Option.getOrUndefined(Result.getSuccess(decodeContract(contract)))?.budget?.usd

/** The run that `given` names, and how it was begun. Writes nothing. */
export const storedRun = Effect.fnUntraced(function* (given: string) {
  return yield* storedRunOf(yield* resolveRun(given))
})

/** How that run was begun, or last gone on with. Writes nothing, and does not look at its log. */
export const storedRunOf = Effect.fnUntraced(
  function* (runId: RunId) {
    const journal = yield* (yield* Journal).describe(runId)
    const { boards, contract, hermetic } = journal.meta.parts
    return {
      runId,
      hermetic: hermetic !== undefined,
      config: yield* keptText(journal, "config"),
      fixtures: yield* keptText(journal, "fixtures"),
      boardModels:
        boards === undefined
          ? []
          : (yield* Effect.promise(() => import("../boards.ts"))).keptModels(
              yield* journal.blobs.get(boards)
            ),
      kept: readKept(yield* keptText(journal, "settings")),
      contractUsd: contract === undefined ? undefined : capOf(yield* journal.blobs.get(contract))
    }
  },
  Effect.catchTag("JournalError", (error) => Effect.fail(fromJournal(error)))
)
export type StoredRun = Effect.Success<ReturnType<typeof storedRun>>

/** The names as they were, for a replay: nothing is called. */
export const settingsOf = (stored: StoredRun): ModelSettings => ({ offline: "always", ...modelsOf(stored) })
