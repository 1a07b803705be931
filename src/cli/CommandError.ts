// CommandError: why a command could not do its work, as one type for all commands: what for machines, what for
// people, the exit code, and the next command to type. How it is printed is Output's.
import * as Schema from "effect/Schema"
import type { RegistryError } from "../adapters/registry/AdapterRegistry.ts"
import { defined } from "../domain/defined.ts"
import type { RunErrorInfo } from "../domain/run/RunEvent.ts"
import { exitCodeOf, RunStatus } from "../domain/run/RunStatus.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { journalErrorInfo, journalStatus } from "../journal/state/journalStatus.ts"

export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", {
  code: Schema.String,
  message: Schema.String,
  /** What it means, in the words of a run: decides the exit code. */
  status: RunStatus,
  /** The next command to type, or what to change. */
  cure: Schema.optionalKey(Schema.String),
  /** The file that is meant, where `path` is a place inside it. */
  file: Schema.optionalKey(Schema.String),
  path: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Of an interrupted command: what interrupted it. */
  signal: Schema.optionalKey(Schema.String)
}) {
  get exit(): number {
    return exitCodeOf(this.status, this.signal)
  }
}

interface Where {
  readonly cure?: string
  readonly file?: string
  readonly path?: string
  readonly line?: number
  readonly column?: number
}

/** Bad input: nothing was begun. Exit code 2. */
export const badInput = (code: string, message: string, where: Where = {}): CommandError =>
  new CommandError({ code, message, status: "invalid", ...where })

/** A broken run directory, for a command. */
export const fromJournal = (error: JournalError): CommandError =>
  new CommandError({
    ...journalErrorInfo(error),
    status: journalStatus(error),
    ...defined({ changed: error.changed })
  })

export const fromRegistry = ({ code, cure, message }: RegistryError): CommandError =>
  badInput(code, message, { cure })

/** The part of it that a summary carries. */
export const errorInfo = ({ code, column, cure, file, line, message, path }: CommandError): RunErrorInfo => ({
  code,
  message,
  ...defined({ file, path, line, column, cure })
})
