// What a page or a summary tells of a run, out of its journal.
import { DateTime, Effect, Option, Result, Schema, Stream } from "effect"
import { verdictMarkdown } from "../../council/renderVerdict.ts"
import { Verdict } from "../../council/Verdict.ts"
import { defined } from "../../domain/defined.ts"
import { callDetails, type CallDetail } from "../../engine/inspect/callDetails.ts"
import { explainRun } from "../../engine/inspect/explain.ts"
import { standingOf } from "../../engine/inspect/inspectRun.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import type { Decided, Reported } from "./runPage.ts"

const decodeVerdict = Schema.decodeUnknownResult(Schema.toCodecJson(Verdict))

const verdictsOf = (calls: ReadonlyArray<CallDetail>): Reported["verdicts"] =>
  calls.flatMap(({ name, number, result }) => {
    const verdict = decodeVerdict(result)
    return Result.isSuccess(verdict) ? [{ call: number, name, text: verdictMarkdown(verdict.success) }] : []
  })

/** Everything but the texts of the calls. */
export const reportedRun = Effect.fnUntraced(function* (journal: RunJournal) {
  const inspection = yield* standingOf(journal)
  const { calls } = inspection
  const gates: Array<Decided> = []
  yield* Stream.runForEach(journal.events, (event) =>
    Effect.sync(() => {
      if (event.type === "GateDecided")
        gates.push({ name: event.gate, pass: event.pass, ...defined({ detail: event.detail }) })
    })
  )
  const state = journal.state()
  const councils = calls.filter(({ verb }) => verb === "council")
  const reported: Reported = {
    inspection,
    explanation: explainRun(inspection),
    gates,
    verdicts: councils.length === 0 ? [] : verdictsOf(yield* callDetails(journal, councils, councils)),
    ...defined({ result: Option.getOrUndefined(yield* Effect.option(journal.result)) }),
    durationMs: Math.max(0, state.lastAt - (state.startedAt ?? state.lastAt)),
    made: state.hermetic
      ? "hermetic"
      : `report of ${DateTime.formatIso(yield* DateTime.now)
          .slice(0, 16)
          .replace("T", " ")}Z`
  }
  return reported
})
