// The catalogue, kind by kind: what bodies, codes, headers and statuses of failed exchanges mean. Beyond the shared
// cases, so that the rules hold and not only their examples.
import { assert, describe, it } from "@effect/vitest"
import {
  anthropic,
  assertRow,
  errorOf,
  google,
  now,
  openai,
  reply,
  type Row
} from "../../support/wireReplies.ts"

const rows: ReadonlyArray<Row> = [
  // Quota, in every provider's words.
  ...[
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "billing_hard_limit_reached",
    "billing_not_active"
  ].map((code): Row => [`OpenAI 429 ${code}`, reply(429, openai("No.", code, code)), "quota_exhausted"]),
  [
    "OpenAI 429, the type alone says quota",
    reply(429, openai("No.", "insufficient_quota", null)),
    "quota_exhausted"
  ],
  [
    "Anthropic 400 credit balance",
    reply(
      400,
      anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
    ),
    "quota_exhausted"
  ],
  ["Anthropic billing_error", reply(402, anthropic("billing_error", "Billing.")), "quota_exhausted"],
  [
    "Anthropic unified status rejected",
    reply(429, anthropic("rate_limit_error", "Usage limit."), {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(now / 1000 + 3600),
      "anthropic-ratelimit-unified-remaining": "0"
    }),
    "quota_exhausted",
    { retryAfterMs: 3_600_000 }
  ],
  [
    "Gemini limit: 0",
    reply(
      429,
      google(
        429,
        "RESOURCE_EXHAUSTED",
        "Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: x\nPlease retry in 34.4s.",
        [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }]
      )
    ),
    "quota_exhausted"
  ],
  [
    "Gemini per-minute limit: 10 is a rate limit",
    reply(
      429,
      google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: x, limit: 10. Please retry in 34.4s.")
    ),
    "rate_limited",
    { retryAfterMs: 34_400 }
  ],
  [
    "Gemini 'exceeded your current quota' per minute",
    reply(
      429,
      google(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        [
          { violations: [{ quotaId: "GenerateContentInputTokensPerModelPerMinute-FreeTier" }] },
          { retryDelay: "21s" }
        ]
      )
    ),
    "rate_limited",
    { retryAfterMs: 21_000 }
  ],
  [
    "Bedrock tokens per day",
    reply(
      429,
      { message: "Too many tokens per day, please wait before trying again." },
      { "x-amzn-errortype": "ThrottlingException" }
    ),
    "quota_exhausted"
  ],
  [
    "usage_limit_reached with resets_in_seconds",
    reply(429, {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        resets_in_seconds: 60
      }
    }),
    "quota_exhausted",
    { retryAfterMs: 60_000 }
  ],
  [
    "402 with Retry-After is still an empty account",
    reply(402, { error: { code: 402, message: "Insufficient credits." } }, { "retry-after": "3" }),
    "quota_exhausted",
    { retryAfterMs: 3000 }
  ],
  [
    "xAI credits",
    reply(403, {
      code: "The caller does not have permission to execute the specified operation",
      error: "Your team abc has either used all available credits or reached its monthly spending limit."
    }),
    "quota_exhausted"
  ],
  // Rate limits.
  ["OpenAI 429 without a code", reply(429, openai("Slow.")), "rate_limited"],
  ["429 with an empty body", reply(429, ""), "rate_limited"],
  [
    "429 HTML with Retry-After",
    reply(429, "<html>slow</html>", { "content-type": "text/html", "retry-after": "5" }),
    "rate_limited",
    { retryAfterMs: 5000 }
  ],
  [
    "429 that talks about somebody's quota in prose",
    reply(
      429,
      openai("Rate limit. Your prompt was: 'insufficient quota'", "requests", "rate_limit_exceeded")
    ),
    "rate_limited"
  ],
  [
    "Requested not over Limit stays a rate limit",
    reply(
      429,
      openai(
        "Rate limit reached on tokens per min: Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
        "tokens",
        "rate_limit_exceeded"
      )
    ),
    "rate_limited",
    { retryAfterMs: 2000 }
  ],
  ["a rate limit at another status", reply(400, anthropic("rate_limit_error", "Slow.")), "rate_limited"],
  [
    "AWS __type",
    reply(400, { __type: "com.amazon.coral.availability#ThrottlingException", message: "Rate exceeded" }),
    "rate_limited"
  ],
  // Servers.
  ["Anthropic 529", reply(529, anthropic("overloaded_error", "Overloaded")), "server_error"],
  ["Anthropic 500", reply(500, anthropic("api_error", "Internal server error")), "server_error"],
  ["overloaded at 200", reply(200, anthropic("overloaded_error", "Overloaded")), "server_error"],
  ["Cloudflare 520", reply(520, "<html></html>", { "content-type": "text/html" }), "server_error"],
  ["Gemini INTERNAL", reply(500, google(500, "INTERNAL", "An internal error has occurred.")), "server_error"],
  ["425", reply(425, ""), "server_error", { breaker: "neutral" }],
  ["409", reply(409, ""), "server_error", { breaker: "neutral" }],
  ["424 of another kind", reply(424, { message: "no" }), "client_error"],
  ["a 200 with an unknown error", reply(200, { error: { message: "something broke" } }), "server_error"],
  ["a 200 with error: text", reply(200, { error: "model runner crashed" }), "server_error"],
  [
    "a 200 with invalid_request_error",
    reply(200, openai("no such field", "invalid_request_error")),
    "client_error"
  ],
  [
    "a 200 with finish_reason error",
    reply(200, { choices: [{ finish_reason: "error", message: { content: "Par" } }] }),
    "server_error"
  ],
  [
    "Responses failed with rate_limit_exceeded",
    reply(200, {
      object: "response",
      status: "failed",
      error: { code: "rate_limit_exceeded", message: "slow" },
      output: []
    }),
    "rate_limited"
  ],
  [
    "Responses failed without an error",
    reply(200, { object: "response", status: "failed", error: null, output: [] }),
    "server_error"
  ],
  // Timeouts.
  ...[408, 504, 522, 524].map((status): Row => [`status ${status}`, reply(status, ""), "timeout"]),
  ["Anthropic timeout_error", reply(500, anthropic("timeout_error", "Timed out")), "timeout"],
  ["Gemini DEADLINE_EXCEEDED", reply(504, google(504, "DEADLINE_EXCEEDED", "Deadline expired.")), "timeout"],
  // Keys.
  [
    "OpenAI 401",
    reply(401, openai("Incorrect API key provided", "invalid_request_error", "invalid_api_key")),
    "auth"
  ],
  ["Anthropic 403", reply(403, anthropic("permission_error", "no")), "auth"],
  ["403 JSON", reply(403, { message: "Forbidden" }), "auth"],
  ["403 HTML", reply(403, "<!DOCTYPE html><html></html>", { "content-type": "text/html" }), "client_error"],
  ["403 text", reply(403, "error code: 1020"), "client_error"],
  [
    "Gemini API_KEY_EXPIRED at 400",
    reply(400, google(400, "INVALID_ARGUMENT", "API key expired.", [{ reason: "API_KEY_EXPIRED" }])),
    "auth"
  ],
  ["Gemini 403 PERMISSION_DENIED", reply(403, google(403, "PERMISSION_DENIED", "no")), "auth"],
  ["401 HTML", reply(401, "<html></html>", { "content-type": "text/html" }), "auth"],
  ["a quota code outranks 401", reply(401, openai("no", null, "insufficient_quota")), "quota_exhausted"],
  // Requests.
  [
    "404 model",
    reply(404, openai("The model does not exist", "invalid_request_error", "model_not_found")),
    "client_error"
  ],
  [
    "Gemini FAILED_PRECONDITION",
    reply(400, google(400, "FAILED_PRECONDITION", "User location is not supported")),
    "client_error"
  ],
  ...[301, 302, 307, 308].map((status): Row => [
    `redirect ${status}`,
    reply(status, "", { location: "https://x.test/" }),
    "client_error"
  ]),
  ["FastAPI detail text", reply(404, { detail: "Not Found" }), "client_error"],
  [
    "a numeric code in the body acts as the status",
    reply(400, { error: { code: 503, message: "upstream" } }),
    "server_error"
  ],
  [
    "a string of digits acts as the status",
    reply(400, { error: { code: "429", message: "upstream" } }),
    "rate_limited"
  ],
  // Other envelopes.
  ["a list of texts", reply(422, { error: ["inputs must not be empty"] }), "client_error"],
  [
    "a gateway's status code",
    reply(200, { success: false, statusCode: 429, message: "slow" }),
    "rate_limited"
  ],
  [
    "a gateway's message with its delay",
    reply(429, { statusCode: 429, message: "Rate limit is exceeded. Try again in 2 seconds." }),
    "rate_limited",
    { retryAfterMs: 2000 }
  ],
  // The header.
  [
    "x-should-retry true on a 400",
    reply(400, openai("try again", "invalid_request_error"), { "x-should-retry": "true" }),
    "client_error",
    { retryable: true }
  ],
  [
    "x-should-retry true does not fill an account",
    reply(429, openai("no", null, "insufficient_quota"), { "x-should-retry": "true" }),
    "quota_exhausted",
    { retryable: false }
  ],
  [
    "x-should-retry true does not mend a key",
    reply(401, openai("no"), { "x-should-retry": "true" }),
    "auth",
    { retryable: false }
  ],
  [
    "x-should-retry false on a 429",
    reply(429, openai("no"), { "x-should-retry": "false" }),
    "rate_limited",
    { retryable: false }
  ]
]

describe("what a failed exchange means", () => {
  for (const [what, wire, code, rest = {}] of rows) {
    it(what, () => {
      assertRow(wire, code, rest)
    })
  }

  it("shows what the body says, in whatever envelope", () => {
    const bodies = [
      { error: { message: "no such field" } },
      { error: "no such field" },
      { error: ["no such field"] },
      { errors: [{ code: 1, message: "no such field" }], success: false },
      { detail: [{ loc: ["body", 0], msg: "no such field" }] },
      { object: "error", message: { detail: [{ msg: "no such field" }] } },
      [{ error: { message: "no such field" } }],
      { error: { message: JSON.stringify({ error: { message: "no such field" } }) } },
      { message: "no such field" },
      { error: true, message: "no such field" }
    ]
    for (const body of bodies)
      assert.include(errorOf(reply(400, body)).message, "no such field", JSON.stringify(body))
  })

  it("never copies flagged input, failed generations or pages into a message", () => {
    for (const [, wire] of rows) {
      const error = errorOf(wire)
      assert.notInclude(JSON.stringify([error.message, error.detail]), "secret prompt")
      assert.notInclude(error.message, "<html")
      assert.isAtMost(error.message.length, 500)
    }
  })
})
