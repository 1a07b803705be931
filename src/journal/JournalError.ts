// JournalError: everything that can be wrong with a run's directory, in one type. `code` says what, `path` and
// `line` where, `cure` what to do next. What the file system said is read here, and nowhere else in the room.
import { Schema } from "effect"
import type { FsError } from "../kernel/files/FsPort.ts"
import { ProcessIdentity } from "../kernel/HostIdentity.ts"

export const JournalErrorCode = Schema.Literals([
  /** A line that is not an event: unreadable, empty, two fused. */
  "journal_corrupt",
  /** A readable line that was changed, since its hash is not the one its successor names. */
  "journal_tampered",
  /** A line out of its place: missing, doubled, swapped. */
  "journal_sequence",
  /** The run was there and its log is not. */
  "journal_missing",
  /** The checkpoint knows of events that the log has lost. */
  "checkpoint_ahead",
  "meta_missing",
  /** meta.json is not this run's; `changed` says which parts. */
  "meta_mismatch",
  "blob_corrupt",
  "blob_missing",
  "symlink",
  "bad_id",
  /** What a repair would give up is sound. */
  "still_sound",
  "run_missing",
  "run_exists",
  /** The run of a program: only the program can go on with it. */
  "not_a_plan",
  "file_exists",
  "run_locked",
  "read_only",
  "no_space",
  "not_a_directory",
  "not_a_file",
  /** Written by another version of Alembic. */
  "schema",
  /** The run's journal has come to what it may (journalBound.ts). */
  "journal_full",
  /** An event or a value over its limit. */
  "too_large",
  "not_canonical",
  "archive_invalid",
  "io_error"
])
export type JournalErrorCode = typeof JournalErrorCode.Type

export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  code: JournalErrorCode,
  path: Schema.String,
  problem: Schema.String,
  /** Line of events.jsonl, from 1. */
  line: Schema.optionalKey(Schema.Int),
  cure: Schema.optionalKey(Schema.String),
  /** The errno name, where the file system refused. */
  errno: Schema.optionalKey(Schema.String),
  /** Parts of the spec that differ, of `meta_mismatch`. */
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Who holds the run, of `run_locked`. */
  holder: Schema.optionalKey(ProcessIdentity),
  /** Of `run_locked`: the holder only journals an answer, and is done in a moment. */
  heldFor: Schema.optionalKey(Schema.Literal("answer"))
}) {
  override get message() {
    return `${this.path}${this.line === undefined ? "" : `:${this.line}`}: ${this.problem}`
  }
}

interface Reading {
  readonly code: JournalErrorCode
  readonly problem: string
  readonly cure?: string
}

const readings: Readonly<Record<string, Reading>> = {
  ELOOP: {
    code: "symlink",
    problem: "is a symbolic link, which is not followed inside a run",
    cure: "put the file or directory itself there"
  },
  ENOSPC: { code: "no_space", problem: "the disk is full", cure: "free some space and resume the run" },
  EDQUOT: {
    code: "no_space",
    problem: "the disk quota is used up",
    cure: "free some space and resume the run"
  },
  EROFS: { code: "read_only", problem: "the file system is read-only", cure: "choose another --base-dir" },
  EACCES: {
    code: "read_only",
    problem: "permission denied",
    cure: "check the owner and mode, or choose another --base-dir"
  },
  EPERM: {
    code: "read_only",
    problem: "operation not permitted",
    cure: "check the owner and mode, or choose another --base-dir"
  },
  ENOTDIR: {
    code: "not_a_directory",
    problem: "a file stands where a directory should be",
    cure: "choose another --base-dir"
  },
  EISDIR: {
    code: "not_a_file",
    problem: "a directory stands where a file of the run should be",
    cure: "move it away (no run makes one), then the same again"
  }
}

/** What `mkdir` says where no directory can be, such as below a link that leads nowhere, or in /proc. */
const unmakeable: ReadonlySet<string> = new Set(["ENOENT", "EEXIST", "EINVAL", "ENAMETOOLONG", "ENOTSUP"])
const unmade: Reading = {
  code: "not_a_directory",
  problem: "no directory can be made there",
  cure: "choose another --base-dir"
}

/** What a failed file operation means for the run. */
export const fromFsError = (error: FsError): JournalError => {
  const known = error.op === "mkdir" && unmakeable.has(error.code) ? unmade : readings[error.code]
  const reading = known ?? {
    code: "io_error" as const,
    problem: `${error.op} failed with ${error.code}`,
    cure: "the log is not written any further; check the disk, then resume the run"
  }
  return new JournalError({ ...reading, path: error.path, errno: error.code })
}

/** What was to be written is the matter, too large or no JSON; the log itself is sound, and goes on without it. */
export const isUnwritable = ({ code }: JournalError): boolean =>
  code === "not_canonical" || code === "too_large"

/** What JSON cannot carry is not written. `problem` says where in it, and why. */
export const notCanonical = (path: string, problem: string): JournalError =>
  new JournalError({ code: "not_canonical", path, problem, cure: "hooks take and give plain JSON data" })
