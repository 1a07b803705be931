// Output: the one way a command speaks. With --json every line on stdout is one JSON object and all else goes to
// stderr; for people, answers go to stdout and progress to stderr. What is said is render/'s.
import { Console, Context, Effect, Ref } from "effect"
import * as Schema from "effect/Schema"
import { agreedTo, baseDirIn, inBase } from "./render/nextCommand.ts"
import type { Screen } from "./render/live/liveLines.ts"
import { jsonLine, liveLine, peopleText, type Edge } from "./terminal/edge.ts"
import { makeStyle, type Style } from "./terminal/style.ts"

export interface OutputOptions {
  readonly json: boolean
  readonly plain: boolean
  /** What was typed after `alembic`. */
  readonly args: ReadonlyArray<string>
  /** Where what is said goes to. */
  readonly edge: Edge
  /** Whether stderr is a terminal that may be redrawn, and how wide it is. */
  readonly columns: number | undefined
  /** How large the terminal is now. */
  readonly screen: () => Screen
  /** Replaces what was drawn last at the end of stderr. */
  readonly redraw: (block: string, above: number) => Effect.Effect<void>
}

export class Output extends Context.Service<
  Output,
  {
    readonly json: boolean
    readonly plain: boolean
    /** Whether there is a terminal that may be redrawn; elsewhere lines are all there is. */
    readonly live: boolean
    readonly screen: () => Screen
    readonly style: Style
    /** What was typed after `alembic`. */
    readonly args: ReadonlyArray<string>
    /**
     * Replaces the live view, lines apart; the empty text takes it away. `above`: how many rows of the one before stand
     * above the cursor.
     */
    readonly redraw: (block: string, above: number) => Effect.Effect<void>
    /** One JSON object, one line of stdout. Only with --json. */
    readonly emit: (value: unknown) => Effect.Effect<void>
    /** A line that is JSON already. Only with --json. */
    readonly emitLine: (line: string) => Effect.Effect<void>
    /** For people, on stdout. Says nothing with --json. */
    readonly print: (text: string) => Effect.Effect<void>
    /** What a next command reads, on stdout: an answer, a result, a prompt. Says nothing with --json. */
    readonly data: (text: string) => Effect.Effect<void>
    /** For people, on stderr, whatever the mode. */
    readonly note: (text: string) => Effect.Effect<void>
    /** The code the process will exit with. */
    readonly exitWith: (code: number) => Effect.Effect<void>
    readonly exitCode: Effect.Effect<number>
  }
>()("alembic/cli/Output") {}

const isFailure = Schema.is(
  Schema.Struct({ error: Schema.Struct({ code: Schema.String, cure: Schema.String }) })
)

/** A line that ends in a failure, with its cure as it is to be typed. */
const withTyped = (value: unknown, typed: (cure: string) => string): unknown =>
  isFailure(value) ? { ...value, error: { ...value.error, cure: typed(value.error.cure) } } : value

export const makeOutput = (options: OutputOptions) =>
  Effect.map(Ref.make(0), (code) => {
    const inOwnBase = inBase(baseDirIn(options.args))
    const agreed = agreedTo(options.args)
    const typed = (cure: string): string => inOwnBase(agreed(cure))
    return Output.of({
      args: options.args,
      json: options.json,
      plain: options.plain,
      live: !options.json && !options.plain && options.columns !== undefined,
      screen: options.screen,
      style: { ...makeStyle(options.edge.mark), typed },
      redraw: (block, above) => options.redraw(liveLine(options.edge, block), above),
      emit: (value) =>
        options.json
          ? Console.log(jsonLine(options.edge, JSON.stringify(withTyped(value, typed))))
          : Effect.void,
      emitLine: (line) => (options.json ? Console.log(jsonLine(options.edge, line)) : Effect.void),
      print: (text) =>
        options.json ? Effect.void : Console.log(peopleText(text, options.edge.stdout, options.edge.mark)),
      data: (text) => (options.json ? Effect.void : Console.log(text)),
      note: (text) => Console.error(peopleText(text, options.edge.stderr, options.edge.mark)),
      exitWith: (next) => Ref.set(code, next),
      exitCode: Ref.get(code)
    })
  })
