// Endpoints: from a provider's name to its kind, key and base URL, read from the environment through Effect's Config.
// Keys are Redacted from the first; what is missing is named by the variable to set. No adapter is made here.
import { Config, Effect, Option, Redacted, Result } from "effect"
import { trimEndOf } from "../../domain/trimming.ts"
import { RegistryError } from "./AdapterRegistry.ts"
import type { AlembicConfig, ProviderConfig } from "./Config.ts"
import { isLocalUrl, presetKind, presets } from "./presets.ts"
import { builtInProviders, type Link, type Resolved } from "./references.ts"

/** Where one provider is reached. Absent: not set. */
export interface Endpoint {
  readonly id: string
  readonly kind: ProviderConfig["kind"]
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly apiKeyVariable: string
  /** Calls without a key are fine. */
  readonly keyOptional: boolean
  /** A key is needed, and the configuration names no variable for it. */
  readonly keyless: boolean
  readonly baseUrl: string | undefined
  readonly baseUrlVariable: string | undefined
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  /** A header whose variable is not set. */
  readonly missingHeader: string | undefined
  /** It refuses `json_schema`: the schema goes into the prompt. */
  readonly plainJson: boolean
  /** A call costs nothing: it is answered on this machine. */
  readonly unpaid: boolean
}

const variables: Readonly<
  Record<ProviderConfig["kind"], { readonly key: string; readonly baseUrl: string }>
> = {
  anthropic: { key: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  openai: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  google: { key: "GOOGLE_GENERATIVE_AI_API_KEY", baseUrl: "GOOGLE_BASE_URL" },
  "openai-compatible": { key: "OPENAI_COMPATIBLE_API_KEY", baseUrl: "OPENAI_COMPATIBLE_BASE_URL" }
}

/** A variable that is set to nothing is not set. */
const secret = (name: string) =>
  Config.option(Config.Redacted(name)).pipe(
    Config.map(Option.filter((value) => Redacted.value(value).trim() !== "")),
    Config.map(Option.getOrUndefined)
  )
/** The first of the variables that is set. */
const firstSecret = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  for (const name of names) {
    const value = yield* secret(name)
    if (value !== undefined) return value
  }
  return undefined
})
const text = (name: string) =>
  Config.option(Config.String(name)).pipe(
    Config.map(Option.filter((value) => value.trim() !== "")),
    Config.map(Option.getOrUndefined)
  )

/** The variables that say where a built-in provider is reached, by provider. */
export const baseUrlVariables: ReadonlyMap<string, string> = new Map([
  ...builtInProviders.map((kind) => [kind, variables[kind].baseUrl] as const),
  ...Object.entries(presets).map(([id, { baseUrlVariable }]) => [id, baseUrlVariable] as const)
])

/** Other usual names of a provider's key, which are looked at where the first one is not set. */
const otherKeys: Readonly<Partial<Record<ProviderConfig["kind"], ReadonlyArray<string>>>> = {
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  anthropic: ["CLAUDE_API_KEY"]
}

/** The variables that hold the keys of built-in providers and of presets. */
export const keyVariables: ReadonlySet<string> = new Set([
  ...builtInProviders.flatMap((kind) => [variables[kind].key, ...(otherKeys[kind] ?? [])]),
  ...Object.values(presets).map(({ keyVariable }) => keyVariable)
])

/**
 * The vendor's own tools want Anthropic's base URL without a path, the provider package wants the path of the API in
 * it: where there is none, it is added.
 */
const withApiPath = (kind: ProviderConfig["kind"], baseUrl: string | undefined): string | undefined =>
  kind === "anthropic" && baseUrl !== undefined && /^https?:\/\/[^/?#]+\/*$/i.test(baseUrl)
    ? `${trimEndOf(baseUrl, "/")}/v1`
    : baseUrl

/** `--base-url` is for the default model's providers; where that is none over HTTP, for all built-in ones. */
export const baseUrlTargets = (defaultModel: Resolved): ReadonlySet<string> => {
  const own = defaultModel.links
    .map((link) => link.provider)
    .filter((provider) => !["offline", "human"].includes(provider) && !provider.startsWith("command:"))
  return new Set(own.length > 0 ? own : builtInProviders)
}

const invalid = (cause: Config.ConfigError) =>
  new RegistryError({
    reference: "",
    code: "invalid_config",
    message: `the environment cannot be read: ${cause.message}`,
    cure: "check the variables that Alembic reads"
  })

/** Reads what the environment says of every provider. `kept`: where a run's were, for those it says nothing of now. */
export const readEndpoints = Effect.fnUntraced(function* (
  config: AlembicConfig,
  baseUrl: string | undefined,
  targets: ReadonlySet<string>,
  kept: Readonly<Record<string, string>> = {}
) {
  const endpoints = new Map<string, Endpoint>()
  const add = Effect.fnUntraced(function* (id: string, provider: ProviderConfig, isBuiltIn: boolean) {
    const { baseUrl: baseUrlVariable, key } = variables[provider.kind]
    const apiKeyVariable = provider.apiKeyEnv ?? key
    const keyless = !isBuiltIn && provider.apiKeyEnv === undefined
    const headers: Record<string, Redacted.Redacted<string>> = {}
    let missingHeader: string | undefined
    for (const [header, variable] of Object.entries(provider.headersEnv ?? {})) {
      const value = yield* secret(variable)
      if (value === undefined) missingHeader = variable
      else headers[header] = value
    }
    const given = targets.has(id) ? baseUrl : undefined
    const configured = isBuiltIn ? ((yield* text(baseUrlVariable)) ?? kept[id]) : provider.baseUrl
    endpoints.set(id, {
      id,
      kind: provider.kind,
      // A provider of one's own never gets a built-in one's key: it could be anybody's server.
      apiKey: keyless
        ? undefined
        : yield* firstSecret([apiKeyVariable, ...(isBuiltIn ? (otherKeys[provider.kind] ?? []) : [])]),
      apiKeyVariable,
      keyless: keyless && provider.kind !== "openai-compatible",
      keyOptional: provider.kind === "openai-compatible" && provider.apiKeyEnv === undefined,
      baseUrl: withApiPath(provider.kind, (given ?? configured)?.trim()),
      baseUrlVariable: isBuiltIn ? baseUrlVariable : undefined,
      headers,
      missingHeader,
      plainJson: false,
      unpaid: false
    })
  })
  for (const kind of builtInProviders) yield* add(kind, { kind }, true)
  for (const [id, preset] of Object.entries(presets)) {
    const given = targets.has(id) ? baseUrl : undefined
    const at = (given ?? (yield* text(preset.baseUrlVariable)) ?? kept[id] ?? preset.baseUrl).trim()
    endpoints.set(id, {
      id,
      kind: presetKind,
      apiKey: yield* secret(preset.keyVariable),
      apiKeyVariable: preset.keyVariable,
      keyless: false,
      keyOptional: preset.local,
      baseUrl: at,
      baseUrlVariable: preset.baseUrlVariable,
      headers: {},
      missingHeader: undefined,
      plainJson: preset.plainJson ?? false,
      unpaid: preset.local && isLocalUrl(at)
    })
  }
  for (const [id, provider] of Object.entries(config.providers ?? {})) yield* add(id, provider, false)
  return endpoints
}, Effect.mapError(invalid))

/** A part of a path that is a key by its prefix, or that is named as one (`;key=…`). */
const keyLike =
  /(?:^|[/;,&=:])(?:(?:sk|pk|rk|xox[a-z]|gh[a-z])[-_]|AIza|AKIA|eyJ)[-_A-Za-z0-9]{10,}|(?:key|token|secret|password)=/i

const holdsKey = (value: string): boolean => {
  const decoded = Result.getOrElse(
    Result.try(() => decodeURIComponent(value)),
    () => value
  )
  const pathOf = (text: string) => text.replace(/^https?:\/*[^/?#]*/i, "")
  return [value, decoded].some((text) => keyLike.test(pathOf(text)))
}

/** Why a text is no base URL, to which paths are appended, and what to do about it. It is not shown: it may hold a key. */
export const baseUrlProblem = (value: string): readonly [problem: string, cure: string] | undefined => {
  const url = Result.getOrUndefined(Result.try(() => new URL(value)))
  if (url === undefined || !/^https?:$/.test(url.protocol) || /\s/.test(value)) {
    return ["is not an http(s) URL", "correct the base URL"]
  }
  if (url.username !== "" || url.password !== "" || /^https?:\/*[^/?#]*@/i.test(value)) {
    return [
      "holds a user or a password, which a base URL may not",
      "put the key into its variable, or into a header with headersEnv of a provider in alembic.json"
    ]
  }
  if (/[?#]/.test(value)) {
    return [
      "holds a query or a fragment (? or #), which are no part of a base URL",
      "end it with the path, such as /v1; put a key into its variable, or into a header with headersEnv"
    ]
  }
  if (holdsKey(value)) {
    return [
      "holds what looks like a key, which a base URL may not: it is kept with the run",
      "put the key into its variable, or into a header with headersEnv of a provider in alembic.json"
    ]
  }
  return undefined
}

/** What keeps a link of this endpoint from being called, or undefined. */
export const endpointProblem = (endpoint: Endpoint, link: Link): RegistryError | undefined => {
  const problem = (code: RegistryError["code"], message: string, cure: string) =>
    new RegistryError({ reference: link.reference, code, message, cure })
  const { apiKey, apiKeyVariable, baseUrl, baseUrlVariable, id, keyless, keyOptional, kind, missingHeader } =
    endpoint
  if (kind === "openai-compatible" && baseUrl === undefined) {
    return baseUrlVariable === undefined
      ? problem(
          "missing_base_url",
          `${link.reference} needs a base URL`,
          `set $.providers.${id}.baseUrl in alembic.json`
        )
      : problem(
          "missing_base_url",
          `${link.reference} needs a base URL: ${baseUrlVariable} is not set`,
          `set ${baseUrlVariable} or give --base-url`
        )
  }
  const wrongUrl = baseUrl === undefined ? undefined : baseUrlProblem(baseUrl)
  if (wrongUrl !== undefined) {
    const [why, cure] = wrongUrl
    return problem("invalid_config", `the base URL of ${link.reference} ${why}`, cure)
  }
  if (apiKey === undefined && keyless) {
    return problem(
      "auth",
      `${link.reference} needs a key`,
      `name its variable in $.providers.${id}.apiKeyEnv`
    )
  }
  if (apiKey === undefined && !keyOptional) {
    return problem(
      "auth",
      `${link.reference} needs a key: ${apiKeyVariable} is not set`,
      `set ${apiKeyVariable}, or use --model offline`
    )
  }
  if (missingHeader !== undefined) {
    return problem(
      "auth",
      `${link.reference} needs a header: ${missingHeader} is not set`,
      `set ${missingHeader}`
    )
  }
  return undefined
}
