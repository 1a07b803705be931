// The adapters that speak HTTP: anthropic, openai, google, openai-compatible, over the AI SDK's provider packages,
// loaded when first used. One try each; what the try means is read from the wire (classify*.ts), not from the SDK.
import { Clock, Effect, Redacted, Result } from "effect"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { Adapter, AttemptSuccess } from "../Adapter.ts"
import { readReply } from "../classify/classifyAnswer.ts"
import { classifyFailedReply, type Reading } from "../classify/classifyHttp.ts"
import { classifyThrown, unsendable } from "../classify/classifyThrown.ts"
import { hidePrompt, redact } from "../redact/redact.ts"
import { makeRedactor } from "../redact/redactAnswer.ts"
import { type Generated, loadProvider, type ProviderKind } from "./sdkModels.ts"
import { Exchange, recordingFetch } from "./wire.ts"

export interface AiSdkOptions {
  readonly provider: ProviderKind
  /** The adapter's id, as runs name it. */
  readonly id: string
  readonly apiKey: Redacted.Redacted<string> | undefined
  /** Used as the provider's SDK uses it (`…/v1`, Google `…/v1beta`); the SDK's own default where absent. */
  readonly baseUrl: string | undefined
  readonly headers?: Readonly<Record<string, Redacted.Redacted<string>>>
  /** Further keys that must not be shown, whoever echoes them. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted<string>>
  /** It is known to refuse JSON Schemas: they go into the prompt. */
  readonly plainJson?: boolean
}

/** Credentials that stand in a base URL: its userinfo and the values of its query. */
const urlSecrets = (baseUrl: string | undefined): ReadonlyArray<string> => {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl)
  if (url === null) return []
  const userinfo = [
    url.password,
    url.username,
    decodeURIComponent(url.password),
    decodeURIComponent(url.username)
  ]
  return [...userinfo, ...url.searchParams.values()].filter((secret) => secret !== "")
}

const safely = <A>(read: () => A, otherwise: A): A => Result.getOrElse(Result.try(read), () => otherwise)

const secretsOf = (options: AiSdkOptions): ReadonlyArray<string> => [
  ...(options.apiKey === undefined ? [] : [Redacted.value(options.apiKey)]),
  ...Object.values(options.headers ?? {}).map(Redacted.value),
  ...(options.secrets ?? []).map(Redacted.value),
  ...safely(() => urlSecrets(options.baseUrl), [])
]

/** The message of an error thrown before anything was sent; foreign getters may throw. */
const messageOf = (thrown: unknown): string =>
  safely(() => (thrown instanceof Error && typeof thrown.message === "string" ? thrown.message : ""), "")

const beforeSending = (thrown: unknown, clean: (text: string) => string): ModelError => {
  const message = messageOf(thrown)
  if (message === "" || /header|url|ByteString/i.test(message)) return unsendable()
  if (thrown instanceof Error && /LoadAPIKey/.test(thrown.name))
    return makeError("auth", "no API key is configured")
  return makeError("invalid_input", `the request could not be built: ${clean(message)}`)
}

/**
 * A value that HTTP does not allow in a header. Some hosts throw, quoting the key; others silently trim it. Ours is
 * refused before anything is sent, so that what is configured is what is used.
 */
const isUnsendable = (value: string): boolean => /[^\t\x20-\x7E\x80-\xFF]/.test(value)

/** What one attempt came to, from the evidence on the wire. */
const settle = (
  exchange: Exchange,
  sdk: Result.Result<Generated, unknown>,
  reading: Reading
): Result.Result<AttemptSuccess, ModelError> => {
  if (exchange.refused) return Result.fail(unsendable())
  if (exchange.reply === undefined) {
    if (exchange.broken !== undefined) {
      const { status, thrown } = exchange.broken
      const error = classifyThrown(thrown)
      return Result.fail(
        makeError(error.code, error.message, {
          ...overridesOf(error),
          ...defined({ httpStatus: status }),
          ...(exchange.connected ? {} : { sent: false })
        })
      )
    }
    return Result.fail(
      Result.isFailure(sdk)
        ? beforeSending(sdk.failure, reading.clean)
        : makeError("unknown", "the provider package answered without sending a request")
    )
  }
  const { reply } = exchange
  if (reply.status < 200 || reply.status >= 300) return Result.fail(classifyFailedReply(reply, reading))
  return Result.map(readReply(reply, reading), (answer) => {
    // The SDK knows its format best; ours carries where it refuses an otherwise good answer (odd usage, say).
    const text = Result.isSuccess(sdk) ? sdk.success.text : ""
    return text.trim() === "" ? answer : { ...answer, text }
  })
}

const overridesOf = ({ breaker, detail, retryable }: ModelError) => ({
  retryable,
  ...(breaker !== undefined && { breaker }),
  ...(detail !== undefined && { detail })
})

const isInPrompt = ({ providerOptions }: ModelRunInput): boolean =>
  providerOptions?.["structuredOutputs"] === false

/** The same call with its schema in the prompt. */
const inPrompt = (input: ModelRunInput): ModelRunInput => ({
  ...input,
  providerOptions: { ...input.providerOptions, structuredOutputs: false }
})

/** A server that says of a request with a schema that it does not know what to do with it. */
const refusesSchema = ({ code, httpStatus, message }: ModelError): boolean =>
  code === "client_error" &&
  (httpStatus === 400 || httpStatus === 422 || httpStatus === 501) &&
  /json[_ ]?schema|response[_ ]?format|structured[_ ]?output/i.test(message)

/**
 * An adapter over one AI SDK provider. It makes one HTTP request an attempt; interruption aborts it on the wire.
 * Fails with a `ModelError` whose message and detail hold no key, prompt or HTML; an answer holds no known key.
 */
export const makeAiSdkAdapter = (options: AiSdkOptions): Adapter => {
  const secrets = secretsOf(options)
  const redactor = makeRedactor(secrets)
  const settings = {
    apiKey: options.apiKey === undefined ? undefined : Redacted.value(options.apiKey),
    baseUrl: options.baseUrl,
    headers: Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name, Redacted.value(value)])
    )
  }
  /** Models that refused a schema: from then on it stands in the prompt. */
  const plain = new Set<string>()
  const attempt = Effect.fnUntraced(function* (given: ModelRunInput) {
    const isPlain = options.plainJson === true || plain.has(given.model)
    const input = given.schema !== undefined && isPlain ? inPrompt(given) : given
    if (settings.apiKey === undefined && options.provider !== "openai-compatible") {
      return yield* makeError("auth", `no API key is configured for ${options.id}`, { sent: false })
    }
    if ([settings.apiKey ?? "", ...Object.values(settings.headers)].some(isUnsendable))
      return yield* unsendable()
    if (settings.baseUrl === undefined && options.provider === "openai-compatible") {
      return yield* makeError("invalid_input", `${options.id} needs a base URL`)
    }
    const clean = (text: string) =>
      hidePrompt(redact(text, secrets), [input.prompt, ...(input.system === undefined ? [] : [input.system])])
    const exchange = new Exchange()
    const sdk = yield* Effect.tryPromise({
      try: (signal) =>
        loadProvider(options.provider).then((generate) =>
          generate({ ...settings, fetch: recordingFetch(exchange) }, input, signal)
        ),
      catch: (thrown) => thrown
    }).pipe(Effect.result)
    const now = yield* Clock.currentTimeMillis
    const settled = Result.mapError(settle(exchange, sdk, { now, clean }), (error) => {
      if (input.schema === undefined || isInPrompt(input) || !refusesSchema(error)) return error
      plain.add(input.model)
      return makeError(
        error.code,
        `${error.message} (${options.id}:${input.model} takes no JSON Schema: asked again with it in the prompt)`,
        {
          ...overridesOf(error),
          ...defined({ httpStatus: error.httpStatus }),
          retryable: true
        }
      )
    })
    return yield* Effect.fromResult(
      Result.mapBoth(settled, { onSuccess: redactor.success, onFailure: redactor.failure })
    )
  })
  return { id: options.id, free: false, hasSideEffects: false, attempt }
}
