// Calls the AI SDK's provider packages: loads one when first used, builds its model, translates our input into its
// call. Nothing here reads errors; every setting is given, so that no package looks into the environment.
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { JsonSchemaDocument, ModelRunInput } from "../../domain/ModelRun.ts"
import { promptWithSchema } from "../structured/schemaPrompt.ts"
import { at, asList, asObject, asString } from "../classify/readJson.ts"

export type ProviderKind = "anthropic" | "openai" | "google" | "openai-compatible"

export interface ProviderSettings {
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
  readonly headers: Record<string, string>
  readonly fetch: typeof globalThis.fetch
}

/** What we take from an SDK's answer. */
export interface Generated {
  readonly text: string
}

export type Generate = (
  settings: ProviderSettings,
  input: ModelRunInput,
  signal: AbortSignal
) => Promise<Generated>

type SdkModel = ReturnType<
  ReturnType<(typeof import("@ai-sdk/openai-compatible"))["createOpenAICompatible"]>["languageModel"]
>
type CallOptions = Parameters<SdkModel["doGenerate"]>[0]

const baseUrls = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta"
}

/** Whether OpenAI's strict mode takes a schema: every object closed, every property required. */
const isStrict = (schema: Json | undefined): boolean => {
  const list = asList(schema)
  if (list.length > 0) return list.every(isStrict)
  const node = asObject(schema)
  if (node === undefined) return true
  const properties = asObject(node["properties"])
  if (properties !== undefined || node["type"] === "object") {
    const required = new Set(asList(node["required"]))
    if (
      node["additionalProperties"] !== false ||
      !Object.keys(properties ?? {}).every((key) => required.has(key))
    )
      return false
  }
  return Object.values(node).every(isStrict)
}

type JsonFormat = Extract<NonNullable<CallOptions["responseFormat"]>, { readonly type: "json" }>
type OptionValues = NonNullable<CallOptions["providerOptions"]>[string]

/** Fresh mutable copies, which is what the SDK's types ask for; both are JSON by their own types. */
const copySchema = (schema: JsonSchemaDocument): NonNullable<JsonFormat["schema"]> =>
  JSON.parse(JSON.stringify(schema))
const copyOptions = (options: Readonly<Record<string, Json>>): OptionValues =>
  JSON.parse(JSON.stringify(options))

interface Shape {
  /** Where this provider's own options stand. */
  readonly namespace: string
  readonly options: Readonly<Record<string, Json>>
  readonly schema: JsonSchemaDocument | undefined
}

const callOptions = (
  input: ModelRunInput,
  signal: AbortSignal,
  { namespace, options, schema }: Shape
): CallOptions => ({
  prompt: [
    ...(input.system === undefined ? [] : [{ role: "system" as const, content: input.system }]),
    {
      role: "user",
      content: [{ type: "text", text: wantsText(input) ? promptWithSchema(input) : input.prompt }]
    }
  ],
  abortSignal: signal,
  ...(input.maxOutputTokens !== undefined && { maxOutputTokens: input.maxOutputTokens }),
  ...(input.temperature !== undefined && { temperature: input.temperature }),
  ...(schema !== undefined && {
    responseFormat: { type: "json", name: "response", schema: copySchema(schema) }
  }),
  ...(Object.keys(options).length > 0 && { providerOptions: { [namespace]: copyOptions(options) } })
})

const generateWith = async (model: SdkModel, options: CallOptions): Promise<Generated> => {
  const result = await model.doGenerate(options)
  return {
    text:
      result.structuredOutputText ??
      result.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }
}

const openAiOptions = (input: ModelRunInput): Readonly<Record<string, Json>> => ({
  ...(input.schema !== undefined && { strictJsonSchema: isStrict(input.schema) }),
  ...input.providerOptions
})

/**
 * `providerOptions.api: "chat"` asks OpenAI's older endpoint; `structuredOutputs: false` asks for plain text;
 * `workflow` is what a workflow script said to the tool it was written for, `alembic` what a name stands for.
 */
const withoutOurs = ({
  alembic: _alembic,
  api: _api,
  structuredOutputs: _mode,
  workflow: _workflow,
  ...rest
}: Readonly<Record<string, Json>>) => rest

const wantsText = (input: ModelRunInput): boolean => at(input.providerOptions, "structuredOutputs") === false

const loaders: { readonly [kind in ProviderKind]: () => Promise<Generate> } = {
  anthropic: async () => {
    const { createAnthropic } = await import("@ai-sdk/anthropic")
    return ({ apiKey = "", baseUrl = baseUrls.anthropic, fetch, headers }, input, signal) =>
      generateWith(
        createAnthropic({ apiKey, baseURL: baseUrl, headers, fetch }).languageModel(input.model),
        callOptions(input, signal, {
          namespace: "anthropic",
          options: withoutOurs(input.providerOptions ?? {}),
          schema: wantsText(input) ? undefined : input.schema
        })
      )
  },
  openai: async () => {
    const { createOpenAI } = await import("@ai-sdk/openai")
    return ({ apiKey = "", baseUrl = baseUrls.openai, fetch, headers }, input, signal) => {
      const provider = createOpenAI({ apiKey, baseURL: baseUrl, headers, fetch })
      const chat = asString(at(input.providerOptions, "api")) === "chat"
      return generateWith(
        chat ? provider.chat(input.model) : provider.responses(input.model),
        callOptions(input, signal, {
          namespace: "openai",
          // Nothing of a run is kept at the provider unless it is asked for.
          options: withoutOurs({ ...(chat ? {} : { store: false }), ...openAiOptions(input) }),
          schema: wantsText(input) ? undefined : input.schema
        })
      )
    }
  },
  google: async () => {
    const { createGoogle } = await import("@ai-sdk/google")
    return ({ apiKey = "", baseUrl = baseUrls.google, fetch, headers }, input, signal) =>
      generateWith(
        createGoogle({ apiKey, baseURL: baseUrl, headers, fetch }).languageModel(input.model),
        callOptions(input, signal, {
          namespace: "google",
          options: withoutOurs(input.providerOptions ?? {}),
          schema: wantsText(input) ? undefined : input.schema
        })
      )
  },
  "openai-compatible": async () => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
    return ({ apiKey, baseUrl = "", fetch, headers }, input, signal) =>
      generateWith(
        createOpenAICompatible({
          name: "openaiCompatible",
          baseURL: baseUrl,
          headers,
          fetch,
          supportsStructuredOutputs: true,
          ...(apiKey !== undefined && { apiKey })
        }).languageModel(input.model),
        callOptions(input, signal, {
          namespace: "openaiCompatible",
          options: withoutOurs(openAiOptions(input)),
          schema: wantsText(input) ? undefined : input.schema
        })
      )
  }
}

const loaded = new Map<ProviderKind, Promise<Generate>>()

/** The provider's package, loaded once. */
export const loadProvider = (kind: ProviderKind): Promise<Generate> => {
  const known = loaded.get(kind)
  if (known !== undefined) return known
  const loading = loaders[kind]()
  loaded.set(kind, loading)
  return loading
}
