// The answer of a subflow that could not do its work: the form of a failed call, so that a slot that holds it is lost
// and nothing takes it for an answer.
import { Option, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"

/** `code`: the subflow's own (`contrarian_not_last`, …) or one of the catalogue. */
export const subflowFailure = (verb: string, code: string, message: string): Json => ({
  ok: false,
  status: "failed",
  adapterId: verb,
  modelId: "",
  requestId: "",
  durationMs: 0,
  attempts: 0,
  error: { code, message: `h.${verb}: ${message}`, retryable: false }
})

/** A subflow that did not do its work: a mission that does not load, a board that is none, a verb that is not there. */
export interface BrokenSubflow {
  readonly code: string
  readonly message: string
}

const decodeFailure = Schema.decodeUnknownOption(
  Schema.Struct({
    ok: Schema.Literal(false),
    adapterId: Schema.Literals(["mission", "swarm", "council"]),
    error: Schema.Struct({ code: Schema.String, message: Schema.String })
  })
)

const isFailure = (answer: Json | undefined): boolean =>
  typeof answer === "object" && answer !== null && "ok" in answer && answer.ok === false

/** Why a subflow did not do its work, if `answer` says so. */
export const brokenSubflow = (answer: Json | undefined): BrokenSubflow | undefined =>
  // Asked of every answer of a log, and nearly all are sound.
  isFailure(answer)
    ? Option.getOrUndefined(Option.map(decodeFailure(answer), ({ error }) => error))
    : undefined
