// dryRun: the plan runs on the offline model in a directory that is thrown away, and what it did is turned into a
// forecast. With an earlier run to reuse, exactly the calls that would be paid again are listed.
import { Effect } from "effect"
import { AdapterRegistry, type Binding } from "../../adapters/registry/AdapterRegistry.ts"
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo, RunEvent } from "../../domain/run/RunEvent.ts"
import { exitCodeOf } from "../../domain/run/RunStatus.ts"
import type { RunPlanRequest } from "../../engine/Engine.ts"
import { runPlanFile } from "../../engine/launch/runPlanFile.ts"
import { recordsOf } from "../../engine/inspect/inspectRun.ts"
import { Journal } from "../../journal/Journal.ts"
import { forecastOf, foreseenCalls, inFlightUnder, type ForeseenCall } from "./forecast.ts"
import { Host, type ModelSettings } from "../Host.ts"
import { Output } from "../Output.ts"
import { capVerdict, forecastText } from "../render/forecastText.ts"
import { pastCalls } from "./expectation.ts"
import { lendRun } from "./lendRun.ts"
import { untilSignalled } from "../running/untilSignalled.ts"
import { summaryText } from "../render/run/summaryText.ts"

export interface DryRun {
  readonly models: ModelSettings
  readonly baseDir: string
  /** What the run may cost, in US dollars. */
  readonly maxUsd?: number
  readonly request: Omit<RunPlanRequest, "observe" | "stop" | "maxUsd">
}

/** So many past runs tell what the next one will be like. */
const pastRuns = 5

/** What earlier runs of that plan tell of its calls; nothing where there are none, or they cannot be read. */
const pastCallsOf = Effect.fnUntraced(function* (baseDir: string, plan: string) {
  const host = yield* Host
  return yield* Effect.gen(function* () {
    const store = yield* Journal
    const name = plan.split(/[\\/]/).at(-1)
    const runs = (yield* store.list)
      .filter((run) => run.status !== "damaged" && run.plan?.split(/[\\/]/).at(-1) === name)
      .toSorted((a, b) => b.writtenAt - a.writtenAt)
      .slice(0, pastRuns)
    const calls = yield* Effect.forEach(runs, ({ runId }) =>
      Effect.scoped(Effect.flatMap(store.open(runId, "read"), recordsOf)).pipe(
        Effect.map((read) => read.calls),
        Effect.orElseSucceed(() => [])
      )
    )
    return pastCalls(calls.flat())
  }).pipe(
    Effect.provide(host.journal(baseDir)),
    Effect.orElseSucceed(() => pastCalls([]))
  )
})

/** The run is gone with its directory: a cure that names it leads nowhere. */
const withoutRun = ({ cure, ...error }: RunErrorInfo, runId: string): RunErrorInfo =>
  cure === undefined || (runId !== "" && cure.includes(runId)) ? error : { ...error, cure }

/** Its directory is put away when a signal ends it too. */
export const dryRun = (asked: DryRun) => untilSignalled(forecastRun(asked))

const forecastRun = Effect.fnUntraced(function* ({ baseDir, maxUsd, models, request }: DryRun) {
  const host = yield* Host
  const output = yield* Output
  const temporary = yield* host.temporaryDirectory
  if (request.reuse !== undefined) yield* lendRun(baseDir, temporary, request.reuse)
  const events: Array<RunEvent> = []
  const observe = (event: RunEvent) => Effect.sync(() => void events.push(event))
  const past = yield* pastCallsOf(baseDir, request.planName ?? request.plan)
  const { forecast, inFlight, summary } = yield* Effect.gen(function* () {
    const registry = yield* AdapterRegistry
    const ended = yield* runPlanFile({ ...request, approve: "all", observe })
    const calls = foreseenCalls(events)
    const chains = new Map<string, ReadonlyArray<Binding>>()
    for (const { scheduled } of calls) {
      const { model = "" } = scheduled.call
      if (!chains.has(model)) chains.set(model, yield* Effect.orElseSucceed(registry.bind(model), () => []))
    }
    const chainOf = ({ scheduled }: ForeseenCall) => chains.get(scheduled.call.model ?? "") ?? []
    const { concurrency } = request
    return {
      summary: ended,
      forecast: forecastOf(calls, chainOf, { past, ...defined({ concurrency }) }),
      inFlight: maxUsd === undefined ? undefined : inFlightUnder(maxUsd, calls, chainOf)
    }
  }).pipe(Effect.provide(host.engine({ ...models, baseDir: temporary, offline: "as_its_model" })))
  const { paidAgain, phases, total } = forecast
  for (const phase of phases) yield* output.emit({ type: "Forecast", ...phase })
  const again = request.reuse === undefined ? {} : { reuse: request.reuse, paidAgain }
  // The directory is gone: nothing that the summary says of it would be true.
  const { dir: _, runId = "", ...named } = summary
  const rest = named.error === undefined ? named : { ...named, error: withoutRun(named.error, runId) }
  const taken = [...new Set(events.flatMap((event) => (event.type === "GateDecided" ? [event.gate] : [])))]
  const gates = taken.length === 0 ? {} : { takenAsPassed: taken }
  const capped =
    maxUsd === undefined
      ? {}
      : { cap: { maxUsd, verdict: capVerdict(maxUsd, total.costUsd), ...defined({ inFlight }) } }
  yield* output.emit({ type: "Forecast", total: true, ...total, ...again, ...gates, ...capped })
  yield* output.emit({ ...rest, dir: "" })
  yield* output.print(
    forecastText(
      forecast,
      request.reuse,
      taken,
      output.style,
      maxUsd === undefined ? undefined : { maxUsd, inFlight }
    )
  )
  if (summary.status !== "completed") yield* output.note(summaryText({ ...rest, dir: "" }, output.style))
  yield* output.exitWith(exitCodeOf(summary.status))
}, Effect.scoped)
