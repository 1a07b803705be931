// Evidence of claims that name a proof of a run, `run:RUN/proof:ID`: how it ended when that run last ran it, out of the
// run's journal. Only a run that was begun on this machine counts: whoever may write into the folder may write a run
// directory too.
import { Effect } from "effect"
import { Journal } from "../../journal/Journal.ts"
import { proofRecord } from "../../engine/gates/proofRecords.ts"
import { evidenceIds } from "../../mission/proofs/gatherEvidence.ts"
import type { Claim } from "../../verifier/Claim.ts"
import type { Evidence } from "../../verifier/Evidence.ts"
import { fromJournal } from "../CommandError.ts"
import { onJournal, resolveRun } from "./runReference.ts"
import { originOf } from "../trust/origin.ts"

const form = /^run:([^/]+)\/proof:(.+)$/s

const unreadable = (id: string, reason: string): Evidence => ({ kind: "unreadable", id, reason })

/** A run that is not there, or that is damaged, proves nothing, and the other claims are checked all the same. */
const recordOf = Effect.fnUntraced(
  function* (id: string, run: string, proof: string) {
    const store = yield* Journal
    const runId = yield* resolveRun(run)
    const { foreignUntil, head, knownFrom = 0, own } = yield* originOf(runId)
    if (!own)
      return unreadable(
        id,
        `${runId} was not begun on this machine, or was changed since, so that nobody knows who wrote it`
      )
    if (head === undefined)
      return unreadable(id, `no process has left ${runId} in order, so that nobody knows who wrote its end`)
    const journal = yield* Effect.mapError(store.open(runId, "read"), fromJournal)
    return yield* Effect.mapError(
      proofRecord(journal, proof, { id, after: Math.max(foreignUntil, knownFrom), until: head.seq }),
      fromJournal
    )
  },
  Effect.scoped,
  (record, id) => Effect.catch(record, ({ message }) => Effect.succeed(unreadable(id, message)))
)

/** The evidence that claims name by reference. */
export const readProofEvidence = (claims: ReadonlyArray<Claim>) => {
  const named = evidenceIds(claims).flatMap((id) => {
    const [, run, proof] = form.exec(id) ?? []
    return run === undefined || proof === undefined ? [] : [recordOf(id, run, proof)]
  })
  return named.length === 0 ? Effect.succeed([]) : onJournal(Effect.all(named))
}
