// foldSpending: what one event does to what a run has spent and holds. The projection folds a log by it, and so does
// whoever only watches events go by.
import { Option, Schema } from "effect"
import { callId, type CallRef } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Amount, Spending } from "../../domain/budget/Spending.ts"
import { exactGuardOf } from "../../domain/guardOf.ts"
import { TokenUsage } from "../../domain/ModelError.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const numberIn = (value: Json | undefined, name: string): number | undefined => {
  const found = member(value, name)
  return typeof found === "number" ? found : undefined
}

/** What an answer says of itself. */
export interface Outcome {
  readonly failed: boolean
  /** It is the answer of a model, so that it costs or is known to be free. */
  readonly model: boolean
  readonly attempted: boolean
  readonly costUsd: number | undefined
  readonly usage: TokenUsage
}

const decodeUsage = Schema.decodeUnknownOption(TokenUsage)
const isUsage = exactGuardOf(TokenUsage)
const usageOf = (value: Json | undefined): TokenUsage =>
  value === undefined ? {} : isUsage(value) ? value : Option.getOrElse(decodeUsage(value), () => ({}))

export const outcomeOf = ({ outcome, result }: RunEventOf<"CallCompleted">): Outcome => {
  const told: Json | undefined = outcome === undefined ? result : { adapterId: "", ...outcome }
  return {
    failed: member(told, "ok") === false,
    model: typeof member(told, "adapterId") === "string",
    attempted: numberIn(told, "attempts") !== 0,
    costUsd: numberIn(told, "costUsd"),
    usage: usageOf(member(told, "usage"))
  }
}

/** What an attempt may come to at worst, as its intent says; undefined where it is free. */
const reserveOf = ({
  paid,
  reserveTokens,
  reserveUsd
}: Pick<RunEventOf<"CallScheduled">, "paid" | "reserveUsd" | "reserveTokens">): Amount | undefined =>
  paid === true || reserveUsd !== undefined
    ? { usd: reserveUsd, outputTokens: reserveTokens?.output ?? 0, tokens: reserveTokens?.all ?? 0 }
    : undefined

/** What a room says that it cost is what the calls cost that were made for it, and those are counted. */
export const settleCall = (
  spending: Spending,
  ref: CallRef,
  { attempted, costUsd, model, usage }: Omit<Outcome, "failed">,
  reused: boolean
): void =>
  reused || !model
    ? spending.ended(callId(ref), { costUsd: 0 })
    : spending.ended(callId(ref), { costUsd: attempted ? costUsd : (costUsd ?? 0), usage })

export const foldSpending = (spending: Spending, event: RunEvent): void => {
  switch (event.type) {
    case "CallScheduled":
      return spending.dispatched(callId(event), reserveOf(event), event.scope)
    case "AttemptStarted":
      return spending.attemptStarted(callId(event), reserveOf(event))
    case "AttemptEnded":
      return spending.attemptEnded(callId(event), { costUsd: event.costUsd, usage: event.usage })
    case "CallCompleted":
      return settleCall(spending, event, outcomeOf(event), event.reused ?? false)
    case "CallParked": {
      const { attempts, costUsd, usage = {} } = event.result
      return settleCall(spending, event, { model: true, attempted: attempts !== 0, costUsd, usage }, false)
    }
    case "CallLate": {
      const { costUsd, usage = {} } = event
      return settleCall(spending, event, { model: true, attempted: true, costUsd, usage }, false)
    }
    case "RunRepaired":
      return spending.lost(event)
    default:
      return
  }
}
