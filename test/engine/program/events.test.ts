// The events of a run as a stream: from the beginning, from where it was left, and while the run is at work.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineLayer } from "../../support/engineLayer.ts"
import { layerTest } from "../../../src/testing.ts"

const spec = { program: "watched", goal: "g" }

describe("Alembic.events", () => {
  it.effect("gives a run's events in order, each once, from the one after `since` on", () =>
    Effect.gen(function* () {
      const alembic = yield* Alembic
      const program = Effect.flatMap(Hooks, (h) => h.parallel([h.agent("a"), h.agent("b")]))
      const { runId = "" } = yield* alembic.runProgram(spec, program)
      const all = yield* Stream.runCollect(alembic.events(runId))
      assert.deepStrictEqual(
        all.map(({ seq }) => seq),
        all.map((_, index) => index + 1)
      )
      assert.strictEqual(all.at(-1)?.type, "RunCompleted")
      const rest = yield* Stream.runCollect(alembic.events(runId, { since: 3, follow: true }))
      assert.deepStrictEqual(rest, all.slice(3))
      assert.deepStrictEqual(
        (yield* alembic.list).map((run) => String(run.runId)),
        [runId]
      )
      const missing = yield* Effect.flip(Stream.runCollect(alembic.events("run-0123456789abcdef")))
      assert.strictEqual(missing.code, "run_missing")
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("follows a run that is at work until it ends", () =>
    Effect.gen(function* () {
      const alembic = yield* Alembic
      const began = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        yield* h.agent("a")
        yield* Deferred.succeed(began, undefined)
        yield* Deferred.await(goOn)
        return yield* h.agent("b")
      })
      const running = yield* Effect.forkChild(alembic.runProgram(spec, program))
      yield* Deferred.await(began)
      const runId = (yield* alembic.list)[0]?.runId ?? ""
      const seen: Array<string> = []
      const watching = yield* alembic.events(runId, { follow: true }).pipe(
        Stream.tap(({ type }) =>
          type === "CallCompleted" ? Deferred.succeed(goOn, undefined) : Effect.void
        ),
        Stream.runForEach(({ type }) => Effect.sync(() => void seen.push(type))),
        Effect.forkChild
      )
      const summary = yield* Fiber.join(running)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(watching)
      assert.isTrue(summary.ok)
      assert.strictEqual(seen.filter((type) => type === "CallCompleted").length, 2)
      assert.strictEqual(seen.at(-1), "RunCompleted")
    }).pipe(Effect.provide(layerTest()))
  )
})
