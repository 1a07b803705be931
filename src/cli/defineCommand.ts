// defineCommand: what all commands have in common. A handler gets its flags and speaks through Output; what it fails
// with is printed here, once, as its last line, with the next command to type.
import { Effect } from "effect"
import { Command, type GlobalFlag } from "effect/cli"
import type { FileSystem, Path, Terminal } from "effect"
import type { GivenFiles } from "../kernel/files/GivenFiles.ts"
import { errorInfo, type CommandError } from "./CommandError.ts"
import type { Host } from "./Host.ts"
import { Output } from "./Output.ts"
import { errorText } from "./render/errorText.ts"

export type Settings =
  | GlobalFlag.Setting.Identifier<"base-dir">
  | GlobalFlag.Setting.Identifier<"json">
  | GlobalFlag.Setting.Identifier<"plain">

/** What a handler may use. */
export type CommandServices =
  | Host
  | Output
  | GivenFiles
  | FileSystem.FileSystem
  | Path.Path
  | Terminal.Terminal
  | Settings

/** A command as the root knows it, its flags forgotten. */
export type AnyCommand = Command.Command<string, never, {}, never, CommandServices | Command.Environment>

export interface CommandModule {
  readonly command: AnyCommand
  /** With --json: the last line of a command that failed before it had anything to say. */
  readonly failureLine: (error: CommandError) => unknown
}

/** The last line of a command that has no form of its own for it. */
export const plainFailure = (error: CommandError): unknown => ({
  type: "Error",
  ok: false,
  status: error.status,
  error: errorInfo(error)
})

export interface CommandParts<Config extends Command.Command.Config, R extends CommandServices> {
  readonly name: string
  readonly description: string
  readonly config: Config
  readonly examples?: ReadonlyArray<Command.Command.Example>
  readonly failureLine?: (error: CommandError) => unknown
  readonly handler: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, CommandError, R>
}

/** Prints what a command failed with, and sets the exit code. */
export const report = Effect.fnUntraced(function* (
  error: CommandError,
  failureLine: (error: CommandError) => unknown
) {
  const output = yield* Output
  yield* output.emit(failureLine(error))
  yield* output.note(errorText(error, output.style))
  yield* output.exitWith(error.exit)
})

export const defineCommand = <const Config extends Command.Command.Config, R extends CommandServices>(
  parts: CommandParts<Config, R>
): CommandModule => {
  const { config, description, examples = [], failureLine = plainFailure, handler, name } = parts
  const command = Command.make(name, config, (input) =>
    Effect.catchTag(handler(input), "CommandError", (error) => report(error, failureLine))
  ).pipe(Command.withDescription(description), Command.withExamples(examples))
  return { command, failureLine }
}
