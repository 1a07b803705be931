// What leaves an adapter without known keys in it: answers and failures, whoever echoed them. In the answer itself
// only whole known keys are hidden, in every shape they come back in: it was paid for, and may talk about keys. What
// only describes it is cleaned like any foreign message. Pure.
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import type { AttemptSuccess } from "../Adapter.ts"
import { hideWhole, redact } from "./redact.ts"

/** Every string of a JSON value, member names too. */
const mapStrings = (value: Json, change: (text: string) => string): Json => {
  if (typeof value === "string") return change(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((one: Json) => mapStrings(one, change))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapStrings(member, change)])
  )
}

export interface Redactor {
  readonly success: (success: AttemptSuccess) => AttemptSuccess
  readonly failure: (error: ModelError) => ModelError
}

/** Made once for an adapter: the shapes of its secrets are computed here. */
export const makeRedactor = (secrets: ReadonlyArray<string>): Redactor => {
  const hide = hideWhole(secrets)
  const clean = (text: string) => redact(text, secrets)
  return {
    success: ({ finishReason, modelVersionUsed, output, raw, text, ...rest }) => ({
      ...rest,
      text: hide(text),
      finishReason: clean(finishReason),
      ...(modelVersionUsed === undefined ? {} : { modelVersionUsed: clean(modelVersionUsed) }),
      ...(output === undefined ? {} : { output: mapStrings(output, hide) }),
      ...(raw === undefined ? {} : { raw: mapStrings(raw, hide) })
    }),
    failure: ({
      breaker,
      code,
      costUsd,
      detail,
      httpStatus,
      message,
      retryAfterMs,
      retryable,
      sent,
      usage
    }) =>
      makeError(code, clean(message), {
        retryable,
        ...defined({ retryAfterMs, httpStatus }),
        ...(detail === undefined ? {} : { detail: mapStrings(detail, clean) }),
        ...defined({ breaker, sent, usage, costUsd })
      })
  }
}
