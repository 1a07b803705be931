// Progress: what a person sees of a run while it runs. A line for each phase, log and failure, and for each call; on
// a terminal one line that is redrawn instead of a line for each call. It watches events and changes nothing.
import { Clock, Effect, Option, Schema } from "effect"
import { Spending } from "../../../domain/budget/Spending.ts"
import { callId } from "../../../domain/Call.ts"
import { ModelRunResult } from "../../../domain/ModelRun.ts"
import type { RunEvent, RunEventOf } from "../../../domain/run/RunEvent.ts"
import { foldSpending } from "../../../journal/state/foldSpending.ts"
import { costOfRun, toldCost } from "../../../journal/state/RunState.ts"
import { callName, proofFailure, sleepMsOf } from "../../../engine/inspect/callName.ts"
import { Output } from "../../Output.ts"
import { costText } from "./costText.ts"
import { countText, dollarsText, durationText, instantText } from "../numbers.ts"
import { clip } from "../../terminal/style.ts"

/** Milliseconds between two drawings of the live line. */
const frameMs = 100
/** Sleeps of at least so many milliseconds are announced. */
const worthSaying = 1000

const decodeResult = Schema.decodeUnknownOption(ModelRunResult)
/** An answer of a room that is no answer. */
const isRefused = Schema.is(Schema.Struct({ ok: Schema.Literal(false) }))

export interface Progress {
  readonly observe: (event: RunEvent) => Effect.Effect<void>
  /** Takes the live line away. */
  readonly done: Effect.Effect<void>
}

interface Counts {
  scheduled: number
  ended: number
  failed: number
  tokens: number
}

/** For people; with --json the events themselves are printed instead. */
export const makeProgress = Effect.gen(function* () {
  const output = yield* Output
  const clock = yield* Clock.Clock
  const { live, style } = output
  const startedAt = clock.currentTimeMillisUnsafe()
  const counts: Counts = { scheduled: 0, ended: 0, failed: 0, tokens: 0 }
  const spending = new Spending()
  const labels = new Map<string, string>()
  let phase = ""
  let drawnAt = 0
  let drawn = false

  const bar = (width: number): string => {
    const parts = [
      phase === "" ? undefined : phase,
      `${counts.ended}/${counts.scheduled} calls`,
      counts.failed === 0 ? undefined : `${counts.failed} failed`,
      `${countText(counts.tokens)} tokens`,
      costText(toldCost(costOfRun({ spending })), "in flight"),
      durationText(clock.currentTimeMillisUnsafe() - startedAt)
    ]
    return clip(parts.filter((part) => part !== undefined).join(" · "), width - 1)
  }

  const draw = (force: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (live === undefined || (!force && now - drawnAt < frameMs)) return Effect.void
      drawnAt = now
      drawn = true
      return output.redraw(style.dim(bar(live)))
    })

  const erase = Effect.suspend(() => {
    if (!drawn) return Effect.void
    drawn = false
    return output.redraw("")
  })

  const say = (text: string) => Effect.andThen(erase, Effect.andThen(output.note(text), draw(true)))

  const scheduled = (event: RunEventOf<"CallScheduled">) => {
    counts.scheduled++
    labels.set(callId(event), callName(event))
    const ms = sleepMsOf(event)
    if (ms === undefined || ms < worthSaying) return draw(false)
    return say(`${style.yellow("z")} sleeps until ${instantText(event.at + ms)}`)
  }

  const ended = (event: RunEventOf<"CallCompleted">) => {
    const result = Option.getOrUndefined(decodeResult(event.result))
    const notProven = proofFailure(event.result)
    const failed =
      result?.ok === false ||
      event.outcome?.ok === false ||
      notProven !== undefined ||
      isRefused(event.result)
    const costUsd = result?.costUsd ?? event.outcome?.costUsd ?? 0
    const usage = result?.usage ?? event.outcome?.usage
    counts.ended++
    if (failed) counts.failed++
    counts.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
    const id = callId(event)
    const name = labels.get(id) ?? `${event.key.slice(0, 8)}#${event.occurrence}`
    labels.delete(id)
    if (result?.ok === false)
      return say(
        `${style.red("✗")} ${name}: ${clip(result.error.message, 120)} ${style.dim(`[${result.error.code}]`)}`
      )
    if (failed) return say(`${style.red("✗")} ${name}${notProven === undefined ? "" : `: ${notProven}`}`)
    if (live !== undefined) return draw(false)
    const took = result === undefined ? "" : ` ${durationText(result.durationMs)}`
    return say(
      `${style.green("✓")} ${name}${style.dim(`${took}${costUsd > 0 ? ` ${dollarsText(costUsd)}` : ""}${event.reused === true ? " reused" : ""}`)}`
    )
  }

  const observe = (event: RunEvent): Effect.Effect<void> => {
    foldSpending(spending, event)
    switch (event.type) {
      case "RunStarted":
        return say(style.dim(`run ${event.runId}`))
      case "PhaseStarted":
        phase = event.title
        return say(style.bold(`▸ ${clip(event.title, 100)}`))
      case "CallScheduled":
        return scheduled(event)
      case "CallCompleted":
        return ended(event)
      case "CallParked":
        return say(
          `${style.yellow("‖")} ${labels.get(callId(event)) ?? "call"}: ${clip(event.result.error.message, 120)}`
        )
      case "Logged":
        return say(
          `  ${clip(event.message, 200)}${event.data === undefined ? "" : style.dim(` ${clip(JSON.stringify(event.data), 120)}`)}`
        )
      case "QuestionAsked":
        return say(`${style.yellow("?")} ${event.item}: ${clip(event.text, 200)}`)
      default:
        return Effect.void
    }
  }

  const progress: Progress = { observe, done: erase }
  return progress
})
