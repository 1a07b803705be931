// References: from what a plan or a person calls a model to the chain of `provider:model` links behind it. Names,
// aliases, profiles and fallbacks are resolved here, once, when the configuration is read. Pure; keys, base URLs
// and adapters are ConfiguredRegistry's.
import { Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { AgentOptions, CallIdentity } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import { type Price, RegistryError } from "./AdapterRegistry.ts"
import type { AlembicConfig, ModelConfig, ProfileConfig } from "./Config.ts"
import { linkMeanings, shortMeaning } from "./linkIdentity.ts"
import { meantReference, presets } from "./presets.ts"
import { optionProblem } from "./providerOptions.ts"

export const builtInProviders = ["anthropic", "openai", "google", "openai-compatible"] as const

export const commandPresetNames = ["claude", "codex", "gemini"] as const

/** One link: `provider` with its `modelId`. `reference` is the text of both. */
export interface Link {
  readonly reference: string
  readonly provider: string
  readonly modelId: string
}

export type Defaults = Pick<ProfileConfig, "system" | "temperature" | "maxOutputTokens" | "providerOptions">

/** What is known of one link from the configuration. */
export interface LinkSettings {
  readonly price?: Price
  readonly outputLimit?: number
  readonly retryInDoubt?: boolean
}

/** A reference with everything resolved. */
export interface Resolved {
  /** The chain's links joined by `|`; resolving it again gives itself. */
  readonly reference: string
  readonly links: ReadonlyArray<Link>
  readonly defaults: Defaults
}

const fail = (
  reference: string,
  code: RegistryError["code"],
  message: string,
  cure: string
): Result.Result<never, RegistryError> => Result.fail(new RegistryError({ reference, code, message, cure }))

const wrong = (reference: string, message: string) =>
  fail(reference, "invalid_config", message, "correct alembic.json")

const own = <A>(record: Readonly<Record<string, A>> | undefined, key: string): A | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined

const listed = (names: ReadonlyArray<string>): string => (names.length === 0 ? "none" : names.join(", "))

/** Members of a named model or profile that a call may take over. */
export const defaultsOf = ({
  maxOutputTokens,
  providerOptions,
  system,
  temperature
}: ModelConfig | ProfileConfig | Defaults): Defaults => ({
  ...defined({ system, temperature, maxOutputTokens, providerOptions })
})

export class References {
  private readonly config: AlembicConfig
  private readonly providers: ReadonlySet<string>
  /** What was asked for before: configuration does not change under it. */
  private readonly resolved = new Map<string, Result.Result<Resolved, RegistryError>>()
  private readonly settings = new Map<string, LinkSettings>()
  private readonly meanings: ReturnType<typeof linkMeanings>

  private constructor(config: AlembicConfig, extraProviders: ReadonlyArray<string>) {
    this.config = config
    this.meanings = linkMeanings(config)
    this.providers = new Set([
      ...builtInProviders,
      ...Object.keys(presets),
      ...Object.keys(config.providers ?? {}),
      ...extraProviders
    ])
  }

  /** Reads the names of a configuration; fails on the first that cannot be resolved. */
  static make(
    config: AlembicConfig,
    extraProviders: ReadonlyArray<string> = []
  ): Result.Result<References, RegistryError> {
    const references = new References(config, extraProviders)
    return Result.map(references.check(), () => references)
  }

  private get names(): ReadonlyArray<string> {
    return [...Object.keys(this.config.models ?? {}), ...Object.keys(this.config.aliases ?? {})]
  }

  private check(): Result.Result<void, RegistryError> {
    const { aliases, commands, fallbacks, model, models, prices, profiles, providers } = this.config
    return Result.gen(this, function* () {
      const taken = new Set(["offline", "human", "command", ...builtInProviders])
      for (const name of [...this.names, ...Object.keys(providers ?? {})]) {
        if (!/^[^\s:|]+$/.test(name))
          yield* wrong(name, `the name ${JSON.stringify(name)} holds a space, : or |`)
        if (taken.has(name)) yield* wrong(name, `the name ${name} is taken`)
        taken.add(name)
      }
      for (const [name, { command, preset }] of Object.entries(commands ?? {})) {
        if (command === undefined && preset === undefined) {
          yield* wrong(`command:${name}`, `$.commands.${name} has neither a preset nor a command`)
        }
      }
      for (const [kind, given] of Object.entries({ models, profiles })) {
        for (const [name, { providerOptions }] of Object.entries<ModelConfig | ProfileConfig>(given ?? {})) {
          const problem = optionProblem(providerOptions, `$.${kind}.${name}.providerOptions`)
          if (problem !== undefined) yield* wrong(name, problem)
        }
      }
      for (const [reference, price] of Object.entries(prices ?? {})) yield* this.keepPrice(reference, price)
      for (const [name, settings] of Object.entries(models ?? {})) {
        const { links } = yield* this.resolve(name)
        yield* this.keepSettings(name, settings, links)
      }
      for (const name of Object.keys(aliases ?? {})) yield* this.resolve(name)
      for (const profile of Object.values(profiles ?? {})) {
        if (profile.model !== undefined) yield* this.resolve(profile.model)
      }
      for (const chain of Object.values(fallbacks ?? {})) for (const one of chain) yield* this.resolve(one)
      if (model !== undefined) yield* this.resolve(model)
    })
  }

  /** A price by reference, or by a name for one. */
  private keepPrice(reference: string, price: Price): Result.Result<void, RegistryError> {
    if (!this.names.includes(reference)) {
      this.settings.set(reference, { price })
      return Result.succeed(undefined)
    }
    return Result.flatMap(this.resolve(reference), ({ links }) => {
      const [link] = links
      // Of a chain by fallbacks the name's own model is meant.
      const isChain = (
        own(this.config.models, reference)?.model ?? own(this.config.aliases, reference)
      )?.includes("|")
      if (link === undefined || isChain === true)
        return wrong(reference, `$.prices.${reference} is a chain: a price belongs to one model`)
      const known = this.settings.get(link.reference)?.price ?? own(this.config.prices, link.reference)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(price))
        return wrong(
          reference,
          `$.prices.${reference} says something else of ${link.reference} than another name does`
        )
      this.settings.set(link.reference, { price })
      return Result.succeed(undefined)
    })
  }

  private keepSettings(
    name: string,
    { outputLimit, price, retryInDoubt }: ModelConfig,
    links: ReadonlyArray<Link>
  ): Result.Result<void, RegistryError> {
    const given: LinkSettings = {
      ...defined({ price, outputLimit, retryInDoubt })
    }
    if (Object.keys(given).length === 0) return Result.succeed(undefined)
    const written = own(this.config.models, name)?.model ?? ""
    const [link] = links
    if (written.includes("|") || link === undefined) {
      return wrong(
        name,
        `$.models.${name} is a chain: price, outputLimit and retryInDoubt belong to one model`
      )
    }
    const known = this.settings.get(link.reference) ?? {}
    for (const key of ["price", "outputLimit", "retryInDoubt"] as const) {
      if (known[key] !== undefined && given[key] !== undefined) {
        if (JSON.stringify(known[key]) !== JSON.stringify(given[key])) {
          return wrong(
            name,
            `$.models.${name}.${key} says something else of ${link.reference} than another name does`
          )
        }
      }
    }
    this.settings.set(link.reference, { ...known, ...given })
    return Result.succeed(undefined)
  }

  settingsOf(link: Link): LinkSettings {
    return this.settings.get(link.reference) ?? {}
  }

  /** A reference, name, alias or chain, resolved. Unknown ones fail with what is known. */
  resolve(reference: string): Result.Result<Resolved, RegistryError> {
    const known = this.resolved.get(reference)
    if (known !== undefined) return known
    const resolved = Result.map(this.expand(reference, []), ({ defaults, links }) => ({
      reference: links.map((link) => link.reference).join("|"),
      links,
      defaults
    }))
    this.resolved.set(reference, resolved)
    return resolved
  }

  private expand(
    reference: string,
    seen: ReadonlyArray<string>
  ): Result.Result<{ readonly links: ReadonlyArray<Link>; readonly defaults: Defaults }, RegistryError> {
    return Result.gen(this, function* () {
      const links = new Map<string, Link>()
      let defaults: Defaults | undefined
      for (const part of reference.split("|").map((text) => text.trim())) {
        const inner = yield* this.one(part, seen)
        // What the first name of a chain brings holds for the call: a call is asked in one way.
        defaults ??= inner.defaults
        for (const link of inner.links) if (!links.has(link.reference)) links.set(link.reference, link)
      }
      return { links: [...links.values()], defaults: defaults ?? {} }
    })
  }

  private one(
    part: string,
    seen: ReadonlyArray<string>
  ): Result.Result<{ readonly links: ReadonlyArray<Link>; readonly defaults: Defaults }, RegistryError> {
    if (seen.includes(part)) {
      return wrong(part, `${[...seen.slice(seen.indexOf(part)), part].join(" → ")} is a circle`)
    }
    return Result.gen(this, function* () {
      const within = [...seen, part]
      const model = own(this.config.models, part)
      const target = model?.model ?? own(this.config.aliases, part)
      const inner =
        target === undefined
          ? { links: [yield* this.link(part)], defaults: {} }
          : yield* this.expand(target, within)
      const links = [...inner.links]
      for (const next of own(this.config.fallbacks, part) ?? []) {
        // A fallback that leads back here ends the chain; it is no circle of names.
        if (!within.includes(next)) links.push(...(yield* this.expand(next, within)).links)
      }
      return {
        links,
        defaults: model === undefined ? inner.defaults : { ...inner.defaults, ...defaultsOf(model) }
      }
    })
  }

  private link(part: string): Result.Result<Link, RegistryError> {
    if (part === "offline" || part === "human") {
      return Result.succeed({ reference: part, provider: part, modelId: part })
    }
    const colon = part.indexOf(":")
    const provider = part.slice(0, colon)
    const modelId = part.slice(colon + 1)
    const known = listed([
      ...this.names,
      "offline",
      "human",
      "command:<name>",
      ...[...this.providers].map((name) => `${name}:<model>`)
    ])
    const meant = meantReference(part, this.providers)
    const cure =
      meant === undefined ? `name one of: ${known}` : `did you mean ${meant}? Else name one of: ${known}`
    if (colon <= 0 || modelId === "") {
      return fail(part, "unknown_model", `unknown model ${JSON.stringify(part)}`, cure)
    }
    if (provider === "command") {
      // `command:<name>` or, with a model of the command's own, `command:<name>:<model>`.
      const [name = "", ...model] = modelId.split(":")
      const names = [...new Set([...commandPresetNames, ...Object.keys(this.config.commands ?? {})])]
      return names.includes(name)
        ? Result.succeed({ reference: part, provider: `command:${name}`, modelId: model.join(":") || name })
        : fail(
            part,
            "unknown_model",
            `unknown command ${JSON.stringify(name)}`,
            `name one of: ${listed(names)}`
          )
    }
    return this.providers.has(provider) || provider === "offline"
      ? Result.succeed({ reference: part, provider, modelId })
      : fail(part, "unknown_model", `unknown provider in ${JSON.stringify(part)}`, cure)
  }

  /** What links of one's own are, as a provider option that no provider is sent. */
  private meaningOf(links: ReadonlyArray<Link>): Readonly<Record<string, Json>> | undefined {
    const own = links.flatMap(({ provider }) => {
      const meaning = this.meanings.get(provider)
      return meaning === undefined ? [] : [[provider, shortMeaning(meaning)] as const]
    })
    return own.length === 0 ? undefined : { alembic: Object.fromEntries(own) }
  }

  /** The identity of an `agent` call: what the call says, else its profile, else its named model. */
  identify(options: AgentOptions, defaultModel: string): Result.Result<CallIdentity, RegistryError> {
    return Result.gen(this, function* () {
      const profile = options.profile === undefined ? undefined : own(this.config.profiles, options.profile)
      if (options.profile !== undefined && profile === undefined) {
        const names = listed(Object.keys(this.config.profiles ?? {}))
        return yield* fail(
          options.profile,
          "unknown_profile",
          `unknown profile ${JSON.stringify(options.profile)}`,
          `name one of: ${names}`
        )
      }
      const resolved = yield* this.resolve(options.model ?? profile?.model ?? defaultModel)
      const asked = { ...resolved.defaults, ...defaultsOf(profile ?? {}), ...defaultsOf(options) }
      const meaning = this.meaningOf(resolved.links)
      return {
        verb: "agent",
        prompt: options.prompt,
        model: resolved.reference,
        ...asked,
        ...(meaning === undefined ? {} : { providerOptions: { ...asked.providerOptions, ...meaning } }),
        ...defined({ schema: options.schema })
      }
    })
  }

  /** Every name, alias and profile, resolved, and what is behind names of one's own: what of the configuration is part of a run's identity. */
  identity(defaultModel: string, fixtures: string | undefined): Result.Result<Json, RegistryError> {
    return Result.gen(this, function* () {
      const of = (resolved: Resolved): Json => ({ model: resolved.reference, ...resolved.defaults })
      const models: Record<string, Json> = {}
      for (const name of this.names) models[name] = of(yield* this.resolve(name))
      const profiles: Record<string, Json> = {}
      for (const [name, profile] of Object.entries(this.config.profiles ?? {})) {
        const resolved = yield* this.resolve(profile.model ?? defaultModel)
        profiles[name] = of({ ...resolved, defaults: { ...resolved.defaults, ...defaultsOf(profile) } })
      }
      return {
        default: of(yield* this.resolve(defaultModel)),
        ...(Object.keys(models).length === 0 ? {} : { models }),
        ...(Object.keys(profiles).length === 0 ? {} : { profiles }),
        ...(this.meanings.size === 0 ? {} : { links: Object.fromEntries(this.meanings) }),
        ...defined({ fixtures })
      }
    })
  }
}
