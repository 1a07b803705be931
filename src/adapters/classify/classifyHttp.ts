// What an HTTP exchange that failed means, in the rule order of the catalogue: the body's codes before the status,
// phrases last, `x-should-retry` over the flag. Answers (2xx) are read in classifyAnswer.ts, exchanges that broke
// in classifyThrown.ts.
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelError, RETRYABLE_CODES, type TokenUsage } from "../../domain/ModelError.ts"
import { type ErrorEvidence, readFailedBody } from "./classifyBody.ts"
import {
  isVague,
  type Verdict,
  verdictOfCode,
  verdictOfPhrase,
  verdictOfThrottle,
  verdictOfVague
} from "./classifyCodes.ts"
import { parseJson } from "./readJson.ts"
import { looksLikeHtml } from "../redact/redact.ts"
import { readRetryHint } from "./retryHint.ts"

/** What came over the wire. Header names in lower case. */
export interface WireReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a reading needs besides the evidence: now in epoch ms, and how a foreign text is made fit to be shown. */
export interface Reading {
  readonly now: number
  readonly clean: (text: string) => string
}

/** A page. A label alone does not make one of a body that is JSON: some servers mislabel good answers. */
const isHtml = (reply: WireReply): boolean =>
  looksLikeHtml(reply.body) ||
  (/\btext\/html\b/i.test(reply.headers["content-type"] ?? "") && !/^\s*[{[]/.test(reply.body))

/** What a status alone means, refined from `classifyHttpStatus`. */
export const verdictOfStatus = (status: number, isJson: boolean): Verdict => {
  if (status < 400) return { code: "client_error" }
  if (status >= 500)
    return { code: status === 504 || status === 522 || status === 524 ? "timeout" : "server_error" }
  switch (status) {
    case 401:
      return { code: "auth" }
    case 403:
      // A page in between (a bot challenge, a firewall) says nothing about the key.
      return { code: isJson ? "auth" : "client_error" }
    case 402:
      return { code: "quota_exhausted" }
    case 408:
      return { code: "timeout" }
    case 409:
    case 425:
      return { code: "server_error", breaker: "neutral" }
    case 429:
      return { code: "rate_limited" }
    case 499:
      return { code: "server_error" }
    default:
      return { code: "client_error" }
  }
}

const throttling = (verdict: Verdict | undefined) => verdict?.code === "rate_limited"

/** Rules 5 to 7: structured code, phrase, numeric code, status. */
export const weigh = (error: ErrorEvidence, status: number, isJson: boolean): Verdict => {
  const effective = error.status ?? status
  const { message } = error
  if (error.limitSource === "openrouter_in_flight_budget") return { code: "rate_limited" }
  if (error.flagged && effective === 403) return { code: "content_filtered" }
  let known: Verdict | undefined
  for (const code of error.codes) {
    const verdict = verdictOfCode(code)
    // A general throttling word gives way to a more telling one beside it.
    if (
      verdict !== undefined &&
      (known === undefined || (throttling(known) && verdict.code === "quota_exhausted"))
    ) {
      known = verdict
    }
  }
  if ((known === undefined || throttling(known)) && error.spent && effective === 429)
    return { code: "quota_exhausted" }
  if (throttling(known) && message !== undefined) known = verdictOfThrottle(message, effective) ?? known
  if (known !== undefined && !(known.code === "client_error" && effective >= 400)) {
    // 402 with a throttling word is still an empty account; an expired wait does not fill it.
    return throttling(known) && effective === 402 ? { code: "quota_exhausted" } : known
  }
  const specific = error.codes.find((code) => !isVague(code))
  if (message !== undefined && (specific === undefined || isVague(specific))) {
    const phrase =
      verdictOfPhrase(message, effective) ??
      (effective === 429 || effective === 413 ? verdictOfThrottle(message, effective) : undefined)
    if (phrase !== undefined) return phrase
  }
  if (effective >= 300) return verdictOfStatus(effective, isJson)
  if (known !== undefined) return known
  const [code] = error.codes
  return code === undefined ? { code: "server_error" } : verdictOfVague(code)
}

const hinted = new Set(["rate_limited", "server_error", "timeout", "network", "quota_exhausted"])

/** The `ModelError` of a failed exchange whose body has been read as `error`. */
export const errorOfEvidence = (
  error: ErrorEvidence,
  reply: WireReply,
  reading: Reading,
  isJson: boolean,
  usage?: TokenUsage
): ModelError => {
  const { headers, status } = reply
  const typed = headers["x-amzn-errortype"] ?? headers["x-error-code"]
  const code = typed?.split(/[:#]/)[0]
  const whole = code === undefined || code === "" ? error : { ...error, codes: [...error.codes, code] }
  let verdict = weigh(whole, status, isJson)
  if (status === 429 && headers["anthropic-ratelimit-unified-status"]?.trim() === "rejected") {
    verdict = { code: "quota_exhausted" }
  }
  const hint =
    hinted.has(verdict.code) && !(verdict.code === "quota_exhausted" && whole.spent)
      ? readRetryHint({ headers, errors: error.errors, message: error.message }, reading.now)
      : undefined
  const retryable = flagOf(verdict, whole.status ?? status, headers["x-should-retry"])
  return makeError(verdict.code, messageOf(whole, reply, reading, isJson), {
    retryable,
    ...(verdict.breaker !== undefined && { breaker: verdict.breaker }),
    ...(hint !== undefined && { retryAfterMs: hint }),
    httpStatus: status,
    ...(usage !== undefined && { usage }),
    ...detailOf(whole, reply, reading)
  })
}

const deaf = new Set(["quota_exhausted", "auth", "context_length", "content_filtered"])

const flagOf = (verdict: Verdict, status: number, shouldRetry: string | undefined): boolean => {
  const flag = verdict.retryable ?? RETRYABLE_CODES.has(verdict.code)
  if (shouldRetry?.trim() === "false") return false
  if (shouldRetry?.trim() === "true" && status >= 400 && !deaf.has(verdict.code)) return true
  return flag
}

const messageOf = (error: ErrorEvidence, reply: WireReply, { clean }: Reading, isJson: boolean): string => {
  const head = `HTTP ${reply.status}`
  if (error.message !== undefined) return `${head}: ${clean(error.message)}`
  if (reply.status >= 300 && reply.status < 400)
    return `${head}: a redirect, which is not followed; check the base URL`
  if (isHtml(reply)) return `${head}: an HTML page, not an answer of the API`
  const text = reply.body.trim()
  if (isJson || text === "")
    return text === "" ? `${head} with an empty body` : `${head} without a readable error`
  return `${head}: ${clean(text.slice(0, 300))}`
}

const detailOf = (error: ErrorEvidence, reply: WireReply, { clean }: Reading): { readonly detail?: Json } => {
  const requestId = reply.headers["x-request-id"] ?? reply.headers["request-id"]
  const detail = {
    ...(error.codes.length > 0 && { codes: error.codes.slice(0, 4).map((code) => clean(code).slice(0, 80)) }),
    ...(requestId !== undefined && { providerRequestId: clean(requestId).slice(0, 120) })
  }
  return Object.keys(detail).length > 0 ? { detail } : {}
}

/** What a reply with a status of 300 and more means. */
export const classifyFailedReply = (reply: WireReply, reading: Reading): ModelError => {
  const json = isHtml(reply) ? undefined : parseJson(reply.body)
  return errorOfEvidence(readFailedBody(json), reply, reading, json !== undefined)
}

export { isHtml as isHtmlReply }
