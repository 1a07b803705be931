// What the ends of subprocess agents mean, beyond the shared cases: each tool's own reports, exit codes, and words on
// their output. Answers are in readCli.test.ts.
import { assert, describe, it } from "@effect/vitest"
import type { ProcessEnd } from "../../../src/kernel/subprocess/Subprocess.ts"
import type { CliFormat } from "../../../src/adapters/classify/readCli.ts"
import { claude, errorOf, lines } from "../../support/processEnds.ts"

type Row = readonly [
  what: string,
  format: CliFormat,
  part: Partial<ProcessEnd>,
  code: string,
  rest?: { readonly retryable?: boolean; readonly retryAfterMs?: number }
]

const claudeError = (result: string, more: object = {}) => lines(claude({ is_error: true, result, ...more }))

const rows: ReadonlyArray<Row> = [
  [
    "claude: exit 0, is_error, 429",
    "claude",
    { stdout: claudeError("API Error: Rate limit reached", { api_error_status: 429 }) },
    "rate_limited"
  ],
  [
    "claude: is_error with a status and an API body in the text",
    "claude",
    {
      stdout: claudeError(
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
      )
    },
    "server_error"
  ],
  [
    "claude: the body's words outrank the status",
    "claude",
    {
      stdout: claudeError(
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}',
        { api_error_status: 400 }
      )
    },
    "quota_exhausted"
  ],
  [
    "claude: a window with a 429 is spent, not rate limited",
    "claude",
    {
      exitCode: 1,
      stdout: claudeError("You've hit your session limit · resets 1pm", { api_error_status: 429 })
    },
    "quota_exhausted"
  ],
  [
    "claude: prompt too long",
    "claude",
    { exitCode: 1, stdout: claudeError("Prompt is too long") },
    "context_length"
  ],
  [
    "claude: expired login",
    "claude",
    {
      exitCode: 1,
      stdout: claudeError("OAuth token has expired · Please run /login", { api_error_status: 401 })
    },
    "auth"
  ],
  [
    "claude: 500",
    "claude",
    {
      exitCode: 1,
      stdout: claudeError(
        'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'
      )
    },
    "server_error"
  ],
  [
    "claude: connection",
    "claude",
    { exitCode: 1, stdout: claudeError("API Error: Connection error.") },
    "network",
    { retryable: true }
  ],
  [
    "claude: timed out",
    "claude",
    { exitCode: 1, stdout: claudeError("API Error: Request timed out.") },
    "timeout"
  ],
  [
    "claude: turn limit",
    "claude",
    { exitCode: 1, stdout: lines(claude({ subtype: "error_max_turns", result: undefined })) },
    "invalid_response",
    { retryable: false }
  ],
  [
    "claude: error during execution",
    "claude",
    {
      exitCode: 1,
      stdout: lines(claude({ subtype: "error_during_execution", is_error: true, result: undefined }))
    },
    "unknown",
    { retryable: false }
  ],
  [
    "claude: no login, plain text",
    "claude",
    { exitCode: 1, stdout: "Invalid API key · Please run /login\n" },
    "auth"
  ],
  ["claude: nothing at all", "claude", { exitCode: 1 }, "unknown", { retryable: false }],
  ["claude: exit 0 and nothing", "claude", {}, "invalid_response", { retryable: true }],
  [
    "claude: a refusal",
    "claude",
    { stdout: lines(claude({ stop_reason: "refusal", result: "" })) },
    "content_filtered"
  ],
  ["claude: not JSON at exit 0", "claude", { stdout: "Hello!" }, "invalid_response", { retryable: false }],
  [
    "codex: 401",
    "codex",
    {
      exitCode: 1,
      stdout: lines({
        type: "turn.failed",
        error: { message: "unexpected status 401 Unauthorized: Missing bearer authentication" }
      })
    },
    "auth"
  ],
  [
    "codex: last status 429",
    "codex",
    {
      exitCode: 1,
      stdout: lines({
        type: "turn.failed",
        error: { message: "exceeded retry limit, last status: 429 Too Many Requests" }
      })
    },
    "rate_limited"
  ],
  [
    "codex: context",
    "codex",
    {
      exitCode: 1,
      stdout: lines({
        type: "turn.failed",
        error: { message: "Codex ran out of room in the model's context window." }
      })
    },
    "context_length"
  ],
  [
    "codex: turn.failed outranks exit 0",
    "codex",
    {
      stdout: lines({ type: "turn.failed", error: { message: "stream disconnected before completion: x" } })
    },
    "network",
    { retryable: true }
  ],
  [
    "codex: an inner body of OpenAI",
    "codex",
    {
      exitCode: 1,
      stdout: lines({
        type: "turn.failed",
        error: {
          message: JSON.stringify({ error: { code: "context_length_exceeded", message: "too long" } })
        }
      })
    },
    "context_length"
  ],
  [
    "codex: an error event without a turn's end",
    "codex",
    {
      exitCode: 1,
      stdout: lines(
        { type: "turn.started" },
        { type: "error", message: "We're currently experiencing high demand" }
      )
    },
    "server_error"
  ],
  [
    "codex: its output ends before its turn",
    "codex",
    {
      stdout: lines(
        { type: "turn.started" },
        { type: "item.completed", item: { type: "agent_message", text: "half" } }
      )
    },
    "invalid_response",
    { retryable: false }
  ],
  [
    "gemini: a quota that is used up, after attempts that said 429",
    "gemini",
    {
      exitCode: 1,
      stderr:
        "Attempt 1 failed with status 429. Retrying with backoff...\nError when talking to Gemini API\nTerminalQuotaError: You have exhausted your capacity on this model.\n    at classify (file:///x.js:1:1)\n  cause: { code: 429 }\n"
    },
    "quota_exhausted"
  ],
  [
    "gemini: a quota that is used up, in its report",
    "gemini",
    {
      exitCode: 1,
      stderr: JSON.stringify({
        error: { type: "TerminalQuotaError", message: "429 too many requests", code: 429 }
      })
    },
    "quota_exhausted"
  ],
  [
    "gemini: a quota that comes back",
    "gemini",
    { exitCode: 1, stderr: "RetryableQuotaError: Please retry in 5s.\n" },
    "rate_limited",
    { retryAfterMs: 5000 }
  ],
  ["gemini: exit 53", "gemini", { exitCode: 53 }, "invalid_response", { retryable: false }],
  ["gemini: exit 41", "gemini", { exitCode: 41, stderr: "Please set an Auth method\n" }, "auth"],
  [
    "gemini: exit 42 with noise before the report",
    "gemini",
    {
      exitCode: 42,
      stderr: `Loaded cached credentials.\n${JSON.stringify({ error: { type: "FatalInputError", message: "no input", code: 42 } }, null, 2)}`
    },
    "invalid_input"
  ],
  [
    "gemini: an API error",
    "gemini",
    {
      exitCode: 1,
      stderr: JSON.stringify({
        error: {
          type: "ApiError",
          message:
            '{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"12s"}]}}',
          code: 1
        }
      })
    },
    "rate_limited",
    { retryAfterMs: 12_000 }
  ],
  [
    "gemini: an empty response",
    "gemini",
    { stdout: JSON.stringify({ response: "", stats: {} }) },
    "invalid_response",
    { retryable: true }
  ],
  ["any: exit 126", "text", { exitCode: 126, stderr: "sh: permission denied\n" }, "client_error"],
  [
    "any: ended by a signal we did not send",
    "text",
    { exitCode: null, signal: "SIGTERM" },
    "unknown",
    { retryable: false }
  ],
  [
    "any: our output limit",
    "text",
    { exitCode: null, signal: "SIGTERM", killedBy: "output-cap" },
    "invalid_response",
    { retryable: false }
  ],
  [
    "any: fork failed",
    "text",
    { exitCode: null, spawnError: { code: "EAGAIN" } },
    "unknown",
    { retryable: true }
  ],
  [
    "any: NUL in an argument",
    "text",
    { exitCode: null, spawnError: { code: "ERR_INVALID_ARG_VALUE", thrownSynchronously: true } },
    "invalid_input"
  ],
  [
    "any: connection refused on stderr",
    "text",
    { exitCode: 1, stderr: "Error: connect ECONNREFUSED 127.0.0.1:11434\n" },
    "network",
    { retryable: true }
  ],
  [
    "any: a host that does not exist",
    "text",
    { exitCode: 1, stderr: "Error: getaddrinfo ENOTFOUND api.test\n" },
    "network",
    { retryable: false }
  ],
  [
    "any: 429 on stderr",
    "text",
    { exitCode: 1, stderr: "API Error: 429 Too Many Requests. Please try again in 20s.\n" },
    "rate_limited",
    { retryAfterMs: 20_000 }
  ],
  ["any: blank output", "text", { stdout: " \n" }, "invalid_response", { retryable: true }],
  [
    "any: a number in an error is no status",
    "text",
    { exitCode: 1, stderr: "error: found 500 files, expected 1\n" },
    "unknown"
  ],
  [
    "any: words in the middle of a line are no evidence",
    "text",
    { exitCode: 1, stderr: "test 'usage limit reached' failed\n" },
    "unknown"
  ]
]

describe("what the end of a subprocess means", () => {
  for (const [what, format, part, code, rest = {}] of rows) {
    it(what, () => {
      const error = errorOf(format, part)
      assert.strictEqual(error.code, code, error.message)
      if (rest.retryable !== undefined) assert.strictEqual(error.retryable, rest.retryable)
      assert.strictEqual(error.retryAfterMs, rest.retryAfterMs)
    })
  }
})
