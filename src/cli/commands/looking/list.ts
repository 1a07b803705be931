// `alembic list`: the runs under a base directory, newest first, and those of them that are looked for.
import { Clock, DateTime, Effect, Option, Result, Schema } from "effect"
import { Flag } from "effect/cli"
import { defined } from "../../../domain/defined.ts"
import { Journal } from "../../../journal/Journal.ts"
import type { RunListing } from "../../../journal/maintenance/listRuns.ts"
import { RunDigest } from "../../../journal/state/Checkpoint.ts"
import { toldCost } from "../../../journal/state/RunState.ts"
import { badInput } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { optionalText, positiveInt, repeated } from "../../flags.ts"
import { Host } from "../../Host.ts"
import { onJournal, runsByDate } from "../../inputs/runReference.ts"
import { Output } from "../../Output.ts"
import { listingText } from "../../render/run/listingText.ts"

const units: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 }

/** `90m`, `3d`, or a date such as `2026-12-01`; in milliseconds since the epoch. */
const sinceOf = Effect.fnUntraced(function* (text: string) {
  const ago = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text)
  if (ago !== null) return (yield* Clock.currentTimeMillis) - Number(ago[1]) * (units[ago[2] ?? ""] ?? 0)
  const date = DateTime.make(text)
  return yield* Option.isSome(date)
    ? Effect.succeed(DateTime.toEpochMillis(date.value))
    : badInput("usage", `--since ${JSON.stringify(text.slice(0, 40))} is no time`, {
        cure: "alembic list --since 3d (or 90m, 12h, 2026-12-01)"
      })
})

const Status = Schema.Literals([...RunDigest.fields.status.literals, "running", "damaged"])
const decodeStatus = Schema.decodeUnknownResult(Status)

const statusesOf = (given: ReadonlyArray<string>) =>
  Effect.forEach(
    given.flatMap((text) => text.split(",")),
    (text) =>
      Result.match(decodeStatus(text.trim()), {
        onSuccess: Effect.succeed,
        onFailure: () =>
          badInput("usage", `--status ${JSON.stringify(text.slice(0, 40))} is no status of a run`, {
            cure: `one of ${Status.literals.join(", ")}`
          })
      })
  )

/** Unless a limit is given; machines get all. */
const shownToPeople = 50

const holds = (text: string | undefined, sought: string): boolean =>
  text !== undefined && text.toLowerCase().includes(sought.toLowerCase())

const matches = ({ args, goal, name, plan, runId, tags = [] }: RunListing, sought: string): boolean =>
  [args, goal, name, plan, runId, ...tags].some((text) => holds(text, sought))

export default defineCommand({
  name: "list",
  description: "The runs there are, newest first",
  config: {
    status: repeated("status", "<status>", "Only runs of that status; several with commas, or given again"),
    plan: optionalText("plan", "<text>", "Only runs whose plan is named so, or partly so"),
    since: optionalText("since", "<time>", "Only runs written since: 90m, 12h, 3d, or a date"),
    tag: optionalText("tag", "<tag>", "Only runs filed under that tag"),
    search: optionalText(
      "search",
      "<text>",
      "Only runs whose goal, name, tags, plan, arguments or id hold that"
    ),
    limit: positiveInt("limit", "<n>", "At most so many, the newest; 50, or with --json all"),
    reverse: Flag.Boolean("reverse").pipe(
      Flag.withoutNegation,
      Flag.withDescription("The oldest first"),
      Flag.withDefault(false)
    )
  },
  examples: [
    { command: "alembic list --status failed,suspended --since 3d", description: "What needs looking at" },
    { command: "alembic list --json", description: "One JSON object a run, then the summary" }
  ],
  handler: Effect.fn("cli.list")(function* ({ limit, plan, reverse, search, since, status, tag }) {
    const output = yield* Output
    const statuses = yield* statusesOf(status)
    const from = Option.isSome(since) ? yield* sinceOf(since.value) : undefined
    const all = yield* runsByDate()
    const found = all.filter(
      (run) =>
        (statuses.length === 0 || statuses.includes(run.status)) &&
        (from === undefined || run.writtenAt >= from) &&
        (Option.isNone(plan) || holds(run.plan, plan.value)) &&
        (Option.isNone(tag) || run.tags?.includes(tag.value) === true) &&
        (Option.isNone(search) || matches(run, search.value))
    )
    const most = Option.getOrElse(limit, () => (output.json ? found.length : shownToPeople))
    const newest = found.slice(0, most)
    const runs = reverse ? newest.toReversed() : newest
    const host = yield* Host
    const journal = yield* Journal
    const foreign = new Set<string>()
    for (const run of runs) {
      const { args, calls, cost, costUsd, durationMs, error, goal, name, runId, startedAt, tags } = run
      if ((yield* host.trust.originOf(journal.directory(runId), runId))?.own !== true) foreign.add(runId)
      yield* output.emit({
        runId,
        status: run.status,
        goal,
        ...defined({ name, tags, plan: run.plan, args, startedAt }),
        writtenAt: run.writtenAt,
        ...defined({ durationMs }),
        calls,
        ...defined({ costUsd }),
        ...(cost === undefined ? {} : toldCost(cost)),
        ...(foreign.has(runId) ? { madeElsewhere: true } : {}),
        ...(error === undefined ? {} : { error: { code: error.code, message: error.message } })
      })
    }
    yield* output.emit({ type: "ListSummary", ok: true, count: runs.length })
    yield* output.print(listingText(runs, output.style, foreign, all.length - runs.length))
  }, onJournal)
})
