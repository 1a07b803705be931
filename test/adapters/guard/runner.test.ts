// The promise twin of the waist: a function that never rejects.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Guards } from "../../../src/adapters/guard/Guards.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import { makeRunner } from "../../../src/adapters/guard/runner.ts"
import { IdFactory } from "../../../src/kernel/IdFactory.ts"
import { answers, assertSound, fine, input, wild } from "../../support/wildAdapters.ts"

const guards = Guards.layer().pipe(Layer.provide(IdFactory.layerCounter))

describe("the promise twin", () => {
  it.effect("answers, and never rejects, whatever it is given", () =>
    Effect.gen(function* () {
      const run = yield* makeRunner(wild(() => Effect.succeed(fine)))
      const good = yield* Effect.promise(() => run(input))
      assert.isTrue(good.ok)
      for (const value of Object.values(answers)) {
        assertSound(yield* Effect.promise(() => run(value())))
      }
      const options = {
        get signal(): AbortSignal {
          throw new Error("no signal for you")
        }
      }
      const odd = yield* Effect.promise(() => run(input, options))
      assert.isFalse(odd.ok)
      const thrower = yield* makeRunner(
        wild(() => {
          throw null
        })
      )
      const thrown = yield* Effect.promise(() => thrower(input))
      assert.isTrue(!thrown.ok && thrown.error.code === "unknown")
    }).pipe(Effect.provide(guards))
  )

  it.effect("a signal ends it with cancelled", () =>
    Effect.gen(function* () {
      const run = yield* makeRunner(wild(() => Effect.never))
      const controller = new AbortController()
      const call = run(input, { signal: controller.signal })
      controller.abort()
      const result = yield* Effect.promise(() => call)
      assert.isTrue(!result.ok && result.status === "cancelled")
    }).pipe(Effect.provide(guards))
  )

  it("works from a ManagedRuntime, for an app without Effect", async () => {
    const runtime = ManagedRuntime.make(guards)
    const run = await runtime.runPromise(makeRunner([{ adapter: makeOfflineAdapter(), modelId: "offline" }]))
    const result = await run({ prompt: "hello", model: "", schema: { type: "boolean" } })
    assert.isTrue(result.ok && typeof result.output === "boolean")
    await runtime.dispose()
  })
})
