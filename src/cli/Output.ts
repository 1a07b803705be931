// Output: the one way a command speaks. With --json every line on stdout is one JSON object and all else goes to
// stderr; for people, answers go to stdout and progress to stderr. What is said is render/'s.
import { Console, Context, Effect, Ref } from "effect"
import { makeStyle, type Style } from "./render/style.ts"

export interface OutputOptions {
  readonly json: boolean
  readonly plain: boolean
  readonly color: boolean
  /** Whether stderr is a terminal that may be redrawn, and how wide it is. */
  readonly columns: number | undefined
}

export class Output extends Context.Service<
  Output,
  {
    readonly json: boolean
    /** Columns of a terminal that may be redrawn; undefined where lines are all there is. */
    readonly live: number | undefined
    readonly style: Style
    /** One JSON object, one line of stdout. Only with --json. */
    readonly emit: (value: unknown) => Effect.Effect<void>
    /** A line that is JSON already. Only with --json. */
    readonly emitLine: (line: string) => Effect.Effect<void>
    /** For people, on stdout. Says nothing with --json. */
    readonly print: (text: string) => Effect.Effect<void>
    /** For people, on stderr, whatever the mode. */
    readonly note: (text: string) => Effect.Effect<void>
    /** The code the process will exit with. */
    readonly exitWith: (code: number) => Effect.Effect<void>
    readonly exitCode: Effect.Effect<number>
  }
>()("alembic/cli/Output") {}

export const makeOutput = (options: OutputOptions) =>
  Effect.map(Ref.make(0), (code) =>
    Output.of({
      json: options.json,
      live: options.json || options.plain ? undefined : options.columns,
      style: makeStyle(options.color && !options.plain),
      emit: (value) => (options.json ? Console.log(JSON.stringify(value)) : Effect.void),
      emitLine: (line) => (options.json ? Console.log(line) : Effect.void),
      print: (text) => (options.json ? Effect.void : Console.log(text)),
      note: (text) => Console.error(text),
      exitWith: (next) => Ref.set(code, next),
      exitCode: Ref.get(code)
    })
  )
