// runMetrics: what a run adds to the program's metrics, one event at a time. Names and units follow OpenTelemetry's:
// seconds, tokens, dollars; what is told apart is told by attributes, never by names.
import { Metric, type Context } from "effect"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunCost } from "../../journal/state/RunState.ts"
import type { ToldCall } from "./toldCall.ts"

type Attributes = Readonly<Record<string, string>>

const calls = Metric.counter("alembic.calls", { description: "Calls that have ended", incremental: true })
const attempts = Metric.counter("alembic.attempts", {
  description: "Attempts at a model, by kind: first, retry, repair, fallback",
  incremental: true
})
const tokens = Metric.counter("gen_ai.client.token.usage", {
  description: "Tokens, by type: input, output",
  incremental: true
})
const cost = Metric.counter("alembic.cost", {
  description: "US dollars, as far as they are known",
  incremental: true
})
const duration = Metric.histogram("gen_ai.client.operation.duration", {
  description: "How long a call took, in seconds",
  boundaries: Metric.boundariesFromIterable([0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600])
})
const refused = Metric.counter("alembic.budget.refused", {
  description: "Calls that a budget refused",
  incremental: true
})
const held = Metric.counter("alembic.budget.held", {
  description: "US dollars held for attempts in flight or in doubt, of the runs at work"
})
const spent = Metric.counter("alembic.budget.spent", {
  description: "US dollars that count as spent against budgets, of the runs worked on by this process"
})
const suspensions = Metric.counter("alembic.suspensions", {
  description: "Runs that were suspended, by reason; outage, quota: a brake has closed",
  incremental: true
})
const runs = Metric.counter("alembic.runs", {
  description: "Runs that have ended, by status",
  incremental: true
})

/** Adds to the metrics of `context`. `told`: what the event says of its call, where it is a model's that has ended. */
export const addToMetrics = (context: Context.Context<never>) => {
  /** Made once for each metric and attributes: making one costs ten times what adding to it does. */
  const made = new Map<string, Metric.Metric<number, unknown>>()
  const add = (metric: Metric.Metric<number, unknown>, by: number, attributes: Attributes): void => {
    const key = [metric.id, ...Object.values(attributes)].join("\0")
    const known = made.get(key) ?? Metric.withAttributes(metric, attributes)
    made.set(key, known)
    known.updateUnsafe(by, context)
  }

  const ended = (told: ToldCall): void => {
    const { adapterId, code, costUsd, inputTokens, modelId, outputTokens, seconds, status } = told
    const model = { "gen_ai.provider.name": adapterId, "gen_ai.request.model": modelId }
    add(calls, 1, { ...model, "alembic.call.status": status })
    add(duration, seconds, model)
    if (inputTokens !== undefined) add(tokens, inputTokens, { ...model, "gen_ai.token.type": "input" })
    if (outputTokens !== undefined) add(tokens, outputTokens, { ...model, "gen_ai.token.type": "output" })
    if (costUsd !== undefined && costUsd > 0) add(cost, costUsd, model)
    if (code === "budget_exceeded") add(refused, 1, model)
  }

  /** What this run has added of either so far: other runs of the process add to the same. */
  const added = { held: 0, spent: 0 }
  const addBudget = ({ heldUsd, spentUsd }: Pick<RunCost, "heldUsd" | "spentUsd">): void => {
    if (heldUsd !== added.held) add(held, heldUsd - added.held, {})
    if (spentUsd !== added.spent) add(spent, spentUsd - added.spent, {})
    added.held = heldUsd
    added.spent = spentUsd
  }

  const addEvent = (event: RunEvent, told: ToldCall | undefined): void => {
    if (told !== undefined) ended(told)
    switch (event.type) {
      case "CallScheduled":
        if (event.call.verb === "agent" && event.paid !== undefined)
          add(attempts, 1, {
            "alembic.attempt.kind": "first",
            "gen_ai.request.model": event.call.model ?? ""
          })
        break
      case "AttemptStarted":
        add(attempts, 1, {
          "alembic.attempt.kind": event.kind,
          "gen_ai.provider.name": event.adapterId,
          "gen_ai.request.model": event.modelId
        })
        break
      case "RunSuspended":
        add(suspensions, 1, { "alembic.suspend.reason": event.reason })
        break
      case "RunCompleted":
      case "RunFailed":
        add(runs, 1, { "alembic.run.status": event.status })
        break
      default:
        break
    }
  }
  return { addEvent, addBudget }
}
