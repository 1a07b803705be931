// Addresses and keys of a command: what a base URL may not hold, on the command line and in a configuration, since both
// are kept with the run. Keys are known by the variables that hold them.
import { Effect, Option } from "effect"
import { decodeConfigText, type AlembicConfig } from "../../adapters/registry/Config.ts"
import { baseUrlProblem, keyVariables } from "../../adapters/registry/Endpoints.ts"
import { badInput } from "../CommandError.ts"
import { Host } from "../Host.ts"

type Environment = Host["Service"]["environment"]
type Problem = readonly [problem: string, cure: string]

const nothing: AlembicConfig = {}
const providersIn = (config: string | undefined) =>
  Object.entries(Option.getOrElse(decodeConfigText(config ?? "{}"), () => nothing).providers ?? {})

/** The variables that hold keys: those of the built-in providers and of the configuration's own. */
const variablesOf = (config: string | undefined): ReadonlyArray<string> => [
  ...keyVariables,
  ...providersIn(config).flatMap(([, { apiKeyEnv, headersEnv = {} }]) => [
    ...(apiKeyEnv === undefined ? [] : [apiKeyEnv]),
    ...Object.values(headersEnv)
  ])
]

/** The first variable whose value stands in the text; a value of a few characters stands anywhere. */
const heldIn = (text: string, config: string | undefined, environment: Environment): string | undefined =>
  variablesOf(config).find((name) => {
    const key = environment(name)?.trim() ?? ""
    return key.length >= 6 && (text.includes(key) || text.includes(encodeURIComponent(key)))
  })

const urlProblem = (url: string, config: string | undefined, environment: Environment): Problem | undefined =>
  baseUrlProblem(url) ??
  (heldIn(url, config, environment) === undefined
    ? undefined
    : ["holds a key that is configured, and it is kept with the run", "leave the key to its variable"])

/** Whether an address of the environment may be kept. */
export const mayKeep = (url: string, environment: Environment): boolean =>
  url !== "" && urlProblem(url, undefined, environment) === undefined

/**
 * Refuses `--base-url`, and the addresses of a configuration, where they are none or hold what must not be kept, and a
 * configuration that holds a key. Nothing is shown that may be one.
 */
export const checkAddresses = Effect.fnUntraced(function* (
  baseUrl: Option.Option<string>,
  config: string | undefined,
  configName: string
) {
  const { environment } = yield* Host
  if (Option.isSome(baseUrl)) {
    const problem = urlProblem(baseUrl.value.trim(), config, environment)
    if (problem !== undefined) {
      const [why, cure] = problem
      return yield* /^https?:\/\/[^\s/]/.test(baseUrl.value)
        ? badInput("invalid_base_url", `--base-url ${why}`, { cure })
        : badInput("invalid_base_url", "--base-url is not an http(s) URL", {
            cure: "--base-url http://127.0.0.1:11434/v1"
          })
    }
  }
  for (const [name, { baseUrl: url }] of providersIn(config)) {
    const problem = url === undefined ? undefined : urlProblem(url, config, environment)
    if (problem !== undefined) {
      const [why, cure] = problem
      return yield* badInput("invalid_config", `${configName}: $.providers.${name}.baseUrl ${why}`, { cure })
    }
  }
  const variable = heldIn(config ?? "", config, environment)
  if (variable !== undefined)
    return yield* badInput(
      "invalid_config",
      `${configName} holds the value of ${variable}, and the file is kept with the run`,
      { cure: `name the variable there (apiKeyEnv, headersEnv, passEnv), and take its value out` }
    )
})
