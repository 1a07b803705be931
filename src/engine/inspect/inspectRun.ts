// inspectRun: one run out of its journal: how it stands, how it ended, and every call by phase.
import { Effect, Stream } from "effect"
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo, RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { Journal } from "../../journal/Journal.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { digestOf } from "../../journal/state/Checkpoint.ts"
import { costOfRun, knownCost, toldCost } from "../../journal/state/RunState.ts"
import { CallRecords } from "./CallRecord.ts"

/** What ended the run, where that was an error; a run that goes on has none. */
const endingOf = (before: RunErrorInfo | undefined, event: RunEvent): RunErrorInfo | undefined => {
  switch (event.type) {
    case "RunFailed":
      return event.error
    case "RunReopened":
    case "RunResumed":
    case "RunCompleted":
      return undefined
    default:
      return before
  }
}

/** The calls of an opened run, and the error that it ended with. */
export const recordsOf = Effect.fnUntraced(function* (journal: RunJournal) {
  const calls = new CallRecords()
  let error: RunErrorInfo | undefined
  yield* Stream.runForEach(journal.events, (event) =>
    Effect.sync(() => {
      calls.fold(event)
      error = endingOf(error, event)
    })
  )
  return { calls: calls.values(), error }
})

/** The goal as it was given; empty where there is none. */
export const goalOf = Effect.fnUntraced(function* ({ blobs, meta }: RunJournal) {
  const goal = meta.parts.goal === undefined ? "" : yield* blobs.get(meta.parts.goal)
  return typeof goal === "string" ? goal : ""
})

/** What is known of an opened run. */
export const inspectionOf = Effect.fnUntraced(function* (journal: RunJournal) {
  const { calls, error } = yield* recordsOf(journal)
  const state = journal.state()
  const { status } = digestOf(state)
  const cost = costOfRun(state)
  return {
    type: "Inspect" as const,
    ok: true,
    run: {
      runId: journal.runId,
      status,
      goal: yield* goalOf(journal),
      ...defined({ startedAt: state.startedAt, error }),
      events: state.lastSeq,
      modelCalls: state.modelCalls,
      ...defined({ coverage: state.coverage, suspended: state.suspended }),
      usage: state.usage,
      ...knownCost(cost),
      ...toldCost(cost),
      hermetic: state.hermetic,
      versions: journal.meta.versions,
      fingerprints: journal.meta.parts,
      dir: journal.dir
    },
    phases: state.phases,
    calls
  }
})

/** The same, with the status `running` while a process works on it: only the lock tells that, and not the log. */
export const standingOf = Effect.fnUntraced(function* (journal: RunJournal) {
  const { run, ...rest } = yield* inspectionOf(journal)
  const isAtWork = run.status === "open" && (yield* (yield* Journal).isAtWork(journal.runId))
  return { ...rest, run: { ...run, status: isAtWork ? ("running" as const) : run.status } }
})

/** A run out of its journal. Fails with the journal's error where there is none, or one that cannot be read. */
export const inspectRun = Effect.fnUntraced(function* (runId: RunId) {
  const store = yield* Journal
  return yield* standingOf(yield* store.open(runId, "read"))
}, Effect.scoped)

export type Inspection = Effect.Success<ReturnType<typeof inspectRun>>
