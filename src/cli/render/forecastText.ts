// A forecast for people: a line a phase, the total, and with an earlier run to reuse, the calls that are paid again.
import type { Forecast, Interval, PhaseForecast } from "../running/forecast.ts"
import { countText, dollarsText, plural } from "./numbers.ts"
import { clip, type Style } from "../terminal/style.ts"

const interval = ({ high, low }: Interval, text: (n: number) => string): string =>
  low === high ? text(low) : `${text(low)} to ${text(high)}`

const line = (name: string, { calls, costUsd, reused, tokens }: PhaseForecast): string => {
  const paid =
    reused === 0 ? plural(calls, "call") : `${countText(calls - reused)} of ${plural(calls, "call")}`
  const cost = costUsd === undefined ? "cost unknown" : interval(costUsd, dollarsText)
  return `${name.padEnd(24)}  ${paid.padEnd(16)}  ${`${interval(tokens, countText)} tokens`.padEnd(26)}  ${cost}`
}

export const forecastText = (
  { paidAgain, phases, total }: Forecast,
  reuse: string | undefined,
  gates: ReadonlyArray<string>,
  style: Style
): string => {
  const lines = phases.map((phase) => line(clip(phase.phase ?? "(no phase)", 24), phase))
  lines.push(style.bold(line("total", total)))
  if (reuse !== undefined) {
    lines.push(
      paidAgain.length === 0
        ? `nothing would be paid again: ${reuse} has every answer`
        : `paid again, over ${reuse}:`
    )
    for (const { key, label, n, occurrence, site } of paidAgain) {
      const where = site === undefined ? "" : `  ${site.file}:${site.line}:${site.column}`
      lines.push(
        `  ${String(n).padStart(4)}  ${clip(label ?? `${key.slice(0, 12)}#${occurrence}`, 48)}${style.dim(where)}`
      )
    }
  }
  if (gates.length > 0) {
    lines.push(
      style.dim(
        `not foretold, and taken as passed: ${gates.join(", ")}; every attempt at a fix is counted that there may be`
      )
    )
  }
  lines.push(style.dim("dry run: nothing was asked, spent or kept"))
  return lines.join("\n")
}
