// Which directory a spec's run is in: its own, or one that was begun when the identity did not say which module is the
// entry. Such a run is taken up where its stored bundle has the same entry, so that nothing is paid twice.
import { Effect, Option, Result, Schema } from "effect"
import { canonicalJson, type NotCanonicalError } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import {
  formerRunIdFor,
  runIdFor,
  specFingerprints,
  type RunId,
  type RunSpec
} from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { changedParts } from "../../journal/store/RunMeta.ts"
import { textOfRole } from "./keptText.ts"

export interface FoundRun {
  readonly runId: RunId
  /** Whether its directory is there. */
  readonly known: boolean
}

const decodeEntry = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ entry: Schema.String })))

/** The parts that the run's meta names, with the entry out of its bundle where the meta has none. */
const recordedParts = Effect.fnUntraced(function* (journal: RunJournal) {
  const { parts } = journal.meta
  if (parts.entry !== undefined) return parts
  const entry = Option.getOrUndefined(decodeEntry(yield* textOfRole(journal, "bundle")))?.entry
  return entry === undefined
    ? parts
    : { ...parts, entry: sha256(Result.getOrElse(canonicalJson(entry), () => "")) }
})

/** In which parts a spec differs from the run of an opened directory. One out of a run's own meta may say no entry. */
export const changedFrom = Effect.fnUntraced(function* (journal: RunJournal, spec: RunSpec) {
  const given = Result.getOrElse(specFingerprints(spec), () => ({}))
  const recorded = spec.entry === undefined ? journal.meta.parts : yield* recordedParts(journal)
  return changedParts(recorded, given)
})

const isOf = Effect.fnUntraced(function* (runId: RunId, spec: RunSpec) {
  const journal = yield* (yield* Journal).open(runId, "read")
  return (yield* changedFrom(journal, spec)).length === 0
}, Effect.scoped)

/** The run of a spec, whether it was begun or not. */
export const findRun = Effect.fnUntraced(function* (
  spec: RunSpec
): Effect.fn.Return<FoundRun, JournalError | NotCanonicalError, Journal> {
  const store = yield* Journal
  const runId = yield* Effect.fromResult(runIdFor(spec))
  if (yield* store.exists(runId)) return { runId, known: true }
  const former = yield* Effect.fromResult(formerRunIdFor(spec))
  if (!(yield* store.exists(former))) return { runId, known: false }
  return (yield* isOf(former, spec)) ? { runId: former, known: true } : { runId, known: false }
})
