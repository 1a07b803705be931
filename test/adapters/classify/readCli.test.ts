// Answers in the output formats of agents, with noise around them; words in a good answer mean nothing.
import { assert, describe, it } from "@effect/vitest"
import { answerOf, claude, lines } from "../../support/processEnds.ts"

describe("answers of agents", () => {
  it("claude: the last result of an array or a stream of events, with noise around", () => {
    const events = [{ type: "system" }, { type: "assistant", message: {} }, claude({ result: "fine" })]
    for (const stdout of [
      JSON.stringify(events),
      `warning: x\n${lines(...events)}`,
      JSON.stringify(claude({ result: "fine" }), null, 2)
    ]) {
      const answer = answerOf("claude", { stdout })
      assert.strictEqual(answer.text, "fine")
      assert.deepInclude(answer.usage, { inputTokens: 13, cachedInputTokens: 10, outputTokens: 5 })
      assert.strictEqual(answer.costUsd, 0.01)
    }
  })
  it("claude: the subtype is no answer where the result is missing", () =>
    assert.throws(() => answerOf("claude", { stdout: lines(claude({ result: undefined })) })))
  it("claude: a structured output in which a key stands twice is no answer", () => {
    const once = JSON.stringify(claude({ result: "", structured_output: { value: 9 } }))
    assert.strictEqual(answerOf("claude", { stdout: once }).text, '{"value":9}')
    const twice = once.replace('"value":9', '"value":1,"value":9')
    assert.notStrictEqual(twice, once)
    for (const stdout of [twice, `warning: x\n${twice}`, twice.replaceAll(",", ",\n")])
      assert.throws(() => answerOf("claude", { stdout }))
  })
  it("claude: a text that the result lost is in the last message of a stream", () => {
    const assistant = { type: "assistant", message: { content: [{ type: "text", text: "found" }] } }
    assert.strictEqual(answerOf("claude", { stdout: lines(assistant, claude({ result: "" })) }).text, "found")
  })
  it("codex: the last message, with its usage", () => {
    const message = (text: string) => ({ type: "item.completed", item: { type: "agent_message", text } })
    const completed = {
      type: "turn.completed",
      usage: { input_tokens: 20, cached_input_tokens: 5, output_tokens: 4 }
    }
    const answer = answerOf("codex", { stdout: lines(message("first"), message("last"), completed) })
    assert.strictEqual(answer.text, "last")
    assert.deepInclude(answer.usage, { inputTokens: 20, cachedInputTokens: 5, outputTokens: 4 })
  })
  it("codex: a reconnection on the way is no failure", () => {
    const stdout = lines(
      { type: "error", message: "Reconnecting... 1/5" },
      { type: "item.completed", item: { type: "agent_message", text: "ok" } },
      { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } }
    )
    assert.strictEqual(answerOf("codex", { stdout }).text, "ok")
  })
  it("gemini: response and tokens of its models", () => {
    const tokens = { prompt: 12, candidates: 5, thoughts: 3, cached: 4, total: 20 }
    const answer = answerOf("gemini", {
      stdout: `Warning: x\n${JSON.stringify({ response: "ok", stats: { models: { "gemini-x": { tokens } } } }, null, 2)}`
    })
    assert.strictEqual(answer.text, "ok")
    assert.strictEqual(answer.modelVersionUsed, "gemini-x")
    assert.deepInclude(answer.usage, {
      inputTokens: 12,
      outputTokens: 8,
      cachedInputTokens: 4,
      reasoningTokens: 3
    })
  })
  it("text: as it is, without the last line's end, whatever it talks about", () => {
    assert.strictEqual(
      answerOf("text", { stdout: "Usage limit reached\nInvalid API key\n" }).text,
      "Usage limit reached\nInvalid API key"
    )
  })
})
