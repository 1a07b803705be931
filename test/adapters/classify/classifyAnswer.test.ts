// A 200 is no proof of an answer: what replies that are none mean, and answers that come as a stream.
import { assert, describe, it } from "@effect/vitest"
import { answerOf, assertRow, openai, reply, type Row } from "../../support/wireReplies.ts"

const rows: ReadonlyArray<Row> = [
  // Answers that are none.
  ["choices: []", reply(200, { choices: [] }), "invalid_response", { retryable: true, breaker: "neutral" }],
  [
    "empty text on stop",
    reply(200, { choices: [{ finish_reason: "stop", message: { content: "" } }] }),
    "invalid_response",
    { retryable: true, breaker: "neutral" }
  ],
  [
    "length without text",
    reply(200, { choices: [{ finish_reason: "length", message: { content: "" } }] }),
    "invalid_response",
    { retryable: false }
  ],
  [
    "Gemini MAX_TOKENS without text",
    reply(200, { candidates: [{ finishReason: "MAX_TOKENS", content: { role: "model" } }] }),
    "invalid_response",
    { retryable: false }
  ],
  [
    "Gemini STOP without text",
    reply(200, { candidates: [{ finishReason: "STOP", content: { role: "model" } }] }),
    "invalid_response",
    { retryable: true }
  ],
  ["Gemini without candidates", reply(200, { candidates: [] }), "invalid_response", { retryable: true }],
  [
    "an empty Responses answer",
    reply(200, { object: "response", status: "completed", output: [] }),
    "invalid_response",
    { retryable: true }
  ],
  [
    "json_validate_failed",
    reply(400, openai("Failed to generate JSON", "invalid_request_error", "json_validate_failed")),
    "invalid_response",
    { retryable: true }
  ],
  ["a JSON number", reply(200, 42), "invalid_response", { retryable: false }],
  ["plain text at 200", reply(200, "OK"), "invalid_response", { retryable: false, breaker: "neutral" }],
  [
    "cut JSON",
    reply(200, '{"choices":[{"message":{"content":"hel'),
    "invalid_response",
    { retryable: true, breaker: "failure" }
  ],
  ["204", reply(204, ""), "invalid_response", { retryable: true, breaker: "failure" }],
  [
    "Anthropic tool_use only",
    reply(200, {
      type: "message",
      content: [{ type: "tool_use", name: "x", input: {} }],
      stop_reason: "tool_use"
    }),
    "invalid_response",
    { retryable: false }
  ],
  [
    "DeepSeek out of resources in the middle",
    reply(200, { choices: [{ finish_reason: "insufficient_system_resource", message: { content: "Par" } }] }),
    "server_error"
  ],
  // Streams nobody asked for.
  [
    "SSE without an end",
    reply(200, 'data: {"choices":[{"delta":{"content":"hel"}}]}\n\n', {
      "content-type": "text/event-stream"
    }),
    "network"
  ],
  [
    "SSE with an error",
    reply(
      200,
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      { "content-type": "text/event-stream" }
    ),
    "server_error"
  ],
  [
    "NDJSON without done",
    reply(200, '{"message":{"content":"a"},"done":false}\n{"message":{"content":"b"},"done":false}\n'),
    "network"
  ]
]

describe("what a 2xx without an answer means", () => {
  for (const [what, wire, code, rest = {}] of rows) it(what, () => assertRow(wire, code, rest))
})

describe("answers in spite of their surroundings", () => {
  const answer = { choices: [{ finish_reason: "stop", message: { content: "ok" } }] }
  it("mislabelled as HTML", () =>
    assert.strictEqual(answerOf(reply(200, answer, { "content-type": "text/html" })).text, "ok"))
  it("content in parts", () => {
    const content = [
      { type: "text", text: "o" },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "k" }
    ]
    assert.strictEqual(
      answerOf(reply(200, { choices: [{ finish_reason: "stop", message: { content } }] })).text,
      "ok"
    )
  })
  it("a null error beside it", () =>
    assert.strictEqual(answerOf(reply(200, { ...answer, error: null })).text, "ok"))
  it("what OpenRouter says that it billed", () =>
    assert.strictEqual(answerOf(reply(200, { ...answer, usage: { cost: 0.25 } })).costUsd, 0.25))
  it("Anthropic's text after its thinking, Gemini's without its thoughts", () => {
    const claude = {
      type: "message",
      content: [
        { type: "thinking", thinking: "x" },
        { type: "text", text: "ok" }
      ],
      stop_reason: "end_turn"
    }
    assert.strictEqual(answerOf(reply(200, claude)).text, "ok")
    const gemini = {
      candidates: [
        { finishReason: "STOP", content: { parts: [{ text: "x", thought: true }, { text: "ok" }] } }
      ]
    }
    assert.strictEqual(answerOf(reply(200, gemini)).text, "ok")
  })
})

describe("answers in the formats of a stream", () => {
  it("gathers a chat stream", () => {
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ model: "m", choices: [{ delta, finish_reason: finish }] })}\n\n`
    const answer = answerOf(
      reply(200, `${chunk({ content: "Hel" }, null)}${chunk({ content: "lo" }, "stop")}data: [DONE]\n\n`)
    )
    assert.deepStrictEqual(
      [answer.text, answer.finishReason, answer.modelVersionUsed],
      ["Hello", "stop", "m"]
    )
  })
  it("gathers an Anthropic stream with its usage", () => {
    const events = [
      {
        type: "message_start",
        message: { type: "message", model: "c", content: [], usage: { input_tokens: 3, output_tokens: 1 } }
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
      { type: "message_stop" }
    ]
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
    const answer = answerOf(reply(200, text, { "content-type": "text/event-stream" }))
    assert.strictEqual(answer.text, "Hello")
    assert.deepInclude(answer.usage, { inputTokens: 3, outputTokens: 5 })
  })
  it("gathers Gemini's array of chunks", () => {
    const answer = answerOf(
      reply(200, [
        { candidates: [{ content: { parts: [{ text: "Hel" }] } }] },
        { candidates: [{ content: { parts: [{ text: "lo" }] }, finishReason: "STOP" }] }
      ])
    )
    assert.strictEqual(answer.text, "Hello")
  })
  it("gathers Ollama's lines", () => {
    const answer = answerOf(
      reply(
        200,
        '{"message":{"content":"Hel"},"done":false}\n{"message":{"content":"lo"},"done":true,"prompt_eval_count":3,"eval_count":2}\n'
      )
    )
    assert.strictEqual(answer.text, "Hello")
    assert.deepInclude(answer.usage, { inputTokens: 3, outputTokens: 2 })
  })
})
