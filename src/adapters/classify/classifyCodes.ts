// What providers' own words for an error mean: code tables and anchored phrases. Data and lookups only; the order
// in which evidence is weighed is classifyHttp.ts's and classifyProcess.ts's.
import type { BreakerOutcome, ErrorCode } from "../../domain/ModelError.ts"

/** A reading of the evidence; absent parts follow the code. */
export interface Verdict {
  readonly code: ErrorCode
  readonly retryable?: boolean
  readonly breaker?: BreakerOutcome
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const table = new Map<string, Verdict>()
const say = (verdict: Verdict, codes: string) => {
  for (const code of words(codes)) table.set(code, verdict)
}

say(
  { code: "rate_limited" },
  `rate_limit_error rate_limit_exceeded rate_limit_reached ratelimitreached rate_limited rate_limit ratelimiterror
  slow_down resource_exhausted too_many_requests toomanyrequests toomanyrequestsexception throttling throttled
  throttlingexception throttled_exception requests_per_minute_limit_exceeded concurrency_limit_exceeded
  rate_limit_reached_error rate_limit_exceeded_error openrouter_in_flight_budget`
)
say(
  { code: "server_error" },
  `overloaded_error overloaded server_is_overloaded engine_overloaded_error engine_overloaded model_overloaded
  service_unavailable_error service_unavailable serviceunavailable serviceunavailableexception unavailable
  unavailable_error model_capacity_exhausted modelerrorexception modelnotreadyexception modelstreamerrorexception
  internalserverexception cancelled`
)
say({ code: "server_error", breaker: "neutral" }, "conflict_error aborted")
say(
  { code: "timeout" },
  `timeout_error timeout deadline_exceeded request_timeout gateway_timeout upstream_timeout modeltimeoutexception
  operation_timeout`
)
say(
  { code: "auth" },
  `authentication_error permission_error invalid_api_key incorrect_api_key invalid_authentication_error
  authentication_failed unauthenticated unauthorized permission_denied access_denied accessdeniedexception
  expiredtokenexception unrecognizedclientexception invalidsignatureexception missingauthenticationtokenexception
  account_deactivated organization_deactivated invalid_organization mismatched_organization mismatched_project
  invalid_x_api_key expired_api_key missing_api_key no_api_key ip_not_authorized unsupported_country_region_territory
  autherror authenticationerror permissiondeniederror oauth_token_expired invalid_token token_expired
  api_key_invalid api_key_expired api_key_service_blocked api_key_http_referrer_blocked api_key_ip_address_blocked
  api_key_android_app_blocked api_key_ios_app_blocked service_disabled consumer_invalid access_token_expired`
)
say(
  { code: "quota_exhausted" },
  `insufficient_quota credit_balance_exhausted organization_spend_limit_exceeded project_spend_limit_exceeded
  organization_usage_limit_exceeded billing_error billing_hard_limit_reached billing_not_active
  billing_insufficient_balance billing_disabled enforced_spend_limit_reached usage_limit_reached usage_limit_exceeded
  usage_not_included insufficient_balance insufficient_credits insufficient_funds insufficient_user_quota
  payment_required paymentrequired quota_exceeded quota_exhausted exceeded_current_quota_error credits_exhausted
  out_of_credits credit_limit_reached monthly_limit_reached daily_limit_reached servicequotaexceededexception
  insufficient_g1_credits_balance arrearage`
)
say(
  { code: "context_length" },
  `context_length_exceeded exceed_context_size_error context_window_exceeded contextwindowexceedederror
  model_max_prompt_tokens_exceeded tokens_limit_reached input_too_long prompt_too_long context_limit_exceeded
  max_context_length_exceeded context_size_exceeded model_context_window_exceeded`
)
say(
  { code: "content_filtered" },
  `content_filter content_filtered content_policy_violation contentpolicyviolationerror content_filter_error
  responsibleaipolicyviolation invalid_prompt refusal moderation_blocked moderation_error safety recitation blocklist
  prohibited_content spii image_safety data_inspection_failed datainspectionfailed sensitive_words_detected
  cyber_policy guardrail_intervened content_blocked flagged_input`
)
say(
  { code: "invalid_response", retryable: true },
  "tool_use_failed json_validate_failed malformed_function_call"
)
say(
  { code: "client_error" },
  `request_too_large payload_too_large not_found_error not_found model_not_found deploymentnotfound
  model_not_supported unsupported_model unsupported_parameter unsupported_value failed_precondition out_of_range
  unimplemented resourcenotfoundexception unknown_url method_not_allowed modelnotfounderror`
)

/** Said by many servers for anything: the status speaks, and phrases may. */
const vague = new Set(
  words(`invalid_request_error invalid_request bad_request bad_request_error badrequesterror badrequest invalid_argument
  validation_error validationerror validationexception validation invalid_parameter invalid_parameter_error
  invalid_value unprocessable_entity unprocessableentityerror unprocessable_entity_error badrequestexception
  api_error apierror server_error internal internal_error internal_server_error internalservererror unknown
  unknown_error error upstream_error provider_error requests tokens input_tokens output_tokens tokens_usage
  http_error httpexception bad_response_status_code new_api_error null none invalid_request_prompt data_loss
  invalid_request_message badgateway bad_gateway fatalapierror`)
)

/** Vague words that still mean the server where no status contradicts them (a 200 with an error in it). */
const requestWords = /^(?:invalid_|bad_?request|validation|unprocessable|badrequest)/

const normal = (code: string): string =>
  code
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")

/** Whether a string is a code at all: one word, not prose. */
export const isCode = (text: string): boolean => /^[A-Za-z][\w.-]{1,80}$/.test(text.trim())

export const isVague = (code: string): boolean => vague.has(normal(code))

/** What a code means, where it is known and means one thing. */
export const verdictOfCode = (code: string): Verdict | undefined => {
  const name = normal(code)
  const known = table.get(name) ?? table.get(name.replace(/_/g, ""))
  if (known !== undefined) return known
  if (vague.has(name)) return undefined
  if (/_spend_limit_(?:exceeded|reached)$/.test(name)) return { code: "quota_exhausted" }
  if (name.startsWith("api_key_")) return { code: "auth" }
  return undefined
}

/** A vague code with no status to lean on. */
export const verdictOfVague = (code: string): Verdict => ({
  code: requestWords.test(normal(code)) ? "client_error" : "server_error"
})

/** "litellm.BadRequestError: Error code: 400 - " and the like stand before the phrase. */
const label = /error code|http|[\w.]*(?:error|exception)/iy
const behindLabel = /\s*:?\s*(?:\d{3})?\s*[:-]?\s*/y
const quotes = /["'`\s]*/y
/** More labels than this are no prefix. */
const maxLabels = 10

const endOf = (form: RegExp, text: string, from: number): number | undefined => {
  form.lastIndex = from
  return form.test(text) ? form.lastIndex : undefined
}

/** Where the words of a message may begin: at its start, and behind each label. One pattern for all would not be linear. */
const beginnings = (text: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at: number | undefined = 0; at !== undefined && found.length <= maxLabels;) {
    found.push(endOf(quotes, text, at) ?? at)
    const labelled = endOf(label, text, at)
    at = labelled === undefined ? undefined : (endOf(behindLabel, text, labelled) ?? labelled)
  }
  return found
}

/** Phrases that begin a message. */
const phrases = (lines: ReadonlyArray<string>): Pick<RegExp, "test"> => {
  const form = new RegExp(`(?:${lines.join("|")})`, "iy")
  return { test: (text) => beginnings(text).some((at) => endOf(form, text, at) !== undefined) }
}

const contextPhrases = phrases([
  "(?:this|the) (?:model|endpoint)['’]s maximum (?:context|prompt|input) length",
  "maximum context length (?:is|of) \\d",
  "(?:your )?(?:the )?input (?:token count|length)[^.]{0,60}exceeds",
  "(?:your )?input exceeds the context window",
  "prompt is too long",
  "prompt contains \\d+ tokens",
  "the prompt is too long",
  "(?:the )?(?:prompt|request|input) (?:\\(\\d+ tokens\\) )?exceeds the (?:available |maximum |model['’]s )?(?:maximum )?context",
  "input length and `?max_tokens`? exceed context limit",
  "input is too long for (?:the )?requested model",
  "input is too long",
  "context (?:size|length|window) (?:has been |was )?exceeded",
  "requested token count exceeds the model['’]s maximum context length",
  "requested tokens \\(\\d+\\) exceed context window",
  "['`\"]?max_tokens['`\"]?(?: or ['`\"]?max_completion_tokens['`\"]?)? is too large: \\d+\\. This model['’]s maximum context",
  "too many tokens: (?:the )?total number of tokens",
  "trying to keep the first \\d+ tokens when context",
  "the number of tokens to keep from the initial prompt is greater than the context",
  "input validation error: `?inputs`? (?:tokens|must have less than)",
  "range of input length should be",
  "please reduce the length of the messages",
  "(?:the )?total (?:length|number) of tokens[^.]{0,40}(?:exceeds|cannot exceed)",
  "(?:the )?(?:request|decoder prompt)[^.]{0,60}is longer than the maximum model length",
  "you passed \\d+ (?:input )?tokens"
])

const serverContextPhrase =
  /^(?:Context size has been exceeded\.?|the request exceeds the available context size[^\n]{0,80})$/i

const quotaPhrases = phrases([
  "your credit balance is too low",
  "you have reached your specified (?:workspace )?API usage limits",
  "you (?:have )?exceeded your current quota, please check your plan and billing",
  "insufficient (?:balance|credits|quota|funds)",
  "extra usage is required for long context",
  "spend limit reached",
  "(?:your|this) (?:team|organization|account|workspace|project)[^.\\n]{0,80}(?:used all available credits|reached its monthly spending limit|spend(?:ing)? limit)",
  "too many tokens per day",
  "payment required",
  "you have run out of credits",
  "(?:user )?(?:account )?balance (?:is )?(?:insufficient|not enough)",
  "(?:your )?account is (?:not active|overdue)",
  "billing hard limit has been reached"
])

const filterPhrases = phrases([
  "the response was filtered due to the prompt triggering",
  "(?:output|input) blocked by content filtering policy",
  "your request was rejected as a result of our safety system",
  "your input was flagged",
  "(?:the )?(?:prompt|input|request) (?:was )?(?:blocked|flagged) by (?:our |the )?(?:content|safety|moderation)"
])

const keyPhrases = phrases([
  "(?:invalid|incorrect|missing|expired) (?:x-)?api[- ]?key",
  "api key (?:not valid|expired|not found)",
  "your authentication token",
  "you didn't provide an api key",
  "(?:invalid|missing) authentication"
])

/**
 * What an anchored phrase means at a status. Only for messages without a specific code: messages quote prompts, so
 * a phrase counts only where it begins the message.
 */
export const verdictOfPhrase = (message: string, status: number): Verdict | undefined => {
  const text = message.slice(0, 2000)
  if (status >= 500 || status === 200) {
    return serverContextPhrase.test(text.trim()) ? { code: "context_length" } : undefined
  }
  if ([400, 413, 422, 429].includes(status) && contextPhrases.test(text)) return { code: "context_length" }
  if ([400, 402, 403, 429].includes(status) && quotaPhrases.test(text)) return { code: "quota_exhausted" }
  if ([400, 403, 422].includes(status) && filterPhrases.test(text)) return { code: "content_filtered" }
  if ([400, 403].includes(status) && keyPhrases.test(text)) return { code: "auth" }
  return undefined
}

/** Phrases that decide although a throttling code stands beside them. */
export const verdictOfThrottle = (message: string, status: number): Verdict | undefined => {
  if (status !== 429 && status !== 413 && status !== 400 && status !== 200) return undefined
  const text = message.slice(0, 2000)
  const limit = /\bLimit:? ([\d,]+)/.exec(text)?.[1]
  const requested = /\bRequested:? ([\d,]+)/.exec(text)?.[1]
  if (limit !== undefined && requested !== undefined) {
    const digits = (number: string) => Number(number.replace(/,/g, ""))
    if (digits(limit) > 0 && digits(requested) > digits(limit)) return { code: "context_length" }
  }
  if (quotaPhrases.test(text) && !/^you exceeded/i.test(text.trim())) return { code: "quota_exhausted" }
  return undefined
}
