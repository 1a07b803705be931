// A stored run: what its directory says of how it was begun. So resume and replay give names the meaning they had.
import { Effect, Option, Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Contract } from "../../domain/Contract.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { textOfRole } from "../../engine/launch/keptText.ts"
import { decodeContract } from "../../engine/launch/planSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import type { ModelSettings } from "../Host.ts"
import { resolveRun } from "../inputs/runReference.ts"
import { modelsOf, readKept } from "./runSettings.ts"

const contractOf = (contract: Json): Contract | undefined =>
  Option.getOrUndefined(Result.getSuccess(decodeContract(contract)))

/** The run that `given` names, and how it was begun. Writes nothing. */
export const storedRun = Effect.fnUntraced(function* (given: string) {
  return yield* storedRunOf(yield* resolveRun(given))
})

/** How that run was begun, or last gone on with. Writes nothing, and does not look at its log. */
export const storedRunOf = Effect.fnUntraced(
  function* (runId: RunId) {
    const journal = yield* (yield* Journal).describe(runId)
    const { boards, hermetic } = journal.meta.parts
    const { contract: hash } = journal.meta.parts
    const contract = hash === undefined ? undefined : contractOf(yield* journal.blobs.get(hash))
    return {
      runId,
      hermetic: hermetic !== undefined,
      config: yield* textOfRole(journal, "config"),
      fixtures: yield* textOfRole(journal, "fixtures"),
      boardModels:
        boards === undefined
          ? []
          : (yield* Effect.promise(() => import("../inputs/boards.ts"))).keptModels(
              yield* journal.blobs.get(boards)
            ),
      kept: readKept(yield* textOfRole(journal, "settings")),
      contract,
      contractUsd: contract?.budget?.usd
    }
  },
  Effect.catchTag("JournalError", (error) => Effect.fail(fromJournal(error)))
)
export type StoredRun = Effect.Success<ReturnType<typeof storedRun>>

/** The names as they were, for a replay: nothing is called. */
export const settingsOf = (stored: StoredRun): ModelSettings => ({ offline: "always", ...modelsOf(stored) })
