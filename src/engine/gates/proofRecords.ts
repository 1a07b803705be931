// Proofs that a run has run, out of its journal: the only records of commands that count as evidence. Whoever names
// one does so by reference (`run:RUN/proof:ID`, or in a council `{ kind: "proof", id, proof }`): a file, or a plan,
// that says what a command said proves nothing.
import { Effect, Option, Schema, Stream } from "effect"
import { callId } from "../../domain/Call.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { commandEvidence } from "../../mission/proofs/gatherEvidence.ts"
import { ProofResult } from "../../mission/Mission.ts"
import type { Evidence } from "../../verifier/Evidence.ts"

const decodeStep = Schema.decodeUnknownOption(
  Schema.Struct({ step: Schema.Struct({ proof: Schema.Struct({ id: Schema.String }) }) })
)
const decodeProof = Schema.decodeUnknownOption(ProofResult)

/** Steps of subflows by which the engine runs a proof. No plan can make a call of such a verb. */
const proving: ReadonlySet<string> = new Set(["mission.prove", "gates.prove"])

/** The proof that the event schedules, if it does. */
const scheduled = (event: RunEvent): string | undefined =>
  event.type === "CallScheduled" && proving.has(event.call.verb)
    ? Option.getOrUndefined(Option.map(decodeStep(event.call.spec), ({ step }) => step.proof.id))
    : undefined

/**
 * How the proof ended when it was last run in that run, as evidence under `id`. Only events behind
 * `after`, up to `until`, count. Unreadable where it was not run.
 */
export const proofRecord = Effect.fnUntraced(function* (
  journal: RunJournal,
  proof: string,
  {
    after = 0,
    id,
    until = Infinity
  }: { readonly id: string; readonly after?: number; readonly until?: number }
) {
  const none: Evidence = { kind: "unreadable", id, reason: `the run has not run a proof ${proof}` }
  const calls = new Set<string>()
  let last: string | undefined
  yield* Stream.runForEach(journal.events, (event) =>
    Effect.sync(() => {
      if (event.seq <= after || event.seq > until) return
      if (event.type === "CallScheduled" && scheduled(event) === proof) calls.add(callId(event))
      if (event.type === "CallCompleted" && calls.has(callId(event))) last = callId(event)
    })
  )
  if (last === undefined || journal.state().calls.get(last)?.status !== "completed") return none
  const result = Option.getOrUndefined(decodeProof(yield* journal.readResult(last)))
  return result === undefined ? none : commandEvidence(id, result)
})
