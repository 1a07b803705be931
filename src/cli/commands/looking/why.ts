// `alembic why RUN [CALL]`: why it ended as it did, what led there, and the command that leads on.
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { defined } from "../../../domain/defined.ts"
import type { RunErrorInfo } from "../../../domain/run/RunEvent.ts"
import { callDetails } from "../../../engine/inspect/callDetails.ts"
import { explainCall, explainRun, type Explanation } from "../../../engine/inspect/explain.ts"
import { inspectionOf } from "../../../engine/inspect/inspectRun.ts"
import { failureCure, retryRefused } from "../../../engine/run/summarize.ts"
import { Journal } from "../../../journal/Journal.ts"
import type { RunJournal } from "../../../journal/RunJournal.ts"
import { fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument } from "../../flags.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { asTyped } from "../../render/nextCommand.ts"
import { failedCallCure } from "../../render/run/callCures.ts"
import { suspendedCure } from "../../render/run/summaryText.ts"
import { wordsText } from "../../render/run/diffText.ts"
import { nearestCall } from "../../running/nearestCall.ts"
import { typedOf } from "../../settings/runSettings.ts"
import { storedRunOf } from "../../settings/storedRun.ts"
import type { Style } from "../../terminal/style.ts"
import { chosenCalls } from "./show.ts"

const explanationText = ({ steps, verdict }: Explanation, style: Style): string =>
  [style.bold(verdict), ...steps.map((step) => `  ${step.replaceAll("\n", "\n    ")}`)].join("\n")

/** What to type next for the run; undefined for one that is done or at work. */
const cureOfRun = (
  journal: RunJournal,
  status: string,
  error: RunErrorInfo | undefined
): string | undefined => {
  const { runId } = journal
  const state = journal.state()
  const isProgram = journal.meta.blobs["bundle"] === undefined
  switch (status) {
    case "suspended":
      return state.suspended === undefined ? `alembic resume ${runId}` : suspendedCure(runId, state.suspended)
    case "interrupted":
    case "open":
      return isProgram ? "run the program again" : `alembic resume ${runId}`
    case "incomplete":
      return isProgram ? "run the program again" : retryRefused(runId, state)
    case "failed":
    case "refused":
    case "invalid":
      // The run itself said what leads on, where it knew.
      return error?.cure ?? failureCure(runId, error?.code ?? "", state, isProgram)
    default:
      return undefined
  }
}

export default defineCommand({
  name: "why",
  description: "Why a run, or one of its calls, ended as it did, and what leads on",
  config: {
    run: runArgument,
    call: Argument.String("call").pipe(
      Argument.withDescription("A call's number, its label, or the beginning of its key"),
      Argument.optional
    )
  },
  examples: [
    { command: "alembic why @last", description: "Why the last run failed, waits, was slow or dear" },
    {
      command: "alembic why @last review",
      description: "Why the call labelled review was made, and how it went"
    }
  ],
  handler: Effect.fn("cli.why")(
    function* ({ call, run }) {
      const output = yield* Output
      const runId = yield* resolveRun(run)
      const store = yield* Journal
      const journal = yield* Effect.mapError(store.open(runId, "read"), fromJournal)
      const found = yield* Effect.mapError(inspectionOf(journal), fromJournal)
      const isAtWork =
        found.run.status === "open" && (yield* Effect.mapError(store.isAtWork(runId), fromJournal))
      const inspection = {
        ...found,
        run: { ...found.run, status: isAtWork ? ("running" as const) : found.run.status }
      }
      const { kept } = yield* storedRunOf(runId)
      const typed = asTyped(typedOf(kept))
      const runCure = cureOfRun(journal, inspection.run.status, inspection.run.error)
      const next = runCure === undefined ? undefined : typed(runCure)
      if (Option.isNone(call)) {
        const explanation = explainRun(inspection)
        yield* output.emit({ type: "Why", ok: true, runId, ...explanation, ...defined({ next }) })
        yield* output.print(explanationText(explanation, output.style))
        return next === undefined ? undefined : yield* output.print(cureText(next, output.style))
      }
      const chosen = (yield* chosenCalls(runId, inspection.calls, call, { failed: false, last: false })) ?? []
      const details = yield* Effect.mapError(callDetails(journal, inspection.calls, chosen), fromJournal)
      for (const detail of details) {
        const nearest = yield* nearestCall(runId, detail)
        const explanation = explainCall(detail, nearest)
        const hasFailed = detail.failure !== undefined && detail.status !== "parked"
        const cures = [
          hasFailed ? failedCallCure(detail.failure?.code ?? "unknown") : undefined,
          next ?? (hasFailed ? retryRefused(runId, journal.state()) : undefined)
        ].flatMap((cure) => (cure === undefined ? [] : [cure]))
        yield* output.emit({
          type: "Why",
          ok: true,
          runId,
          call: detail.number,
          ...explanation,
          ...defined({ nearest, next: cures.at(-1) })
        })
        const parts = (nearest?.parts ?? []).map(
          ({ part, words }) => `    ${part}: ${wordsText(words, output.style)}`
        )
        yield* output.print([explanationText(explanation, output.style), ...parts].join("\n"))
        for (const cure of cures) yield* output.print(cureText(cure, output.style))
      }
    },
    Effect.scoped,
    onJournal
  )
})
