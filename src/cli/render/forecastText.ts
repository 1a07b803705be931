// A forecast for people: a line a phase, the total, and with an earlier run to reuse, the calls that are paid again.
import type { Forecast, Interval, PhaseForecast } from "../rehearsal/forecast.ts"
import { countText, dollarsText, durationText, plural } from "./numbers.ts"
import { clip, type Style } from "../terminal/style.ts"

/** `$0.02 ($0.01 to $0.30)`: expected, low and high. */
const interval = ({ expected, high, low }: Interval, text: (n: number) => string): string =>
  low === high ? text(low) : `${text(expected)} (${text(low)} to ${text(high)})`

const line = (name: string, { calls, costUsd, durationMs, reused, tokens }: PhaseForecast): string => {
  const paid =
    reused === 0 ? plural(calls, "call") : `${countText(calls - reused)} of ${plural(calls, "call")}`
  const cost = costUsd === undefined ? "cost unknown" : interval(costUsd, dollarsText)
  return `${name.padEnd(24)}  ${paid.padEnd(16)}  ${`${interval(tokens, countText)} tokens`.padEnd(30)}  ${cost.padEnd(28)}  ${interval(durationMs, durationText)}`
}

/** What a cap means for the run. */
export interface CapForecast {
  readonly maxUsd: number
  /** Calls that it lets fly at once, each held at its worst case; undefined where none costs. */
  readonly inFlight: number | undefined
}

/** Whether the cap stops the run: surely not, likely not, likely, surely. */
export const capVerdict = (maxUsd: number, cost: Interval | undefined): string => {
  if (cost === undefined) return "cannot be told: a price is not known"
  if (cost.high <= maxUsd) return "does not stop it"
  if (cost.low > maxUsd) return "stops it"
  return cost.expected > maxUsd ? "will likely stop it" : "will likely not stop it"
}

const capLines = ({ inFlight, maxUsd }: CapForecast, { costUsd }: PhaseForecast): ReadonlyArray<string> => [
  `--max-usd ${maxUsd} ${capVerdict(maxUsd, costUsd)}${
    inFlight === undefined
      ? ""
      : inFlight === 0
        ? "; it is less than one call is held at"
        : `; it lets ${plural(inFlight, "call")} fly at once`
  }`
]

export const forecastText = (
  { paidAgain, phases, total }: Forecast,
  reuse: string | undefined,
  gates: ReadonlyArray<string>,
  style: Style,
  cap?: CapForecast
): string => {
  const lines = phases.map((phase) => line(clip(phase.phase ?? "(no phase)", 24), phase))
  lines.push(style.bold(line("total", total)))
  lines.push(
    style.dim(
      total.known === 0
        ? "expected (low to high): by the form of the answers, since no past run of this plan tells"
        : `expected (low to high): ${total.known} of ${plural(total.calls - total.reused, "call")} as past runs of this plan went`
    )
  )
  if (cap !== undefined) lines.push(...capLines(cap, total))
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
