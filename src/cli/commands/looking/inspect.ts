// `alembic inspect RUN`: one run out of its journal: how it stands, its phases, and every call with what it cost.
import { Effect } from "effect"
import { badInput } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { inspectedRun } from "../../running/inspectedRun.ts"
import { inspectionText } from "../../render/run/inspectionText.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"

export default defineCommand({
  name: "inspect",
  description: "One run: how it stands, its phases, and every call with what it cost",
  config: { run: runArgument },
  examples: [{ command: "alembic inspect @last", description: "The last run" }],
  handler: Effect.fn("cli.inspect")(function* ({ run }) {
    const output = yield* Output
    const inspection = yield* inspectedRun(yield* resolveRun(run))
    if (inspection.run.events === 0)
      return yield* badInput("run_missing", `${inspection.run.runId} has no events yet`, {
        cure: "alembic run"
      })
    yield* output.emit(inspection)
    yield* output.print(inspectionText(inspection, output.style))
  }, onJournal)
})
