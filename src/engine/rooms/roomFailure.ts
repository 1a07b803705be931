// The answer of a room that could not do its work: the form of a failed call, so that a slot that holds it is lost
// and nothing takes it for an answer.
import type { Json } from "../../domain/canonicalJson.ts"

/** `code`: the room's own (`contrarian_not_last`, …) or one of the catalogue. */
export const roomFailure = (verb: string, code: string, message: string): Json => ({
  ok: false,
  status: "failed",
  adapterId: verb,
  modelId: "",
  requestId: "",
  durationMs: 0,
  attempts: 0,
  error: { code, message: `h.${verb}: ${message}`, retryable: false }
})
