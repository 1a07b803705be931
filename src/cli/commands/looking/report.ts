// `alembic report RUN`: one run as one file to hand on: a page that stands alone, or a summary in Markdown.
import { Effect, Option } from "effect"
import { callDetails } from "../../../engine/inspect/callDetails.ts"
import { Journal } from "../../../journal/Journal.ts"
import { fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { optionalText, runArgument, toggle } from "../../flags.ts"
import { Host } from "../../Host.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { Output } from "../../Output.ts"
import { reportFile } from "../../report/reportFile.ts"
import { reportMarkdown } from "../../report/reportMarkdown.ts"
import { reportedRun } from "../../report/reportedRun.ts"
import { writePage } from "../../report/writePage.ts"
import { callTextOf, runPageOf } from "../../report/runPage.ts"

const readRun = Effect.fnUntraced(function* (runId: string, withTexts: boolean) {
  const store = yield* Journal
  const journal = yield* store.open(yield* store.runId(runId), "read")
  const reported = yield* reportedRun(journal)
  const { calls } = reported.inspection
  const texts = withTexts ? (yield* callDetails(journal, calls, calls)).map(callTextOf) : []
  return { reported, texts }
}, Effect.scoped)

export default defineCommand({
  name: "report",
  description: "One run as one file to hand on: a page that stands alone, or a summary in Markdown",
  config: {
    run: runArgument,
    out: optionalText("out", "<file>", "Where to write it; <run>.html unless given, Markdown goes to stdout"),
    open: toggle("open", "Open it in the browser, once it is written"),
    md: toggle("md", "A summary in Markdown, for a pull request or a step of CI")
  },
  examples: [
    { command: "alembic report @last", description: "run-….html, to open in a browser" },
    { command: 'alembic report @last --md >> "$GITHUB_STEP_SUMMARY"', description: "In CI" }
  ],
  handler: Effect.fn("cli.report")(function* ({ md, open, out, run }) {
    const output = yield* Output
    const runId = yield* resolveRun(run)
    const { reported, texts } = yield* Effect.mapError(readRun(runId, !md), fromJournal)
    const text = md
      ? reportMarkdown(reported)
      : reportFile(yield* (yield* Host).pageCode, runPageOf(reported), texts)
    if (md && Option.isNone(out)) {
      yield* output.emit({ type: "ReportSummary", ok: true, runId, markdown: text })
      return yield* output.data(text.trimEnd())
    }
    const name = Option.getOrElse(out, () => `${runId}.html`)
    const { bytes, path } = yield* writePage(name, text, "alembic report RUN --out FILE")
    yield* output.emit({ type: "ReportSummary", ok: true, runId, path, bytes })
    yield* output.print(`${output.style.green("wrote")} ${name}`)
    if (open) yield* (yield* Host).openInBrowser(path)
  }, onJournal)
})
