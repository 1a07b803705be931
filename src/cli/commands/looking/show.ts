// `alembic show RUN [CALL]`: what a call was asked, every answer that came, and what it cost.
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { answerText, callDetails } from "../../../engine/inspect/callDetails.ts"
import type { CallRecord } from "../../../engine/inspect/CallRecord.ts"
import { recordsOf } from "../../../engine/inspect/inspectRun.ts"
import { isLost, selectCalls } from "../../../engine/inspect/selectCalls.ts"
import { Journal } from "../../../journal/Journal.ts"
import { badInput, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument, toggle } from "../../flags.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { Output } from "../../Output.ts"
import { callDetailText } from "../../render/run/callText.ts"
import { cureText } from "../../render/errorText.ts"
import { callLines } from "../../render/run/inspectionText.ts"

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80).toWellFormed())

/** The calls that the arguments name, among those of the run. */
export const chosenCalls = Effect.fnUntraced(function* (
  runId: string,
  calls: ReadonlyArray<CallRecord>,
  named: Option.Option<string>,
  which: { readonly failed: boolean; readonly last: boolean }
) {
  if (Option.isSome(named)) {
    const found = selectCalls(calls, named.value)
    return found.length > 0
      ? found
      : yield* badInput("call_missing", `${runId} has no call ${quoted(named.value)}`, {
          cure: `alembic inspect ${runId} (numbers its calls)`
        })
  }
  if (which.failed) return calls.filter(isLost)
  return which.last ? calls.slice(-1) : calls.length === 1 ? calls : undefined
})

/** The one text that a pipe wants. */
const onlyOne = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string | undefined>,
  what: string,
  runId: string
) {
  const [text, ...more] = texts
  if (more.length > 0) {
    return yield* badInput(
      "ambiguous_call",
      `${texts.length} calls are named so; --${what} prints that of one`,
      {
        cure: `alembic show ${runId} NUMBER --${what} (alembic inspect ${runId} numbers its calls)`
      }
    )
  }
  if (text === undefined)
    return yield* badInput("nothing_there", `the call has no ${what}`, { cure: `alembic show ${runId}` })
  return text
})

export default defineCommand({
  name: "show",
  description: "One call of a run: what was asked, every attempt and answer, what it cost, who used it",
  config: {
    run: runArgument,
    call: Argument.String("call").pipe(
      Argument.withDescription("A call's number, its label, or the beginning of its key"),
      Argument.optional
    ),
    failed: toggle("failed", "The calls that failed"),
    last: toggle("last", "The call made last"),
    prompt: toggle("prompt", "Only what was asked, for a pipe"),
    answer: toggle("answer", "Only the answer's text, for a pipe")
  },
  examples: [
    { command: "alembic show @last 3", description: "The third call of the last run" },
    { command: "alembic show @last --failed", description: "Why calls failed" },
    { command: "alembic show @last review --answer > answer.txt", description: "One answer into a file" }
  ],
  handler: Effect.fn("cli.show")(
    function* ({ answer, call, failed, last, prompt, run }) {
      const output = yield* Output
      const runId = yield* resolveRun(run)
      const journal = yield* Effect.mapError((yield* Journal).open(runId, "read"), fromJournal)
      const { calls } = yield* Effect.mapError(recordsOf(journal), fromJournal)
      const chosen = yield* chosenCalls(runId, calls, call, { failed, last })
      if (chosen === undefined) {
        for (const record of calls) yield* output.emit({ type: "Call", ...record })
        yield* output.emit({ type: "ShowSummary", ok: true, runId, calls: calls.length })
        yield* output.print(callLines(calls, output.style).join("\n"))
        return yield* output.print(cureText(`alembic show ${runId} NUMBER`, output.style))
      }
      const details = yield* Effect.mapError(callDetails(journal, calls, chosen), fromJournal)
      if (prompt && !output.json)
        return yield* output.data(
          yield* onlyOne(
            details.map((one) => one.call?.prompt),
            "prompt",
            runId
          )
        )
      if (answer && !output.json)
        return yield* output.data(
          yield* onlyOne(
            details.map(({ result }) => answerText(result)),
            "answer",
            runId
          )
        )
      for (const detail of details) yield* output.emit({ type: "Call", ...detail })
      yield* output.emit({ type: "ShowSummary", ok: true, runId, calls: details.length })
      yield* output.print(
        details.length === 0
          ? "no call failed"
          : details.map((detail) => callDetailText(detail, output.style)).join("\n\n")
      )
    },
    Effect.scoped,
    onJournal
  )
})
