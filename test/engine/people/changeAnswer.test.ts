// changeAnswer: a given answer may be changed until the run has gone on with it, and never after.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { makeHumanAdapter } from "../../../src/adapters/providers/human.ts"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../../src/adapters/registry/offlineRegistry.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { answerItem, changeAnswer } from "../../../src/engine/people/answerItem.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"

const registry = Layer.succeed(AdapterRegistry, {
  resolve: (given) => Effect.succeed(identityOf(given, given.model ?? "human")),
  bind: () => Effect.succeed([{ adapter: makeHumanAdapter(), modelId: "human" }]),
  identity: { default: "human" }
})

const asks = Effect.gen(function* () {
  const h = yield* Hooks
  const first = yield* h.agent({ prompt: "Which colour?" })
  const second = yield* h.agent({ prompt: `${first.ok ? first.text : "?"}: sure?` })
  return [first, second].map((slot) => (slot.ok ? slot.text : slot.error.code))
})

/** A run of two questions, one after the other, on a disk of its own. */
const begun = Effect.gen(function* () {
  const disk = MemoryDisk.make()
  const on = <A, E>(self: Effect.Effect<A, E, Alembic | Journal>) =>
    Effect.provide(self, engineOn(disk, registry))
  const go = on(
    Effect.flatMap(Alembic, (alembic) => alembic.runProgram({ program: "asks", goal: "g" }, asks))
  )
  const { runId = "" } = yield* go
  return {
    go,
    runId,
    answer: (item: string, text: string) => on(Effect.result(answerItem(runId, item, text))),
    change: (item: string, text: string) => on(Effect.result(changeAnswer(runId, item, text))),
    verify: on(Effect.flatMap(Journal, (journal) => Effect.flatMap(journal.runId(runId), journal.verify)))
  }
})

const codeOf = <A>(result: Result.Result<A, { readonly code: string }>): string =>
  Result.isSuccess(result) ? "ok" : result.failure.code

describe("changing an answer", () => {
  it.effect("counts as long as the run has not gone on: the last one is what it gets", () =>
    Effect.gen(function* () {
      const { answer, change, go, verify } = yield* begun
      assert.strictEqual(codeOf(yield* change("q-1", "red")), "not_answered")
      yield* answer("q-1", "blue")
      assert.strictEqual(codeOf(yield* answer("q-1", "red")), "already_answered")
      assert.strictEqual(codeOf(yield* change("q-1", "red")), "ok")
      assert.strictEqual(codeOf(yield* change("q-1", "green")), "ok")
      assert.strictEqual((yield* go).status, "suspended")
      yield* answer("q-2", "yes")
      const { result, status } = yield* go
      assert.deepStrictEqual({ result, status }, { result: ["green", "yes"], status: "completed" })
      assert.isTrue((yield* verify).ok)
    })
  )

  it.effect("is refused once the run has gone on with it, and changes nothing", () =>
    Effect.gen(function* () {
      const { answer, change, go } = yield* begun
      yield* answer("q-1", "blue")
      yield* go
      assert.strictEqual(codeOf(yield* change("q-1", "red")), "answer_used")
      yield* answer("q-2", "yes")
      assert.deepStrictEqual((yield* go).result, ["blue", "yes"])
      assert.strictEqual(codeOf(yield* change("q-2", "no")), "run_ended")
    })
  )

  it.effect("takes no other answer than one that the question takes", () =>
    Effect.gen(function* () {
      const { answer, change } = yield* begun
      yield* answer("q-1", "blue")
      assert.strictEqual(codeOf(yield* change("q-1", "")), "bad_answer")
      assert.strictEqual(codeOf(yield* change("q-7", "x")), "unknown_item")
    })
  )
})
