// `alembic export RUN`: one run as one file, the same bytes on every machine, with its hash.
import { Effect, Option } from "effect"
import { Journal } from "../../../journal/Journal.ts"
import type { JournalError } from "../../../journal/JournalError.ts"
import { badInput, CommandError, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { optionalText, runArgument } from "../../flags.ts"
import { resolvePath } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { countText } from "../../render/numbers.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its directory is not there, or takes no files",
  ENOTDIR: "its directory is none"
}

/** A full disk is no fault of the name that was given; all else that the file system has against it is. */
const unwritable = (file: string, error: JournalError): CommandError =>
  error.code === "no_space"
    ? new CommandError({
        code: error.code,
        message: `archive ${file}: ${error.problem}; nothing is left of it`,
        status: "failed",
        path: file,
        cure: "free some space, or alembic export RUN --to a file on another disk"
      })
    : badInput(
        error.code === "file_exists" ? error.code : "unwritable",
        `archive ${file}: ${reasons[error.errno ?? ""] ?? error.problem}`,
        {
          path: file,
          cure: `alembic export ${error.code === "file_exists" ? "RUN --to ANOTHER.tar" : "RUN --to FILE, in a directory that is there"}`
        }
      )

export default defineCommand({
  name: "export",
  description: "Write a run to one archive file: the same bytes on every machine",
  config: {
    run: runArgument,
    to: optionalText("to", "<file>", "The archive to write, which must not exist (RUN.tar)")
  },
  examples: [
    { command: "alembic export @last --to run.tar", description: "An archive that `alembic import` takes" }
  ],
  handler: Effect.fn("cli.export")(function* ({ run, to }) {
    const output = yield* Output
    const runId = yield* resolveRun(run)
    const journal = yield* Journal
    const file = Option.getOrElse(to, () => `${runId}.tar`)
    const target = yield* resolvePath(file)
    const { bytes, sha256 } = yield* Effect.mapError(journal.export(runId, target), (error) =>
      error.path === target ? unwritable(file, error) : fromJournal(error)
    )
    yield* output.emit({ type: "ExportSummary", ok: true, runId, file, bytes, sha256 })
    yield* output.print(
      `${output.style.green("exported")} ${runId} to ${file}  ${countText(bytes)} bytes\n  sha256 ${sha256}`
    )
  }, onJournal)
})
