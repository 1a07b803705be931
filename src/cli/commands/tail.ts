// `alembic tail RUN`: one run live, from another terminal. It reads the log as it grows and writes nothing; it ends
// when the run ends, waits, or is not worked on any more.
import { Effect, FileSystem, Option } from "effect"
import type { RunEvent } from "../../domain/RunEvent.ts"
import type { RunId } from "../../domain/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import { parseEvent } from "../../journal/LogReader.ts"
import { CommandError, badInput, fromJournal } from "../CommandError.ts"
import { defineCommand } from "../defineCommand.ts"
import { runArgument } from "../flags.ts"
import { whyUnreadable } from "../inputsText.ts"
import { Output } from "../Output.ts"
import { cureText } from "../render/errorText.ts"
import { makeProgress } from "../render/progress.ts"
import { onJournal, resolveRun } from "../runReference.ts"

/** How often the log is looked at, and how many quiet looks pass before asking whether anybody works on the run. */
const lookEvery = "200 millis"
const quietLooks = 10
const chunkBytes = 1024 * 1024

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

/** The complete lines of a growing file, each once. */
const makeFollower = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const refused = (error: Parameters<typeof whyUnreadable>[0]) =>
    badInput("unreadable", `${path}: ${whyUnreadable(error)}`, { path })
  const file = yield* Effect.mapError(fs.open(path, { flag: "r" }), refused)
  let rest: Uint8Array = new Uint8Array(0)

  /** Lines that were completed since the last look, as bytes. */
  const more = Effect.gen(function* () {
    const lines: Array<Uint8Array> = []
    for (;;) {
      const chunk = Option.getOrUndefined(yield* Effect.mapError(file.readAlloc(chunkBytes), refused))
      if (chunk === undefined) return lines
      let bytes = Buffer.concat([rest, chunk])
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
        lines.push(bytes.subarray(0, end))
        bytes = bytes.subarray(end + 1)
      }
      rest = bytes
      if (lines.length > 0) return lines
    }
  })
  return more
})

const isWorkedOn = Effect.fnUntraced(function* (runId: RunId) {
  const runs = yield* Effect.mapError((yield* Journal).list, fromJournal)
  return runs.find((run) => run.runId === runId)?.status === "running"
})

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
      const more = yield* makeFollower(`${journal.directory(runId)}/events.jsonl`)
      const progress = yield* makeProgress
      let events = 0
      let status: string | undefined
      let quiet = 0
      for (;;) {
        const lines = yield* more
        for (const line of lines) {
          const event = Option.getOrUndefined(parseEvent(line))
          if (event === undefined) {
            return yield* new CommandError({
              code: "journal_corrupt",
              message: `line ${events + 1} of ${runId} is not an event`,
              status: "damaged",
              cure: `alembic verify ${runId}`
            })
          }
          events++
          status = restOf(event)
          yield* output.emitLine(new TextDecoder().decode(line))
          if (!output.json) yield* progress.observe(event)
        }
        if (lines.length > 0) quiet = 0
        else if (status !== undefined) break
        else if (++quiet % quietLooks === 0 && !(yield* isWorkedOn(runId))) break
        else yield* Effect.sleep(lookEvery)
      }
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
