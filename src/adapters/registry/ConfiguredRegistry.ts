// ConfiguredRegistry: the live AdapterRegistry, from alembic.json and the environment. Adapters are made when a link
// is first bound; keys stay inside them. Which names mean what is references.ts's, where a provider is Endpoints'.
import { Context, Effect, Layer, type Redacted } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Adapter } from "../Adapter.ts"
import { AdapterRegistry, type Binding, type Price, RegistryError } from "./AdapterRegistry.ts"
import type { AlembicConfig, CommandConfig } from "./Config.ts"
import { baseUrlTargets, type Endpoint, endpointProblem, readEndpoints } from "./Endpoints.ts"
import { fixturesHash, type Fixtures } from "./Fixtures.ts"
import { type CatalogEntry, type CatalogLink, ModelCatalog } from "./ModelCatalog.ts"
import { makeAiSdkAdapter } from "../providers/aiSdk.ts"
import {
  type CommandPreset,
  commandPresets,
  type CommandSpec,
  makeCommandAdapter
} from "../providers/command.ts"
import { makeHumanAdapter } from "../providers/human.ts"
import { makeOfflineAdapter } from "../providers/offline.ts"
import { lookupPrice } from "../providers/priceTable.ts"
import { presets } from "./presets.ts"
import { commandPresetNames, type Link, References, type Resolved } from "./references.ts"

export interface RegistryOptions {
  readonly config?: AlembicConfig
  /** What the person called the configuration; alembic.json unless given. */
  readonly configName?: string
  /** Instead of the configuration's `model`; `offline` where neither says one. A key never changes that. */
  readonly defaultModel?: string
  /** Wins over the environment, for the default model's providers. */
  readonly baseUrl?: string
  /** By built-in provider: where it is reached if the environment does not say. */
  readonly baseUrls?: Readonly<Record<string, string>>
  readonly fixtures?: Fixtures
  /** Folders of the project: no command model's program is found in them by its bare name. */
  readonly project?: ReadonlyArray<string>
  /** Further adapters, for references `<id>:<model>`: a LanguageModel of another app, a fake. */
  readonly adapters?: ReadonlyArray<Adapter>
}

const presetNamed = (name: string): CommandPreset | undefined =>
  commandPresetNames.find((preset) => preset === name)

const commandSpec = (name: string, config: CommandConfig | undefined): CommandSpec | undefined => {
  const preset = config?.preset ?? (config?.command === undefined ? presetNamed(name) : undefined)
  const base = preset === undefined ? undefined : commandPresets[preset]
  const argv = config?.command ?? base?.argv
  if (argv === undefined) return undefined
  const { cwd, env, maxOutputBytes, passEnv, reads, sandbox, timeLimitMs } = config ?? {}
  return {
    argv,
    reads: reads ?? base?.reads ?? "text",
    ...defined({ cwd, env, passEnv, sandbox, timeLimitMs, maxOutputBytes })
  }
}

/** The adapters behind the links of one registry, each made once. */
class Adapters {
  private readonly made = new Map<string, Adapter>()
  private readonly options: RegistryOptions
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** Every key that is configured: no adapter shows another one's either. */
  private readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  constructor(options: RegistryOptions, endpoints: ReadonlyMap<string, Endpoint>) {
    this.options = options
    this.endpoints = endpoints
    this.secrets = [...endpoints.values()].flatMap(({ apiKey, headers }) => [
      ...(apiKey === undefined ? [] : [apiKey]),
      ...Object.values(headers)
    ])
    for (const adapter of options.adapters ?? []) this.made.set(adapter.id, adapter)
  }

  problem(link: Link): RegistryError | undefined {
    const endpoint = this.endpoints.get(link.provider)
    return endpoint === undefined || this.options.adapters?.some(({ id }) => id === link.provider) === true
      ? undefined
      : endpointProblem(endpoint, link)
  }

  of(link: Link): Adapter {
    const known = this.made.get(link.provider)
    if (known !== undefined) return known
    const adapter = this.make(link)
    this.made.set(link.provider, adapter)
    return adapter
  }

  private make(link: Link): Adapter {
    const { secrets } = this
    const { project } = this.options
    if (link.provider === "human") return makeHumanAdapter()
    if (link.provider.startsWith("command:")) {
      const name = link.provider.slice("command:".length)
      const config = this.options.config?.commands?.[name]
      const spec = commandSpec(name, config)
      if (spec !== undefined) {
        return makeCommandAdapter({
          id: link.provider,
          spec,
          secrets,
          ...defined({ project, maxUsdPerCall: config?.maxUsdPerCall })
        })
      }
    }
    const endpoint = this.endpoints.get(link.provider)
    if (endpoint === undefined) return makeOfflineAdapter(this.options.fixtures)
    const { apiKey, baseUrl, headers, id, kind, plainJson } = endpoint
    return makeAiSdkAdapter({ provider: kind, id, apiKey, baseUrl, headers, secrets, plainJson })
  }
}

const isPreset = (id: string, { providers = {} }: AlembicConfig): boolean =>
  Object.hasOwn(presets, id) && !Object.hasOwn(providers, id)

/** What a model on this machine costs. */
const unpaid: Price = { inputUsdPerMillion: 0, outputUsdPerMillion: 0 }

const keyState = (endpoint: Endpoint | undefined): CatalogLink["key"] => {
  if (endpoint === undefined) return "not_needed"
  if (endpoint.apiKey !== undefined) return "present"
  return endpoint.keyOptional ? "not_needed" : "absent"
}

/** An error that speaks of alembic.json, by the name under which it was given. */
const calledBy = (name: string | undefined) => (error: RegistryError) => {
  if (name === undefined) return error
  const { code, cure, message, reference } = error
  const said = (text: string) => text.replaceAll("alembic.json", () => name)
  return new RegistryError({ code, reference, message: said(message), cure: said(cure) })
}

const make = Effect.fnUntraced(function* (options: RegistryOptions) {
  const config = options.config ?? {}
  const defaultModel = options.defaultModel ?? config.model ?? "offline"
  const references = yield* Effect.fromResult(
    References.make(
      config,
      options.adapters?.map(({ id }) => id)
    )
  )
  const resolvedDefault = yield* Effect.fromResult(references.resolve(defaultModel))
  const endpoints = yield* readEndpoints(
    config,
    options.baseUrl,
    baseUrlTargets(resolvedDefault),
    options.baseUrls
  )
  const adapters = new Adapters(options, endpoints)
  const fixtures = options.fixtures === undefined ? undefined : fixturesHash(options.fixtures)
  const identity = yield* Effect.fromResult(references.identity(defaultModel, fixtures))

  const bindLink = Effect.fnUntraced(function* (link: Link) {
    const problem = adapters.problem(link)
    if (problem !== undefined) return yield* problem
    const adapter = adapters.of(link)
    const { outputLimit, price: configured, retryInDoubt } = references.settingsOf(link)
    const endpoint = endpoints.get(link.provider)
    const price =
      configured ??
      (endpoint === undefined
        ? undefined
        : endpoint.unpaid
          ? unpaid
          : yield* lookupPrice(endpoint.kind, link.modelId, endpoint.baseUrl))
    const name = link.provider.startsWith("command:") ? link.provider.slice("command:".length) : ""
    const again = retryInDoubt ?? config.commands?.[name]?.retryInDoubt
    const binding: Binding = {
      adapter,
      modelId: link.modelId,
      ...defined({ price, maxOutputTokens: outputLimit, retryInDoubt: again })
    }
    return binding
  })

  const registry = AdapterRegistry.of({
    resolve: (call) => Effect.fromResult(references.identify(call, defaultModel)),
    bind: (reference) =>
      Effect.fromResult(references.resolve(reference)).pipe(
        Effect.flatMap(({ links }) => Effect.forEach(links, bindLink)),
        Effect.mapError(calledBy(options.configName))
      ),
    identity
  })

  const describeLink = Effect.fnUntraced(function* (link: Link) {
    const endpoint = endpoints.get(link.provider)
    const bound = yield* Effect.result(bindLink(link))
    const binding = bound._tag === "Success" ? bound.success : undefined
    const problem = bound._tag === "Failure" ? bound.failure : undefined
    const limits = config.limits?.[link.provider]
    const { outputLimit } = references.settingsOf(link)
    const described: CatalogLink = {
      reference: link.reference,
      adapterId: link.provider,
      modelId: link.modelId,
      key: keyState(endpoint),
      free: binding?.adapter.free ?? false,
      ...defined({ keyVariable: endpoint?.apiKeyVariable, baseUrl: endpoint?.baseUrl }),
      ...(binding?.price === undefined ? {} : { price: binding.price }),
      ...defined({ limits, outputLimit }),
      ...(problem === undefined ? {} : { problem: problem.message, cure: problem.cure })
    }
    return described
  })
  const entry = Effect.fnUntraced(function* (kind: CatalogEntry["kind"], name: string, resolved: Resolved) {
    const links = yield* Effect.forEach(resolved.links, describeLink)
    const described: CatalogEntry = { kind, name, reference: resolved.reference, links }
    return described
  })
  const named = [
    { kind: "default" as const, name: defaultModel, reference: defaultModel },
    ...Object.keys(config.models ?? {}).map((name) => ({ kind: "model" as const, name, reference: name })),
    ...Object.keys(config.aliases ?? {}).map((name) => ({ kind: "alias" as const, name, reference: name })),
    ...Object.entries(config.profiles ?? {}).map(([name, { model }]) => ({
      kind: "profile" as const,
      name,
      reference: model ?? defaultModel
    }))
  ]
  const catalog = ModelCatalog.of({
    defaultModel,
    entries: Effect.forEach(named, ({ kind, name, reference }) =>
      // Every name was resolved when the configuration was read.
      Effect.orDie(Effect.fromResult(references.resolve(reference))).pipe(
        Effect.flatMap((resolved) => entry(kind, name, resolved))
      )
    ),
    // Of the presets only those that have a key: nobody has all of those servers.
    providers: [...endpoints.values()]
      .filter(({ apiKey, id }) => apiKey !== undefined || !isPreset(id, config))
      .map((endpoint) => ({
        provider: endpoint.id,
        key: keyState(endpoint),
        keyVariable: endpoint.apiKeyVariable,
        ...defined({ baseUrlVariable: endpoint.baseUrlVariable }),
        baseUrl:
          endpoint.baseUrl !== undefined
            ? "set"
            : endpoint.kind === "openai-compatible"
              ? "absent"
              : "default"
      }))
  })
  return Context.make(AdapterRegistry, registry).pipe(Context.add(ModelCatalog, catalog))
})

/**
 * The registry of a configuration. The environment is read once, through the ConfigProvider; a name that cannot be
 * resolved fails the layer, a key that is missing fails the `bind` that needs it.
 */
export const layerConfigured = (
  options: RegistryOptions = {}
): Layer.Layer<AdapterRegistry | ModelCatalog, RegistryError> =>
  Layer.effectContext(Effect.mapError(make(options), calledBy(options.configName)))
