// Recorded hooks are the real verbs: they record what the plan did, answer what they are told, and fail as the
// engine's do.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { answered, failed, recordedHooks } from "../../../src/plan/hooks/recordedHooks.ts"

const Verdict = Schema.Struct({ sound: Schema.Boolean })

const plan = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.phase("read")
  const slots = yield* h.parallel([
    h.agent("good", { label: "first" }),
    h.agent("bad"),
    Effect.fail(new Error("no such file"))
  ])
  yield* h.log("read", { of: slots.length })
  const verdict = yield* h.phase("judge", h.agent("judge", { schema: Verdict }))
  return { slots, verdict }
})

const hooks = () =>
  recordedHooks(({ options }) => {
    if (options["prompt"] === "bad") return failed("server_error", "down")
    return options["prompt"] === "judge" ? answered("yes", { sound: true }) : answered("fine")
  })

describe("recordedHooks", () => {
  it.effect("records calls, phases, logs and coverage in the order the plan made them", () =>
    Effect.gen(function* () {
      const { layer, record } = hooks()
      yield* plan.pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        record.calls.map(({ verb, options, phase }) => [verb, options["prompt"], phase]),
        [
          ["agent", "good", "read"],
          ["agent", "bad", "read"],
          ["agent", "judge", "judge"]
        ]
      )
      assert.deepStrictEqual(record.calls[0]?.options, { label: "first", prompt: "good" })
      assert.deepStrictEqual(record.phases, ["read", "judge"])
      assert.deepStrictEqual(record.logs, [{ message: "read", data: { of: 3 } }])
      assert.deepStrictEqual(record.coverage, [{ done: 1, of: 3, accepted: false }])
    })
  )

  it.effect("answers what it is told: values, failures in their slots, decoded outputs", () =>
    Effect.gen(function* () {
      const { slots, verdict } = yield* plan.pipe(Effect.provide(hooks().layer))
      const [good, bad, broken] = slots
      assert.isTrue(good.ok && good.text === "fine")
      assert.isTrue(!bad.ok && bad.error.code === "server_error")
      assert.deepStrictEqual(broken, {
        ok: false,
        status: "failed",
        error: { code: "plan_error", message: "no such file", retryable: false }
      })
      assert.isTrue(verdict.ok && verdict.output.sound)
    })
  )

  it.effect("turns an output that does not decode into a failure, as the engine does", () =>
    Effect.gen(function* () {
      const h = yield* Hooks
      const verdict = yield* h.agent("judge", { schema: Verdict })
      assert.isTrue(!verdict.ok && verdict.error.code === "invalid_response")
    }).pipe(Effect.provide(recordedHooks(() => answered("?", { sound: "maybe" })).layer))
  )

  it.effect("refuses options that JSON cannot carry", () =>
    Effect.gen(function* () {
      const h = yield* Hooks
      const exit = yield* Effect.exit(h.agent("x", { providerOptions: { n: Number.NaN } }))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.provide(recordedHooks(() => answered("x")).layer))
  )
})
