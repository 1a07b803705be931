// A person's answer that its call cannot use is refused when it is given; one that an earlier version took is asked for
// again when the call is made again, and those before the person in its chain are not.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeHumanAdapter } from "../../src/adapters/providers/human.ts"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import type { JsonSchemaDocument } from "../../src/domain/ModelRun.ts"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { Alembic, type ProgramSpec } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"

/** A run that asks a person, after a model that fails. */
const asking = (schema?: JsonSchemaDocument) => {
  const disk = MemoryDisk.make()
  const made: Array<string> = []
  const model: Adapter = {
    id: "model",
    free: true,
    hasSideEffects: false,
    attempt: ({ prompt }) =>
      Effect.suspend(() => {
        made.push(prompt)
        return Effect.fail(makeError("content_filtered", "no"))
      })
  }
  const registry = Layer.succeed(AdapterRegistry, {
    resolve: (given) => Effect.succeed(identityOf(given, "model:m|human")),
    bind: () =>
      Effect.succeed([
        { adapter: model, modelId: "m" },
        { adapter: makeHumanAdapter(), modelId: "human" }
      ]),
    identity: { default: "model:m|human" }
  })
  const program = Effect.gen(function* () {
    const h = yield* Hooks
    const answer = yield* h.agent("Which?", schema === undefined ? {} : { schema })
    return answer.ok ? (answer.output ?? answer.text) : answer.error.code
  })
  const engine = () => engineOn(disk, registry)
  return {
    made,
    run: (more: Partial<ProgramSpec> = {}) =>
      Effect.suspend(() =>
        Alembic.runProgram({ program: "p", goal: "g", ...more }, program).pipe(Effect.provide(engine()))
      ),
    answer: (runId: string | undefined, item: string, answer: Json) =>
      Effect.suspend(() => answerItem(runId ?? "", item, answer).pipe(Effect.provide(engine()))),
    /** As a version did that did not look at it. */
    taken: (runId: string | undefined, item: string, answer: Json) =>
      Effect.gen(function* () {
        const store = yield* Journal
        const journal = yield* store.open(yield* store.runId(runId ?? ""), "write")
        yield* journal.append({ type: "QuestionAnswered", item, answer })
        yield* journal.commit
      }).pipe(Effect.scoped, Effect.provide(engine()))
  }
}

const text: JsonSchemaDocument = { type: "string" }
const number: JsonSchemaDocument = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
const deep = (levels: number): Json => Array.from({ length: levels }).reduce<Json>((inner) => [inner], 1)

describe("an answer of a person", () => {
  for (const [name, schema, answer] of [
    ["that is empty", undefined, ""],
    ["of blanks", undefined, " \n\t"],
    ["that holds no JSON where a schema asks for it", number, "three"],
    ["that does not fit its schema", number, { n: "three" }],
    ["that is empty where a schema asks for an object", number, ""],
    ["that nests too deep to be written down", undefined, deep(2_000)]
  ] as const) {
    it.effect(`${name} is refused when it is given`, () =>
      Effect.gen(function* () {
        const run = asking(schema)
        const { runId } = yield* run.run()
        assert.deepInclude(yield* Effect.flip(run.answer(runId, "q-1", answer)), { code: "bad_answer" })
        assert.strictEqual((yield* run.run()).status, "suspended")
      })
    )
  }

  for (const [name, schema, answer, result] of [
    ["text", undefined, "this", "this"],
    ["a number where nothing else is asked for", undefined, 3, "3"],
    ["text where a schema asks for text", text, "this", "this"],
    ["no text where a schema lets it be empty", text, "", ""],
    ["what fits", number, { n: 3 }, { n: 3 }],
    ["text that holds what fits", number, '{"n":3}', { n: 3 }]
  ] as const) {
    it.effect(`${name} is taken, and is what the call gets`, () =>
      Effect.gen(function* () {
        const run = asking(schema)
        const { runId } = yield* run.run()
        yield* run.answer(runId, "q-1", answer)
        const done = yield* run.run()
        assert.deepStrictEqual(done.result, result, JSON.stringify(done))
      })
    )
  }

  it.effect("that was taken and could not be used is asked for again, and nobody else is asked again", () =>
    Effect.gen(function* () {
      const { answer, made, run, taken } = asking(number)
      const { runId } = yield* run()
      yield* taken(runId, "q-1", "three")
      assert.strictEqual((yield* run()).result, "invalid_response")
      const again = yield* run({ retryFailed: true })
      assert.deepStrictEqual(again.suspended, { reason: "question", items: ["q-2"] }, JSON.stringify(again))
      // Also when the run is gone on with before they have answered.
      assert.deepStrictEqual((yield* run()).suspended?.items, ["q-2"])
      yield* answer(runId, "q-2", { n: 3 })
      assert.deepStrictEqual((yield* run()).result, { n: 3 })
      assert.deepStrictEqual(made, ["Which?"])
    })
  )
})
