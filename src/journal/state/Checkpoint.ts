// Checkpoint: checkpoint.json, how far the log is known to reach and what it adds up to there. Derived from the log
// and written only after it, so that it is never ahead; it vouches for the last line, which no later line does.
import { Effect, Option, Schema } from "effect"
import { defined } from "../../domain/defined.ts"
import { canonicalJsonOf, spellsHalfCharacter } from "../../domain/json/canonicalJson.ts"
import { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import type { LogPosition } from "../log/EventLog.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { costOfRun, RunCost, wholeNanos, type RunState } from "./RunState.ts"

export const RunDigest = Schema.Struct({
  /** What the log says; whether a process works on it is the lock's to say. */
  status: Schema.Literals([
    "completed",
    "incomplete",
    "failed",
    "refused",
    "invalid",
    "suspended",
    "interrupted",
    "open"
  ]),
  startedAt: Schema.optionalKey(Schema.Number),
  calls: Schema.Struct({
    scheduled: Schema.Int,
    completed: Schema.Int,
    cancelled: Schema.Int,
    parked: Schema.Int
  }),
  modelCalls: Schema.Int,
  failed: Schema.Int,
  usage: Schema.Struct({ inputTokens: Schema.Int, outputTokens: Schema.Int }),
  /** Spent, what is not known counted at its reserve. */
  spentUsd: Schema.Number,
  reservedUsd: Schema.Number,
  unpriced: Schema.Int,
  openUnpriced: Schema.Int,
  /** The same told apart. Absent: written by a version that did not. */
  cost: Schema.optionalKey(RunCost),
  reopened: Schema.Int
})
export type RunDigest = typeof RunDigest.Type

export const Checkpoint = Schema.Struct({
  v: Schema.Literal(1),
  runId: RunId,
  lastSeq: Schema.Int,
  /** SHA-256 of the line of `lastSeq`. */
  lastHash: Schema.String,
  /** Size of the log up to there, in bytes. */
  bytes: Schema.Int,
  state: RunDigest
})
export type Checkpoint = typeof Checkpoint.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Checkpoint))

const sumsOf = (
  state: RunState
): Pick<RunDigest, "spentUsd" | "reservedUsd" | "unpriced" | "openUnpriced" | "cost"> => {
  const { heldUnbounded, heldUsd, spentUsd, unknownUsd, unpriced } = state.spending.of()
  return {
    spentUsd: wholeNanos(spentUsd + unknownUsd),
    reservedUsd: heldUsd,
    unpriced,
    openUnpriced: heldUnbounded,
    cost: costOfRun(state)
  }
}

/** The state in short. */
export const digestOf = (state: RunState): RunDigest => ({
  status:
    state.end?.status ??
    (state.suspended === undefined
      ? state.interrupted === undefined
        ? "open"
        : "interrupted"
      : "suspended"),
  ...defined({ startedAt: state.startedAt }),
  calls: { ...state.counts },
  modelCalls: state.modelCalls,
  failed: state.failed,
  usage: state.usage,
  ...sumsOf(state),
  reopened: state.reopened
})

export const checkpointOf = (runId: RunId, position: LogPosition, state: RunDigest): Checkpoint => ({
  v: 1,
  runId,
  lastSeq: position.seq,
  lastHash: position.hash,
  bytes: position.size,
  state
})

/** The bytes of checkpoint.json. */
export const encodeCheckpoint = (checkpoint: Checkpoint): Uint8Array =>
  new TextEncoder().encode(`${canonicalJsonOf(checkpoint)}\n`)

/** Atomic; readers see the old one or the new one. */
export const writeCheckpoint = Effect.fnUntraced(function* (
  path: string,
  checkpoint: Checkpoint
): Effect.fn.Return<void, JournalError, FsPort> {
  const fs = yield* FsPort
  yield* Effect.mapError(fs.replace(path, encodeCheckpoint(checkpoint)), fromFsError)
})

export type CheckpointReading =
  | { readonly _tag: "absent" }
  | { readonly _tag: "unreadable" }
  | { readonly _tag: "read"; readonly checkpoint: Checkpoint }

export const readCheckpoint = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<CheckpointReading, JournalError, FsPort> {
  const fs = yield* FsPort
  const bytes = yield* Effect.catch(fs.readFile(path), (error) =>
    error.code === "ENOENT" ? Effect.succeed(undefined) : Effect.fail(fromFsError(error))
  )
  if (bytes === undefined) return { _tag: "absent" }
  const text = new TextDecoder().decode(bytes)
  const checkpoint = decode(text)
  return Option.isNone(checkpoint) || spellsHalfCharacter(text, checkpoint.value)
    ? { _tag: "unreadable" }
    : { _tag: "read", checkpoint: checkpoint.value }
})
