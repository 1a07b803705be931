// A program in process that waits for more than its calls: timers, queries, streams of the app's own.
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"
import { engineLayer, engineOn } from "../../support/engineLayer.ts"

/** What comes from outside, some turns of the event loop later. */
const elsewhere = <A>(value: A) =>
  Effect.promise(() => new Promise<A>((resolve) => void setTimeout(() => resolve(value), 20)))

const text = (prompt: string) =>
  Effect.gen(function* () {
    const answer = yield* (yield* Hooks).agent(prompt)
    return answer.ok ? answer.text : answer.error.code
  })

class Numbers extends Context.Service<Numbers, { readonly of: (name: string) => Effect.Effect<number> }>()(
  "test/Numbers"
) {}
const numbers = Layer.succeed(Numbers, { of: (name) => elsewhere(name.length) })

const programs: Readonly<Record<string, Effect.Effect<unknown, never, Hooks | Numbers>>> = {
  "a promise of 20 ms before any call": Effect.andThen(elsewhere(1), text("a")),
  "a promise of 20 ms after the last call": Effect.andThen(text("a"), elsewhere("end")),
  "nothing but a promise": elsewhere({ only: true }),
  "a call beside a promise": Effect.all([text("a"), elsewhere("b")], { concurrency: "unbounded" }),
  "a service of its own": Effect.gen(function* () {
    const { of } = yield* Numbers
    const both = [of("one"), Effect.andThen(of("three"), text("late"))]
    return [yield* Effect.all(both, { concurrency: 2 }), yield* of("seven")]
  }),
  "a call that another wait gives up": Effect.gen(function* () {
    const first = yield* Effect.raceFirst(Effect.andThen(text("a"), Effect.never), elsewhere("won"))
    return [first, yield* text("after")]
  }),
  "calls made in an order that timers decide": Effect.forEach(
    [3, 1, 2],
    (n) =>
      Effect.andThen(
        Effect.promise(() => new Promise((r) => void setTimeout(r, n * 5))),
        text(`${n}`)
      ),
    { concurrency: "unbounded" }
  ),
  "a scope with a slow finalizer": Effect.scoped(
    Effect.andThen(
      Effect.acquireRelease(elsewhere("open"), () => elsewhere("closed")),
      text("a")
    )
  )
}

describe("a program that waits for more than its calls", () => {
  for (const [name, program] of Object.entries(programs)) {
    it.effect(`ends: ${name}`, () =>
      Effect.gen(function* () {
        const spec = { program: name, goal: "g" }
        const summary = yield* Alembic.runProgram(spec, program)
        assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
        const again = yield* Alembic.runProgram(spec, program)
        assert.deepStrictEqual(again.result, summary.result)
        assert.strictEqual(again.calls.live, 0)
        const replay = yield* Alembic.replayProgram(spec, program)
        assert.isTrue(replay.identical, JSON.stringify(replay))
        assert.strictEqual(replay.compared, "content")
      }).pipe(Effect.provide(numbers), Effect.provide(engineLayer()))
    )
  }

  it.effect("goes on where it was stopped, on the journaled answers in whatever order", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "stopped", goal: "g" }
      const reached = yield* Deferred.make<void>()
      const program = (delays: ReadonlyArray<number>, hold: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const all = yield* Effect.forEach(
            delays,
            (ms, index) =>
              Effect.andThen(
                Effect.promise(() => new Promise((r) => void setTimeout(r, ms))),
                text(`${index}`)
              ),
            { concurrency: "unbounded" }
          )
          yield* Deferred.succeed(reached, undefined)
          yield* hold
          return [...all, yield* text("last")]
        })
      const first = paidRegistry()
      const running = yield* Effect.forkChild(
        Alembic.runProgram(spec, program([1, 8, 16], Effect.never)).pipe(
          Effect.provide(engineOn(disk, first.layer))
        )
      )
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(running)
      assert.strictEqual(first.made.length, 3)
      const second = paidRegistry()
      const layer = engineOn(disk, second.layer)
      const done = yield* Alembic.runProgram(spec, program([16, 8, 1], Effect.void)).pipe(
        Effect.provide(layer)
      )
      assert.strictEqual(done.status, "completed", JSON.stringify(done))
      assert.deepStrictEqual(second.made, ["last"])
      assert.strictEqual(done.calls.replayed, 3)
      const replay = yield* Alembic.replayProgram(spec, program([8, 1, 16], Effect.void)).pipe(
        Effect.provide(layer)
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )

  it.effect("replay names a call that is not in the journal, one that is not made, and another result", () =>
    Effect.gen(function* () {
      const spec = { program: "held", goal: "g" }
      const asking = (...prompts: ReadonlyArray<string>) =>
        Effect.andThen(elsewhere(1), Effect.as(Effect.forEach(prompts, text), prompts.length))
      yield* Alembic.runProgram(spec, asking("a", "b"))
      const kindOf = (program: Effect.Effect<number, never, Hooks>) =>
        Effect.map(Alembic.replayProgram(spec, program), ({ divergence }) => divergence?.kind)
      assert.strictEqual(yield* kindOf(asking("a", "b")), undefined)
      assert.strictEqual(yield* kindOf(asking("b", "a")), undefined, "order is nothing to a program")
      assert.strictEqual(yield* kindOf(asking("a", "b", "c")), "extra_call")
      assert.strictEqual(yield* kindOf(asking("a", "x")), "call_differs")
      assert.strictEqual(yield* kindOf(asking("a")), "missing_call")
      assert.strictEqual(yield* kindOf(Effect.as(asking("a", "b"), 7)), "result_differs")
    }).pipe(Effect.provide(engineLayer()))
  )
})

describe("a program's resources", () => {
  const released = () => {
    const log: Array<string> = []
    const hold = Effect.acquireRelease(
      Effect.sync(() => void log.push("open")),
      () =>
        Effect.andThen(
          elsewhere(1),
          Effect.sync(() => void log.push("closed"))
        )
    )
    return { log, hold }
  }

  it.effect("are released before an interrupted run returns", () =>
    Effect.gen(function* () {
      const { hold, log } = released()
      const reached = yield* Deferred.make<void>()
      const program = Effect.scoped(
        Effect.andThen(hold, Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      )
      const running = yield* Effect.forkChild(Alembic.runProgram({ program: "held", goal: "g" }, program))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(log, ["open", "closed"])
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("are released before a suspended run returns; a finalizer's call is answered at once", () =>
    Effect.gen(function* () {
      const { hold, log } = released()
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const late = Effect.map(h.agent("too late"), ({ ok }) => void log.push(String(ok)))
        yield* Effect.addFinalizer(() => late)
        yield* hold
        return yield* h.agent("shall we?", { tier: "T4" })
      }).pipe(Effect.scoped)
      const summary = yield* Alembic.runProgram({ program: "asks", goal: "g" }, program)
      assert.strictEqual(summary.status, "suspended", JSON.stringify(summary))
      assert.deepStrictEqual(log, ["open", "closed", "false"])
    }).pipe(Effect.provide(engineLayer()))
  )

  it.effect("are released before a failed run returns", () =>
    Effect.gen(function* () {
      const { hold, log } = released()
      const program = Effect.scoped(Effect.andThen(hold, Effect.fail(new Error("no"))))
      const summary = yield* Alembic.runProgram({ program: "fails", goal: "g" }, program)
      assert.strictEqual(summary.error?.code, "plan_error")
      assert.deepStrictEqual(log, ["open", "closed"])
    }).pipe(Effect.provide(engineLayer()))
  )
})
