// Forecast: from the events of a run on the offline model to what the real one may cost and take: calls, tokens, dollars
// and time, phase by phase. Low: every call answers in a word, at once. High: every call takes the longest answer it
// may, and every repair it may need. Expected: as the plan's past runs went, else as models usually answer. Pure.
import { Option, Schema } from "effect"
import type { Binding } from "../../adapters/registry/AdapterRegistry.ts"
import {
  costOf,
  forecastUsd,
  inputBound,
  outputBound,
  reserveUsd,
  utf8Bytes
} from "../../adapters/Pricing.ts"
import { callId } from "../../domain/Call.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { TokenUsage } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import { defaultConcurrency } from "../../engine/run/RunOptions.ts"
import { wholeNanos } from "../../journal/state/RunState.ts"
import { expectedOf, type Expected, type PastCalls } from "./expectation.ts"

export interface Interval {
  readonly low: number
  readonly expected: number
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
  /** Milliseconds, with so many calls in flight at once as the run may have. */
  readonly durationMs: Interval
  /** Of the calls, those that past runs of the plan tell of. */
  readonly known: number
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

const add = (left: Interval, right: Interval): Interval => ({
  low: left.low + right.low,
  expected: left.expected + right.expected,
  high: left.high + right.high
})

/** As dollars are written: sums of fractions carry noise far below what is billed. */
const inNanos = ({ expected, high, low }: Interval): Interval => ({
  low: wholeNanos(low),
  expected: wholeNanos(expected),
  high: wholeNanos(high)
})

const zero: Interval = { low: 0, expected: 0, high: 0 }

/** Low and expected never above high: a past run may have been asked with other bounds. */
const ordered = (low: number, expected: number, high: number): Interval => {
  const most = Math.max(low, high)
  return { low, expected: Math.min(most, Math.max(low, expected)), high: most }
}

/** Bytes a token has at most, about: a call is asked no less than that. */
const mostBytesPerToken = 8

const leastUsage = ({ scheduled }: ForeseenCall) => {
  const { prompt, system = "" } = inputOf(scheduled)
  return { inputTokens: Math.ceil(utf8Bytes(prompt + system) / mostBytesPerToken), outputTokens: 1 }
}

const expectationOf = (
  { scheduled }: ForeseenCall,
  chain: ReadonlyArray<Binding>,
  past: PastCalls
): Expected => {
  const input = inputOf(scheduled)
  const bound = Math.max(1, ...chain.map((link) => outputBound(link, input)))
  return expectedOf(scheduled, input, bound, past)
}

const tokensOf = (call: ForeseenCall, chain: ReadonlyArray<Binding>, expected: Expected): Interval => {
  const input = inputOf(call.scheduled)
  const least = leastUsage(call)
  const high = Math.max(0, ...chain.map((link) => inputBound(input) + outputBound(link, input)))
  return ordered(least.inputTokens + least.outputTokens, expected.inputTokens + expected.outputTokens, high)
}

/** Undefined where a price is not known. */
const costOfCall = (
  call: ForeseenCall,
  chain: ReadonlyArray<Binding>,
  expected: Expected
): Interval | undefined => {
  const [first] = chain
  if (first === undefined || chain.every(({ adapter }) => adapter.free)) return zero
  // One that bounds itself is taken to cost its bound: nothing tells of less.
  const bound = first.price === undefined ? reserveUsd(first, inputOf(call.scheduled)) : undefined
  const low = first.adapter.free || bound !== undefined ? 0 : costOf(first, leastUsage(call))
  const usual = first.adapter.free ? 0 : (bound ?? costOf(first, expected))
  const high = forecastUsd(chain, inputOf(call.scheduled), 2)
  return low === undefined || usual === undefined || high === undefined
    ? undefined
    : ordered(Math.min(low, high), usual, high)
}

/** Milliseconds of one call: at once, as expected, and at the slowest rate that a model that works has. */
const durationOf = (call: ForeseenCall, chain: ReadonlyArray<Binding>, expected: Expected): Interval => {
  const input = inputOf(call.scheduled)
  if (chain.every(({ adapter }) => adapter.free && adapter.id === "offline")) return zero
  const bound = Math.max(1, ...chain.map((link) => outputBound(link, input)))
  return ordered(Math.min(200, expected.durationMs / 4), expected.durationMs, 10_000 + bound * 50)
}

export interface Forecast {
  readonly phases: ReadonlyArray<PhaseForecast>
  readonly total: PhaseForecast
  readonly paidAgain: ReadonlyArray<PaidCall>
}

/** As long as all take in so many lanes, and no less than the longest. */
const inLanes = (each: ReadonlyArray<Interval>, lanes: number): Interval => {
  const all = each.reduce(add, zero)
  const through = (of: (one: Interval) => number) => Math.round(Math.max(of(all) / lanes, ...each.map(of), 0))
  return {
    low: through(({ low }) => low),
    expected: through(({ expected }) => expected),
    high: Math.round(all.high)
  }
}

const sum = (
  phase: string | undefined,
  calls: ReadonlyArray<ForeseenCall>,
  chainOf: (call: ForeseenCall) => ReadonlyArray<Binding>,
  { concurrency = defaultConcurrency, past = new Map() }: ForecastOptions
): PhaseForecast => {
  const made = calls.filter(({ reused }) => !reused)
  let cost: Interval | undefined = zero
  let tokens = zero
  let known = 0
  const durations: Array<Interval> = []
  for (const call of made) {
    const chain = chainOf(call)
    const expected = expectationOf(call, chain, past)
    const one = costOfCall(call, chain, expected)
    if (expected.isKnown) known++
    tokens = add(tokens, tokensOf(call, chain, expected))
    durations.push(durationOf(call, chain, expected))
    cost = cost === undefined || one === undefined ? undefined : add(cost, one)
  }
  return {
    ...defined({ phase }),
    calls: calls.length,
    reused: calls.length - made.length,
    tokens: { ...tokens, expected: Math.round(tokens.expected) },
    ...(cost === undefined ? {} : { costUsd: inNanos(cost) }),
    durationMs: inLanes(durations, concurrency),
    known
  }
}

/** `chainOf`: the models behind a call, with their prices. */
export interface ForecastOptions {
  /** Calls in flight at once. */
  readonly concurrency?: number
  /** What past runs of the plan tell. */
  readonly past?: PastCalls
}

/** How many calls a cap lets fly at once: each is held at its worst case. Undefined where none costs. */
export const inFlightUnder = (
  maxUsd: number,
  calls: ReadonlyArray<ForeseenCall>,
  chainOf: (call: ForeseenCall) => ReadonlyArray<Binding>
): number | undefined => {
  const dearest = Math.max(
    0,
    ...calls.map((call) =>
      Math.max(0, ...chainOf(call).map((link) => reserveUsd(link, inputOf(call.scheduled)) ?? 0))
    )
  )
  return dearest === 0 ? undefined : Math.floor(maxUsd / dearest)
}

export const forecastOf = (
  calls: ReadonlyArray<ForeseenCall>,
  chainOf: (call: ForeseenCall) => ReadonlyArray<Binding>,
  options: ForecastOptions = {}
): Forecast => {
  const names = new Set(calls.map(({ scheduled }) => scheduled.phase))
  const phases = [...names].map((phase) =>
    sum(
      phase,
      calls.filter(({ scheduled }) => scheduled.phase === phase),
      chainOf,
      options
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
  return { phases, total: sum(undefined, calls, chainOf, options), paidAgain }
}
