// Config: the shape of alembic.json, checked with the path of what is wrong, and published as JSON Schema so that an
// editor completes it. Keys are never in it, only the names of the environment variables that hold them. What it
// means is ConfiguredRegistry's and, for limits and policies, guardsOptions here.
import { Effect, Schema, type Option } from "effect"
import { ErrorCode } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import { issuesText } from "../../domain/schemaIssues.ts"
import { userJson } from "../../domain/json/userJson.ts"
import type { GuardsOptions } from "../guard/Guards.ts"

const optional = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))
const named = <S extends Schema.Constraint>(schema: S, description: string) =>
  optional(Schema.Record(Schema.String, schema), description)
const PositiveInt = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))
const Positive = Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))
const NonNegative = Schema.Finite.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))
const Temperature = Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 })))

const rates = {
  inputUsdPerMillion: NonNegative,
  outputUsdPerMillion: NonNegative,
  cachedInputUsdPerMillion: Schema.optionalKey(NonNegative),
  cacheWriteUsdPerMillion: Schema.optionalKey(NonNegative)
}

/** US dollars a million tokens; `tiers` hold instead for requests of more input tokens than they name. */
export const PriceConfig = Schema.Struct({
  ...rates,
  tiers: Schema.optionalKey(Schema.Array(Schema.Struct({ aboveInputTokens: PositiveInt, ...rates })))
})
export type PriceConfig = typeof PriceConfig.Type

/** What a named role brings to a call that does not say otherwise itself. */
const defaults = {
  system: optional(Schema.String, "System prompt of calls that give none"),
  temperature: Schema.optionalKey(Temperature),
  maxOutputTokens: optional(PositiveInt, "Output bound of calls that give none, in tokens"),
  providerOptions: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}

/** A named model: a reference or chain, with what is known of it. */
export const ModelConfig = Schema.Struct({
  model: Schema.NonEmptyString.annotate({
    description:
      "A reference (anthropic:<model>, openai:<model>, command:<name>, …), another name, or a chain with |"
  }),
  ...defaults,
  outputLimit: optional(
    PositiveInt,
    "The model's own output limit in tokens, for budgets; not sent unless a cost bound asks for it"
  ),
  price: Schema.optionalKey(PriceConfig),
  retryInDoubt: optional(
    Schema.Boolean,
    "A call that may have run when Alembic crashed may run again, although its adapter acts on the world"
  )
})
export type ModelConfig = typeof ModelConfig.Type

/** A role: a model and how it is asked. */
export const ProfileConfig = Schema.Struct({
  model: Schema.optionalKey(Schema.NonEmptyString),
  ...defaults
})
export type ProfileConfig = typeof ProfileConfig.Type

const EnvName = Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/u)))

/** A provider of one's own, for references `<name>:<model>`. */
export const ProviderConfig = Schema.Struct({
  kind: Schema.Literals(["anthropic", "openai", "google", "openai-compatible"]),
  baseUrl: Schema.optionalKey(Schema.String),
  apiKeyEnv: optional(EnvName, "The environment variable that holds the key"),
  headersEnv: optional(
    Schema.Record(Schema.String, EnvName),
    "Headers whose values stand in environment variables"
  )
})
export type ProviderConfig = typeof ProviderConfig.Type

const TemplateItem = Schema.Union([Schema.String, Schema.Array(Schema.String)])

/** A subprocess that answers, for references `command:<name>` and `command:<name>:<model>`. */
export const CommandConfig = Schema.Struct({
  preset: optional(
    Schema.Literals(["claude", "codex", "gemini"]),
    "What it is, instead of command and reads"
  ),
  command: optional(
    Schema.Array(TemplateItem).pipe(Schema.check(Schema.isMinLength(1))),
    "Program and arguments, no shell; {{prompt}}, {{system}} and {{model}} are filled in, a group in [] is left out where its value is missing"
  ),
  reads: optional(
    Schema.Literals(["claude", "codex", "gemini", "text"]),
    "How its output is read; as plain text without"
  ),
  sandbox: optional(Schema.Array(Schema.String), "A prefix that it runs under, such as podman run …"),
  cwd: Schema.optionalKey(Schema.String),
  env: optional(
    Schema.Record(Schema.String, Schema.String),
    "Added to its environment; no keys here (passEnv names them)"
  ),
  passEnv: optional(
    Schema.Array(EnvName),
    "Variables of your environment that it gets; without, only PATH, HOME, LANG and the like, and the keys of the tool it is read as"
  ),
  maxUsdPerCall: optional(
    NonNegative,
    "What one call costs at most, in US dollars: it is held under a budget, and taken as its cost where the tool does not say what it cost"
  ),
  timeLimitMs: Schema.optionalKey(PositiveInt),
  maxOutputBytes: Schema.optionalKey(PositiveInt),
  retryInDoubt: optional(
    Schema.Boolean,
    "A call that may have run when Alembic crashed may run again, although it acts on the world"
  )
})
export type CommandConfig = typeof CommandConfig.Type

export const LimitsConfig = Schema.Struct({
  concurrency: Schema.optionalKey(PositiveInt),
  requestsPerMinute: Schema.optionalKey(PositiveInt),
  tokensPerMinute: Schema.optionalKey(PositiveInt)
})

export const AlembicConfig = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  model: optional(Schema.NonEmptyString, "The model of calls that name none; offline without"),
  models: named(ModelConfig, "Models by names of your own"),
  notify: optional(
    Schema.NonEmptyString,
    "When a run ends or waits: bell, or a command for the shell, which gets ALEMBIC_RUN, _STATUS, _SPENT_USD and _DIR, and no keys"
  ),
  aliases: named(Schema.NonEmptyString, "Short names for references or chains"),
  profiles: named(ProfileConfig, "Roles for h.agent's profile option"),
  providers: named(ProviderConfig, "Further providers, by the prefix of their references"),
  commands: named(CommandConfig, "Subprocesses, for references command:<name>"),
  fallbacks: named(
    Schema.Array(Schema.NonEmptyString).pipe(Schema.check(Schema.isMinLength(1))),
    "By name or reference: what is tried next when it fails"
  ),
  prices: named(PriceConfig, "By reference, instead of the table Alembic brings"),
  limits: named(LimitsConfig, "By adapter: anthropic, openai, command:claude, …"),
  retry: Schema.optionalKey(
    Schema.Struct({
      maxAttempts: Schema.optionalKey(PositiveInt),
      baseMs: Schema.optionalKey(NonNegative),
      maxMs: Schema.optionalKey(NonNegative),
      hintBudgetMs: Schema.optionalKey(NonNegative)
    })
  ),
  breaker: Schema.optionalKey(
    Schema.Struct({ trip: Schema.optionalKey(PositiveInt), openMs: Schema.optionalKey(Positive) })
  ),
  brake: optional(
    Schema.Union([
      Schema.Literal("off"),
      Schema.Struct({
        threshold: Schema.optionalKey(PositiveInt),
        codes: Schema.optionalKey(Schema.Array(ErrorCode)),
        alike: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))))
      })
    ]),
    "When a run stops calling a provider: threshold failures in a row of codes (3; key, quota, network and overload), or, while nothing has succeeded yet, the first alike (8) failures of one code; off: never"
  ),
  timeoutMs: optional(PositiveInt, "Time limit of one attempt"),
  totalTimeoutMs: optional(PositiveInt, "Time limit of a call with its waits and retries"),
  maxRepairs: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 })))),
  journal: optional(
    Schema.Struct({
      maxBytes: optional(PositiveInt, "Bytes that a run's log and blobs may come to; 4 GiB without")
    }),
    "How much a run may write"
  ),
  boards: named(Schema.String, "Council boards by name: paths of their files")
})
export type AlembicConfig = typeof AlembicConfig.Type

/** A configuration that is none. `message` names the path of what is wrong. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  message: Schema.String
}) {}

const options = { onExcessProperty: "error", errors: "all" } as const
const decodeValue = Schema.decodeUnknownEffect(AlembicConfig)
const decodeOption = Schema.decodeUnknownOption(Schema.fromJsonString(AlembicConfig))
const refused = (error: Schema.SchemaError) => new ConfigError({ message: issuesText(error) })

export const readConfig = (value: unknown): Effect.Effect<AlembicConfig, ConfigError> =>
  decodeValue(value, options).pipe(Effect.mapError(refused))

/** The same of a text, where what is wrong with it is of no matter. */
export const decodeConfigText = (text: string): Option.Option<AlembicConfig> =>
  decodeOption(text.replace(/^\uFEFF/, ""), options)

/** From the text of alembic.json. */
export const parseConfig = (text: string): Effect.Effect<AlembicConfig, ConfigError> =>
  Effect.fromResult(userJson(text)).pipe(
    Effect.mapError(({ message }) => new ConfigError({ message: `not JSON: ${message}` })),
    Effect.flatMap(readConfig)
  )

type Node = { readonly [key: string]: unknown }
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isDescription = (value: unknown): boolean =>
  isNode(value) && Object.keys(value).every((key) => key === "description")

/** Effect writes a description of a refined value as a second schema beside it; an editor looks for it in place. */
const hoistDescriptions = (node: Node): Node => {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within)
    return isNode(value) ? hoistDescriptions(value) : value
  }
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, within(value)])
  )
  if (!Array.isArray(allOf)) return rest
  if (!allOf.every(isDescription)) return { ...rest, allOf }
  return { description: allOf.filter(isNode).at(0)?.["description"], ...rest }
}

/** The JSON Schema (2020-12) of alembic.json. */
export const configJsonSchema = (): { readonly [key: string]: unknown } => {
  const { schema } = Schema.toJsonSchemaDocument(AlembicConfig, { onExcessProperty: "error" })
  const root: Node = { ...schema }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "alembic.json",
    ...hoistDescriptions(root)
  }
}

/** What of the configuration is for the guards. */
export const guardsOptions = (config: AlembicConfig): GuardsOptions => ({
  ...defined({
    retry: config.retry,
    breaker: config.breaker,
    brake: config.brake,
    timeoutMs: config.timeoutMs,
    totalTimeoutMs: config.totalTimeoutMs,
    maxRepairs: config.maxRepairs,
    limits: config.limits
  })
})
