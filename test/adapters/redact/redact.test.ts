// Nothing of a key comes out of the waist: 200 planted keys, in every form in which they come back.
import { assert, describe, it } from "@effect/vitest"
import { classifyFailedReply } from "../../../src/adapters/classify/classifyHttp.ts"
import { hidePrompt, looksLikeSecret, redact } from "../../../src/adapters/redact/redact.ts"
import { comebacks, pieceLeft, plantedKeys } from "../../support/plantedKeys.ts"

describe("200 planted keys", () => {
  for (const [what, comeback] of Object.entries(comebacks)) {
    it(`come back ${what} and are hidden`, () => {
      for (const key of plantedKeys) {
        const text = comeback(key)
        const shown = redact(text, [key])
        assert.isUndefined(pieceLeft(shown, key), `${text}\n${shown}`)
        for (const ends of ["*****", "..."]) {
          assert.notInclude(shown, `${ends}${key.trim().slice(-4)}`)
          assert.notInclude(shown, `${key.trim().slice(0, 6)}${ends}`)
        }
      }
    })
    it(`come back ${what} in an error body, and neither message nor detail shows them`, () => {
      for (const key of plantedKeys) {
        const clean = (text: string) => redact(text, [key])
        const bodies = [
          JSON.stringify({ error: { message: comeback(key), type: key, code: key } }),
          JSON.stringify({ error: comeback(key) }),
          JSON.stringify({ detail: [{ loc: ["header", key], msg: comeback(key) }] }),
          JSON.stringify({
            error: {
              message: "upstream",
              metadata: { raw: JSON.stringify({ error: { message: comeback(key) } }) }
            }
          }),
          comeback(key)
        ]
        for (const body of bodies) {
          const headers = {
            "content-type": "application/json",
            "x-request-id": key.trim(),
            "x-amzn-errortype": key.trim()
          }
          const error = classifyFailedReply({ status: 401, headers, body }, { now: 0, clean })
          const left = pieceLeft(JSON.stringify([error.message, error.detail]), key)
          assert.isUndefined(left, `${body}\n${error.message}\n${JSON.stringify(error.detail)}`)
        }
      }
    })
  }
})

describe("keys nobody configured", () => {
  const strangers = plantedKeys.filter((key) => /^(?:sk-|AIza|gsk_|xai-|hf_|ghp_|pplx-|nvapi-)/.test(key))
  it("are hidden by their shape", () => {
    assert.isAbove(strangers.length, 90)
    for (const key of strangers) assert.isUndefined(pieceLeft(redact(`the value ${key} is odd`, []), key))
  })
  it("are hidden by their place", () => {
    for (const text of [
      "Authorization: Bearer abcdef123456",
      "authorization: Basic dXNlcjpwYXNz",
      "https://user:hunter22@host.test/",
      "https://host.test/?api_key=hunter22&x=1",
      "https://host.test/?key=hunter22",
      'api_key="hunter22xyz"',
      "password: hunter22xyz"
    ]) {
      const shown = redact(text, [])
      assert.notMatch(shown, /hunter22|abcdef123456|dXNlcjpwYXNz/, shown)
    }
  })
  it("ordinary words stay", () => {
    for (const text of [
      "Rate limit reached for gpt-test on requests per min. Please try again in 6s.",
      "The model `claude-sonnet-4-5-20250929` does not exist",
      "This model's maximum context length is 4096 tokens.",
      "model 'nope' not found",
      "invalid x-api-key",
      "task-description-of-the-risk-assessment failed"
    ]) {
      assert.strictEqual(redact(text, ["sk-abcdefghijklmnop"]), text)
    }
  })
})

describe("content that is refused for its shape", () => {
  it("keys are seen, code and prose are not", () => {
    assert.isTrue(looksLikeSecret("OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwx"))
    assert.isTrue(looksLikeSecret("-----BEGIN RSA PRIVATE KEY-----\nMIIE"))
    assert.isTrue(looksLikeSecret("aws_access_key_id = AKIAIOSFODNN7EXAMPLE"))
    assert.isTrue(looksLikeSecret("token ghp_0123456789abcdefghijABCDEFGHIJ456789"))
    for (const text of [
      "const apiKey = process.env.OPENAI_API_KEY",
      "Authorization: Bearer ${token}",
      "the sk- prefix marks a key",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "class task-manager-for-the-whole-organisation",
      "password: changeme"
    ]) {
      assert.isFalse(looksLikeSecret(text), text)
    }
  })
})

describe("pages and prompts", () => {
  it("a page leaves no markup", () => {
    assert.strictEqual(redact("<!DOCTYPE html><html><title>Sign in</title></html>", []), "(an HTML page)")
    assert.strictEqual(redact("upstream said <html><b>bad</b>", []), "upstream said (an HTML page)")
    assert.strictEqual(redact("a <b>bold</b> word", []), "a bold word")
  })
  it("quotes of the prompt are hidden, whole or in part", () => {
    const prompt = "Please summarise the confidential merger agreement between A and B in three points."
    for (const quote of [prompt, prompt.slice(10, 50), `…${prompt.slice(0, 30)}`]) {
      const shown = hidePrompt(`Invalid content: '${quote}'`, [prompt])
      assert.notInclude(shown, "confidential merger")
      assert.include(shown, "Invalid content")
    }
    assert.strictEqual(hidePrompt("status ok", ["ok"]), "status ok")
  })
  it("a large prompt and a large text do not take long", () => {
    const prompt = "lorem ipsum dolor sit amet ".repeat(40_000)
    const started = performance.now()
    hidePrompt(redact("x".repeat(1_000_000), ["sk-abcdefghijklmnop"]), [prompt])
    assert.isBelow(performance.now() - started, 2000)
  })
  it("control characters cannot draw on a terminal", () => {
    assert.strictEqual(redact("a\u001B[31mred\u0007", []), "a [31mred")
  })
})
