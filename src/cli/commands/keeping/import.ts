// `alembic import FILE`: takes in an exported run, if it verifies. Nothing is kept of an archive that does not.
import { Effect } from "effect"
import { Journal } from "../../../journal/Journal.ts"
import { badInput, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { pathArgument } from "../../flags.ts"
import { namedFile } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { onJournal } from "../../inputs/runReference.ts"

const cure = "alembic import FILE, which alembic export wrote"

export default defineCommand({
  name: "import",
  description: "Take in an exported run, if it verifies",
  config: {
    file: pathArgument("file", "An archive written by alembic export")
  },
  examples: [{ command: "alembic import run.tar", description: "The run is then here, as it was there" }],
  handler: Effect.fn("cli.import")(function* ({ file }) {
    const output = yield* Output
    const journal = yield* Journal
    const archive = yield* namedFile("archive", file, cure)
    const { bytes, runId, sha256 } = yield* Effect.mapError(journal.import(archive), (error) =>
      error.path === archive && error.errno !== undefined
        ? badInput("unreadable", `archive ${file}: ${error.problem}`, { path: file, cure })
        : fromJournal(error)
    )
    yield* output.emit({ type: "ImportSummary", ok: true, runId, bytes, sha256 })
    yield* output.print(
      `${output.style.green("imported")} ${runId}\n${cureText(`alembic replay ${runId}`, output.style)}`
    )
  }, onJournal)
})
