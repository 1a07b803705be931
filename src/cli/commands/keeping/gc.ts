// `alembic gc`: removes runs by age, count or size. Shows what it would remove; removes it only with --apply. Never a
// run in use, and nothing unfinished unless asked for. What imports that died have left goes with them.
import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { Journal } from "../../../journal/Journal.ts"
import { badInput, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { toggle } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { countText, instantText, plural } from "../../render/numbers.ts"
import { onJournal } from "../../inputs/runReference.ts"

const dayMs = 24 * 60 * 60 * 1000
const mebibyte = 1024 * 1024

const NonNegative = Schema.Finite.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))
const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

export default defineCommand({
  name: "gc",
  description: "Remove old runs. Shows what would go; --apply removes it.",
  config: {
    days: Flag.Finite("older-than").pipe(
      Flag.withMetavar("<days>"),
      Flag.withDescription("Runs last written longer ago than that"),
      Flag.withSchema(NonNegative),
      Flag.optional
    ),
    keep: Flag.Int("keep").pipe(
      Flag.withMetavar("<n>"),
      Flag.withDescription("All but the last n"),
      Flag.withSchema(Count),
      Flag.optional
    ),
    maxMb: Flag.Finite("max-mb").pipe(
      Flag.withMetavar("<mb>"),
      Flag.withDescription("The oldest, until so many megabytes stay"),
      Flag.withSchema(NonNegative),
      Flag.optional
    ),
    unfinished: toggle("unfinished", "Also runs that are suspended, interrupted or damaged"),
    apply: toggle("apply", "Remove them")
  },
  examples: [
    { command: "alembic gc --older-than 30", description: "What is older than 30 days" },
    { command: "alembic gc --keep 20 --apply", description: "Keep the last 20 runs" }
  ],
  handler: Effect.fn("cli.gc")(function* ({ apply, days, keep, maxMb, unfinished }) {
    const output = yield* Output
    if (Option.isNone(days) && Option.isNone(keep) && Option.isNone(maxMb)) {
      return yield* badInput("usage", "say which runs may go: --older-than, --keep or --max-mb", {
        cure: "alembic gc --older-than 30"
      })
    }
    const journal = yield* Journal
    const plan = yield* Effect.mapError(
      journal.planGc({
        unfinished,
        ...(Option.isSome(days) ? { olderThanMs: days.value * dayMs } : {}),
        ...(Option.isSome(keep) ? { keep: keep.value } : {}),
        ...(Option.isSome(maxMb) ? { maxBytes: maxMb.value * mebibyte } : {})
      }),
      fromJournal
    )
    const { removed, skipped } = apply
      ? yield* Effect.mapError(journal.collect(plan), fromJournal)
      : { removed: plan, skipped: [] }
    for (const one of removed) {
      yield* output.emit({ ...one, removed: apply })
      yield* output.print(
        `${one.runId}  ${one.status.padEnd(11)}  ${instantText(one.lastWritten)}  ${countText(one.bytes)} bytes  ${one.reason}`
      )
    }
    const left = yield* Effect.mapError(journal.leftImports, fromJournal)
    const imports = apply ? yield* Effect.mapError(journal.removeLeftImports(left), fromJournal) : left
    for (const { bytes, directory } of imports) {
      yield* output.emit({ type: "LeftImport", directory, bytes, removed: apply })
      yield* output.print(`${directory}  left by an import that died  ${countText(bytes)} bytes`)
    }
    for (const { runId } of skipped) yield* output.note(`${runId} is in use and stays`)
    const bytes = [...removed, ...imports].reduce((sum, one) => sum + one.bytes, 0)
    const what = [
      plural(removed.length, "run"),
      ...(imports.length === 0 ? [] : [plural(imports.length, "dead import")])
    ]
    yield* output.emit({
      type: "GcSummary",
      ok: true,
      applied: apply,
      count: removed.length,
      imports: imports.length,
      bytes,
      skipped: skipped.map(({ runId }) => runId)
    })
    yield* output.print(
      `${what.join(" and ")} ${apply ? "removed" : "would go"}, ${countText(bytes)} bytes${apply || removed.length + imports.length === 0 ? "" : `\n${cureText("the same with --apply", output.style)}`}`
    )
  }, onJournal)
})
