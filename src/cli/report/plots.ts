// Plots of a run as SVG: when each call was at work, what had been spent and brought at what time, how long calls took.
// Pure.
import { hasFailed, type CallRecord } from "../../engine/inspect/CallRecord.ts"
import { dollarsText, countText, durationText } from "../render/numbers.ts"
import { html, type Html } from "./html.ts"

const width = 1000
const laneHeight = 12
const mostLanes = 48
/** With more bars than that nobody hits one: they are drawn, and not linked. */
const mostLinked = 2000

interface Bar {
  readonly call: CallRecord
  readonly from: number
  readonly to: number
  readonly lane: number
}

/** Calls in lanes, so that none covers another; those beyond the last lane share it. */
const laned = (calls: ReadonlyArray<CallRecord>): ReadonlyArray<Bar> => {
  const free: Array<number> = []
  return calls.map((call) => {
    const to = call.endedAt ?? call.scheduledAt
    const found = free.findIndex((until) => until <= call.scheduledAt)
    const lane = found >= 0 ? found : Math.min(free.length, mostLanes - 1)
    free[lane] = Math.max(free[lane] ?? 0, to)
    return { call, from: call.scheduledAt, to, lane }
  })
}

/** How a call is marked. */
export const kindOf = (call: Pick<CallRecord, "error" | "status">): "completed" | "failed" | "other" =>
  hasFailed(call) ? "failed" : call.status === "completed" ? "completed" : "other"

const spanOf = (calls: ReadonlyArray<CallRecord>): { readonly from: number; readonly to: number } => {
  let from = Infinity
  let to = 0
  for (const { endedAt, scheduledAt } of calls) {
    from = Math.min(from, scheduledAt)
    to = Math.max(to, endedAt ?? scheduledAt)
  }
  return { from: Math.min(from, to), to: Math.max(to, from === Infinity ? 0 : from + 1) }
}

const fixed = (n: number): string => n.toFixed(1)

/** When each call was at work, one bar a call; `#call-N` is where the call is told of. */
export const timeline = (calls: ReadonlyArray<CallRecord>): Html => {
  const { from, to } = spanOf(calls)
  const bars = laned(calls)
  const lanes = bars.reduce((most, { lane }) => Math.max(most, lane + 1), 1)
  const height = lanes * laneHeight + 20
  const x = (at: number): number => ((at - from) / (to - from)) * (width - 4) + 2
  const isLinked = calls.length <= mostLinked
  const drawn = bars.map(({ call, from: begun, lane, to: ended }) => {
    const kind = kindOf(call)
    const bar = html`<rect
      class="${kind === "completed" ? "bar" : kind}"
      x="${fixed(x(begun))}"
      y="${lane * laneHeight + 1}"
      width="${fixed(Math.max(1.5, x(ended) - x(begun)))}"
      height="${laneHeight - 2}"
    />`
    return isLinked
      ? html`<a href="#call-${call.number}"
          ><title>${`${call.number} ${call.name}, ${durationText(ended - begun)}`}</title>${bar}</a
        >`
      : bar
  })
  return html`<figure>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Calls over time">
      ${drawn}
      <text x="2" y="${height - 5}">0</text>
      <text x="${width - 2}" y="${height - 5}" text-anchor="end">${durationText(to - from)}</text>
    </svg>
    <figcaption>${`Calls over time, a bar each, ${lanes} at once at most`}</figcaption>
  </figure>`
}

/** A sum over time. */
const rising = (
  caption: string,
  calls: ReadonlyArray<CallRecord>,
  valueOf: (call: CallRecord) => number,
  shown: (value: number) => string
): Html | undefined => {
  const { from, to } = spanOf(calls)
  const ended = calls
    .filter((call) => call.endedAt !== undefined && valueOf(call) > 0)
    .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
  const total = ended.reduce((sum, call) => sum + valueOf(call), 0)
  if (total === 0) return undefined
  let sum = 0
  // A thousand points are as many as are seen.
  const each = Math.ceil(ended.length / 1000)
  const points = ended.flatMap((call, at) => {
    sum += valueOf(call)
    if (at % each !== 0 && at !== ended.length - 1) return []
    const x = (((call.endedAt ?? from) - from) / (to - from)) * 396 + 2
    return [`${fixed(x)},${fixed(138 - (sum / total) * 130)}`]
  })
  return html`<figure>
    <svg viewBox="0 0 400 140" role="img" aria-label="${caption}">
      <polyline class="line" points="2,138 ${points.join(" ")}" />
      <text x="398" y="14" text-anchor="end">${shown(total)}</text>
    </svg>
    <figcaption>${caption}</figcaption>
  </figure>`
}

/** How many calls took how long. */
const latencies = (calls: ReadonlyArray<CallRecord>): Html | undefined => {
  const times = calls.flatMap(({ endedAt, scheduledAt }) =>
    endedAt === undefined ? [] : [endedAt - scheduledAt]
  )
  const longest = times.reduce((most, time) => Math.max(most, time), 0)
  if (times.length === 0 || longest === 0) return undefined
  const counts = Array.from({ length: 20 }, () => 0)
  for (const time of times) {
    const bin = Math.min(19, Math.floor((time / longest) * 20))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const most = Math.max(...counts)
  const bars = counts.map(
    (count, at) =>
      html`<rect
        class="bar"
        x="${at * 20 + 1}"
        y="${fixed(124 - (count / most) * 116)}"
        width="18"
        height="${fixed((count / most) * 116)}"
        ><title>${`${count} calls`}</title></rect
      >`
  )
  return html`<figure>
    <svg viewBox="0 0 400 140" role="img" aria-label="How long calls took">
      ${bars}
      <text x="2" y="136">0</text>
      <text x="398" y="136" text-anchor="end">${durationText(longest)}</text>
    </svg>
    <figcaption>How long calls took</figcaption>
  </figure>`
}

export const plots = (calls: ReadonlyArray<CallRecord>): ReadonlyArray<Html> =>
  [
    rising("Dollars spent over time", calls, ({ costUsd = 0 }) => costUsd, dollarsText),
    rising(
      "Tokens over time",
      calls,
      ({ usage }) => (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
      (tokens) => `${countText(tokens)} tokens`
    ),
    latencies(calls)
  ].flatMap((plot) => (plot === undefined ? [] : [plot]))
