// `alembic report RUN`: one run as one file to hand on: a page that stands alone, or a summary in Markdown.
import { DateTime, Effect, FileSystem, Option, Result, Schema, Stream } from "effect"
import { verdictMarkdown } from "../../../council/renderVerdict.ts"
import { Verdict } from "../../../council/Verdict.ts"
import { defined } from "../../../domain/defined.ts"
import { callDetails, type CallDetail } from "../../../engine/inspect/callDetails.ts"
import { explainRun } from "../../../engine/inspect/explain.ts"
import { inspectionOf } from "../../../engine/inspect/inspectRun.ts"
import { Journal } from "../../../journal/Journal.ts"
import { badInput, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { optionalText, runArgument, toggle } from "../../flags.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { resolvePath, whyUnreadable } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { reportMarkdown, reportPage, type Decided, type Reported } from "../../report/reportPage.ts"

const decodeVerdict = Schema.decodeUnknownResult(Schema.toCodecJson(Verdict))

const verdictsOf = (calls: ReadonlyArray<CallDetail>): Reported["verdicts"] =>
  calls.flatMap(({ name, number, result, verb }) => {
    const verdict = verb === "council" ? decodeVerdict(result) : undefined
    return verdict !== undefined && Result.isSuccess(verdict)
      ? [{ call: number, name, text: verdictMarkdown(verdict.success) }]
      : []
  })

const reportedOf = Effect.fnUntraced(function* (runId: string) {
  const store = yield* Journal
  const journal = yield* store.open(yield* store.runId(runId), "read")
  const inspection = yield* inspectionOf(journal)
  const gates: Array<Decided> = []
  yield* Stream.runForEach(journal.events, (event) =>
    Effect.sync(() => {
      if (event.type === "GateDecided")
        gates.push({ name: event.gate, pass: event.pass, ...defined({ detail: event.detail }) })
    })
  )
  const state = journal.state()
  const calls = yield* callDetails(journal, inspection.calls, inspection.calls)
  const reported: Reported = {
    inspection,
    calls,
    explanation: explainRun(inspection),
    gates,
    verdicts: verdictsOf(calls),
    ...defined({ result: Option.getOrUndefined(yield* Effect.option(journal.result)) }),
    durationMs: Math.max(0, state.lastAt - (state.startedAt ?? state.lastAt)),
    made: state.hermetic
      ? "hermetic"
      : `report of ${DateTime.formatIso(yield* DateTime.now)
          .slice(0, 16)
          .replace("T", " ")}Z`
  }
  return reported
}, Effect.scoped)

export default defineCommand({
  name: "report",
  description: "One run as one file to hand on: a page that stands alone, or a summary in Markdown",
  config: {
    run: runArgument,
    out: optionalText("out", "<file>", "Where to write it; <run>.html unless given, Markdown goes to stdout"),
    md: toggle("md", "A summary in Markdown, for a pull request or a step of CI")
  },
  examples: [
    { command: "alembic report @last", description: "run-….html, to open in a browser" },
    { command: 'alembic report @last --md >> "$GITHUB_STEP_SUMMARY"', description: "In CI" }
  ],
  handler: Effect.fn("cli.report")(function* ({ md, out, run }) {
    const output = yield* Output
    const fs = yield* FileSystem.FileSystem
    const runId = yield* resolveRun(run)
    const reported = yield* Effect.mapError(reportedOf(runId), fromJournal)
    const text = md ? reportMarkdown(reported) : reportPage(reported)
    if (md && Option.isNone(out)) {
      yield* output.emit({ type: "ReportSummary", ok: true, runId, markdown: text })
      return yield* output.print(text.trimEnd())
    }
    const name = Option.getOrElse(out, () => `${runId}.html`)
    const path = yield* resolvePath(name)
    // Whoever looks at it meanwhile sees the report before, or this one.
    const unfinished = `${path}.unfinished`
    const written = Effect.andThen(fs.writeFileString(unfinished, text), fs.rename(unfinished, path))
    yield* Effect.mapError(
      Effect.onError(written, () => Effect.ignore(fs.remove(unfinished))),
      (error) =>
        badInput("unwritable", `${name} cannot be written: ${whyUnreadable(error)}`, {
          path: name,
          cure: "alembic report RUN --out FILE"
        })
    )
    yield* output.emit({
      type: "ReportSummary",
      ok: true,
      runId,
      path,
      bytes: new TextEncoder().encode(text).length
    })
    yield* output.print(`${output.style.green("wrote")} ${name}`)
  }, onJournal)
})
