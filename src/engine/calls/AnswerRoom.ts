// AnswerRoom: room on the disk for the answers of paid calls in flight. A call keeps its place from its first dispatch
// until it has landed, so that its retries, repairs and next links need no other.
import type { Effect } from "effect"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import type { JournalError } from "../../journal/JournalError.ts"

/** A token is some four bytes; as JSON, beside what the log says of it, four times that at most, but for odd text. */
const bytesOfToken = 16
/** Of an answer that nothing bounds. */
const unboundedBytes = 1024 * 1024
/** What is written of a call besides its answer. */
const leastBytes = 64 * 1024

/** What the answer may come to, in bytes. */
export const answerBytes = ({ maxOutputTokens }: Pick<ModelRunInput, "maxOutputTokens">): number =>
  maxOutputTokens === undefined ? unboundedBytes : leastBytes + maxOutputTokens * bytesOfToken

export const makeAnswerRoom = (hasRoom: (bytes: number) => Effect.Effect<boolean, JournalError>) => {
  const inFlight = new Map<string, number>()
  let sum = 0
  const landed = (id: string): void => {
    sum -= inFlight.get(id) ?? 0
    inFlight.delete(id)
  }
  return {
    /** Whether there is room for one more answer of so many bytes. */
    hasRoomFor: (bytes: number): Effect.Effect<boolean, JournalError> => hasRoom(sum + bytes),
    sent: (id: string, bytes: number): void => {
      landed(id)
      inFlight.set(id, bytes)
      sum += bytes
    },
    landed
  }
}
