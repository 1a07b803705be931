// resultBlob: an event whose result is too large for a line and lies in a blob. The line keeps what the state of a run
// needs of it.
import { Option, Schema } from "effect"
import { TokenUsage } from "../../domain/ModelError.ts"
import type { BlobRef, RunEventBody } from "../../domain/run/RunEvent.ts"

const outcomeFields = Schema.Struct({
  ok: Schema.Boolean,
  usage: Schema.optionalKey(TokenUsage),
  costUsd: Schema.optionalKey(Schema.Number),
  /** Absent in the answers of steps and rooms, which cost nothing of their own. */
  adapterId: Schema.optionalKey(Schema.String)
})
const decodeOutcome = Schema.decodeUnknownOption(outcomeFields)

/** The event with its result in `resultBlob`. */
export const withoutResult = (body: RunEventBody, resultBlob: BlobRef): RunEventBody => {
  if (body.type === "RunCompleted") {
    const { result: _, ...rest } = body
    return { ...rest, resultBlob }
  }
  if (body.type !== "CallCompleted") return body
  const { result, ...rest } = body
  const outcome = Option.getOrUndefined(decodeOutcome(result))
  if (outcome === undefined) return { ...rest, resultBlob }
  const { adapterId, ...kept } = outcome
  const known = adapterId === undefined ? { ok: kept.ok, costUsd: 0 } : kept
  return { ...rest, resultBlob, outcome: known }
}
