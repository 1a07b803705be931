// The environment of a subprocess agent: what a program needs to run at all, the keys of the tool it is, what its
// configuration adds or passes on, and nothing else of the host's. And which values of the host are secrets: those
// are hidden in its output whether it was given them or not. Pure.
import type { CliFormat } from "../classify/readCli.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Where programs and homes are, how text is written, how the network is reached. */
const ordinary =
  /^(?:PATH|HOME|SHELL|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|TMPDIR|TMP|TEMP|XDG_[A-Z_]+|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|(?:CURL|REQUESTS)_CA_BUNDLE|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|ProgramData|ProgramFiles.*)$/i

/** The variables of the tools whose output we read. */
const toolVariables: { readonly [format in CliFormat]: RegExp | undefined } = {
  claude: /^(?:ANTHROPIC|CLAUDE)_/,
  codex: /^(?:OPENAI|CODEX)_/,
  gemini: /^(?:GEMINI|GOOGLE)_/,
  text: undefined
}

export interface EnvironmentPlan {
  readonly reads: CliFormat
  /** Names of further variables of the host. */
  readonly passEnv?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** What the child gets of `host`, with what is added for it. */
export const childEnvironment = (
  host: Environment,
  { env, passEnv = [], reads }: EnvironmentPlan
): Readonly<Record<string, string>> => {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue
    if (ordinary.test(name) || toolVariables[reads]?.test(name) === true || passEnv.includes(name))
      given[name] = value
  }
  return { ...given, ...env }
}

/** Names that hold nothing but a key. */
const keyName =
  /(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET_KEY|SECRET_ACCESS_KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/i
/** Names of values that are at least worth hiding in messages. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH/i

const valuesOf = (environment: Environment, name: RegExp, length: number): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([variable, value]) =>
    name.test(variable) && value !== undefined && value.trim().length >= length ? [value] : []
  )

/** The providers' own key variables. */
const providerKey = /^(?:ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE)_(?:\w+_)?(?:KEY|TOKEN)$/

/**
 * Keys of an environment: never to be shown, not even in an answer. At least 4 characters where a provider's variable
 * holds it, else 8: a short value of any other name is as likely a number of a version.
 */
export const keysIn = (environment: Environment): ReadonlyArray<string> => [
  ...valuesOf(environment, providerKey, 4),
  ...valuesOf(environment, keyName, 8)
]

/** What else in it may be a secret, by its name: hidden in messages. At least 8 characters. */
export const secretsIn = (environment: Environment): ReadonlyArray<string> =>
  valuesOf(environment, secretName, 8)
