// runDebate on its own: over an offline registry and the real waist. Members that cannot be bound, slow members,
// bounds in dollars kept before a call is sent, and no throw in the safe form.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AdapterRegistry, RegistryError } from "../../src/adapters/registry/AdapterRegistry.ts"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import type { Fixtures } from "../../src/adapters/registry/Fixtures.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import { identityOf, layerOffline } from "../../src/adapters/registry/offlineRegistry.ts"
import { runDebate, runDebateSafe } from "../../src/council/runDebate.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { boardOf, boardValue, statement, vote } from "./script.ts"

const guards = Guards.layer({ retry: { maxAttempts: 1 }, maxRepairs: 0 }).pipe(
  Layer.provide(IdFactory.layerCounter)
)
const fixtures: Fixtures = {
  rules: [
    { match: { includes: "Your task (ballot)" }, answer: { object: vote(8, ["o-1"]) } },
    {
      match: { includes: "Your task (contrarian)" },
      answer: { object: statement("NO_GO", { objections: ["why now"] }) }
    }
  ],
  default: { object: statement("GO") }
}
const pack = { question: "Shall we?" }
const options = (adapters: AdapterRegistry["Service"], board: unknown = boardOf()) => ({
  board,
  pack,
  adapters,
  requestId: "debate-1"
})

/** A registry of one adapter that counts its attempts; `dear` has a price, `free` costs nothing. */
const registryOf = (attempt: Adapter["attempt"], rest: { readonly usdPerMillion?: number } = {}) => {
  const seen: Array<string> = []
  const adapter: Adapter = {
    id: "fake",
    free: rest.usdPerMillion === undefined,
    hasSideEffects: false,
    attempt: (input) => Effect.suspend(() => (seen.push(input.requestId ?? ""), attempt(input)))
  }
  const price = { inputUsdPerMillion: rest.usdPerMillion ?? 0, outputUsdPerMillion: rest.usdPerMillion ?? 0 }
  const registry: AdapterRegistry["Service"] = {
    identity: null,
    resolve: (call) => Effect.succeed(identityOf(call, call.model ?? "default")),
    bind: (reference) =>
      reference === "offline:bo"
        ? Effect.fail(
            new RegistryError({
              reference,
              code: "unknown_model",
              message: "no such model",
              cure: "name one"
            })
          )
        : Effect.succeed([
            { adapter, modelId: reference, ...(rest.usdPerMillion === undefined ? {} : { price }) }
          ])
  }
  return { registry, seen }
}
const answer = (prompt: string) =>
  prompt.includes("Your task (ballot)")
    ? vote(8, ["o-1"])
    : statement("GO", prompt.includes("Your task (contrarian)") ? { objections: ["why"] } : {})
const speaks: Adapter["attempt"] = ({ prompt }) =>
  Effect.succeed({
    text: JSON.stringify(answer(prompt)),
    finishReason: "stop",
    usage: { inputTokens: 100, outputTokens: 50 }
  })

describe("runDebate", () => {
  it.effect("over the offline registry: a conclusive GO for $0", () =>
    Effect.gen(function* () {
      const verdict = yield* runDebate(options(yield* AdapterRegistry))
      assert.deepInclude(verdict, { ok: true, decision: "GO", conclusive: true, costUsd: 0, calls: 17 })
    }).pipe(Effect.provide(Layer.merge(layerOffline(fixtures), guards)))
  )

  it.effect(
    "a member that cannot be bound is recorded as unbound in every phase, and nothing is sent for it",
    () =>
      Effect.gen(function* () {
        const { registry, seen } = registryOf(speaks)
        const verdict = yield* runDebate(options(registry))
        assert.deepStrictEqual(
          new Set(verdict.failures.map(({ member, reason }) => `${member} ${reason}`)),
          new Set(["bo unbound"])
        )
        assert.strictEqual(verdict.scores.rows.length, 3)
        assert.isFalse(seen.some((id) => id.includes("/bo")))
        assert.include(seen, "debate-1/council/opening/ana")
      }).pipe(Effect.provide(guards))
  )

  it.effect("a member that hangs ends by its time limit, and the debate goes on", () =>
    Effect.gen(function* () {
      const { registry } = registryOf((input) =>
        input.model === "offline:cy" ? Effect.never : speaks(input)
      )
      const fiber = yield* Effect.forkChild(runDebate(options(registry, boardOf({ timeoutMs: 1000 }))))
      yield* TestClock.adjust("1 minute")
      const verdict = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        new Set(verdict.failures.filter(({ member }) => member === "cy").map(({ reason }) => reason)),
        new Set(["timed_out"])
      )
    }).pipe(Effect.provide(guards))
  )

  it.effect("what an adapter throws, dies of or fails with is a failure of its member", () =>
    Effect.gen(function* () {
      const { registry } = registryOf((input) => {
        if (input.model === "offline:ana") throw new Error("thrown")
        if (input.model === "offline:cy") return Effect.die("died")
        if (input.model === "offline:di") return Effect.fail(makeError("server_error", "down"))
        return speaks(input)
      })
      const verdict = yield* runDebate(options(registry))
      assert.deepInclude(verdict, { decision: "NO_GO", conclusive: false })
      assert.strictEqual(verdict.failures.filter(({ phase }) => phase === "ballot").length, 4)
    }).pipe(Effect.provide(guards))
  )

  it.effect("a bound in dollars is kept before a call is sent, under any timing", () =>
    Effect.gen(function* () {
      // Attempts overlap: what bounds them is what is reserved, not what has been spent.
      const slowly: Adapter["attempt"] = (input) => Effect.andThen(Effect.yieldNow, speaks(input))
      const { registry, seen } = registryOf(slowly, { usdPerMillion: 1000 })
      const verdict = yield* runDebate(
        options(registry, boardOf({ budget: { usd: 6 }, maxOutputTokens: 100 }))
      )
      // What does not fit beside the others waits for them.
      assert.isAtMost(verdict.costUsd ?? Infinity, 6)
      assert.isFalse(verdict.failures.some(({ reason }) => reason === "budget"))
      assert.strictEqual(seen.length, 13, "one of five members cannot be bound")
      const poor = registryOf(slowly, { usdPerMillion: 1000 })
      const less = yield* runDebate(
        options(poor.registry, boardOf({ budget: { usd: 3 }, maxOutputTokens: 100 }))
      )
      assert.isAtMost(less.costUsd ?? Infinity, 3)
      assert.isTrue(less.failures.some(({ reason }) => reason === "budget"))
      assert.isBelow(poor.seen.length, 13)
      const none = registryOf(speaks, { usdPerMillion: 1000 })
      const stopped = yield* runDebate(options(none.registry, boardOf({ budget: { usd: 0 } })))
      assert.strictEqual(none.seen.length, 0)
      assert.deepInclude(stopped, { decision: "NO_GO", costUsd: 0 })
    }).pipe(Effect.provide(guards))
  )

  it.effect("a board or a pack that is none is a typed failure", () =>
    Effect.gen(function* () {
      const { registry } = registryOf(speaks)
      const bad = yield* Effect.flip(
        runDebate(options(registry, boardValue({ phases: ["opening", "contrarian", "critique", "ballot"] })))
      )
      assert.strictEqual(bad.code, "invalid_board")
      assert.include(bad.message, "contrarian_not_last at $.phases[1]")
      const empty = yield* Effect.flip(runDebate({ ...options(registry), pack: { question: "" } }))
      assert.strictEqual(empty.code, "invalid_pack")
    }).pipe(Effect.provide(guards))
  )
})

describe("runDebateSafe", () => {
  it.effect("folds a bad board, a bad pack and a broken service into a value", () =>
    Effect.gen(function* () {
      const { registry } = registryOf(speaks)
      const broken: AdapterRegistry["Service"] = {
        ...registry,
        resolve: () => {
          throw new Error("broken")
        }
      }
      assert.deepInclude(yield* runDebateSafe(options(registry, {})), { ok: false })
      assert.deepInclude(yield* runDebateSafe({ ...options(registry), pack: null }), { ok: false })
      const answered = yield* runDebateSafe(options(broken))
      assert.deepStrictEqual(answered.ok, false)
      const hostile = {
        get members() {
          throw new Error("getter")
        }
      }
      assert.deepInclude(yield* runDebateSafe(options(registry, hostile)), { ok: false })
      assert.deepInclude(yield* runDebateSafe(options(registry)), { ok: true })
    }).pipe(Effect.provide(guards))
  )
})
