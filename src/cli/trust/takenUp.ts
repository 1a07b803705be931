// A run that lies where `run` looks for its own, and that nothing proves this machine to have made: who it is, and a
// hash of all that its log says.
import { Effect, Result } from "effect"
import { fingerprint } from "../../domain/fingerprint.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { digestOf } from "../../journal/state/Checkpoint.ts"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import type { TakenUp } from "./requirements.ts"

export const takenUp = Effect.fnUntraced(
  function* (runId: RunId) {
    let last: unknown
    const journal = yield* (yield* Journal).open(runId, "read", (event) => (last = { ...event }))
    const found: TakenUp = {
      runId,
      status: digestOf(journal.state()).status,
      head: Result.getOrElse(fingerprint(last ?? null), () => "")
    }
    return found
  },
  Effect.scoped,
  Effect.mapError(fromJournal)
)
