// What a broken exchange means, wherever in a chain of causes or an aggregate the evidence stands, and that nothing
// that can be thrown breaks the reading or puts its words into a message.
import { assert, describe, it } from "@effect/vitest"
import { classifyThrown, classifyTransport } from "../../../src/adapters/classify/classifyThrown.ts"
import { breakerOutcome } from "../../../src/domain/ModelError.ts"

const withCode = (code: string, message = "secret words") => Object.assign(new Error(message), { code })

const read = (thrown: unknown) => {
  const error = classifyThrown(thrown)
  return [error.code, error.retryable, error.breaker ?? breakerOutcome(error.code)]
}

const sick = ["network", true, "failure"]
const settled = ["network", false, "neutral"]
const late = ["timeout", true, "failure"]

const codes: ReadonlyArray<readonly [code: string, expected: ReadonlyArray<unknown>]> = [
  ...[
    "ECONNRESET",
    "ECONNREFUSED",
    "EPIPE",
    "EAI_AGAIN",
    "UND_ERR_SOCKET",
    "EHOSTUNREACH",
    "ENETUNREACH"
  ].map((code) => [code, sick] as const),
  ...[
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "ENOTFOUND",
    "HPE_INVALID_CONSTANT"
  ].map((code) => [code, settled] as const),
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"].map(
    (code) => [code, late] as const
  ),
  ["Z_DATA_ERROR", ["invalid_response", false, "neutral"]],
  ["Z_BUF_ERROR", ["invalid_response", true, "failure"]],
  ["ERR_INVALID_URL", ["invalid_input", false, "neutral"]],
  ["ERR_INVALID_CHAR", ["invalid_input", false, "neutral"]],
  ["SOMETHING_ELSE", ["unknown", false, "neutral"]]
]

describe("what a broken exchange means", () => {
  for (const [code, expected] of codes) {
    it(`${code}, by itself, as a cause, in an aggregate`, () => {
      const error = withCode(code)
      assert.deepStrictEqual(read(error), expected)
      assert.deepStrictEqual(read(new Error("x", { cause: new Error("y", { cause: error }) })), expected)
      assert.deepStrictEqual(
        read(new Error("x", { cause: new AggregateError([new Error("z"), error]) })),
        expected
      )
    })
  }
  it("undici's words without a code", () => {
    assert.deepStrictEqual(read(new TypeError("terminated")), sick)
    assert.deepStrictEqual(read(new TypeError("fetch failed")), sick)
    assert.deepStrictEqual(read(Object.assign(new Error("bad"), { name: "HTTPParserError" })), settled)
    assert.deepStrictEqual(read(new DOMException("too late", "TimeoutError")), late)
    assert.deepStrictEqual(read(new TypeError('Headers.append: "Bearer sk-1" is an invalid header value.')), [
      "invalid_input",
      false,
      "neutral"
    ])
  })
  it("its own words, never the error's", () => {
    for (const [code] of codes) assert.notInclude(classifyThrown(withCode(code)).message, "secret words")
    assert.notInclude(
      classifyThrown(new TypeError('"Bearer sk-1" is an invalid header value.')).message,
      "sk-1"
    )
  })
  it("survives whatever is thrown", () => {
    const cyclic: { cause?: unknown } = {}
    cyclic.cause = cyclic
    const trap = {
      get code() {
        throw new Error("no")
      },
      get cause() {
        throw new Error("no")
      }
    }
    const thrown = [
      null,
      undefined,
      3,
      "text",
      Symbol("x"),
      cyclic,
      trap,
      Object.freeze(new Error("x")),
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no")
          }
        }
      )
    ]
    for (const value of thrown) {
      assert.strictEqual(classifyThrown(value).code, "unknown")
      assert.isUndefined(classifyTransport(value))
    }
  })
})

describe("whether anything was sent", () => {
  it("a name that is unknown and a port where nobody listens cost nothing; a connection that broke may have", () => {
    for (const code of ["ENOTFOUND", "ECONNREFUSED", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]) {
      const sent = code === "UND_ERR_CONNECT_TIMEOUT" ? undefined : false
      assert.strictEqual(classifyThrown(withCode(code)).sent, sent, code)
    }
    for (const code of ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "EHOSTUNREACH"])
      assert.isUndefined(classifyThrown(withCode(code)).sent, code)
  })
})
