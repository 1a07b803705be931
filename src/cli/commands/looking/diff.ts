// `alembic diff A B`: what differs between two runs, call by call, word by word.
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { diffRuns } from "../../../engine/inspect/diffRuns.ts"
import { defineCommand } from "../../defineCommand.ts"
import { toggle } from "../../flags.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { Output } from "../../Output.ts"
import { diffText } from "../../render/run/diffText.ts"
import { comparedRun } from "../../running/comparedRun.ts"

const runNamed = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

export default defineCommand({
  name: "diff",
  description: "What differs between two runs: calls, prompts and answers word by word, results, cost",
  config: {
    a: runNamed("a", "A run's id, a unique beginning of one, or @last"),
    b: runNamed("b", "The run it is compared with"),
    "exit-code": toggle("exit-code", "Exit with 1 where they differ")
  },
  examples: [{ command: "alembic diff 3fa9 @last", description: "What the last run did otherwise" }],
  handler: Effect.fn("cli.diff")(function* ({ a, b, "exit-code": exitCode }) {
    const output = yield* Output
    const left = yield* comparedRun(yield* resolveRun(a))
    const right = yield* comparedRun(yield* resolveRun(b))
    const diff = diffRuns(left, right)
    const differs = diff.first !== undefined || diff.result !== undefined
    for (const pair of diff.pairs) {
      if (pair.by === "alone" || pair.changes.length > 0) yield* output.emit({ type: "CallPair", ...pair })
    }
    const { pairs: _, ...counts } = diff
    const side = ({ calls, costUsd, durationMs, runId, status }: typeof left) => ({
      runId,
      status,
      calls: calls.length,
      ...(costUsd === undefined ? {} : { costUsd }),
      durationMs
    })
    yield* output.emit({
      type: "DiffSummary",
      ok: true,
      identical: !differs,
      a: side(left),
      b: side(right),
      ...counts
    })
    yield* output.print(diffText(left, right, diff, output.style))
    if (differs && exitCode) yield* output.exitWith(1)
  }, onJournal)
})
