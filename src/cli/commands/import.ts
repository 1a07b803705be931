// `alembic import FILE`: takes in an exported run, if it verifies. Nothing is kept of an archive that does not.
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import { defineCommand } from "../defineCommand.ts"
import { resolvePath } from "../inputsText.ts"
import { Output } from "../Output.ts"
import { cureText } from "../render/errorText.ts"
import { onJournal } from "../runReference.ts"

export default defineCommand({
  name: "import",
  description: "Take in an exported run, if it verifies",
  config: {
    file: Argument.String("file").pipe(Argument.withDescription("An archive written by alembic export"))
  },
  examples: [{ command: "alembic import run.tar", description: "The run is then here, as it was there" }],
  handler: Effect.fn("cli.import")(function* ({ file }) {
    const output = yield* Output
    const journal = yield* Journal
    const { bytes, runId, sha256 } = yield* Effect.mapError(
      journal.import(yield* resolvePath(file)),
      fromJournal
    )
    yield* output.emit({ type: "ImportSummary", ok: true, runId, bytes, sha256 })
    yield* output.print(
      `${output.style.green("imported")} ${runId}\n${cureText(`alembic replay ${runId}`, output.style)}`
    )
  }, onJournal)
})
