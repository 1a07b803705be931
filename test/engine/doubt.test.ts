// Calls that act on the world, killed as often as it takes, and the people who are asked about them: how often the
// call was made is counted by its adapter.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { AdapterRegistry } from "../../src/adapters/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/offlineRegistry.ts"
import { makeHumanAdapter } from "../../src/adapters/providers/human.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/answerItem.ts"
import { MemoryDisk } from "../../src/kernel/FsPort.memory.ts"
import { Hooks } from "../../src/plan/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { said } from "../support/paidRegistry.ts"

const program = Effect.gen(function* () {
  const h = yield* Hooks
  const answer = yield* h.agent("deploy")
  return answer.ok ? answer.text : answer.error.code
})
const spec = { program: "deploy", goal: "g" }

/** A world in which calls act: a disk, an adapter that counts, and a person after it if asked for. */
const world = (options: { readonly person?: boolean } = {}) => {
  const disk = MemoryDisk.make()
  let made = 0
  const layerOf = (attempt: Adapter["attempt"]) => {
    const adapter: Adapter = {
      id: "acting",
      free: false,
      acts: true,
      attempt: (input) => {
        made++
        return attempt(input)
      }
    }
    const chain = [
      { adapter, modelId: "m" },
      ...(options.person === true ? [{ adapter: makeHumanAdapter(), modelId: "human" }] : [])
    ]
    const registry = Layer.succeed(AdapterRegistry, {
      resolve: (given) => Effect.succeed(identityOf(given, "acting:m")),
      bind: () => Effect.succeed(chain),
      identity: { default: "acting:m" }
    })
    return engineOn(disk, registry, { guards: { retry: { maxAttempts: 1 } } })
  }
  const engine = layerOf(() => Effect.succeed(said("done")))
  const run = (attempt: Adapter["attempt"] = () => Effect.succeed(said("done"))) =>
    Alembic.runProgram(spec, program).pipe(Effect.provide(layerOf(attempt)))
  /** Runs until the call is made, and stops there: nobody knows what became of it. */
  const stopped = Effect.gen(function* () {
    const stop = yield* Deferred.make<string>()
    const reached = yield* Deferred.make<void>()
    const hangs = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const running = yield* Effect.forkChild(
      Alembic.runProgram({ ...spec, stop }, program).pipe(Effect.provide(layerOf(hangs)))
    )
    yield* Deferred.await(reached)
    yield* Deferred.succeed(stop, "SIGKILL")
    return yield* Fiber.join(running)
  })
  const answer = (runId: string | undefined, item: string | undefined, text: string) =>
    answerItem(runId ?? "", item ?? "", text).pipe(Effect.provide(engine))
  return { run, stopped, answer, made: () => made }
}

describe("an answer about a dispatch in doubt", () => {
  it.effect("is for that dispatch: a call that was killed twice is asked about twice", () =>
    Effect.gen(function* () {
      const { answer, made, run, stopped } = world()
      const items: Array<string | undefined> = []
      for (const times of [1, 2, 3]) {
        yield* stopped
        assert.strictEqual(made(), times)
        for (const _again of [1, 2]) {
          const asked = yield* run()
          assert.deepInclude(asked.suspended, { reason: "in_doubt" }, `after ${times}`)
          items[times] = asked.suspended?.items[0]
        }
        const asked = yield* run()
        assert.deepStrictEqual(asked.suspended?.items, [items[times] ?? ""])
        yield* answer(asked.runId, items[times], "retry")
        assert.strictEqual(made(), times, "nothing acts unasked")
      }
      assert.strictEqual(new Set(items.slice(1)).size, 3)
      const done = yield* run()
      assert.deepInclude(done, { status: "completed", result: "done" })
      assert.strictEqual(made(), 4)
    })
  )

  it.effect("is not the answer of a person to the call", () =>
    Effect.gen(function* () {
      const { answer, made, run, stopped } = world({ person: true })
      yield* stopped
      const asked = yield* run()
      assert.deepInclude(asked.suspended, { reason: "in_doubt" })
      yield* answer(asked.runId, asked.suspended?.items[0], "retry")
      assert.deepInclude(yield* run(), { status: "completed", result: "done" })
      assert.strictEqual(made(), 2)
    })
  )
})

describe("a person behind a command", () => {
  it.effect("is waited for without the command acting again, however often the run is resumed", () =>
    Effect.gen(function* () {
      const { answer, made, run } = world({ person: true })
      const refused = () => Effect.fail(makeError("auth", "not logged in"))
      const asked = yield* run(refused)
      assert.deepInclude(asked.suspended, { reason: "question" })
      for (const _again of [1, 2, 3]) {
        assert.deepStrictEqual((yield* run(refused)).suspended, asked.suspended)
        assert.strictEqual(made(), 1)
      }
      yield* answer(asked.runId, asked.suspended?.items[0], "by hand")
      assert.deepInclude(yield* run(refused), { status: "completed", result: "by hand" })
      assert.strictEqual(made(), 1)
    })
  )
})
