// Adapters that do everything an adapter can do behind its type, and what must hold of every result all the same.
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { canonicalJson } from "../../src/domain/json/canonicalJson.ts"
import { makeError, maxMessageLength } from "../../src/domain/ModelError.ts"
import { ModelRunResult } from "../../src/domain/ModelRun.ts"

export const fine = { text: "fine", finishReason: "stop" }
export const input = { prompt: "hello there, this is the prompt", model: "m" }

/** An adapter whose attempt does what plain JavaScript can do behind a type. */
export const wild = (attempt: () => unknown): Adapter => {
  const adapter: Adapter = {
    id: "fake",
    free: false,
    hasSideEffects: false,
    attempt: () => Effect.succeed(fine)
  }
  return Object.assign(adapter, { attempt })
}

const decodeResult = Schema.decodeUnknownSync(ModelRunResult)

/** Holds of every result: it is one, the journal can carry it, its message is bounded and safe. */
export const assertSound = (result: ModelRunResult): void => {
  decodeResult(result)
  assert.strictEqual(canonicalJson(result)._tag, "Success")
  if (result.ok) return
  assert.isAtMost(result.error.message.length, maxMessageLength)
  assert.notInclude(result.error.message, input.prompt)
  assert.notInclude(result.error.message, "sk-")
  // The last net is for Alembic's own defects: no adapter reaches it.
  assert.notInclude(result.error.message, "broke inside")
  if (result.error.retryAfterMs !== undefined) assert.isAbove(result.error.retryAfterMs, 0)
}

/** Put together here, so that nothing that looks like a key stands in a file. */
const fakeKey = ["sk", "ant", "api03", "A1b2C3d4".repeat(6)].join("-")

export const hostile = (): never => {
  throw new Error("hands off")
}
export const throwingGetters = new Proxy(
  {},
  {
    get: hostile,
    getPrototypeOf: hostile,
    has: hostile
  }
)
class EvilError extends Error {
  override get message(): string {
    throw new Error("no message for you")
  }
}
class EvilText {
  toString() {
    throw new Error("no text for you")
  }
}
export const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const circular = () => {
  const value: Record<string, unknown> = { text: "fine", finishReason: "stop" }
  value["raw"] = value
  return value
}

/** Values that nobody should throw, fail with or answer. */
export const values: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  string: () => "a string",
  emptyString: () => "",
  number: () => Number.NaN,
  bigint: () => 1n,
  symbol: () => Symbol("s"),
  function: () => () => 1,
  error: () => new Error("plain"),
  frozenError: () => Object.freeze(new TypeError("frozen")),
  errorWithKey: () => new TypeError(`Headers.append: "${fakeKey}" is an invalid header value`),
  errorWithPrompt: () => new Error(`cannot send ${input.prompt}`),
  hugeError: () => new Error("x".repeat(5_000_000)),
  htmlError: () => new Error("<!doctype html><html><body>502 Bad Gateway</body></html>"),
  loneSurrogate: () => new Error("\uD800 alone"),
  messagelessError: () => new EvilError(),
  textless: () => new EvilText(),
  getters: () => throwingGetters,
  revoked,
  aggregate: () => new AggregateError([new Error("a"), "b"], "several"),
  causeLoop: () => {
    const error = new Error("loop")
    error.cause = error
    return error
  },
  nullPrototype: () => Object.create(null),
  array: () => [1, 2],
  date: () => new Date(Number.NaN),
  promise: () => new Promise(() => {}),
  modelError: () => makeError("server_error", "typed"),
  badModelError: () =>
    Object.assign(makeError("auth", "typed"), { code: "no_such_code", retryAfterMs: Number.NaN }),
  evilModelError: () =>
    Object.defineProperty(makeError("auth", "typed"), "code", {
      get: () => {
        throw new Error("no code for you")
      }
    }),
  frozenModelError: () => Object.freeze(makeError("rate_limited", "frozen", { retryAfterMs: -1 })),
  undecodableDetail: () => Object.assign(makeError("auth", "typed"), { detail: circular(), usage: "much" })
}

/** Answers that look like one, and are not. */
export const answers: Readonly<Record<string, () => unknown>> = {
  ...values,
  fine: () => fine,
  noFinish: () => ({ text: "x" }),
  numberText: () => ({ text: 1, finishReason: "stop" }),
  blank: () => ({ text: " \n", finishReason: "stop" }),
  blankCut: () => ({ text: "", finishReason: "length" }),
  badUsage: () => ({ ...fine, usage: { inputTokens: -1, outputTokens: Number.NaN } }),
  textUsage: () => ({ ...fine, usage: "much" }),
  badCost: () => ({ ...fine, costUsd: Number.NaN }),
  negativeCost: () => ({ ...fine, costUsd: -1 }),
  circularRaw: circular,
  surrogateText: () => ({ text: "\uDC00 alone", finishReason: "\uD800" }),
  functionOutput: () => ({ ...fine, output: () => 1 }),
  inherited: () => Object.create(fine),
  getterText: () => ({
    finishReason: "stop",
    get text(): string {
      throw new Error("no text for you")
    }
  })
}

/** What an attempt can do with one of them. */
export const deeds: Readonly<Record<string, (value: () => unknown) => unknown>> = {
  succeed: (value) => Effect.succeed(value()),
  succeedLater: (value) => Effect.as(Effect.yieldNow, value()),
  fail: (value) => Effect.fail(value()),
  failLater: (value) => Effect.andThen(Effect.yieldNow, Effect.fail(value())),
  die: (value) => Effect.die(value()),
  throw: (value) => {
    throw value()
  },
  throwInside: (value) =>
    Effect.sync(() => {
      throw value()
    }),
  reject: (value) => Effect.promise(() => Promise.reject(value())),
  rejectTyped: (value) => Effect.tryPromise({ try: () => Promise.reject(value()), catch: (cause) => cause }),
  returnIt: (value) => value(),
  hang: () => Effect.never,
  hangForGood: () => Effect.uninterruptible(Effect.never),
  interruptItself: () => Effect.interrupt,
  failAndDie: (value) => Effect.ensuring(Effect.fail(value()), Effect.die(value())),
  dieWhenStopped: (value) => Effect.ensuring(Effect.never, Effect.die(value()))
}
