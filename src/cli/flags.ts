// Flags and arguments that several commands share: the global ones, and those that say how models are reached.
import { Flag, Argument, GlobalFlag } from "effect/cli"
import * as Schema from "effect/Schema"

/** No path, name or text is blank on purpose: what is, comes of a variable that nobody has set. */
const isSaid = (value: string): boolean => value.trim() !== ""

const said = Flag.filter(isSaid, () => "a value that is not empty")

export const baseDirFlag = GlobalFlag.Setting("base-dir")({
  flag: Flag.String("base-dir").pipe(
    Flag.withMetavar("<dir>"),
    Flag.withDescription("Where runs are kept"),
    said,
    Flag.withDefault(".alembic")
  )
})

export const jsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print one JSON object a line, the last one the summary"),
    Flag.withDefault(false)
  )
})

export const plainFlag = GlobalFlag.Setting("plain")({
  flag: Flag.Boolean("plain").pipe(
    Flag.withoutNegation,
    Flag.withDescription("No colour and no redrawing, also on a terminal"),
    Flag.withDefault(false)
  )
})

export const globalFlags = [baseDirFlag, jsonFlag, plainFlag] as const

/** A switch: given or not. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), said)

/** A flag that must be given. */
export const requiredText = text

/** A flag that may be absent. */
export const optionalText = (name: string, metavar: string, description: string) =>
  Flag.optional(text(name, metavar, description))

export const textOr = (name: string, metavar: string, description: string, otherwise: string) =>
  Flag.withDefault(text(name, metavar, description), otherwise)

/** A flag that may be given several times. */
export const repeated = (name: string, metavar: string, description: string) =>
  Flag.atLeast(text(name, metavar, description), 0)

const PositiveInt = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))

export const positiveInt = (name: string, metavar: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.withSchema(PositiveInt),
    Flag.optional
  )

/** Where a server listens. */
export const optionalPort = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("<port>"),
    Flag.withDescription(description),
    Flag.withSchema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 65535 })))),
    Flag.optional
  )

export const dollars = (name: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withMetavar("<usd>"), Flag.withDescription(description), Flag.optional)

export const configFlag = optionalText(
  "config",
  "<file>",
  "Models, profiles, prices and limits (alembic.json beside the plan)"
)
export const fixturesFlag = optionalText(
  "offline-fixtures",
  "<file>",
  "Answers of the offline model; implies --model offline"
)
export const baseUrlFlag = optionalText(
  "base-url",
  "<url>",
  "Base URL of the model's provider, over the environment's"
)
export const concurrencyFlag = positiveInt("concurrency", "<n>", "Model calls in flight at once (8)")
export const notifyFlag = optionalText(
  "notify",
  "<command>",
  "When it ends or waits: bell, or a command for the shell, which gets ALEMBIC_RUN, _STATUS, _SPENT_USD and _DIR"
)

export const brakeFlag = Flag.Literals("brake", ["off"]).pipe(
  Flag.withDescription("off: no provider's failures stop the run, each is an answer"),
  Flag.optional
)
export const approveFlag = repeated(
  "approve",
  "<gate>",
  "Approve beforehand: publish, a unit as <mission>/<unit>, a call by its label (call:LABEL where that is another's name); may be given again"
)
/** What a run may be called: not what reads like an id, or the beginning of one. */
export const isRunName = (text: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(text) && !/^(?:run-)?[0-9a-f]{1,16}$/.test(text)

export const nameFlag = Flag.String("name").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("What to call the run: a name stands for its id everywhere"),
  Flag.filter(
    isRunName,
    () =>
      "letters, digits, `.`, `_` and `-`, at most 64, and not only digits and a to f, which read like an id's beginning"
  ),
  Flag.optional
)
export const tagFlag = repeated("tag", "<tag>", "What to file the run under; may be given again")

export const yesFlag = toggle("yes", "Agree to spending, and to nothing else")

export const trustFlag = repeated(
  "trust",
  "<hash>",
  "Trust the commands and addresses of this hash (alembic trust shows them); may be given again"
)

/** An argument that names a file or a folder. */
export const pathArgument = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filter(isSaid, () => "a name that is not empty")
  )

export const runArgument = Argument.String("run").pipe(
  Argument.withDescription("A run's id, a unique beginning of one, its name, or @last")
)
