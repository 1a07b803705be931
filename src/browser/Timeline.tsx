// Timeline: when each call was at work, below its phase. What lies between the attempts of one call is waiting, and drawn
// thin. A click opens the call; who does not see or click has the list of calls below.
import { useMemo, useRef } from "preact/hooks"
import type uPlot from "uplot"
import { durationText } from "../domain/durationText.ts"
import { hashOf, usePlace } from "./place.ts"
import { axis, colour, Plot } from "./Plot.tsx"
import type { CallKind, CallLine } from "./RunPage.ts"
import { barAt, lanesOf, type Lanes } from "./timeline.ts"

const laneHeight = 14
/** What the axis below takes. */
const axisHeight = 42

const colours = { completed: "bar", failed: "bad", other: "warn" } as const satisfies Record<CallKind, string>

/** All of it in one pass, in canvas pixels. */
const draw = (lanes: Lanes) => (plot: uPlot) => {
  const { ctx, bbox } = plot
  const lane = bbox.height / lanes.count
  const x = (at: number): number => plot.valToPos(at - lanes.from, "x", true)
  const left = bbox.left
  const right = bbox.left + bbox.width
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const { call, from, lane: at, to } of lanes.bars) {
    const begin = x(from)
    const end = x(to)
    if (end < left || begin > right) continue
    const top = bbox.top + at * lane
    ctx.fillStyle = colour(colours[call.kind])
    if (call.attempts === undefined) {
      ctx.fillRect(begin, top + 1, Math.max(1.5, end - begin), Math.max(1, lane - 2))
      continue
    }
    ctx.fillRect(begin, top + lane / 2 - 1, Math.max(1.5, end - begin), 2)
    for (const [start, stop] of call.attempts)
      ctx.fillRect(x(start), top + 1, Math.max(1.5, x(stop) - x(start)), Math.max(1, lane - 2))
  }
  ctx.fillStyle = colour("ink")
  ctx.font = `${Math.max(9, Math.round(lane * 0.75))}px system-ui, sans-serif`
  ctx.textBaseline = "middle"
  for (const { lane: at, name } of lanes.heads) ctx.fillText(name, left + 4, bbox.top + (at + 0.5) * lane)
  ctx.restore()
}

export const Timeline = ({
  calls,
  phases
}: {
  readonly calls: ReadonlyArray<CallLine>
  readonly phases: ReadonlyArray<string>
}) => {
  const { run } = usePlace()
  const lanes = useMemo(() => lanesOf(calls, phases), [calls, phases])
  // The plot outlives a change of place, not one of its data.
  const opened = useRef(run)
  opened.current = run
  // Axes and zoom are uPlot's; the bars are drawn by the hook.
  const data = useMemo(
    (): uPlot.AlignedData => [
      [0, lanes.to - lanes.from],
      [0, lanes.count]
    ],
    [lanes]
  )
  const options = () => ({
    scales: { x: { time: false }, y: { range: (): [number, number] => [0, lanes.count] } },
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    axes: [axis(durationText), { show: false }],
    series: [{}, { show: true, paths: () => null, points: { show: false } }],
    hooks: { drawClear: [draw(lanes)] }
  })
  const onReady = (plot: uPlot) => {
    plot.over.addEventListener("click", (event) => {
      const box = plot.over.getBoundingClientRect()
      const at = lanes.from + plot.posToVal(event.clientX - box.left, "x")
      const lane = Math.floor(((event.clientY - box.top) / box.height) * lanes.count)
      const near = Math.abs(plot.posToVal(4, "x") - plot.posToVal(0, "x"))
      const bar = barAt(lanes, at, lane, near)
      const { current } = opened
      if (bar !== undefined)
        location.hash = hashOf({ ...(current === undefined ? {} : { run: current }), call: bar.call.number })
    })
  }
  const took = durationText(lanes.to - lanes.from)
  return (
    <Plot
      caption={`Calls over ${took}, a bar each, ${lanes.atOnce} at once at most. Drag to look closer, click twice for all, click a bar to open its call.`}
      label={`Timeline: ${calls.length} calls in ${phases.length} phases over ${took}`}
      className="clickable"
      height={lanes.count * laneHeight + axisHeight}
      data={data}
      options={options}
      onReady={onReady}
    />
  )
}
