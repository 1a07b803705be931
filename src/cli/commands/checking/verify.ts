// `alembic verify RUN`: is the run as it was written? Everything that is wrong is listed; nothing is changed.
import { Effect } from "effect"
import type { RunId } from "../../../domain/run/RunSpec.ts"
import { Journal } from "../../../journal/Journal.ts"
import type { VerifyProblem } from "../../../journal/maintenance/verify.ts"
import { errorInfo, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { plural } from "../../render/numbers.ts"
import { provenance, provenanceText, provenIn, type Provenance } from "../../trust/origin.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"

/** Files that are made from the log: nothing is lost with them. */
const derived: ReadonlySet<VerifyProblem["code"]> = new Set([
  "checkpoint_edited",
  "result_edited",
  "cache_edited"
])

const cureOf = (runId: RunId, problems: ReadonlyArray<VerifyProblem>): string => {
  const first = problems.find(({ line }) => line > 0)
  // A torn tail is no damage by itself: going on with the run cuts it off.
  if (problems.every(({ code }) => derived.has(code) || code === "torn_tail"))
    return `alembic repair ${runId} (what is wrong is derived from the log, and is made again from it)`
  return first === undefined
    ? `restore ${runId} from a copy: move its directory away, then alembic import FILE`
    : `alembic repair ${runId} --truncate-at ${first.line - 1}`
}

/** Damage is one thing, who wrote it another: a line that somebody appended with care is sound. */
const provenanceOf = Effect.fnUntraced(function* (runId: RunId) {
  const journal = yield* Effect.mapError((yield* Journal).open(runId, "read"), fromJournal)
  return provenance(yield* provenIn(runId), journal)
}, Effect.scoped)

export default defineCommand({
  name: "verify",
  description: "Check a run's log, hash chain, blobs and derived files for damage",
  config: { run: runArgument },
  examples: [
    { command: "alembic verify @last --json", description: "Exit 5 and a list of problems if there are any" }
  ],
  failureLine: (error) => ({
    type: "VerifySummary",
    ok: false,
    events: 0,
    vouchedTo: 0,
    problems: [],
    error: errorInfo(error)
  }),
  handler: Effect.fn("cli.verify")(function* ({ run }) {
    const output = yield* Output
    const runId = yield* resolveRun(run)
    const journal = yield* Journal
    const report = yield* Effect.mapError(journal.verify(runId), fromJournal)
    const told: Provenance = report.ok ? yield* provenanceOf(runId) : {}
    yield* output.emit({ type: "VerifySummary", runId, ...report, ...told })
    const { style } = output
    if (report.ok) {
      yield* output.print(
        `${style.green("sound")} ${style.bold(runId)}  ${plural(report.events, "event")}, vouched for to ${report.vouchedTo}`
      )
      for (const line of provenanceText(told)) yield* output.print(`  ${style.yellow(line)}`)
    } else {
      yield* output.print(
        `${style.red("damaged")} ${style.bold(runId)}  ${plural(report.problems.length, "problem")}`
      )
      for (const { code, line, message } of report.problems) {
        yield* output.print(`  ${line > 0 ? `line ${line} ` : ""}${style.dim(`[${code}]`)} ${message}`)
      }
      yield* output.print(cureText(cureOf(runId, report.problems), style))
      yield* output.exitWith(5)
    }
  }, onJournal)
})
