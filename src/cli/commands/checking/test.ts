// `alembic test`: frozen runs, replayed on the plan of today. `--from RUN` freezes one: an archive, and a vitest file that
// replays it. A plan that no longer makes of those answers what it made then fails, with the first place that differs.
import { Effect, FileSystem, Option, Path } from "effect"
import { Argument } from "effect/cli"
import type { ReplaySummary } from "../../../engine/Engine.ts"
import { replayRun } from "../../../engine/replay/replayRun.ts"
import { Journal } from "../../../journal/Journal.ts"
import { badInput, fromJournal } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { isRunName, optionalText, textOr } from "../../flags.ts"
import { Host } from "../../Host.ts"
import { onJournal, resolveRun } from "../../inputs/runReference.ts"
import { namedFile, resolvePath, whyUnreadable } from "../../inputs/textFiles.ts"
import { frozenTest } from "../../init/frozenTest.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { plural } from "../../render/numbers.ts"
import { replayText } from "../../render/run/replayText.ts"
import { settingsOf, storedRun } from "../../settings/storedRun.ts"

const folder = "test/runs"
const ending = ".run.tar"

const unwritable = (path: string) => (error: Parameters<typeof whyUnreadable>[0]) =>
  badInput("unwritable", `${path} cannot be written: ${whyUnreadable(error)}`, {
    path,
    cure: "alembic test --from RUN --to FOLDER"
  })

/** Freezes a run: nothing is written over. */
const freeze = Effect.fnUntraced(function* (
  run: string,
  to: string,
  given: Option.Option<string>,
  plan: string
) {
  const output = yield* Output
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const runId = yield* resolveRun(run)
  const name = Option.getOrElse(given, () => (isRunName(run) ? run : runId))
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(name))
    return yield* badInput("usage", `${JSON.stringify(name.slice(0, 80))} is no name of a file`, {
      cure: "--name with letters, digits, `.`, `_` and `-`"
    })
  const into = yield* resolvePath(to)
  yield* Effect.mapError(fs.makeDirectory(into, { recursive: true }), unwritable(to))
  const archive = paths.join(into, `${name}${ending}`)
  yield* Effect.mapError((yield* Journal).export(runId, archive), fromJournal)
  const planPath = paths.relative(into, yield* resolvePath(plan)).replaceAll("\\", "/")
  const test = paths.join(into, `${name}.test.ts`)
  yield* Effect.mapError(
    fs.writeFileString(
      test,
      frozenTest(name, `./${name}${ending}`, planPath.startsWith(".") ? planPath : `./${planPath}`),
      {
        flag: "wx"
      }
    ),
    unwritable(test)
  )
  yield* output.emit({ type: "FrozenRun", ok: true, runId, archive, test })
  yield* output.print(
    `${output.style.green("frozen")} ${runId} as ${to}/${name}${ending}\n${cureText("alembic test, or npx vitest", output.style)}`
  )
})

/** The archives that are meant: files as they are named, of folders those that end in `.run.tar`. */
const archivesIn = Effect.fnUntraced(function* (named: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const cure = `alembic test --from RUN (freezes one into ${folder})`
  const found: Array<string> = []
  for (const name of named.length === 0 ? [folder] : named) {
    const path = yield* resolvePath(name)
    const names = yield* Effect.option(fs.readDirectory(path))
    if (Option.isSome(names)) {
      found.push(
        ...names.value
          .filter((one) => one.endsWith(ending))
          .toSorted()
          .map((one) => paths.join(path, one))
      )
    } else found.push(yield* namedFile("frozen run", name, cure))
  }
  return found.length > 0 ? found : yield* badInput("nothing_frozen", "no run is frozen there", { cure })
})

/** One archive, in a directory that goes with it. */
const replayArchive = Effect.fnUntraced(function* (archive: string, plan: string) {
  const host = yield* Host
  const baseDir = yield* host.temporaryDirectory
  const stored = yield* Effect.gen(function* () {
    const { runId } = yield* Effect.mapError((yield* Journal).import(archive), fromJournal)
    return yield* storedRun(runId)
  }).pipe(Effect.provide(host.journal(baseDir)))
  return yield* Effect.provide(
    replayRun(stored.runId, { plan }),
    host.engine({ ...settingsOf(stored), baseDir })
  )
}, Effect.scoped)

const replayAll = Effect.fnUntraced(function* (named: ReadonlyArray<string>, plan: string) {
  const output = yield* Output
  const paths = yield* Path.Path
  const { style } = output
  yield* namedFile("plan", plan, "alembic test --plan FILE")
  const planPath = yield* resolvePath(plan)
  const archives = yield* archivesIn(named)
  let failed = 0
  for (const archive of archives) {
    const name = paths.basename(archive)
    const summary: ReplaySummary = yield* replayArchive(archive, planPath)
    if (!summary.ok) failed++
    yield* output.emit({ ...summary, archive: name })
    yield* output.print(
      summary.ok
        ? `${style.green("✓")} ${name}  ${plural(summary.events, "event")}`
        : `${style.red("✗")} ${name}\n${replayText(summary, style, `run --plan ${plan}`)}`
    )
  }
  yield* output.emit({ type: "TestSummary", ok: failed === 0, runs: archives.length, failed })
  yield* output.print(
    failed === 0 ? `${plural(archives.length, "run")} as frozen` : `${failed} of ${archives.length} differ`
  )
  if (failed > 0) yield* output.exitWith(1)
})

export default defineCommand({
  name: "test",
  description: "Replay frozen runs on the plan of today, for nothing; or freeze one",
  config: {
    runs: Argument.String("runs").pipe(
      Argument.withDescription(`Frozen runs, or folders of them (${folder})`),
      Argument.atLeast(0)
    ),
    from: optionalText("from", "<run>", "Freeze that run: an archive, and a vitest file that replays it"),
    to: textOr("to", "<folder>", "Where to freeze it", folder),
    name: optionalText("name", "<name>", "What to call the frozen run"),
    plan: textOr("plan", "<file>", "The plan of today", "alembic.plan.ts")
  },
  examples: [
    { command: "alembic test --from @last --name happy-path", description: "Freeze the last run" },
    { command: "alembic test", description: "Exit 1 if the plan now does otherwise" }
  ],
  handler: Effect.fn("cli.test")(function* ({ from, name, plan, runs, to }) {
    if (Option.isSome(from)) return yield* onJournal(freeze(from.value, to, name, plan))
    return yield* replayAll(runs, plan)
  })
})
