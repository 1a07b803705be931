// The root command: parses arguments, finds the command, and gives what comes of it an exit code. Bad usage exits 2
// with help on stderr; with --json stdout holds JSON objects only, whatever happens.
import { Cause, Console, Effect, Exit, Random, References } from "effect"
import { CliOutput, Command, type CliError } from "effect/cli"
import { commandTable, mentioned, type CommandEntry } from "./commandTable.ts"
import { badInput, CommandError } from "./CommandError.ts"
import { plainFailure, type AnyCommand, type CommandModule } from "./defineCommand.ts"
import { globalFlags } from "./flags.ts"
import { Host } from "./Host.ts"
import { makeOutput, Output } from "./Output.ts"
import { errorText } from "./render/errorText.ts"
import { guarded, type Edge } from "./terminal/edge.ts"

const about = "Deterministic, durable, replayable agent runs"

/** A command that is only named: for help, where nothing else of it is needed. */
const named = (name: string, entry: CommandEntry): AnyCommand =>
  Command.make(name).pipe(Command.withDescription(entry.about))

const groups = ["Plans", "Runs", "Models", "Waiting items", "Keeping house"] as const

const rootOf = (loaded: ReadonlyMap<string, CommandModule>) => {
  const entries = Object.entries(commandTable)
  const commandOf = ([name, entry]: readonly [string, CommandEntry]): AnyCommand =>
    loaded.get(name)?.command ?? named(name, entry)
  return Command.make("alembic").pipe(
    Command.withDescription(about),
    Command.withExamples([
      { command: "alembic init", description: "Write GOAL.md and a plan that runs as it is" },
      { command: "alembic run --yes", description: "Run alembic.plan.ts on GOAL.md" },
      { command: "alembic resume @last", description: "Go on where the last run stopped" }
    ]),
    Command.withSubcommands(
      groups.map((group) => ({
        group,
        commands: entries.filter(([, entry]) => entry.group === group).map(commandOf)
      }))
    ),
    Command.withGlobalFlags(globalFlags)
  )
}

/** Before the arguments are understood, what was asked of the output can only be read off them. */
const asked = (args: ReadonlyArray<string>) => {
  const end = args.indexOf("--")
  const flags = end < 0 ? args : args.slice(0, end)
  const has = (name: string) => flags.some((flag) => flag === name || flag === `${name}=true`)
  return { json: has("--json"), plain: has("--plain") }
}

const usageError = (
  path: ReadonlyArray<string>,
  errors: ReadonlyArray<CliError.NonShowHelpErrors>
): CommandError =>
  badInput(
    "usage",
    errors.length === 0 ? "no command was given" : errors.map(({ message }) => message).join("; "),
    {
      cure: `${path.join(" ")} --help`
    }
  )

/** A word that no text from outside can know. */
const makeMark = Effect.map(Effect.all([Random.next, Random.next]), (parts) => `\uFDD0${parts.join(":")}:`)

/** Help on request goes to stdout, all else about usage to stderr. */
const presenter = (loaded: ReadonlyMap<string, CommandModule>) =>
  Effect.map(Output, (output): CliOutput.Presenter => {
    const formatter = CliOutput.defaultFormatter({ colors: true })
    return {
      present: (event) => {
        if (event._tag === "Version") {
          return output.json
            ? output.emit({ type: "Version", ok: true, name: event.name, version: event.version })
            : output.print(output.style.own(formatter.formatVersion(event.name, event.version)))
        }
        const help = output.style.own(formatter.formatHelpDoc(event.helpDoc))
        if (event._tag === "Help" && event.reason === "Requested") {
          return output.json ? output.emit({ type: "Help", ok: true, help }) : output.print(help)
        }
        const error = usageError(event.commandPath, event._tag === "Help" ? [] : event.errors)
        const failureLine = loaded.get(event.commandPath[1] ?? "")?.failureLine ?? plainFailure
        return Effect.gen(function* () {
          yield* output.emit(failureLine(error))
          yield* output.note(help)
          yield* output.note(errorText(error, output.style))
          yield* output.exitWith(error.exit)
        })
      }
    }
  })

/** What got past every command's own handling. */
const lastNet = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const output = yield* Output
  const defect = Cause.squash(cause)
  const error = new CommandError({
    code: "internal_error",
    message: defect instanceof Error ? defect.message : String(defect),
    status: "failed",
    cure: "alembic doctor (and please report it, with what is above)"
  })
  yield* output.emit(plainFailure(error))
  yield* Console.error(Cause.pretty(cause))
  yield* output.note(errorText(error, output.style))
  yield* output.exitWith(error.exit)
})

/**
 * Runs the command that `args` (without the program's own name) asks for. Succeeds with the exit code; only
 * interruption gets past it.
 */
export const runCommand = Effect.fn("cli.run")(function* (args: ReadonlyArray<string>) {
  const host = yield* Host
  const { json, plain } = asked(args)
  const { color, columns, screen, stderr, stdout } = host.terminal
  const edge: Edge = { stdout, stderr, mark: color && !plain ? yield* makeMark : undefined }
  const output = yield* makeOutput({ json, plain, args, edge, columns, screen, redraw: host.redraw })
  const console = guarded(yield* Console.Console, edge)
  const loaded = new Map<string, CommandModule>()
  const program = Effect.gen(function* () {
    for (const name of mentioned(args)) {
      const entry = commandTable[name]
      if (entry !== undefined) loaded.set(name, (yield* Effect.promise(entry.load)).default)
    }
    const present = CliOutput.layerPresenter(yield* presenter(loaded))
    yield* Command.runWith(rootOf(loaded), { version: host.version })(args).pipe(
      Effect.provide(present),
      // Presented already, with its exit code.
      Effect.catchTag("ShowHelp", () => Effect.void)
    )
  })
  const exit = yield* program.pipe(
    Effect.provideService(Output, output),
    Effect.provideService(Console.Console, console),
    // Whatever is logged anywhere, stdout is for answers.
    Effect.provideService(References.LogToStderr, true),
    Effect.exit
  )
  if (Exit.isFailure(exit)) {
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    yield* Effect.provideService(lastNet(exit.cause), Output, output)
  }
  return yield* output.exitCode
})
