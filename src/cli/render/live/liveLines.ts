// The live view: phases with what runs in them, and one line of sums. No line is wider than the terminal, counted as the
// terminal draws it, and there are never more lines than fit.
import stringWidth from "string-width"
import { costOfRun, toldCost } from "../../../journal/state/RunState.ts"
import { costText } from "../run/costText.ts"
import { countText, dollarsText, durationText } from "../numbers.ts"
import { harmless } from "../../terminal/harmless.ts"
import type { LiveCall, LivePhase, LiveRun } from "./LiveRun.ts"

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** The beginning of a text that takes at most `columns` on a terminal, on one line. */
export const fitted = (text: string, columns: number): string => {
  const line = harmless(text.slice(0, columns * 8).replace(/\s/g, " ")).trimEnd()
  if (stringWidth(line) <= columns) return line
  let width = 0
  let fits = ""
  for (const { segment } of graphemes.segment(line)) {
    width += stringWidth(segment)
    if (width > columns - 1) break
    fits += segment
  }
  return `${fits}…`
}

/** The rows that lines take on a terminal that has become narrower since they were drawn, and has wrapped them. */
export const rowsOf = (lines: ReadonlyArray<string>, columns: number): number =>
  lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0)

/** Of the calls in flight so many are shown, those that run longest; of phases, the last. */
const mostCalls = 8
const mostPhases = 6

export interface Screen {
  readonly columns: number
  readonly rows: number
}

export interface LiveTerms {
  /** US dollars that the run may cost. */
  readonly maxUsd?: number
}

const phaseLine = ({ ended, failed, scheduled, title }: LivePhase, isNow: boolean): string => {
  const lost = failed === 0 ? "" : `  ${failed} failed`
  return `${isNow ? "▸" : " "} ${title ?? "calls"}  ${ended} of ${scheduled}${lost}`
}

const callLine = ({ attempts, name, since, until, waitsSince }: LiveCall, now: number): string => {
  const state =
    until !== undefined
      ? `sleeps ${durationText(Math.max(0, until - now))} more`
      : waitsSince !== undefined
        ? `attempt ${attempts} failed, waits ${durationText(Math.max(0, now - waitsSince))}`
        : attempts > 1
          ? `attempt ${attempts}`
          : ""
  return `    ${durationText(Math.max(0, now - since)).padStart(8)}  ${name}${state === "" ? "" : `  (${state})`}`
}

const remainingText = (live: LiveRun, now: number): string | undefined => {
  const left = live.remaining(now)
  return left === undefined
    ? undefined
    : `about ${durationText(left.about)} left (${durationText(left.from)} to ${durationText(left.to)})`
}

/** The line of sums: also what is said now and then where nothing can be redrawn. */
export const sumsLine = (live: LiveRun, now: number, startedAt: number, { maxUsd }: LiveTerms): string => {
  const { ended, failed, scheduled } = live.all
  const cap = maxUsd === undefined ? "" : ` of ${dollarsText(maxUsd)}`
  const parts = [
    live.phase,
    `${ended}/${scheduled} calls`,
    live.inFlight.size === 0 ? undefined : `${live.inFlight.size} in flight`,
    failed === 0 ? undefined : `${failed} failed`,
    live.parked === 0 ? undefined : `${live.parked} parked`,
    live.waits.size === 0 ? undefined : `waits for ${[...live.waits.keys()].slice(0, 2).join(", ")}`,
    `${countText(live.tokens)} tokens`,
    `${costText(toldCost(costOfRun({ spending: live.spending })), "in flight")}${cap}`,
    durationText(Math.max(0, now - startedAt)),
    remainingText(live, now)
  ]
  return parts.filter((part) => part !== undefined).join(" · ")
}

/** Everything that is drawn, from top to bottom. Times are of the run's clock. */
export const liveLines = (
  live: LiveRun,
  times: { readonly now: number; readonly startedAt: number },
  { columns, rows }: Screen,
  terms: LiveTerms
): ReadonlyArray<string> => {
  const { now, startedAt } = times
  const room = Math.max(0, rows - 3)
  const phases = live.told.slice(-mostPhases)
  const running = [...live.inFlight.values()].toSorted((a, b) => a.since - b.since)
  const left = Math.max(0, Math.min(mostCalls, room - phases.length - 1))
  const shown = new Set(running.slice(0, left))
  const tree = phases.flatMap((phase) => [
    phaseLine(phase, phase.title === live.phase && phase.ended < phase.scheduled),
    ...[...shown].filter((call) => call.phase === phase.title).map((call) => callLine(call, now))
  ])
  const hidden = running.length - shown.size
  const lines = [
    ...(room < 2 ? [] : tree.slice(-room)),
    ...(hidden > 0 && room >= 2 ? [`    … and ${hidden} more in flight`] : []),
    sumsLine(live, now, startedAt, terms)
  ]
  return lines.map((line) => fitted(line, columns - 1))
}
