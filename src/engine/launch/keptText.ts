// What a run has kept beside its spec, by role: the texts of its files, how it was begun.
import { Effect } from "effect"
import { sha256 } from "../../domain/fingerprint.ts"
import type { DescribedRun } from "../../journal/openRun.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"

/** A text kept in the run's directory under a role (`config`, `fixtures`, …), if there is one. */
export const textOfRole = Effect.fnUntraced(function* (
  journal: Pick<DescribedRun, "meta" | "blobs">,
  role: string
) {
  const name = journal.meta.blobs[role]
  if (name === undefined) return undefined
  return new TextDecoder().decode(yield* journal.blobs.getBytes(name))
})

/** Keeps these texts under their roles from now on, over what the run has kept there. */
export const keepTexts = Effect.fnUntraced(function* (
  journal: RunJournal,
  texts: Readonly<Record<string, string>>
) {
  const roles: Record<string, string> = {}
  for (const [role, text] of Object.entries(texts)) {
    const bytes = new TextEncoder().encode(text)
    if (journal.meta.blobs[role] !== sha256(bytes)) roles[role] = yield* journal.blobs.putBytes(bytes)
  }
  if (Object.keys(roles).length > 0) yield* journal.keep(roles)
})
