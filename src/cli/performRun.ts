// performRun: what `run` and `resume` have in common: signals are held, events are shown as they are appended, and
// the summary is the last thing said. How the run is run is the engine's.
import { Deferred, Effect, Fiber } from "effect"
import type { RunEvent } from "../domain/RunEvent.ts"
import { exitCodeOf, type RunSummary } from "../domain/RunSummary.ts"
import type { HowToRun } from "../engine/Engine.ts"
import { Host } from "./Host.ts"
import { Output } from "./Output.ts"
import { eventLine } from "./render/eventLine.ts"
import { makeProgress } from "./render/progress.ts"
import { resultText, summaryText } from "./render/summaryText.ts"

/** Runs `run`, which is given how to watch and stop it, and prints what comes of it. */
export const performRun = <R>(
  run: (how: Pick<HowToRun, "observe" | "stop">) => Effect.Effect<RunSummary, never, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const host = yield* Host
      const output = yield* Output
      const stop = yield* host.holdSignals
      const progress = yield* makeProgress
      const observe = output.json
        ? (event: RunEvent) => output.emitLine(eventLine(event))
        : progress.observe
      const announce = yield* Effect.forkChild(
        Effect.flatMap(Deferred.await(stop), (signal) =>
          output.note(`${signal}: stopping; a second one exits at once`)
        )
      )
      const summary = yield* Effect.ensuring(run({ observe, stop }), progress.done)
      yield* Fiber.interrupt(announce)
      const signal = (yield* Deferred.isDone(stop)) ? yield* Deferred.await(stop) : undefined
      yield* output.emit(summary)
      if (!output.json) {
        yield* output.note(summaryText(summary, output.style))
        if (summary.result !== undefined) yield* output.print(resultText(summary.result))
      }
      yield* output.exitWith(exitCodeOf(summary.status, signal))
      return summary
    })
  )
