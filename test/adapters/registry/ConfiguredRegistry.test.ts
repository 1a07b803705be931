// The configured registry: which name means what, which key is missing, and that no key is ever shown.
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import type { AlembicConfig } from "../../../src/adapters/registry/Config.ts"
import { layerConfigured, type RegistryOptions } from "../../../src/adapters/registry/ConfiguredRegistry.ts"
import { ModelCatalog } from "../../../src/adapters/registry/ModelCatalog.ts"
import { runBound } from "../../../src/adapters/guard/runBound.ts"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { computeCacheKey } from "../../../src/domain/Call.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"

type Env = Readonly<Record<string, string>>

const registryOf = (options: RegistryOptions, env: Env = {}) =>
  layerConfigured(options).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env))))

const withRegistry = <A, E>(
  options: RegistryOptions,
  env: Env,
  use: (registry: AdapterRegistry["Service"]) => Effect.Effect<A, E>
) => AdapterRegistry.use(use).pipe(Effect.provide(registryOf(options, env), { local: true }))

const resolved = (config: AlembicConfig, reference: string) =>
  withRegistry({ config }, {}, ({ resolve }) =>
    Effect.map(resolve({ prompt: "p", model: reference }), ({ model }) => model)
  )

const bindFailure = (options: RegistryOptions, env: Env, reference: string) =>
  withRegistry(options, env, ({ bind }) => Effect.flip(bind(reference)))

const key = ["sk", "test", "0123456789abcdef"].join("-")

describe("the default model", () => {
  it.effect("is offline, whatever keys the environment holds", () =>
    Effect.gen(function* () {
      const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key }
      const identity = yield* withRegistry({}, env, ({ resolve }) => resolve({ prompt: "p" }))
      assert.deepStrictEqual(identity, { verb: "agent", prompt: "p", model: "offline" })
      const [link] = yield* withRegistry({}, env, ({ bind }) => bind("offline"))
      assert.isTrue(link?.adapter.free)
    })
  )

  it.effect("is the configuration's, and the option's before it", () =>
    Effect.gen(function* () {
      const config = { model: "openai:gpt-4o" }
      const ask = (options: RegistryOptions) =>
        withRegistry(options, {}, ({ resolve }) => resolve({ prompt: "p" }))
      assert.strictEqual((yield* ask({ config })).model, "openai:gpt-4o")
      assert.strictEqual((yield* ask({ config, defaultModel: "human" })).model, "human")
    })
  )

  it.effect("an unknown one fails the layer", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(withRegistry({ defaultModel: "gtp-4" }, {}, () => Effect.void))
      assert.deepInclude({ ...error }, { code: "unknown_model", reference: "gtp-4" })
    })
  )
})

describe("references", () => {
  const config: AlembicConfig = {
    models: {
      smart: { model: "anthropic:claude-x", system: "smart system", temperature: 0.5, maxOutputTokens: 100 },
      local: { model: "ollama:llama3:8b" }
    },
    aliases: { both: "smart | local", again: "both" },
    profiles: { reviewer: { model: "smart", system: "review system" }, plain: {} },
    providers: { ollama: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1" } },
    fallbacks: { local: ["openai:gpt-4o"], "openai:gpt-4o": ["local", "human"] }
  }

  it.effect("names, aliases, chains and fallbacks become providers and models", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolved(config, "smart"), "anthropic:claude-x")
      assert.strictEqual(yield* resolved(config, "local"), "ollama:llama3:8b|openai:gpt-4o|human")
      assert.strictEqual(
        yield* resolved(config, "again"),
        "anthropic:claude-x|ollama:llama3:8b|openai:gpt-4o|human"
      )
      assert.strictEqual(yield* resolved(config, "offline|human"), "offline|human")
      assert.strictEqual(yield* resolved(config, "command:claude"), "command:claude")
    })
  )

  it.effect("resolving what is resolved changes nothing", () =>
    Effect.gen(function* () {
      for (const reference of ["smart", "local", "again", "offline", "openai:gpt-4o|smart"]) {
        const once = yield* resolved(config, reference)
        assert.strictEqual(yield* resolved(config, once ?? ""), once)
      }
    })
  )

  it.effect("a call's own options win over its profile's, and those over its model's", () =>
    Effect.gen(function* () {
      yield* withRegistry({ config }, {}, ({ resolve }) =>
        Effect.gen(function* () {
          const base = {
            verb: "agent",
            prompt: "p",
            model: "anthropic:claude-x",
            temperature: 0.5,
            maxOutputTokens: 100
          }
          assert.deepStrictEqual(yield* resolve({ prompt: "p", model: "smart" }), {
            ...base,
            system: "smart system"
          })
          assert.deepStrictEqual(yield* resolve({ prompt: "p", profile: "reviewer" }), {
            ...base,
            system: "review system"
          })
          assert.deepStrictEqual(
            yield* resolve({
              prompt: "p",
              profile: "reviewer",
              system: "own",
              temperature: 1,
              label: "x",
              timeoutMs: 5
            }),
            { ...base, system: "own", temperature: 1 }
          )
          assert.strictEqual((yield* resolve({ prompt: "p", profile: "plain" })).model, "offline")
        })
      )
    })
  )

  it.effect("unknown names say what is known", () =>
    Effect.gen(function* () {
      const cases = [
        ["smrt", "unknown_model", "smart"],
        ["azure:x", "unknown_model", "anthropic:<model>"],
        ["command:nope", "unknown_model", "claude"],
        ["anthropic:", "unknown_model", "anthropic:<model>"],
        ["", "unknown_model", "offline"],
        ["smart|", "unknown_model", "offline"],
        ["constructor", "unknown_model", "smart"]
      ] as const
      for (const [reference, code, known] of cases) {
        const error = yield* Effect.flip(resolved(config, reference))
        assert.strictEqual(error.code, code)
        assert.include(error.cure, known)
      }
      const profile = yield* Effect.flip(
        withRegistry({ config }, {}, ({ resolve }) => resolve({ prompt: "p", profile: "nobody" }))
      )
      assert.strictEqual(profile.code, "unknown_profile")
      assert.include(profile.cure, "reviewer")
    })
  )

  const broken: ReadonlyArray<readonly [string, AlembicConfig, string]> = [
    ["a circle of names", { aliases: { a: "b", b: "a" } }, "a → b → a"],
    ["a name that is taken", { models: { offline: { model: "human" } } }, "taken"],
    ["a name with a colon", { aliases: { "a:b": "offline" } }, ":"],
    ["two of one name", { models: { a: { model: "offline" } }, aliases: { a: "human" } }, "taken"],
    ["an alias for nothing", { aliases: { a: "nothing" } }, "nothing"],
    ["a profile on nothing", { profiles: { a: { model: "nothing" } } }, "nothing"],
    ["a fallback to nothing", { fallbacks: { offline: ["nothing"] } }, "nothing"],
    ["a price on a chain", { models: { a: { model: "openai:x|human", outputLimit: 5 } } }, "chain"],
    ["a command without a command", { commands: { a: {} } }, "command"],
    [
      "two prices for one model",
      {
        models: {
          a: { model: "openai:x", price: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 } },
          b: { model: "openai:x", price: { inputUsdPerMillion: 2, outputUsdPerMillion: 1 } }
        }
      },
      "openai:x"
    ]
  ]
  for (const [name, wrong, words] of broken) {
    it.effect(`the layer refuses ${name}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(withRegistry({ config: wrong }, {}, () => Effect.void))
        assert.include(["invalid_config", "unknown_model"], error.code)
        assert.include(error.message, words)
      })
    )
  }
})

describe("keys and base URLs", () => {
  const missing = [
    ["anthropic:claude-x", "auth", "ANTHROPIC_API_KEY"],
    ["openai:gpt-4o", "auth", "OPENAI_API_KEY"],
    ["google:gemini-2.5-pro", "auth", "GOOGLE_GENERATIVE_AI_API_KEY"],
    ["openai-compatible:llama", "missing_base_url", "OPENAI_COMPATIBLE_BASE_URL"],
    ["offline|openai:gpt-4o", "auth", "OPENAI_API_KEY"]
  ] as const
  for (const [reference, code, variable] of missing) {
    it.effect(`${reference} without them names ${variable}`, () =>
      Effect.gen(function* () {
        for (const env of [{}, { [variable]: "" }, { [variable]: "  " }]) {
          const error = yield* bindFailure({}, env, reference)
          assert.strictEqual(error.code, code)
          assert.include(error.message, variable)
          assert.include(error.cure, variable)
        }
      })
    )
  }

  it.effect("with them it is bound, priced from the table or the configuration", () =>
    Effect.gen(function* () {
      const config: AlembicConfig = {
        models: {
          local: {
            model: "openai-compatible:llama",
            price: { inputUsdPerMillion: 0, outputUsdPerMillion: 0 },
            outputLimit: 99
          }
        },
        prices: { "openai:gpt-4o": { inputUsdPerMillion: 7, outputUsdPerMillion: 8 } }
      }
      const env = {
        OPENAI_API_KEY: key,
        OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1",
        ANTHROPIC_API_KEY: key
      }
      const links = yield* withRegistry({ config }, env, ({ bind }) =>
        bind("openai:gpt-4o|local|anthropic:claude-sonnet-4-5|openai:no-such-model")
      )
      assert.deepStrictEqual(
        links.map(({ adapter, modelId, price }) => [adapter.id, modelId, price?.inputUsdPerMillion]),
        [
          ["openai", "gpt-4o", 7],
          ["openai-compatible", "llama", 0],
          ["anthropic", "claude-sonnet-4-5", 3],
          ["openai", "no-such-model", undefined]
        ]
      )
      assert.strictEqual(links[1]?.maxOutputTokens, 99)
      assert.isFalse(links.some(({ adapter }) => adapter.free || adapter.hasSideEffects))
    })
  )

  it.effect("a base URL that is none is refused without being shown", () =>
    Effect.gen(function* () {
      const error = yield* bindFailure({ baseUrl: `ftp://user:${key}@host` }, {}, "openai-compatible:llama")
      assert.strictEqual(error.code, "invalid_config")
      assert.notInclude(JSON.stringify(error), key)
    })
  )

  const wrongUrls = [
    [`http://user:${key}@host.test/v1`, "user or a password"],
    [`https://${key}@host.test/v1`, "user or a password"],
    [`http://:${key}@host.test`, "user or a password"],
    [`http://host.test/v1?api_key=${key}`, "query or a fragment"],
    ["http://host.test/v1?", "query or a fragment"],
    [`http://host.test/v1#${key}`, "query or a fragment"],
    [`host.test/${key}`, "not an http(s) URL"],
    [`http://host.test/v1 ${key}`, "not an http(s) URL"]
  ] as const
  for (const [baseUrl, words] of wrongUrls) {
    it.effect(
      `${baseUrl.replace(key, "KEY")} is refused as a base URL, wherever it comes from, and not shown`,
      () =>
        Effect.gen(function* () {
          const variables = {
            OPENAI_API_KEY: key,
            OPENAI_COMPATIBLE_BASE_URL: baseUrl,
            OPENAI_BASE_URL: baseUrl
          }
          const config: AlembicConfig = { providers: { own: { kind: "openai-compatible", baseUrl } } }
          for (const error of [
            yield* bindFailure({ baseUrl }, { OPENAI_API_KEY: key }, "openai:gpt-4o"),
            yield* bindFailure({}, variables, "openai:gpt-4o"),
            yield* bindFailure({}, variables, "openai-compatible:llama"),
            yield* bindFailure({ config }, {}, "own:llama")
          ]) {
            assert.strictEqual(error.code, "invalid_config")
            assert.include(error.message, words)
            assert.notInclude(JSON.stringify(error), key)
            assert.isAbove(error.cure.length, 10)
          }
        })
    )
  }

  it.effect("a base URL with a port, a path, an @ in it or a slash at its end is one", () =>
    Effect.gen(function* () {
      for (const baseUrl of [
        "http://127.0.0.1:1",
        "https://host.test/a/b/",
        "http://host.test/~me@here/v1",
        " http://[::1]:1/v1 "
      ]) {
        const [link] = yield* withRegistry({ baseUrl }, {}, ({ bind }) => bind("openai-compatible:llama"))
        assert.strictEqual(link?.adapter.id, "openai-compatible")
      }
    })
  )

  it.effect("a provider of one's own never gets a built-in one's key", () =>
    Effect.gen(function* () {
      const config: AlembicConfig = {
        providers: {
          proxy: { kind: "openai", baseUrl: "https://example.com/v1" },
          keyed: { kind: "openai", baseUrl: "https://example.com/v1", apiKeyEnv: "PROXY_KEY" }
        }
      }
      const env = { OPENAI_API_KEY: key }
      assert.include((yield* bindFailure({ config }, env, "proxy:gpt")).cure, "$.providers.proxy.apiKeyEnv")
      assert.include((yield* bindFailure({ config }, env, "keyed:gpt")).message, "PROXY_KEY")
      const [link] = yield* withRegistry({ config }, { PROXY_KEY: key }, ({ bind }) => bind("keyed:gpt"))
      assert.strictEqual(link?.adapter.id, "keyed")
    })
  )

  it.effect("--base-url is enough for openai-compatible, as the default and as a call's model", () =>
    Effect.gen(function* () {
      const baseUrl = "http://127.0.0.1:1/v1"
      for (const defaultModel of ["openai-compatible:llama", "offline"]) {
        const [link] = yield* withRegistry({ baseUrl, defaultModel }, {}, ({ bind }) =>
          bind("openai-compatible:llama")
        )
        assert.strictEqual(link?.adapter.id, "openai-compatible")
      }
    })
  )

  it.effect("a subprocess and a person need neither", () =>
    Effect.gen(function* () {
      const config: AlembicConfig = { commands: { mine: { command: ["agent"], retryInDoubt: true } } }
      const links = yield* withRegistry({ config }, {}, ({ bind }) =>
        bind("command:mine|command:claude:opus|human")
      )
      assert.deepStrictEqual(
        links.map(({ adapter, modelId, retryInDoubt }) => [
          adapter.id,
          modelId,
          adapter.hasSideEffects,
          retryInDoubt
        ]),
        [
          ["command:mine", "mine", true, true],
          ["command:claude", "opus", true, undefined],
          ["human", "human", false, undefined]
        ]
      )
    })
  )
})

describe("the registry", () => {
  it.effect("takes adapters of the program around it", () =>
    Effect.gen(function* () {
      const mine: Adapter = {
        id: "mine",
        free: true,
        hasSideEffects: false,
        attempt: ({ model }) => Effect.succeed({ text: `I am ${model}`, finishReason: "stop" })
      }
      const chain = yield* withRegistry({ adapters: [mine] }, {}, ({ bind }) => bind("mine:one"))
      const result = yield* runBound(chain, { prompt: "who?", model: "" }).pipe(
        Effect.provide(Guards.layer().pipe(Layer.provide(IdFactory.layerCounter)))
      )
      assert.deepInclude(result, { ok: true, text: "I am one", costUsd: 0 })
    })
  )

  it.effect("its identity is names and what they mean, without keys, URLs, prices or limits", () =>
    Effect.gen(function* () {
      const config: AlembicConfig = {
        models: {
          smart: {
            model: "anthropic:claude-x",
            system: "s",
            price: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 }
          }
        },
        aliases: { a: "smart" },
        profiles: { p: { model: "a", temperature: 1 } },
        limits: { anthropic: { concurrency: 2 } }
      }
      const identityOf = (given: RegistryOptions, env: Env) =>
        withRegistry(given, env, ({ identity }) => Effect.succeed(identity))
      const identity = yield* identityOf({ config }, {})
      assert.deepStrictEqual(identity, {
        default: { model: "offline" },
        models: {
          smart: { model: "anthropic:claude-x", system: "s" },
          a: { model: "anthropic:claude-x", system: "s" }
        },
        profiles: { p: { model: "anthropic:claude-x", system: "s", temperature: 1 } }
      })
      const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: "http://127.0.0.1:1/v1" }
      const { limits: _limits, ...unlimited } = config
      assert.deepStrictEqual(
        yield* identityOf({ config: unlimited, baseUrl: "http://127.0.0.1:2/v1" }, env),
        identity
      )
      assert.notDeepEqual(yield* identityOf({ config, defaultModel: "smart" }, {}), identity)
      assert.notDeepEqual(yield* identityOf({ config, fixtures: { default: { text: "x" } } }, {}), identity)
    })
  )

  const base = { command: ["/bin/echo", "one"] }
  const otherwise: ReadonlyArray<readonly [string, AlembicConfig]> = [
    ["another command line", { commands: { x: { command: ["/bin/echo", "two"] } } }],
    ["another grouping of it", { commands: { x: { command: [["/bin/echo", "one"]] } } }],
    ["another reading", { commands: { x: { ...base, reads: "claude" } } }],
    ["another directory", { commands: { x: { ...base, cwd: "elsewhere" } } }],
    ["a sandbox", { commands: { x: { ...base, sandbox: ["bwrap"] } } }],
    ["a preset instead", { commands: { x: { preset: "codex" } } }]
  ]
  const identities = (config: AlembicConfig, model: string, env: Env = {}) =>
    withRegistry({ config }, env, ({ identity, resolve }) =>
      Effect.map(resolve({ prompt: "p", model }), (call) => ({
        run: identity,
        call,
        key: computeCacheKey(call)
      }))
    )

  for (const [name, config] of otherwise) {
    it.effect(`a command with ${name} is another run and another call`, () =>
      Effect.gen(function* () {
        const one = yield* identities({ commands: { x: base } }, "command:x")
        const other = yield* identities(config, "command:x")
        assert.notDeepEqual(other.run, one.run)
        assert.notDeepEqual(other.key, one.key)
        // Also inside a chain, and with a model of its own.
        const chained = yield* identities({ commands: { x: base } }, "offline|command:x:m")
        assert.notDeepEqual((yield* identities(config, "offline|command:x:m")).key, chained.key)
      })
    )
  }

  it.effect("a provider of another kind is another run and another call", () =>
    Effect.gen(function* () {
      const of = (kind: "openai" | "anthropic", baseUrl: string) =>
        identities({ providers: { p: { kind, baseUrl } } }, "p:m")
      const one = yield* of("openai", "http://127.0.0.1:1/v1")
      assert.notDeepEqual((yield* of("anthropic", "http://127.0.0.1:1/v1")).run, one.run)
      assert.notDeepEqual((yield* of("anthropic", "http://127.0.0.1:1/v1")).key, one.key)
      assert.deepStrictEqual(yield* of("openai", "http://127.0.0.1:2/v1"), one)
    })
  )

  it.effect("what does not change the answer is no part of either", () =>
    Effect.gen(function* () {
      const one = yield* identities({ commands: { x: { ...base, reads: "text" } } }, "command:x")
      const same: AlembicConfig = {
        commands: {
          x: { ...base, env: { TOKEN: key }, timeLimitMs: 5, maxOutputBytes: 9, retryInDoubt: true }
        },
        prices: { "command:x": { inputUsdPerMillion: 1, outputUsdPerMillion: 1 } },
        limits: { "command:x": { concurrency: 1 } }
      }
      assert.deepStrictEqual(yield* identities(same, "command:x"), one)
      assert.notInclude(JSON.stringify(one), key)
      const plain = yield* identities({}, "command:claude")
      assert.deepStrictEqual(
        yield* identities({ commands: { claude: {} } }, "command:claude").pipe(Effect.option),
        Option.none()
      )
      assert.deepStrictEqual(
        yield* identities({ commands: { claude: { preset: "claude" } } }, "command:claude"),
        plain
      )
      assert.notProperty(plain.call, "providerOptions")
    })
  )

  it.effect("a call's own options stay beside what its link is", () =>
    Effect.gen(function* () {
      const { call } = yield* withRegistry({ config: { commands: { x: base } } }, {}, ({ resolve }) =>
        Effect.map(resolve({ prompt: "p", model: "command:x", providerOptions: { seed: 1 } }), (given) => ({
          call: given
        }))
      )
      assert.hasAllKeys(call.providerOptions, ["seed", "alembic"])
    })
  )

  it.effect("the catalogue tells what is configured and which keys are there, and shows none", () =>
    Effect.gen(function* () {
      const config: AlembicConfig = {
        models: {
          smart: { model: "anthropic:claude-sonnet-4-5", outputLimit: 9 },
          other: { model: "openai:gpt-4o" }
        },
        profiles: { p: {} },
        limits: { anthropic: { concurrency: 2 } }
      }
      const catalog = yield* ModelCatalog.use(({ defaultModel, entries, providers }) =>
        Effect.map(entries, (all) => ({ defaultModel, entries: all, providers }))
      ).pipe(Effect.provide(registryOf({ config }, { ANTHROPIC_API_KEY: key })))
      assert.notInclude(JSON.stringify(catalog), key)
      assert.strictEqual(catalog.defaultModel, "offline")
      assert.deepStrictEqual(
        catalog.entries.map(({ kind, links, name }) => [kind, name, links[0]?.key]),
        [
          ["default", "offline", "not_needed"],
          ["model", "smart", "present"],
          ["model", "other", "absent"],
          ["profile", "p", "not_needed"]
        ]
      )
      assert.deepNestedInclude(catalog.entries[1], {
        "links[0].limits": { concurrency: 2 },
        "links[0].outputLimit": 9,
        "links[0].price.inputUsdPerMillion": 3
      })
      assert.include(catalog.entries[2]?.links[0]?.problem, "OPENAI_API_KEY")
      assert.deepStrictEqual(
        catalog.providers.map(({ baseUrl, key: state, provider }) => [provider, state, baseUrl]),
        [
          ["anthropic", "present", "default"],
          ["openai", "absent", "default"],
          ["google", "absent", "default"],
          ["openai-compatible", "not_needed", "absent"]
        ]
      )
    })
  )
})
