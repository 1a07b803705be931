// What a configured name stands for beyond its reference: the command behind `command:<name>`, the kind of a provider
// of one's own. It is part of what a run and a call are, so that another command is never taken for the same. Not
// part of it is what leaves the answer alone: keys, base URLs, headers, prices, limits, environment variables.
import { Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { fingerprint, sha256 } from "../../domain/fingerprint.ts"
import { defined } from "../../domain/defined.ts"
import type { AlembicConfig, CommandConfig } from "./Config.ts"

type Meaning = Readonly<Record<string, Json>>

/** What a command is beyond its preset; undefined where the name says it all (`command:claude` as it comes). */
const commandMeaning = (name: string, config: CommandConfig): Meaning | undefined => {
  const { command, cwd, sandbox } = config
  const preset = config.preset ?? (command === undefined ? name : undefined)
  const reads = config.reads === (preset ?? "text") ? undefined : config.reads
  const meaning: Meaning = {
    ...(preset === undefined || preset === name ? {} : { preset }),
    ...(command === undefined
      ? {}
      : { command: command.map((item): Json => (typeof item === "string" ? item : [...item])) }),
    ...defined({ reads, cwd }),
    ...(sandbox === undefined ? {} : { sandbox: [...sandbox] })
  }
  return Object.keys(meaning).length === 0 ? undefined : meaning
}

/** By the provider part of a reference (`command:x`, `ollama`): what the configuration says it is. */
export const linkMeanings = (config: AlembicConfig): ReadonlyMap<string, Meaning> => {
  const meanings = new Map<string, Meaning>()
  for (const [name, command] of Object.entries(config.commands ?? {})) {
    const meaning = commandMeaning(name, command)
    if (meaning !== undefined) meanings.set(`command:${name}`, meaning)
  }
  for (const [name, { kind }] of Object.entries(config.providers ?? {})) meanings.set(name, { kind })
  return meanings
}

/** A meaning as a call's identity carries it: 16 hex digits, so that no path of a command line goes along. */
export const shortMeaning = (meaning: Meaning): string =>
  // What comes from a decoded configuration is JSON; a lone surrogate in it has no canonical form.
  Result.getOrElse(fingerprint(meaning), () => sha256(JSON.stringify(meaning))).slice(0, 16)
