// `alembic diff A [B]`: what differs between two runs, or between a run and its plan as it is now, call by call, word by
// word.
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { defined } from "../../../domain/defined.ts"
import { differs, diffRuns, type ComparedRun } from "../../../engine/inspect/diffRuns.ts"
import { defineCommand } from "../../defineCommand.ts"
import { optionalText, textOr, toggle } from "../../flags.ts"
import { Host } from "../../Host.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { namedFile, resolvePath } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { diffText } from "../../render/run/diffText.ts"
import { diffFile } from "../../report/reportFile.ts"
import { diffPageOf } from "../../report/diffPage.ts"
import { writePage } from "../../report/writePage.ts"
import { comparedRun } from "../../running/comparedRun.ts"
import { rehearsedRun } from "../../rehearsal/rehearsedRun.ts"
import { storedRun } from "../../settings/storedRun.ts"

const runNamed = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** The plan of today, as it would run on what that run was given and answered. */
const rehearsed = Effect.fnUntraced(function* (runId: string, plan: string) {
  yield* namedFile("plan", plan, "--plan FILE, or another run: alembic diff A B")
  return yield* rehearsedRun(yield* storedRun(runId), yield* resolvePath(plan), plan, yield* baseDirectory)
})

const side = ({ calls, costUsd, durationMs, runId, status, supposed }: ComparedRun) => ({
  runId: supposed === undefined ? runId : "",
  status,
  calls: calls.length,
  ...defined({ costUsd, supposed: supposed?.size }),
  durationMs
})

export default defineCommand({
  name: "diff",
  description:
    "What differs between two runs, or a run and its edited plan: calls, prompts and answers word by word",
  config: {
    a: runNamed("a", "A run's id, a unique beginning of one, or @last"),
    b: Argument.optional(
      runNamed("b", "The run it is compared with; without, the plan as it is now, on A's inputs and answers")
    ),
    plan: textOr("plan", "<file>", "Without B: the plan", "alembic.plan.ts"),
    html: optionalText("html", "<file>", "Write it as a page that stands alone"),
    exitCode: toggle("exit-code", "Exit with 1 where they differ")
  },
  examples: [
    { command: "alembic diff @last", description: "What the plan, edited since, would ask otherwise" },
    { command: "alembic diff 3fa9 @last", description: "What the last run did otherwise" }
  ],
  handler: Effect.fn("cli.diff")(function* ({ a, b, exitCode, html, plan }) {
    const output = yield* Output
    const left = yield* comparedRun(yield* resolveRun(a))
    const right = Option.isSome(b)
      ? yield* comparedRun(yield* resolveRun(b.value))
      : yield* rehearsed(left.runId, plan)
    const diff = diffRuns(left, right)
    const isAnother = diff.first !== undefined || diff.result !== undefined
    for (const pair of diff.pairs.filter(differs)) yield* output.emit({ type: "CallPair", ...pair })
    const { pairs: _, ...counts } = diff
    const written = Option.isSome(html)
      ? yield* writePage(
          html.value,
          diffFile(yield* (yield* Host).pageCode, diffPageOf(left, right, diff)),
          "alembic diff A B --html FILE"
        )
      : undefined
    yield* output.emit({
      type: "DiffSummary",
      ok: true,
      identical: !isAnother,
      a: side(left),
      b: side(right),
      ...counts,
      ...defined({ path: written?.path })
    })
    yield* output.print(diffText(left, right, diff, output.style))
    if (Option.isSome(html)) yield* output.print(`${output.style.green("wrote")} ${html.value}`)
    if (isAnother && exitCode) yield* output.exitWith(1)
  }, onJournal)
})
