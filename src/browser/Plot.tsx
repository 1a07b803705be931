// Plot: one uPlot chart in a figure. It is as wide as its place, takes its colours from the style, and draws itself anew
// when either changes.
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"

export type Colour = "ink" | "dim" | "edge" | "good" | "bad" | "warn" | "bar"

/** A colour of the style, as the theme has it now. */
export const colour = (name: Colour): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

export interface PlotProps {
  readonly caption: string
  /** What it shows, for who does not see it. */
  readonly label: string
  readonly height: number
  readonly data: uPlot.AlignedData
  readonly options: () => Omit<uPlot.Options, "height" | "width">
  readonly onReady?: (plot: uPlot) => void
  readonly className?: string
}

/** An axis in the colours of the theme; `size`: pixels that it takes. */
export const axis = (values: (value: number) => string, size = 32): uPlot.Axis => ({
  stroke: () => colour("dim"),
  grid: { stroke: () => colour("edge"), width: 1 },
  ticks: { stroke: () => colour("edge"), width: 1 },
  font: "11px system-ui, sans-serif",
  size,
  values: (_: uPlot, splits: Array<number>) => splits.map(values)
})

export const Plot = ({ caption, className, data, height, label, onReady, options }: PlotProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const parent = place.current
    if (parent === null) return undefined
    const width = () => Math.max(120, Math.floor(parent.clientWidth))
    const plot = new uPlot({ ...options(), width: width(), height }, data, parent)
    onReady?.(plot)
    const resized = new ResizeObserver(() => {
      if (width() !== plot.width) plot.setSize({ width: width(), height })
    })
    resized.observe(parent)
    const theme = matchMedia("(prefers-color-scheme: dark)")
    const redraw = () => plot.redraw()
    theme.addEventListener("change", redraw)
    return () => {
      theme.removeEventListener("change", redraw)
      resized.disconnect()
      plot.destroy()
    }
  }, [data, height])
  return (
    <figure>
      <div
        ref={place}
        role="img"
        aria-label={label}
        {...(className === undefined ? {} : { class: className })}
      />
      <figcaption>{caption}</figcaption>
    </figure>
  )
}
