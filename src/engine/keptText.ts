// What a run has kept beside its spec, by role: the texts of its files, how it was begun.
import { Effect } from "effect"
import type { RunJournal } from "../journal/RunJournal.ts"

/** A text kept in the run's directory under a role (`config`, `fixtures`, …), if there is one. */
export const keptText = Effect.fnUntraced(function* (journal: RunJournal, role: string) {
  const name = journal.meta.blobs[role]
  if (name === undefined) return undefined
  return new TextDecoder().decode(yield* journal.blobs.getBytes(name))
})
