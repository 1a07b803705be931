// The shared HTTP cases, each served from a real loopback socket with its fault, read by the real adapter.
import { assert, describe, it, vi } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import dns from "node:dns"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import { classifyThrown } from "../../../src/adapters/classify/classifyThrown.ts"
import { makeAiSdkAdapter } from "../../../src/adapters/providers/aiSdk.ts"
import { makeError } from "../../../src/domain/ModelError.ts"
import { type Fault, serveFault } from "../../support/FaultServer.ts"
import {
  assertOutcome,
  bytesOf,
  type ProviderCase,
  readProviderCases,
  sharedCases
} from "../../support/providerCases.ts"

const now = "2026-01-01T00:00:00Z"

const providerOf = (provider: ProviderCase["provider"]) => (provider === "gemini" ? "google" : provider)

const adapterFor = (it: ProviderCase, url: string): Adapter => {
  const provider = providerOf(it.provider)
  if (provider === "command") throw new Error("not an HTTP case")
  return makeAiSdkAdapter({
    provider,
    id: provider,
    apiKey: Redacted.make(it.request?.apiKey ?? "sk-test-secret"),
    baseUrl: `${url}${provider === "google" ? "/v1beta" : "/v1"}`
  })
}

const faults = new Set<string>([
  "reset-mid-body",
  "short-body",
  "close-delimited-truncated",
  "gzip-truncated",
  "gzip-mislabelled",
  "close-before-headers",
  "refuse",
  "tls-self-signed",
  "garbage-bytes",
  "hang-before-headers",
  "hang-mid-body"
])
const isFault = (fault: string): fault is Fault => faults.has(fault)

/** The host's resolver answers as the case says; everything else on the way is real. */
const failingLookup = (code: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      vi.spyOn(dns, "lookup").mockImplementation((...args: ReadonlyArray<unknown>) => {
        const callback = args.at(-1)
        if (typeof callback !== "function") return
        queueMicrotask(() =>
          callback(Object.assign(new Error(`getaddrinfo ${code} host`), { code, syscall: "getaddrinfo" }))
        )
      })
    ),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

const run = (it: ProviderCase, http: NonNullable<ProviderCase["http"]>) =>
  Effect.gen(function* () {
    const fault = http.fault
    if (fault === "dns-notfound" || fault === "dns-again") {
      yield* failingLookup(fault === "dns-notfound" ? "ENOTFOUND" : "EAI_AGAIN")
      return yield* Effect.result(
        adapterFor(it, "http://provider.test").attempt({ prompt: "hi", model: "m" })
      )
    }
    const server = yield* serveFault({
      status: http.status,
      headers: http.headers,
      body: bytesOf(http.body, http.bodyEncoding),
      ...(fault !== undefined && isFault(fault) && { fault })
    })
    const attempt = adapterFor(it, server.url).attempt({ prompt: "hi", model: "m" })
    if (fault !== "hang-before-headers" && fault !== "hang-mid-body") return yield* Effect.result(attempt)
    // The deadline is the spine's: it interrupts, and the wire must feel it.
    const fiber = yield* Effect.forkChild(attempt)
    yield* Deferred.await(server.received)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(server.closedByClient)
    return Result.fail(makeError("timeout", "the spine's deadline"))
  })

describe("the shared HTTP cases", () => {
  for (const { it: test, name } of readProviderCases(sharedCases)) {
    const { http } = test
    if (http === undefined) continue
    it.effect(name, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse(test.expect.clock ?? now))
        const outcome = yield* run(test, http)
        assertOutcome(outcome, test.expect)
      })
    )
  }
})

describe("the wire's own words", () => {
  it("a deadline's TimeoutError is a timeout", () => {
    assert.strictEqual(
      classifyThrown(new DOMException("The operation timed out", "TimeoutError")).code,
      "timeout"
    )
  })
})
