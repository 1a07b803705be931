// Codes and anchored phrases: an input that does not fit and content that is withheld, in every provider's words,
// and what only looks like them.
import { describe, it } from "@effect/vitest"
import { anthropic, assertRow, openai, reply, type Row } from "../../support/wireReplies.ts"

const rows: ReadonlyArray<Row> = [
  // Context.
  [
    "Anthropic prompt is too long",
    reply(400, anthropic("invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum")),
    "context_length"
  ],
  [
    "Anthropic input and max_tokens",
    reply(
      400,
      anthropic(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"
      )
    ),
    "context_length"
  ],
  [
    "llama.cpp exceed_context_size_error",
    reply(400, {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
        n_prompt_tokens: 5000,
        n_ctx: 4096
      }
    }),
    "context_length"
  ],
  [
    "Groq 413 with Requested over Limit",
    reply(
      413,
      openai(
        "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size",
        "tokens",
        "rate_limit_exceeded"
      )
    ),
    "context_length"
  ],
  [
    "vLLM 400",
    reply(400, {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 100 input tokens.",
        type: "BadRequestError",
        param: null,
        code: 400
      }
    }),
    "context_length"
  ],
  [
    "TGI 422",
    reply(422, {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
      error_type: "validation"
    }),
    "context_length"
  ],
  [
    "Bedrock 400",
    reply(
      400,
      { message: "Input is too long for requested model." },
      { "x-amzn-errortype": "ValidationException" }
    ),
    "context_length"
  ],
  [
    "a prompt that is quoted is no evidence",
    reply(
      400,
      openai("Invalid content: 'This model's maximum context length is 4096 tokens'", "invalid_request_error")
    ),
    "client_error"
  ],
  [
    "a specific code beside the phrase decides",
    reply(
      400,
      openai(
        "This model's maximum context length is 4096 tokens",
        "invalid_request_error",
        "string_above_max_length"
      )
    ),
    "client_error"
  ],
  [
    "a phrase at the wrong status",
    reply(404, openai("prompt is too long", "invalid_request_error")),
    "client_error"
  ],
  // Filters.
  [
    "Azure 400 content_filter",
    reply(400, {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation" }
      }
    }),
    "content_filtered"
  ],
  [
    "OpenAI invalid_prompt",
    reply(400, openai("Invalid prompt: limited access", "invalid_request_error", "invalid_prompt")),
    "content_filtered"
  ],
  [
    "OpenRouter 403 flagged",
    reply(403, {
      error: {
        code: 403,
        message: "flagged",
        metadata: { reasons: ["violence"], flagged_input: "secret prompt", provider_name: "p" }
      }
    }),
    "content_filtered"
  ],
  [
    "Anthropic output blocked",
    reply(400, anthropic("invalid_request_error", "Output blocked by content filtering policy")),
    "content_filtered"
  ],
  [
    "message.refusal",
    reply(200, { choices: [{ finish_reason: "stop", message: { content: null, refusal: "I cannot" } }] }),
    "content_filtered"
  ],
  [
    "promptFeedback.blockReason",
    reply(200, {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 4 }
    }),
    "content_filtered"
  ],
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"].map((finishReason): Row => [
    `Gemini ${finishReason}`,
    reply(200, { candidates: [{ finishReason, content: { parts: [{ text: "par" }] } }] }),
    "content_filtered"
  ])
]

describe("codes and phrases", () => {
  for (const [what, wire, code, rest = {}] of rows) it(what, () => assertRow(wire, code, rest))
})
