// `alembic export RUN`: one run as one file, the same bytes on every machine, with its hash.
import { Effect, Option } from "effect"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import { defineCommand } from "../defineCommand.ts"
import { optionalText, runArgument } from "../flags.ts"
import { resolvePath } from "../inputsText.ts"
import { Output } from "../Output.ts"
import { countText } from "../render/numbers.ts"
import { onJournal, resolveRun } from "../runReference.ts"

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
    const { bytes, sha256 } = yield* Effect.mapError(
      journal.export(runId, yield* resolvePath(file)),
      fromJournal
    )
    yield* output.emit({ type: "ExportSummary", ok: true, runId, file, bytes, sha256 })
    yield* output.print(
      `${output.style.green("exported")} ${runId} to ${file}  ${countText(bytes)} bytes\n  sha256 ${sha256}`
    )
  }, onJournal)
})
