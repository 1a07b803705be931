// Evidence: what the engine gathered, as structured values. It is read, never interpreted: who made it and why is
// not here. Turning files into evidence is loadEvidence.ts, picking a value out of one is select.ts.
import { Schema } from "effect"

const id = { id: Schema.NonEmptyString }
const Hex256 = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))

/**
 * A file: `sha256` of its bytes, `text` if they are one in a known encoding (a byte order mark is kept as U+FEFF).
 * Without `encoding` that is UTF-8.
 */
export const FileEvidence = Schema.Struct({
  kind: Schema.Literal("file"),
  ...id,
  path: Schema.String,
  sha256: Hex256,
  bytes: Schema.Int,
  text: Schema.optionalKey(Schema.String),
  encoding: Schema.optionalKey(Schema.Literals(["utf-8", "utf-16le", "utf-16be"]))
})

export type FileEvidence = typeof FileEvidence.Type

/** A command that ran. `exitCode` is null if it was killed. `truncated`: its output is not whole. */
export const CommandEvidence = Schema.Struct({
  kind: Schema.Literal("command"),
  ...id,
  command: Schema.Array(Schema.String),
  exitCode: Schema.NullOr(Schema.Int),
  stdout: Schema.String,
  stderr: Schema.String,
  truncated: Schema.optionalKey(Schema.Boolean),
  timedOut: Schema.optionalKey(Schema.Boolean)
})
export type CommandEvidence = typeof CommandEvidence.Type

/** A number: a double, or a decimal in a string where a double has too few digits. */
export const NumberEvidence = Schema.Struct({
  kind: Schema.Literal("number"),
  ...id,
  value: Schema.Union([Schema.Finite, Schema.String]),
  unit: Schema.optionalKey(Schema.NonEmptyString)
})

export const JsonEvidence = Schema.Struct({ kind: Schema.Literal("json"), ...id, value: Schema.Json })

/** A text with where it comes from. */
export const SourceEvidence = Schema.Struct({
  kind: Schema.Literal("source"),
  ...id,
  uri: Schema.String,
  text: Schema.String
})

/** What was looked for and could not be read. It proves nothing and refutes nothing. */
export const UnreadableEvidence = Schema.Struct({
  kind: Schema.Literal("unreadable"),
  ...id,
  reason: Schema.String
})

export const Evidence = Schema.Union([
  FileEvidence,
  CommandEvidence,
  NumberEvidence,
  JsonEvidence,
  SourceEvidence,
  UnreadableEvidence
])
export type Evidence = typeof Evidence.Type

/**
 * Evidence that somebody other than the engine says is so. That a command ran is then no evidence: only a run's own
 * journal says it, by reference.
 */
export const asGiven = (evidence: Evidence): Evidence =>
  evidence.kind === "command"
    ? {
        kind: "unreadable",
        id: evidence.id,
        reason:
          'a command counts as run only where the engine ran it: name it by reference (run:RUN/proof:ID in a claim, kind: "proof" for a council)'
      }
    : evidence
