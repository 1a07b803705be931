// From what a person calls a run (`run-3fa…`, a unique beginning of it, `@last`) to the run. What cannot be a run's
// id is refused before any file is looked at.
import { Effect, FileSystem, Option } from "effect"
import { runIdPattern, type RunId } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import { baseDirectory } from "./baseDirectory.ts"
import { badInput, fromJournal } from "../CommandError.ts"
import { isRunName } from "../flags.ts"
import { Host } from "../Host.ts"

/** Runs `self` on the runs of the base directory that the command line names. */
export const onJournal = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const host = yield* Host
    return yield* Effect.provide(self, host.journal(yield* baseDirectory))
  })

/** The run that a flag names, if it was given. */
export const givenRun = (flag: Option.Option<string>) =>
  Option.isNone(flag) ? Effect.succeed(undefined) : onJournal(resolveRun(flag.value))

/** When a run's log was last written: the time by which runs are listed. */
export const writtenAt = Effect.fnUntraced(function* (runId: RunId) {
  const journal = yield* Journal
  const fs = yield* FileSystem.FileSystem
  return yield* fs.stat(`${journal.directory(runId)}/events.jsonl`).pipe(
    Effect.map(({ mtime }) => Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })),
    Effect.orElseSucceed(() => 0)
  )
})

/** All runs, the one written last first. */
export const runsByDate = Effect.fnUntraced(function* () {
  const journal = yield* Journal
  const listings = yield* Effect.mapError(journal.list, fromJournal)
  return listings.toSorted(
    (left, right) => right.writtenAt - left.writtenAt || (left.runId < right.runId ? -1 : 1)
  )
})

const beginning = /^(?:run-)?[0-9a-f]{1,16}$/
const cure = "alembic list"

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80).toWellFormed())

/** The run that `text` names. */
export const resolveRun = Effect.fnUntraced(function* (text: string) {
  const journal = yield* Journal
  if (text !== "@last" && !beginning.test(text)) {
    const called = isRunName(text) ? (yield* runsByDate()).filter(({ name }) => name === text) : []
    const [run, ...more] = called
    if (run !== undefined && more.length === 0) return run.runId
    return yield* run === undefined
      ? badInput("bad_id", `${quoted(text)} is not a run's id, a beginning of one, a run's name, or @last`, {
          cure
        })
      : badInput(
          "ambiguous_id",
          `${called.length} runs are called ${text}: ${called
            .slice(0, 5)
            .map(({ runId }) => runId)
            .join(", ")}`,
          { cure }
        )
  }
  if (runIdPattern.test(text)) {
    const runId = yield* Effect.mapError(journal.runId(text), fromJournal)
    if (yield* Effect.mapError(journal.exists(runId), fromJournal)) return runId
    return yield* badInput("run_missing", `there is no run ${text} in ${journal.baseDir}`, { cure })
  }
  if (text === "@last") {
    const [last] = yield* runsByDate()
    return last === undefined
      ? yield* badInput("run_missing", `there is no run in ${journal.baseDir}`, { cure: "alembic run" })
      : last.runId
  }
  const prefix = text.startsWith("run-") ? text : `run-${text}`
  const found: ReadonlyArray<RunId> = (yield* Effect.mapError(journal.list, fromJournal))
    .map(({ runId }) => runId)
    .filter((runId) => runId.startsWith(prefix))
  const [first, second] = found
  if (first === undefined)
    return yield* badInput("run_missing", `no run in ${journal.baseDir} begins with ${text}`, { cure })
  if (second !== undefined) {
    return yield* badInput(
      "ambiguous_id",
      `${found.length} runs begin with ${text}: ${found.slice(0, 5).join(", ")}`,
      { cure }
    )
  }
  return first
})
