// Sums: what had been spent and brought at what time, and how long calls took.
import { useMemo } from "preact/hooks"
import type uPlot from "uplot"
import { durationText } from "../domain/durationText.ts"
import { countText, dollarsText } from "../domain/numbersText.ts"
import { axis, colour, Plot } from "./Plot.tsx"
import type { CallLine } from "./RunPage.ts"

const height = 160

/** A sum over time; undefined where it stays nothing. */
const risingOf = (
  calls: ReadonlyArray<CallLine>,
  valueOf: (call: CallLine) => number
): uPlot.AlignedData | undefined => {
  const ended = calls
    .flatMap((call) =>
      call.to === undefined || valueOf(call) === 0 ? [] : [{ at: call.to, value: valueOf(call) }]
    )
    .toSorted((one, other) => one.at - other.at)
  if (ended.length === 0) return undefined
  const begun = calls.reduce((first, { from }) => Math.min(first, from), Infinity)
  let sum = 0
  const sums = ended.map(({ value }) => (sum += value))
  return [
    [0, ...ended.map(({ at }) => at - begun)],
    [0, ...sums]
  ]
}

const Rising = ({
  caption,
  data,
  shown
}: {
  readonly caption: string
  readonly data: uPlot.AlignedData
  readonly shown: (value: number) => string
}) => {
  const total = data[1]?.at(-1) ?? 0
  const options = () => ({
    scales: { x: { time: false } },
    legend: { show: false },
    cursor: { y: false },
    axes: [axis(durationText), axis(shown, 64)],
    series: [{}, { stroke: () => colour("bar"), width: 2, points: { show: false } }]
  })
  return (
    <Plot
      caption={`${caption}: ${shown(total)}`}
      label={`${caption}, in all ${shown(total)}`}
      height={height}
      data={data}
      options={options}
    />
  )
}

const bins = 20

/** How many calls took how long: the end of each bin in milliseconds, and its calls. */
const latenciesOf = (calls: ReadonlyArray<CallLine>): uPlot.AlignedData | undefined => {
  const times = calls.flatMap(({ from, to }) => (to === undefined ? [] : [to - from]))
  const longest = times.reduce((most, time) => Math.max(most, time), 0)
  if (longest === 0) return undefined
  const counts = Array.from({ length: bins }, () => 0)
  for (const time of times) {
    const bin = Math.min(bins - 1, Math.floor((time / longest) * bins))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return [counts.map((_, at) => ((at + 0.5) / bins) * longest), counts]
}

const Latencies = ({ data }: { readonly data: uPlot.AlignedData }) => {
  const longest = (data[0].at(-1) ?? 0) * (bins / (bins - 0.5))
  const drawBars = (plot: uPlot) => {
    const [times, counts = []] = plot.data
    const width = plot.bbox.width / bins
    plot.ctx.fillStyle = colour("bar")
    times.forEach((time, at) => {
      const count = counts[at] ?? 0
      const top = plot.valToPos(count, "y", true)
      if (count > 0)
        plot.ctx.fillRect(
          plot.valToPos(time, "x", true) - width / 2 + 1,
          top,
          width - 2,
          plot.bbox.top + plot.bbox.height - top
        )
    })
  }
  const options = () => ({
    scales: {
      x: { time: false, range: (): [number, number] => [0, longest] },
      y: { range: (_: uPlot, __: number, most: number): [number, number] => [0, most * 1.1] }
    },
    legend: { show: false },
    cursor: { show: false },
    axes: [axis(durationText), axis(countText, 64)],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [drawBars] }
  })
  return (
    <Plot
      caption="How long calls took"
      label={`How long calls took: at most ${durationText(longest)}`}
      height={height}
      data={data}
      options={options}
    />
  )
}

export const Sums = ({ calls }: { readonly calls: ReadonlyArray<CallLine> }) => {
  const dollars = useMemo(() => risingOf(calls, ({ costUsd = 0 }) => costUsd), [calls])
  const tokens = useMemo(() => risingOf(calls, ({ tokens: count = 0 }) => count), [calls])
  const latencies = useMemo(() => latenciesOf(calls), [calls])
  return (
    <div class="plots">
      {dollars && <Rising caption="Dollars spent" data={dollars} shown={dollarsText} />}
      {tokens && <Rising caption="Tokens" data={tokens} shown={countText} />}
      {latencies && <Latencies data={latencies} />}
    </div>
  )
}
