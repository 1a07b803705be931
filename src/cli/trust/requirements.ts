// What a run may do to this machine, or tell others, by the word of a file: command lines with the environment they
// get, and addresses that keys and prompts go to. A person sees exactly this before any of it happens. Pure.
import { Option, Result } from "effect"
import { decodeConfigText, type AlembicConfig, type CommandConfig } from "../../adapters/registry/Config.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import type { Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"

/** A command line that may be run. Texts in `argv` stand as the file has them. */
export interface CommandLine {
  readonly what: string
  readonly argv: ReadonlyArray<string>
  readonly cwd?: string
  /** Set for it, `NAME=value`. */
  readonly sets: ReadonlyArray<string>
  /** Names of variables of the person's own environment that it gets. */
  readonly gets: ReadonlyArray<string>
}

/** An address that requests go to, and what of the environment goes with them. */
export interface Address {
  readonly what: string
  readonly url: string
  readonly sends: ReadonlyArray<string>
}

/** A run that nothing proves this machine to have made, and that is taken up as if it had. */
export interface TakenUp {
  readonly runId: string
  readonly status: string
  /** Hash of its last event, which holds that of all before. */
  readonly head: string
}

/** All of it, in a fixed order. */
export interface Requirements {
  readonly runs?: ReadonlyArray<TakenUp>
  readonly commands: ReadonlyArray<CommandLine>
  readonly addresses: ReadonlyArray<Address>
}

const presets: ReadonlySet<string> = new Set(["claude", "codex", "gemini"])

const byName = <A>(record: Readonly<Record<string, A>> | undefined): ReadonlyArray<readonly [string, A]> =>
  Object.entries(record ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))

const argvOf = ({ command, preset, sandbox = [] }: CommandConfig): ReadonlyArray<string> => [
  ...sandbox,
  ...(command ?? [`(as command:${preset ?? "?"})`]).map((part) =>
    typeof part === "string" ? part : `[${part.join(" ")}]`
  )
]

const commandOf = ([name, config]: readonly [string, CommandConfig]): CommandLine => ({
  what: `model command:${name}${presets.has(name) ? ", instead of the built-in one" : ""}`,
  argv: argvOf(config),
  ...defined({ cwd: config.cwd }),
  sets: byName(config.env).map(([key, value]) => `${key}=${value}`),
  gets: (config.passEnv ?? []).toSorted()
})

const plain = (what: string, argv: ReadonlyArray<string>): CommandLine => ({ what, argv, sets: [], gets: [] })

/** The system's shell is asked; which one is not the file's word. */
const ofNotify = (command: string | undefined): ReadonlyArray<CommandLine> =>
  command === undefined || command === "bell"
    ? []
    : [plain("notify, when a run ends or waits", ["sh", "-c", command])]

const ofConfig = (config: AlembicConfig): Requirements => ({
  commands: [...byName(config.commands).map(commandOf), ...ofNotify(config.notify)],
  addresses: byName(config.providers).flatMap(([name, { apiKeyEnv, baseUrl, headersEnv, kind }]) => {
    const sends = [
      ...(apiKeyEnv === undefined ? [] : [apiKeyEnv]),
      ...byName(headersEnv).map(([header, variable]) => `${variable} as ${header}`)
    ]
    if (baseUrl === undefined && sends.length === 0) return []
    return [{ what: `models ${name}:…`, url: baseUrl ?? `the address of ${kind}`, sends }]
  })
})

const ofContract = ({ commands = [], proofs = [] }: Contract): Requirements => ({
  commands: [
    ...proofs.map(({ command, id }) => plain(`proof ${id}`, command)),
    ...commands.map((allowed) => plain("proofs that a mission's units may name", [allowed]))
  ],
  addresses: []
})

/** Addresses that a run has kept and the person has not named now, by what they are for. */
const ofKept = (urls: Readonly<Record<string, string>>): Requirements => ({
  commands: [],
  addresses: byName(urls).map(([what, url]) => ({ what, url, sends: [] }))
})

/** A configuration that does not decode does nothing: whoever reads it says what is wrong with it. */
const read = (config: string): AlembicConfig => Option.getOrElse(decodeConfigText(config), () => ({}))

export const requirementsOf = (of: {
  /** The text of alembic.json. */
  readonly config?: string | undefined
  readonly contract?: Contract | undefined
  readonly keptUrls?: Readonly<Record<string, string>>
}): Requirements => {
  const parts = [
    ofConfig(of.config === undefined ? {} : read(of.config)),
    ofContract(of.contract ?? {}),
    ofKept(of.keptUrls ?? {})
  ]
  return {
    commands: parts.flatMap(({ commands }) => commands),
    addresses: parts.flatMap(({ addresses }) => addresses)
  }
}

export const needsNothing = ({ addresses, commands, runs = [] }: Requirements): boolean =>
  runs.length === 0 && commands.length === 0 && addresses.length === 0

/** The name of exactly this content: 64 hex digits. Other content has another. */
export const hashOf = ({ addresses, commands, runs }: Requirements): string =>
  Result.getOrThrow(
    fingerprint({
      v: 1,
      commands: commands.map((command) => ({ ...command })),
      addresses: addresses.map((address) => ({ ...address })),
      ...(runs === undefined ? {} : { runs: runs.map((run) => ({ ...run })) })
    })
  )
