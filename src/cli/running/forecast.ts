// Forecast: from the events of a run on the offline model to what the real one may cost: calls, tokens and dollars
// with an interval, phase by phase. Lower: every call answers about as long as the offline one and at once. Upper:
// every call takes the longest answer it may, and every repair it may need. Pure.
import { Option, Schema } from "effect"
import type { Binding } from "../../adapters/registry/AdapterRegistry.ts"
import { costOf, forecastUsd, inputBound, outputBound } from "../../adapters/Pricing.ts"
import { callId } from "../../domain/Call.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { TokenUsage } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import { wholeNanos } from "../../journal/state/RunState.ts"

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface PhaseForecast {
  /** Absent for calls outside any phase. */
  readonly phase?: string
  readonly calls: number
  /** Answered from the run that is reused: not paid again. */
  readonly reused: number
  readonly tokens: Interval
  /** US dollars; absent if a model has no known price. */
  readonly costUsd?: Interval
}

/** A call that would be made, and so paid. */
export interface PaidCall {
  readonly n: number
  readonly key: string
  readonly occurrence: number
  readonly label?: string
  readonly phase?: string
  readonly site?: RunEventOf<"CallScheduled">["site"]
}

type Scheduled = RunEventOf<"CallScheduled">

/** One call with what is known of it. `chain` is empty where its model is not known. */
export interface ForeseenCall {
  readonly scheduled: Scheduled
  readonly usage: TokenUsage | undefined
  readonly reused: boolean
}

const decodeUsage = Schema.decodeUnknownOption(Schema.Struct({ usage: Schema.optionalKey(TokenUsage) }))

/** Calls as the events tell of them, in the order they were issued. */
export const foreseenCalls = (events: ReadonlyArray<RunEvent>): ReadonlyArray<ForeseenCall> => {
  const calls = new Map<string, ForeseenCall>()
  for (const event of events) {
    // A verb that is a room costs what the calls that it makes cost.
    if (event.type === "CallScheduled" && event.call.verb === "agent" && !calls.has(callId(event))) {
      calls.set(callId(event), { scheduled: event, usage: undefined, reused: false })
    } else if (event.type === "CallCompleted") {
      const known = calls.get(callId(event))
      const usage = Option.getOrUndefined(decodeUsage(event.result))?.usage ?? event.outcome?.usage
      if (known !== undefined) calls.set(callId(event), { ...known, usage, reused: event.reused === true })
    }
  }
  return [...calls.values()]
}

const inputOf = ({ call }: Scheduled): ModelRunInput => ({
  prompt: call.prompt ?? "",
  model: call.model ?? "",
  ...defined({ system: call.system, schema: call.schema, maxOutputTokens: call.maxOutputTokens })
})

/** What the model itself would be asked to reserve, not the offline adapter that stands in for it. */
const priced = ({ adapter: { attempt, free, hasSideEffects, id }, ...link }: Binding): Binding => ({
  ...link,
  adapter: { attempt, free, hasSideEffects, id }
})

const add = (left: Interval, right: Interval): Interval => ({
  low: left.low + right.low,
  high: left.high + right.high
})

/** As dollars are written: sums of fractions carry noise far below what is billed. */
const inNanos = ({ high, low }: Interval): Interval => ({ low: wholeNanos(low), high: wholeNanos(high) })

const zero: Interval = { low: 0, high: 0 }

const tokensOf = ({ scheduled, usage }: ForeseenCall, chain: ReadonlyArray<Binding>): Interval => {
  const input = inputOf(scheduled)
  const low = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  const high = Math.max(0, ...chain.map((link) => inputBound(input) + outputBound(link, input)))
  return { low, high: Math.max(low, high) }
}

/** Undefined where a price is not known. */
const costOfCall = (
  { scheduled, usage }: ForeseenCall,
  chain: ReadonlyArray<Binding>
): Interval | undefined => {
  const links = chain.map(priced)
  const [first] = links
  if (first === undefined || links.every(({ adapter }) => adapter.free)) return zero
  const low = first.adapter.free ? 0 : costOf(first, usage)
  const high = forecastUsd(links, inputOf(scheduled), 2)
  return low === undefined || high === undefined ? undefined : { low: Math.min(low, high), high }
}

export interface Forecast {
  readonly phases: ReadonlyArray<PhaseForecast>
  readonly total: PhaseForecast
  readonly paidAgain: ReadonlyArray<PaidCall>
}

const sum = (
  phase: string | undefined,
  calls: ReadonlyArray<ForeseenCall>,
  chainOf: (call: ForeseenCall) => ReadonlyArray<Binding>
): PhaseForecast => {
  const made = calls.filter(({ reused }) => !reused)
  let cost: Interval | undefined = zero
  let tokens = zero
  for (const call of made) {
    const chain = chainOf(call)
    const one = costOfCall(call, chain)
    tokens = add(tokens, tokensOf(call, chain))
    cost = cost === undefined || one === undefined ? undefined : add(cost, one)
  }
  return {
    ...defined({ phase }),
    calls: calls.length,
    reused: calls.length - made.length,
    tokens,
    ...(cost === undefined ? {} : { costUsd: inNanos(cost) })
  }
}

/** `chainOf`: the models behind a call, with their prices. */
export const forecastOf = (
  calls: ReadonlyArray<ForeseenCall>,
  chainOf: (call: ForeseenCall) => ReadonlyArray<Binding>
): Forecast => {
  const names = new Set(calls.map(({ scheduled }) => scheduled.phase))
  const phases = [...names].map((phase) =>
    sum(
      phase,
      calls.filter(({ scheduled }) => scheduled.phase === phase),
      chainOf
    )
  )
  const paidAgain = calls
    .filter(({ reused }) => !reused)
    .map(({ scheduled: { key, label, n, occurrence, phase, site } }): PaidCall => ({
      n,
      key,
      occurrence,
      ...defined({ label, phase, site })
    }))
  return { phases, total: sum(undefined, calls, chainOf), paidAgain }
}
