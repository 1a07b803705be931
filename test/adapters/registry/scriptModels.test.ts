// Names that a workflow script has for models: explained ones are those models, the rest mean the default model and
// stay part of what is asked.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { layerConfigured } from "../../../src/adapters/registry/ConfiguredRegistry.ts"
import { withScriptModels } from "../../../src/adapters/registry/scriptModels.ts"

const registry = layerConfigured({ config: { models: { haiku: { model: "offline" } } } })

const resolved = (model: string | undefined) =>
  Effect.gen(function* () {
    const script = withScriptModels(yield* AdapterRegistry)
    return yield* script.resolve({ prompt: "p", ...(model === undefined ? {} : { model }) })
  }).pipe(Effect.provide(registry))

describe("a script's names for models", () => {
  it.effect("one that nothing explains is the default model, and part of the call's identity", () =>
    Effect.gen(function* () {
      const opus = yield* resolved("opus")
      const none = yield* resolved(undefined)
      assert.strictEqual(opus.model, none.model)
      assert.deepStrictEqual(opus.providerOptions, { workflow: { model: "opus" } })
      assert.isUndefined(none.providerOptions)
    })
  )

  it.effect("one that the configuration explains is that model", () =>
    Effect.gen(function* () {
      const haiku = yield* resolved("haiku")
      assert.isUndefined(haiku.providerOptions)
    })
  )

  it.effect("one that is known and lacks its key stays that model", () =>
    Effect.gen(function* () {
      const claude = yield* resolved("anthropic:claude-x")
      assert.strictEqual(claude.model, "anthropic:claude-x")
    })
  )
})
