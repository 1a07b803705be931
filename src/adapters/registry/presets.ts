// Presets: servers that speak OpenAI's wire format and are known by name, so that `ollama:llama3.2` needs no base URL and
// no alembic.json. A provider of the same name in alembic.json goes before. Addresses and key names are the vendors' own
// documentation's, read in December 2026.
import type { ProviderConfig } from "./Config.ts"

export interface Preset {
  /** Where it is reached unless its variable, or `--base-url`, says otherwise. */
  readonly baseUrl: string
  readonly baseUrlVariable: string
  readonly keyVariable: string
  /** It runs on a machine of one's own: no key is needed, and a call costs nothing. */
  readonly local: boolean
  /** It refuses `json_schema`: the schema is put into the prompt. */
  readonly plainJson?: true
}

const local = (id: string, port: number): Preset => ({
  baseUrl: `http://localhost:${port}/v1`,
  baseUrlVariable: `${id}_BASE_URL`,
  keyVariable: `${id}_API_KEY`,
  local: true
})

const remote = (id: string, baseUrl: string): Preset => ({
  baseUrl,
  baseUrlVariable: `${id}_BASE_URL`,
  keyVariable: `${id}_API_KEY`,
  local: false
})

export const presets: Readonly<Record<string, Preset>> = {
  ollama: local("OLLAMA", 11434),
  lmstudio: local("LMSTUDIO", 1234),
  vllm: local("VLLM", 8000),
  llamacpp: local("LLAMACPP", 8080),
  openrouter: remote("OPENROUTER", "https://openrouter.ai/api/v1"),
  deepseek: { ...remote("DEEPSEEK", "https://api.deepseek.com/v1"), plainJson: true },
  groq: remote("GROQ", "https://api.groq.com/openai/v1"),
  mistral: remote("MISTRAL", "https://api.mistral.ai/v1"),
  xai: remote("XAI", "https://api.x.ai/v1")
}

/** What presets are, to the rest of the registry. */
export const presetKind: ProviderConfig["kind"] = "openai-compatible"

/** Whether nothing leaves this machine: a local preset where it usually is, or on another port of this host. */
export const isLocalUrl = (url: string): boolean =>
  /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i.test(url)

const vendors: ReadonlyArray<readonly [model: RegExp, provider: string]> = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt-|chatgpt-|o\d)/, "openai"],
  [/^gemini-/, "google"],
  [/^deepseek-/, "deepseek"],
  [/^grok-/, "xai"],
  [/^(?:mistral|codestral|ministral|magistral)-/, "mistral"],
  [/^(?:llama|qwen|gemma|phi)[\d.-]*/, "ollama"]
]

/**
 * The reference that somebody meant who wrote it as another tool has it: `anthropic/claude-x`, or a model's bare name.
 * Undefined: nothing is known of it.
 */
export const meantReference = (text: string, providers: ReadonlySet<string>): string | undefined => {
  const slash = text.indexOf("/")
  const provider = text.slice(0, slash)
  if (slash > 0 && providers.has(provider)) return `${provider}:${text.slice(slash + 1)}`
  const vendor = vendors.find(([model]) => model.test(text))
  return vendor === undefined ? undefined : `${vendor[1]}:${text}`
}
