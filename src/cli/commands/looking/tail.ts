// `alembic tail RUN`: one run live, from another terminal. It reads the log as it grows and writes nothing; it ends
// when the run ends, waits, or is not worked on any more.
import { Effect, Stream } from "effect"
import type { RunEvent } from "../../../domain/run/RunEvent.ts"
import { Journal } from "../../../journal/Journal.ts"
import { fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { eventLine } from "../../render/run/eventLine.ts"
import { cureText } from "../../render/errorText.ts"
import { makeProgress } from "../../render/run/progress.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"

/** What the last event says of the run's being over for now; undefined while it goes on. */
const restOf = (event: RunEvent): string | undefined => {
  switch (event.type) {
    case "RunCompleted":
    case "RunFailed":
      return event.status
    case "RunSuspended":
      return "suspended"
    case "RunInterrupted":
      return "interrupted"
    default:
      return undefined
  }
}

export default defineCommand({
  name: "tail",
  description: "Follow a run from another terminal until it ends or waits",
  config: { run: runArgument },
  examples: [{ command: "alembic tail @last --json", description: "The events as they are appended" }],
  handler: Effect.fn("cli.tail")(
    function* ({ run }) {
      const output = yield* Output
      const runId = yield* resolveRun(run)
      const journal = yield* Journal
      const progress = yield* makeProgress()
      let events = 0
      let status: string | undefined
      yield* journal.events(runId, { follow: true }).pipe(
        Stream.runForEach((event) =>
          Effect.gen(function* () {
            events++
            status = restOf(event)
            yield* output.emitLine(eventLine(event))
            yield* progress.observe(event)
          })
        ),
        Effect.mapError(fromJournal)
      )
      yield* progress.done
      yield* output.emit({ type: "TailSummary", ok: true, runId, events, status: status ?? "open" })
      const next =
        status === undefined || status === "suspended" || status === "interrupted"
          ? `alembic resume ${runId}`
          : `alembic inspect ${runId}`
      yield* output.print(`${status ?? "nobody works on it"} ${runId}\n${cureText(next, output.style)}`)
    },
    Effect.scoped,
    onJournal
  )
})
