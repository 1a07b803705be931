// Progress: what a person sees of a run while it runs. On a terminal a tree of phases with what runs in them, redrawn as
// its clock ticks; elsewhere a line for each call, and a line of sums every few seconds. It watches events and changes
// nothing.
import { Clock, Effect, Stream } from "effect"
import type { RunEvent, RunEventOf } from "../../../domain/run/RunEvent.ts"
import { sleepMsOf } from "../../../engine/inspect/callName.ts"
import { Output } from "../../Output.ts"
import { clip } from "../../terminal/style.ts"
import { endingOf, LiveRun } from "../live/LiveRun.ts"
import { liveLines, rowsOf, sumsLine, type LiveTerms } from "../live/liveLines.ts"
import { dollarsText, durationText, instantText } from "../numbers.ts"
import { cutText } from "./inspectionText.ts"

/** Milliseconds between two drawings of the live view. */
const frameMs = 100
/** How often its clock ticks while nothing happens. */
const tickMs = 250
/** How often a line of sums is said where nothing can be redrawn. */
const sayMs = 5000
/** Sleeps of at least so many milliseconds are announced. */
const worthSaying = 1000

export interface Progress {
  readonly observe: (event: RunEvent) => Effect.Effect<void>
  readonly issued: (call: { readonly phase?: string | undefined }) => void
  /** Takes the live view away until the next event. */
  readonly rest: Effect.Effect<void>
  /** Takes it away for good. */
  readonly done: Effect.Effect<void>
}

export interface ProgressTerms extends LiveTerms {
  /** What the log held before: the view begins with what is done. */
  readonly before?: Stream.Stream<RunEvent, unknown>
}

/**
 * Watches until the scope ends. With --json nothing is said but the line of sums, on stderr: the events themselves are
 * printed.
 */
export const makeProgress = Effect.fnUntraced(function* (terms: ProgressTerms = {}) {
  const output = yield* Output
  const clock = yield* Clock.Clock
  const { live: isLive, style } = output
  const startedAt = clock.currentTimeMillisUnsafe()
  const live = new LiveRun()
  const { before } = terms
  if (before !== undefined && isLive) {
    yield* Effect.ignore(Stream.runForEach(before, (event) => Effect.sync(() => live.fold(event))))
  }
  let drawnAt = 0
  /** The lines of the view as it stands; none while it is away. */
  let drawn: ReadonlyArray<string> = []
  let over = false
  /** A hermetic run's clock tells no times of this machine: then a call's seconds count from when it was seen. */
  let skew: number | undefined

  const screen = Effect.sync(() => output.screen())
  const redraw = (lines: ReadonlyArray<string>, columns: number) =>
    Effect.suspend(() => {
      const above = Math.max(0, rowsOf(drawn, columns) - 1)
      drawn = lines
      return output.redraw(lines.map(style.dim).join("\n"), above)
    })
  const draw = (force: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (!isLive || over || (!force && now - drawnAt < frameMs)) return Effect.void
      drawnAt = now
      const at = now - (skew ?? 0)
      return Effect.flatMap(screen, (size) => {
        const lines = liveLines(live, { now: at, startedAt: startedAt - (skew ?? 0) }, size, terms)
        return redraw(lines, size.columns)
      })
    })

  const erase = Effect.suspend(() =>
    drawn.length === 0 ? Effect.void : Effect.flatMap(screen, ({ columns }) => redraw([], columns))
  )

  const say = (text: string) =>
    output.json ? Effect.void : Effect.andThen(erase, Effect.andThen(output.note(text), draw(true)))

  const scheduled = (event: RunEventOf<"CallScheduled">) => {
    const ms = sleepMsOf(event)
    if (ms === undefined || ms < worthSaying) return draw(false)
    return say(`${style.yellow("z")} sleeps until ${instantText(event.at + ms)}`)
  }

  const ended = (event: RunEventOf<"CallCompleted">, name: string) => {
    const { code, costUsd, cut, durationMs, failed, reason } = endingOf(event)
    if (failed) {
      const why = reason === undefined ? "" : `: ${clip(reason, 120)}`
      return say(`${style.red("✗")} ${name}${why}${code === undefined ? "" : ` ${style.dim(`[${code}]`)}`}`)
    }
    if (cut) return say(`${style.yellow("✂")} ${name}: ${cutText}`)
    if (isLive) return draw(false)
    const took = durationMs === undefined ? "" : ` ${durationText(durationMs)}`
    return say(
      `${style.green("✓")} ${name}${style.dim(`${took}${costUsd > 0 ? ` ${dollarsText(costUsd)}` : ""}${event.reused === true ? " reused" : ""}`)}`
    )
  }

  const shown = (event: RunEvent, name: string): Effect.Effect<void> => {
    switch (event.type) {
      case "RunStarted":
        return say(style.dim(`run ${event.runId}`))
      case "PhaseStarted":
        return say(style.bold(`▸ ${clip(event.title, 100)}`))
      case "CallScheduled":
        return scheduled(event)
      case "CallCompleted":
        return ended(event, name)
      case "CallParked":
        return say(`${style.yellow("‖")} ${name}: ${clip(event.result.error.message, 120)}`)
      case "Logged":
        return say(
          `  ${clip(event.message, 200)}${event.data === undefined ? "" : style.dim(` ${clip(JSON.stringify(event.data), 120)}`)}`
        )
      case "QuestionAsked":
        return say(`${style.yellow("?")} ${event.item}: ${clip(event.text, 200)}`)
      default:
        return draw(false)
    }
  }

  const progress: Progress = {
    observe: (event) =>
      Effect.suspend(() => {
        const name = "key" in event && "occurrence" in event ? live.nameOf(event) : ""
        skew = clock.currentTimeMillisUnsafe() - event.at
        if (Math.abs(skew) < worthSaying) skew = 0
        live.fold(event)
        return shown(event, name)
      }),
    issued: (call) => live.issued(call),
    rest: erase,
    done: Effect.suspend(() => {
      over = true
      return erase
    })
  }

  const ticking = Effect.suspend(() => (live.inFlight.size > 0 ? draw(true) : Effect.void)).pipe(
    Effect.delay(tickMs),
    Effect.forever
  )
  const saying = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const isIdle = live.inFlight.size === 0 || over
    return isIdle
      ? Effect.void
      : output.note(style.dim(`… ${sumsLine(live, now - (skew ?? 0), startedAt - (skew ?? 0), terms)}`))
  }).pipe(Effect.delay(sayMs), Effect.forever)
  yield* Effect.forkScoped(isLive ? ticking : saying)
  return progress
})
