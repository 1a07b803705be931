// A program's own LanguageModel is the model of its runs: asked through the waist, journaled, replayed without it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LanguageModel } from "effect/ai"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { layerAdapter } from "../../../src/adapters/registry/layerAdapter.ts"
import { makeLanguageModelAdapter } from "../../../src/adapters/providers/languageModel.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineTest } from "../../../src/testing.ts"

const makeModel = (asked: Array<string>) =>
  LanguageModel.make({
    generateText: ({ prompt }) => {
      asked.push(JSON.stringify(prompt))
      return Effect.succeed([
        { type: "text", text: "blue" },
        {
          type: "finish",
          reason: "stop",
          usage: {
            inputTokens: { uncached: 3, total: 3, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: 1, text: undefined, reasoning: undefined }
          },
          response: undefined
        }
      ])
    },
    streamText: () => {
      throw new Error("not asked for")
    }
  })

const program = Effect.gen(function* () {
  const h = yield* Hooks
  const answer = yield* h.agent("Which colour?")
  return answer.ok ? `${answer.modelId}: ${answer.text}` : answer.error.message
})

describe("layerAdapter", () => {
  it.effect("runs a program on its own LanguageModel, and replays it without", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const adapter = makeLanguageModelAdapter({ id: "mine", model: yield* makeModel(asked) })
      const disk = MemoryDisk.make()
      const engine = engineTest({ disk, models: layerAdapter(adapter, { model: "mine-1" }) })
      const spec = { program: "colour-1", goal: "A colour" }
      const summary = yield* Alembic.runProgram(spec, program).pipe(Effect.provide(engine))
      assert.strictEqual(summary.result, "mine-1: blue", JSON.stringify(summary))
      assert.strictEqual(asked.length, 1)
      assert.isUndefined(summary.costUsd)
      const replay = yield* Alembic.replayProgram(spec, program).pipe(Effect.provide(engine))
      assert.isTrue(replay.identical, JSON.stringify(replay))
      assert.strictEqual(asked.length, 1)
    })
  )

  it.effect("binds every name to the adapter, and a price where one is given", () =>
    Effect.gen(function* () {
      const registry = yield* AdapterRegistry
      const [link] = yield* registry.bind("other")
      assert.strictEqual(link?.modelId, "other")
      assert.deepStrictEqual(link?.price, { inputUsdPerMillion: 1, outputUsdPerMillion: 2 })
      assert.strictEqual((yield* registry.resolve({ prompt: "x" })).model, "mine")
      assert.strictEqual((yield* registry.resolve({ prompt: "x", model: "other" })).model, "other")
    }).pipe(
      Effect.provide(
        Layer.unwrap(
          Effect.map(makeModel([]), (model) =>
            layerAdapter(makeLanguageModelAdapter({ id: "mine", model }), {
              price: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 }
            })
          )
        )
      )
    )
  )
})
