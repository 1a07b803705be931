// `alembic list`: the runs under a base directory, newest first.
import { Effect } from "effect"
import { defined } from "../../../domain/defined.ts"
import { defineCommand } from "../../defineCommand.ts"
import { Journal } from "../../../journal/Journal.ts"
import { Host } from "../../Host.ts"
import { Output } from "../../Output.ts"
import { listingText } from "../../render/run/listingText.ts"
import { toldCost } from "../../../journal/state/RunState.ts"
import { onJournal, runsByDate } from "../../inputs/runReference.ts"

export default defineCommand({
  name: "list",
  description: "The runs there are, newest first",
  config: {},
  examples: [{ command: "alembic list --json", description: "One JSON object a run, then the summary" }],
  handler: Effect.fn("cli.list")(function* () {
    const output = yield* Output
    const runs = yield* runsByDate()
    const host = yield* Host
    const journal = yield* Journal
    const foreign = new Set<string>()
    for (const { calls, cost, costUsd, error, goal, runId, startedAt, status, writtenAt } of runs) {
      if ((yield* host.trust.originOf(journal.directory(runId), runId))?.own !== true) foreign.add(runId)
      yield* output.emit({
        runId,
        status,
        goal,
        ...defined({ startedAt }),
        writtenAt,
        calls,
        ...defined({ costUsd }),
        ...(cost === undefined ? {} : toldCost(cost)),
        ...(foreign.has(runId) ? { madeElsewhere: true } : {}),
        ...(error === undefined ? {} : { error: { code: error.code, message: error.message } })
      })
    }
    yield* output.emit({ type: "ListSummary", ok: true, count: runs.length })
    yield* output.print(listingText(runs, output.style, foreign))
  }, onJournal)
})
