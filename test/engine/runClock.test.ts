// Time in a run: a sleep is in the log before it is slept and never grows, whatever the host's clock does; what is
// written into a hermetic run from outside stands at the run's own time.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makeHumanAdapter } from "../../src/adapters/providers/human.ts"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import { leftOfSleep } from "../../src/engine/run/liveRun.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const program = Effect.gen(function* () {
  const h = yield* Hooks
  yield* Effect.sleep("20 seconds")
  return (yield* h.agent("rested")).ok
})

/** Starts a process of the run, and waits until its sleep, or that it goes on, is durable. */
const begin = Effect.fnUntraced(function* (disk: MemoryDisk, pid: number) {
  const durable = yield* Deferred.make<void>()
  const observeDurable = (event: RunEvent) =>
    event.type === "RunResumed" || (event.type === "CallScheduled" && event.call.verb === "sleep")
      ? Effect.asVoid(Deferred.succeed(durable, undefined))
      : Effect.void
  const fiber = yield* Effect.forkChild(
    Alembic.runProgram({ program: "sleep", goal: "g", observeDurable }, program).pipe(
      Effect.provide(engineOn(disk, paidRegistry().layer, { pid }))
    )
  )
  yield* Deferred.await(durable)
  return fiber
})

/** The test's clock, set back or forward. */
const shifted = (ms: number) =>
  Effect.map(Clock.Clock, (clock): Clock.Clock => ({
    ...clock,
    sleep: (duration) => clock.sleep(duration),
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ms)
  }))

describe("a sleep", () => {
  it.effect("is durable before it is slept; a process that comes after a crash sleeps what is left", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const killed = yield* begin(disk, 1)
      yield* TestClock.adjust("12 seconds")
      const left = disk.afterCrash("power")
      yield* Fiber.interrupt(killed)
      const next = yield* begin(left, 2)
      yield* TestClock.adjust("7999 millis")
      assert.isUndefined(next.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const summary = yield* Fiber.join(next)
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.strictEqual(yield* Clock.currentTimeMillis, 20_000)
    })
  )

  it.effect("is not made longer by a clock that was set back", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const killed = yield* Effect.provideService(begin(disk, 1), Clock.Clock, yield* shifted(3_600_000))
      const left = disk.afterCrash("power")
      yield* Fiber.interrupt(killed)
      const next = yield* begin(left, 2)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(next)).status, "completed")
    })
  )

  it.prop(
    "has left what is not slept of it: none once it is due, never more than its length",
    [
      Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))),
      Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))),
      Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))
    ],
    ([ms, since, now]) => {
      const left = leftOfSleep(ms, since, now)
      assert.isTrue(left >= 0 && left <= ms)
      if (now >= since + ms) assert.strictEqual(left, 0)
      else if (now >= since) assert.strictEqual(now + left, since + ms)
    }
  )
})

describe("an answer to a hermetic run", () => {
  it.effect("stands at the run's own time, whenever it is given", () =>
    Effect.gen(function* () {
      const registry = Layer.succeed(AdapterRegistry, {
        resolve: (given) => Effect.succeed(identityOf(given, "human")),
        bind: () => Effect.succeed([{ adapter: makeHumanAdapter(), modelId: "human" }]),
        identity: { default: "human" }
      })
      const asks = Effect.gen(function* () {
        const h = yield* Hooks
        yield* Effect.sleep("1 minute")
        const answer = yield* h.agent("who?")
        return answer.ok ? answer.text : ""
      })
      const logs: Array<string> = []
      for (const wait of ["3 hours", "5 days"] as const) {
        const disk = MemoryDisk.make()
        const run = Alembic.runProgram({ program: "asks", goal: "g", hermetic: true }, asks).pipe(
          Effect.provide(engineOn(disk, registry))
        )
        const { runId = "", suspended } = yield* run
        yield* TestClock.adjust(wait)
        yield* Effect.provide(answerItem(runId, suspended?.items[0] ?? "", "Ann"), engineOn(disk, registry))
        const ended = yield* run
        assert.strictEqual(ended.result, "Ann", JSON.stringify(ended))
        const log = Buffer.from(disk.read(`/base/runs/${runId}/events.jsonl`) ?? []).toString()
        for (const line of log.trim().split("\n")) assert.isAtMost(JSON.parse(line).at, 60_000)
        logs.push(log)
      }
      assert.strictEqual(logs[0], logs[1])
    })
  )
})
