// parkedFile: t4-parked.jsonl, what of a run is parked for a person: one line an approval that nobody has given yet.
// Derived from the log for whoever looks into the directory; the log is what counts, and nothing reads this.
import { Effect } from "effect"
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import type { RunState } from "../state/RunState.ts"

/** The text of the file; empty where nothing is parked. A call in doubt is not: it was let in before. */
export const parkedText = ({ end, questions }: Pick<RunState, "end" | "questions">): string => {
  if (end !== undefined) return ""
  const lines = [...questions.values()].flatMap(({ answer, event }) => {
    const { choices = [], item, key, kind, occurrence, text } = event
    if (answer !== undefined || kind !== "approval" || !choices.includes("approve")) return []
    return [`${canonicalJsonOf({ item, key, occurrence, text, choices })}\n`]
  })
  return lines.join("")
}

/** Writes it, or takes it away. A run that never asked for anything is not touched. */
export const writeParked = Effect.fnUntraced(function* (
  path: string,
  state: RunState
): Effect.fn.Return<void, JournalError, FsPort> {
  if (state.questions.size === 0) return
  const fs = yield* FsPort
  const text = parkedText(state)
  yield* Effect.mapError(
    text === "" ? fs.remove(path) : fs.replace(path, new TextEncoder().encode(text)),
    fromFsError
  )
})
