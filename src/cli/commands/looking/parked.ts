// `alembic parked`: runs that are suspended, why, until when, and on which items.
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { defineCommand } from "../../defineCommand.ts"
import { Output } from "../../Output.ts"
import { parkedText } from "../../render/run/itemText.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { parkedRuns } from "../../running/waitingItems.ts"

export default defineCommand({
  name: "parked",
  description: "Suspended runs: why, until when, and on which items",
  config: {
    run: Argument.String("run").pipe(Argument.withDescription("Only this run"), Argument.optional)
  },
  examples: [{ command: "alembic parked", description: "Every suspended run, with how to go on" }],
  handler: Effect.fn("cli.parked")(function* ({ run }) {
    const output = yield* Output
    const runs = yield* parkedRuns(Option.getOrUndefined(run))
    for (const one of runs) {
      yield* output.emit(one)
      yield* output.print(parkedText(one, output.style))
    }
    yield* output.emit({ type: "ParkedSummary", ok: true, count: runs.length })
    if (runs.length === 0) yield* output.print("nothing is parked")
  }, onJournal)
})
