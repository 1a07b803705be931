// `alembic repair RUN`: makes what is derived from a sound log again. With `--truncate-at N` it gives up what follows
// line N of a damaged log, keeping a copy of all of it.
import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { Journal } from "../../../journal/Journal.ts"
import { fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument, toggle } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { plural } from "../../render/numbers.ts"
import { claimRepaired } from "../../trust/origin.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"

const LineNumber = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

export default defineCommand({
  name: "repair",
  description:
    "Make the files that are derived from a sound log (checkpoint, result, call cache) again; or, with --truncate-at, give up what follows a line of a damaged log, keeping a backup",
  config: {
    run: runArgument,
    truncateAt: Flag.Int("truncate-at").pipe(
      Flag.withMetavar("<line>"),
      Flag.withDescription("The last line to keep (alembic verify names the damaged ones)"),
      Flag.withSchema(LineNumber),
      Flag.optional
    ),
    evenSound: toggle(
      "even-sound",
      "Give up lines that are sound, too; what they say was spent stays counted"
    )
  },
  examples: [
    { command: "alembic repair @last", description: "The log is sound; a file made from it is not" },
    { command: "alembic repair run-3fa --truncate-at 120", description: "Keep the first 120 events" }
  ],
  handler: Effect.fn("cli.repair")(function* ({ evenSound, run, truncateAt }) {
    const output = yield* Output
    const runId = yield* resolveRun(run)
    const journal = yield* Journal
    if (Option.isNone(truncateAt)) {
      const remade = yield* Effect.mapError(journal.remakeDerived(runId), fromJournal)
      yield* output.emit({ type: "RepairSummary", ok: true, runId, remade })
      const what = remade.length === 0 ? "nothing was wrong" : `made again from the log: ${remade.join(", ")}`
      yield* output.print(`${output.style.green("repaired")} ${runId}  ${what}`)
      return
    }
    const repaired = yield* Effect.mapError(
      journal.repair(runId, { truncateAt: truncateAt.value, evenSound }),
      fromJournal
    )
    yield* claimRepaired(runId)
    yield* output.emit({ type: "RepairSummary", ok: true, runId, ...repaired })
    const { spentUsd = 0, unknownUsd = 0 } = repaired.lost ?? {}
    const counted = [
      ...(spentUsd > 0 ? [`$${spentUsd} spent`] : []),
      ...(unknownUsd > 0 ? [`$${unknownUsd} that may have been spent`] : [])
    ].join(" and ")
    const money = counted === "" ? "" : `\n  what was given up tells of ${counted}: that stays counted`
    yield* output.print(
      `${output.style.green("repaired")} ${runId}  ${plural(repaired.kept, "event")} kept, ${plural(repaired.removedBytes, "byte")} given up${money}\n  backup: ${repaired.backup}\n${cureText(`alembic resume ${runId}`, output.style)}`
    )
  }, onJournal)
})
