// inspectRun: one run out of its journal, as `alembic inspect` shows it: how it stands, and every call by phase.
import { Effect, Option, Schema, Stream } from "effect"
import { callId } from "../../domain/Call.ts"
import { TokenUsage } from "../../domain/ModelError.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { digestOf } from "../../journal/state/Checkpoint.ts"
import { Journal } from "../../journal/Journal.ts"
import { costOfRun, knownCost, toldCost, wholeNanos } from "../../journal/state/RunState.ts"
import { fromJournal } from "../CommandError.ts"
import { callName, proofFailure, sleepMsOf } from "../render/run/callName.ts"
import { provenance, type Proven } from "../trust/origin.ts"
import { writtenAt } from "../inputs/runReference.ts"

export interface InspectedCall {
  readonly key: string
  readonly occurrence: number
  readonly label?: string
  /** What it is called: its label, the beginning of its prompt, or what a step of a room is. */
  readonly name: string
  readonly phase?: string
  /** Of what makes calls of its own, or none; absent: a model's. Its tokens and cost are those of its calls. */
  readonly verb?: string
  readonly model?: string
  readonly status: "scheduled" | "completed" | "failed" | "cancelled" | "parked"
  readonly attempts: number
  readonly usage?: TokenUsage
  readonly costUsd?: number
  readonly error?: string
  /** Of a council: turns that nobody took because the money was used up, `bo in ballot`. */
  readonly lostToMoney?: ReadonlyArray<string>
  /** When a sleep that lasts will be over, in milliseconds since the epoch. */
  readonly until?: number
}

const decodeOutcome = Schema.decodeUnknownOption(
  Schema.Struct({
    ok: Schema.Boolean,
    attempts: Schema.optionalKey(Schema.Int),
    usage: Schema.optionalKey(TokenUsage),
    costUsd: Schema.optionalKey(Schema.Number),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.String }))
  })
)

const decodeFailures = Schema.decodeUnknownOption(
  Schema.Struct({
    decision: Schema.String,
    failures: Schema.Array(
      Schema.Struct({ member: Schema.String, phase: Schema.String, reason: Schema.String })
    )
  })
)

const lostTurns = (result: unknown): ReadonlyArray<string> =>
  (Option.getOrUndefined(decodeFailures(result))?.failures ?? [])
    .filter(({ reason }) => reason === "budget")
    .map(({ member, phase }) => `${member} in ${phase}`)

const outcomeOf = (event: RunEvent): Partial<InspectedCall> => {
  if (event.type !== "CallCompleted" && event.type !== "CallParked") return {}
  const result = event.type === "CallCompleted" ? (event.result ?? event.outcome) : event.result
  const outcome = Option.getOrUndefined(decodeOutcome(result))
  if (outcome === undefined) return { status: "completed" }
  const { attempts = 1, costUsd, ok, usage } = outcome
  const error = outcome.error?.code ?? proofFailure(result)
  const lost = lostTurns(result)
  return {
    status: event.type === "CallParked" ? "parked" : ok ? "completed" : "failed",
    attempts,
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd: wholeNanos(costUsd) }),
    ...(error === undefined ? {} : { error }),
    ...(lost.length === 0 ? {} : { lostToMoney: lost })
  }
}

/** What the events say of calls, folded one at a time. */
const fold = (calls: Map<string, InspectedCall>, event: RunEvent): void => {
  if (event.type === "CallScheduled") {
    const { call, key, label, occurrence, phase } = event
    const sleeps = sleepMsOf(event)
    calls.set(callId(event), {
      key,
      occurrence,
      ...(label === undefined ? {} : { label }),
      name: callName(event),
      ...(phase === undefined ? {} : { phase }),
      ...(call.verb === "agent" ? {} : { verb: call.verb }),
      ...(call.model === undefined ? {} : { model: call.model }),
      status: "scheduled",
      attempts: 0,
      ...(sleeps === undefined ? {} : { until: event.at + sleeps })
    })
  } else if (
    event.type === "CallCompleted" ||
    event.type === "CallParked" ||
    event.type === "CallCancelled"
  ) {
    const id = callId(event)
    const known = calls.get(id) ?? {
      key: event.key,
      occurrence: event.occurrence,
      name: `${event.key.slice(0, 12)}#${event.occurrence}`,
      status: "scheduled",
      attempts: 0
    }
    const { until: _, ...over } = known
    const { costUsd, usage, ...outcome } = outcomeOf(event)
    const paid = {
      ...(usage === undefined ? {} : { usage }),
      ...(costUsd === undefined ? {} : { costUsd })
    }
    if (event.type !== "CallCancelled")
      calls.set(id, { ...over, ...outcome, ...(known.verb === undefined ? paid : {}) })
    else if (known.status === "scheduled") calls.set(id, { ...over, status: "cancelled" })
  }
}

/** A run as `inspect` shows it. `proven`: what this machine can prove of it. */
export const inspectRun = Effect.fnUntraced(
  function* (runId: RunId, proven: Proven = {}) {
    const store = yield* Journal
    const journal = yield* store.open(runId, "read")
    const calls = new Map<string, InspectedCall>()
    yield* Stream.runForEach(journal.events, (event) => Effect.sync(() => fold(calls, event)))
    const state = journal.state()
    const { status } = digestOf(state)
    // Whether somebody works on it is not in the log.
    const listing = status === "open" ? (yield* store.list).find((one) => one.runId === runId) : undefined
    const goal =
      journal.meta.parts.goal === undefined ? "" : yield* journal.blobs.get(journal.meta.parts.goal)
    return {
      type: "Inspect" as const,
      ok: true,
      run: {
        runId,
        status: listing?.status ?? status,
        goal: typeof goal === "string" ? goal : "",
        ...(state.startedAt === undefined ? {} : { startedAt: state.startedAt }),
        writtenAt: yield* writtenAt(runId),
        events: state.lastSeq,
        modelCalls: state.modelCalls,
        ...(state.coverage === undefined ? {} : { coverage: state.coverage }),
        ...(state.suspended === undefined ? {} : { suspended: state.suspended }),
        usage: state.usage,
        ...knownCost(costOfRun(state)),
        ...toldCost(costOfRun(state)),
        hermetic: state.hermetic,
        ...provenance(proven, journal),
        versions: journal.meta.versions,
        fingerprints: journal.meta.parts,
        dir: journal.dir
      },
      phases: state.phases,
      calls: [...calls.values()]
    }
  },
  Effect.scoped,
  Effect.catchTag("JournalError", (error) => Effect.fail(fromJournal(error)))
)
export type Inspection = Effect.Success<ReturnType<typeof inspectRun>>
