// The live half: what is dispatched, what waits, what is delivered, and how a run ends. Each test is named after the
// rule it holds.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import { AdapterRegistry } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../../src/adapters/registry/offlineRegistry.ts"
import { makeHumanAdapter } from "../../../src/adapters/providers/human.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { makeError } from "../../../src/domain/ModelError.ts"
import { executeRun } from "../../../src/engine/run/executeRun.ts"
import { runOptions } from "../../../src/engine/run/RunOptions.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { describeRun } from "../../../src/journal/store/RunMeta.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import type { PlanDriver } from "../../../src/plan/host/PlanProtocol.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const once = { retry: { maxAttempts: 1 } }
const names = (count: number) => Array.from({ length: count }, (_, index) => `item ${index}`)

const fanOut = (count: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(names(count).map((name) => h.agent(name)))
    return slots.filter((slot) => slot.ok).length
  })

describe("cost", () => {
  it.effect("of a wide fan-out is known once every call has told its own", () =>
    Effect.gen(function* () {
      const paid = paidRegistry()
      const summary = yield* Alembic.runProgram(
        { program: "fan", goal: "g", concurrency: 64 },
        fanOut(300)
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer)))
      assert.strictEqual(summary.unpricedCalls, 0)
      // 10 tokens in at $1 a million, 5 out at $2.
      assert.closeTo(summary.costUsd ?? 0, 300 * 20e-6, 1e-12)
    })
  )
})

describe("a person", () => {
  it.effect(
    "who was asked because a model was down is the one who has answered, and nobody is asked anew",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        let up = false
        const made: Array<string> = []
        const model: Adapter = {
          id: "model",
          free: false,
          hasSideEffects: false,
          attempt: ({ prompt }) =>
            Effect.suspend(() => {
              made.push(prompt)
              return up ? Effect.succeed(said("the model's")) : Effect.fail(makeError("server_error", "down"))
            })
        }
        const chain = [
          { adapter: model, modelId: "m" },
          { adapter: makeHumanAdapter(), modelId: "human" }
        ]
        const registry = Layer.succeed(AdapterRegistry, {
          resolve: (given) => Effect.succeed(identityOf(given, "model:m|human")),
          bind: () => Effect.succeed(chain),
          identity: { default: "model:m|human" }
        })
        const spec = { program: "ask", goal: "g" }
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          const slot = yield* h.agent("which colour?")
          return slot.ok ? slot.text : slot.error.code
        })
        const go = (pid: number) =>
          Alembic.runProgram(spec, program).pipe(
            Effect.provide(engineOn(disk, registry, { pid, guards: once }))
          )
        const first = yield* go(1)
        assert.strictEqual(first.status, "suspended", JSON.stringify(first))
        assert.deepStrictEqual(made, ["which colour?"])
        yield* answerItem(first.runId ?? "", first.suspended?.items[0] ?? "", "green").pipe(
          Effect.provide(engineOn(disk, registry, { pid: 2 }))
        )
        up = true
        const second = yield* go(3)
        assert.strictEqual(second.result, "green", JSON.stringify(second))
        assert.deepStrictEqual(made, ["which colour?"])
      })
  )
})

describe("the brake", () => {
  it.effect(
    "a fan-out of 1,000 under an outage costs at most concurrency + 3 calls, and resume finishes it",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const spec = { program: "fan", goal: "g", concurrency: 8 }
        const down = paidRegistry({ answer: () => Effect.fail(makeError("server_error", "down")) })
        const first = yield* Alembic.runProgram(spec, fanOut(1000)).pipe(
          Effect.provide(engineOn(disk, down.layer, { guards: once }))
        )
        assert.strictEqual(first.status, "suspended")
        assert.strictEqual(first.suspended?.reason, "outage")
        assert.isAtMost(down.made.length, 11)
        const up = paidRegistry()
        const second = yield* Alembic.runProgram(spec, fanOut(1000)).pipe(
          Effect.provide(engineOn(disk, up.layer, { guards: once }))
        )
        assert.strictEqual(second.status, "completed", JSON.stringify(second))
        assert.strictEqual(second.result, 1000)
        assert.deepStrictEqual(second.coverage, { done: 1000, of: 1000 })
      })
  )

  it.effect("spent quota suspends with until when", () =>
    Effect.gen(function* () {
      const spent = paidRegistry({
        answer: () => Effect.fail(makeError("quota_exhausted", "spent", { retryAfterMs: 3_600_000 }))
      })
      const summary = yield* Alembic.runProgram(
        { program: "fan", goal: "g", concurrency: 4 },
        fanOut(100)
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), spent.layer, { guards: once })))
      assert.strictEqual(summary.suspended?.reason, "quota")
      assert.strictEqual(summary.suspended?.until, 3_600_000)
      assert.isAtMost(spent.made.length, 7)
    })
  )

  it.effect("calls refused for what they ask are answers: the rest is asked in the same process", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const picky = paidRegistry({
        answer: (input) =>
          Number(input.prompt.split(" ")[1]) < 3
            ? Effect.fail(makeError("context_length", "too long"))
            : Effect.succeed(said("yes"))
      })
      const spec = { program: "fan", goal: "g", concurrency: 1 }
      const run = Alembic.runProgram(spec, fanOut(10)).pipe(
        Effect.provide(engineOn(disk, picky.layer, { guards: once }))
      )
      const summary = yield* run
      assert.strictEqual(summary.status, "incomplete", JSON.stringify(summary))
      assert.deepStrictEqual(summary.coverage, { done: 7, of: 10 })
    })
  )

  it.effect("failures one after another, with nothing left to call, are answers", () =>
    Effect.gen(function* () {
      const down = paidRegistry({ answer: () => Effect.fail(makeError("server_error", "down")) })
      const summary = yield* Alembic.runProgram(
        { program: "retry", goal: "g" },
        Effect.gen(function* () {
          const h = yield* Hooks
          for (let attempt = 1; attempt <= 3; attempt++) {
            const answer = yield* h.agent(`attempt ${attempt}`)
            if (answer.ok) return answer.text
          }
          return "gave up"
        })
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), down.layer, { guards: once })))
      assert.strictEqual(summary.status, "completed")
      assert.strictEqual(summary.result, "gave up")
    })
  )

  it.effect("one failure among successes is a lost item, and --retry-failed makes it again", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "fan", goal: "g", concurrency: 4 }
      const flaky = paidRegistry({
        answer: (input) =>
          input.prompt === "item 5"
            ? Effect.fail(makeError("invalid_response", "no"))
            : Effect.succeed(said("yes"))
      })
      const first = yield* Alembic.runProgram(spec, fanOut(20)).pipe(
        Effect.provide(engineOn(disk, flaky.layer, { guards: once }))
      )
      assert.strictEqual(first.status, "incomplete")
      assert.isFalse(first.ok)
      assert.deepStrictEqual(first.coverage, { done: 19, of: 20 })
      const whole = paidRegistry()
      const again = yield* Alembic.runProgram(spec, fanOut(20)).pipe(
        Effect.provide(engineOn(disk, whole.layer, { guards: once }))
      )
      assert.strictEqual(again.status, "incomplete")
      assert.deepStrictEqual(whole.made, [])
      const before = yield* Alembic.replayProgram(spec, fanOut(20)).pipe(
        Effect.provide(engineOn(disk, whole.layer))
      )
      assert.strictEqual(before.compared, "content", "a program is never held to order")
      const retried = yield* Alembic.runProgram({ ...spec, retryFailed: true }, fanOut(20)).pipe(
        Effect.provide(engineOn(disk, whole.layer, { guards: once }))
      )
      assert.strictEqual(retried.status, "completed", JSON.stringify(retried))
      assert.deepStrictEqual(whole.made, ["item 5"])
      const replay = yield* Alembic.replayProgram(spec, fanOut(20)).pipe(
        Effect.provide(engineOn(disk, whole.layer))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
      // What a reopened run cannot tell, it does not claim.
      assert.strictEqual(replay.compared, "content")
    })
  )
})

describe("the budget", () => {
  it.effect("what does not fit is not made, and the run says so", () =>
    Effect.gen(function* () {
      const whole = { text: "long", finishReason: "stop", usage: { inputTokens: 1, outputTokens: 4096 } }
      const paid = paidRegistry({
        price: { inputUsdPerMillion: 0, outputUsdPerMillion: 100_000 },
        answer: () => Effect.succeed(whole)
      })
      const summary = yield* Alembic.runProgram(
        { program: "fan", goal: "g", maxUsd: 1000, concurrency: 4 },
        fanOut(30)
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: once })))
      assert.strictEqual(summary.status, "failed")
      assert.strictEqual(summary.error?.code, "budget_exceeded")
      assert.isAtMost(summary.costUsd ?? Infinity, 1000)
      assert.strictEqual(paid.made.length, 2)
    })
  )

  it.effect("a bound of zero lets no paid call through", () =>
    Effect.gen(function* () {
      const paid = paidRegistry()
      yield* Alembic.runProgram({ program: "fan", goal: "g", maxUsd: 0 }, fanOut(3)).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), paid.layer))
      )
      assert.deepStrictEqual(paid.made, [])
    })
  )
})

describe("a question", () => {
  const human = () =>
    paidRegistry({
      free: true,
      answer: () => Effect.fail(makeError("awaiting_answer", "nobody has answered"))
    })

  it.effect("suspends the run, is answered from outside once, and the run goes on with the answer", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "ask", goal: "g" }
      const ask = Effect.gen(function* () {
        const h = yield* Hooks
        const answer = yield* h.agent("Shall we?")
        return answer.ok ? answer.text : answer.error.code
      })
      const asked = yield* Alembic.runProgram(spec, ask).pipe(Effect.provide(engineOn(disk, human().layer)))
      assert.strictEqual(asked.status, "suspended")
      assert.deepStrictEqual(asked.suspended, { reason: "question", items: ["q-1"] })
      const runId = asked.runId ?? ""
      yield* answerItem(runId, "q-1", "yes").pipe(Effect.provide(engineOn(disk, human().layer)))
      const second = yield* Effect.flip(
        answerItem(runId, "q-1", "no").pipe(Effect.provide(engineOn(disk, human().layer)))
      )
      assert.strictEqual(second.code, "already_answered")
    })
  )
})

describe("stopping", () => {
  it.effect("a signal aborts what is in flight, keeps every answer, and resume goes on", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const stop = yield* Deferred.make<string>()
      const reached = yield* Deferred.make<void>()
      const hanging = paidRegistry({
        answer: (input) =>
          input.prompt === "item 1"
            ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
            : Effect.succeed(said("yes"))
      })
      const spec = { program: "fan", goal: "g", concurrency: 1 }
      const running = yield* Effect.forkChild(
        Alembic.runProgram({ ...spec, stop }, fanOut(3)).pipe(Effect.provide(engineOn(disk, hanging.layer)))
      )
      yield* Deferred.await(reached)
      yield* Deferred.succeed(stop, "SIGTERM")
      const summary = yield* Fiber.join(running)
      assert.strictEqual(summary.status, "interrupted")
      const paid = paidRegistry()
      const resumed = yield* Alembic.runProgram(spec, fanOut(3)).pipe(
        Effect.provide(engineOn(disk, paid.layer))
      )
      assert.strictEqual(resumed.status, "completed")
      assert.deepStrictEqual(paid.made, ["item 1", "item 2"])
      assert.strictEqual(resumed.calls.inDoubt, 1)
      assert.strictEqual(paid.keys[0], hanging.keys[1], "the same idempotency key")
    })
  )
})

describe("a call in doubt that acts", () => {
  it.effect("is not made again unasked", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const stop = yield* Deferred.make<string>()
      const reached = yield* Deferred.make<void>()
      const hanging = paidRegistry({
        hasSideEffects: true,
        answer: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      })
      const spec = { program: "fan", goal: "g", concurrency: 1 }
      const running = yield* Effect.forkChild(
        Alembic.runProgram({ ...spec, stop }, fanOut(2)).pipe(Effect.provide(engineOn(disk, hanging.layer)))
      )
      yield* Deferred.await(reached)
      yield* Deferred.succeed(stop, "SIGINT")
      yield* Fiber.join(running)
      const acting = paidRegistry({ hasSideEffects: true })
      const resumed = yield* Alembic.runProgram(spec, fanOut(2)).pipe(
        Effect.provide(engineOn(disk, acting.layer))
      )
      assert.strictEqual(resumed.status, "suspended")
      assert.strictEqual(resumed.suspended?.reason, "in_doubt")
      assert.notInclude(acting.made, "item 0")
      const [item = ""] = resumed.suspended?.items ?? []
      yield* answerItem(resumed.runId ?? "", item, "retry").pipe(Effect.provide(engineOn(disk, acting.layer)))
      const done = yield* Alembic.runProgram(spec, fanOut(2)).pipe(
        Effect.provide(engineOn(disk, acting.layer))
      )
      assert.strictEqual(done.status, "completed", JSON.stringify(done))
      assert.include(acting.made, "item 0")
    })
  )
})

describe("what the plan gave up on", () => {
  it.effect("is cancelled, never delivered, and replays the same", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "race", goal: "g", concurrency: 2 }
      const race = Effect.gen(function* () {
        const h = yield* Hooks
        const first = yield* Effect.race(h.agent("fast"), h.agent("slow"))
        const after = yield* h.agent("after")
        return [first.ok ? first.text : "", after.ok ? after.text : ""]
      })
      const paid = paidRegistry({
        answer: (input) => (input.prompt === "slow" ? Effect.never : Effect.succeed(said(input.prompt)))
      })
      const summary = yield* Alembic.runProgram(spec, race).pipe(Effect.provide(engineOn(disk, paid.layer)))
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.deepStrictEqual(summary.result, ["fast", "after"])
      const replay = yield* Alembic.replayProgram(spec, race).pipe(Effect.provide(engineOn(disk, paid.layer)))
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )
})

describe("divergence", () => {
  it.effect("names the first call that differs and what differs in it", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "ask", goal: "g" }
      const asking = (word: string) =>
        Effect.gen(function* () {
          const h = yield* Hooks
          yield* h.agent("same")
          yield* h.agent(`now ${word}`)
          return "done"
        })
      const paid = paidRegistry()
      const layer = engineOn(disk, paid.layer)
      yield* Alembic.runProgram(spec, asking("this")).pipe(Effect.provide(layer))
      const before = [...disk.files].map((path) => [path, disk.read(path)?.length])
      const replay = yield* Alembic.replayProgram(spec, asking("that")).pipe(Effect.provide(layer))
      assert.isFalse(replay.identical)
      assert.strictEqual(replay.divergence?.kind, "call_differs")
      assert.strictEqual(replay.divergence?.n, 2)
      assert.strictEqual(replay.divergence?.pointer, "/prompt")
      assert.strictEqual(replay.divergence?.journaled, "now this")
      assert.strictEqual(replay.divergence?.now, "now that")
      assert.strictEqual(paid.made.length, 2)
      assert.deepStrictEqual(
        [...disk.files].map((path) => [path, disk.read(path)?.length]),
        before
      )
    })
  )
})

describe("the journal", () => {
  it.effect("lists the run", () =>
    Effect.gen(function* () {
      const paid = paidRegistry()
      const layer = engineOn(MemoryDisk.make(), paid.layer)
      yield* Effect.gen(function* () {
        const summary = yield* Alembic.runProgram({ program: "fan", goal: "g" }, fanOut(2))
        const listed = yield* (yield* Journal).list
        assert.deepStrictEqual(
          listed.map(({ runId }) => String(runId)),
          [summary.runId]
        )
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("--no-cache", () => {
  it.effect("writes no call cache; without it there is one", () =>
    Effect.gen(function* () {
      for (const noCache of [true, false]) {
        const disk = MemoryDisk.make()
        yield* Alembic.runProgram({ program: "fan", goal: "g", noCache }, fanOut(2)).pipe(
          Effect.provide(engineOn(disk, paidRegistry().layer))
        )
        assert.strictEqual(
          disk.files.some((path) => path.endsWith("cache.json")),
          !noCache
        )
      }
    })
  )
})

describe("--no-cache with --reuse", () => {
  it.effect("takes the other run's answers all the same", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry()
      const run = (program: string, more: { readonly reuse?: string } = {}) =>
        Alembic.runProgram({ program, goal: "g", noCache: true, ...more }, fanOut(2)).pipe(
          Effect.provide(engineOn(disk, paid.layer))
        )
      const first = yield* run("one")
      const made = paid.made.length
      const next = yield* run("two", { reuse: first.runId ?? "" })
      assert.strictEqual(next.status, "completed")
      assert.strictEqual(next.calls.cached, made)
      assert.strictEqual(paid.made.length, made)
    })
  )
})

describe("what a run says of itself", () => {
  const half = (accept: boolean) =>
    Effect.gen(function* () {
      const h = yield* Hooks
      const slots = yield* h.parallel(
        names(4).map((name) => h.agent(name)),
        accept ? { accept: "loss" } : {}
      )
      return slots.length
    })
  const halfDown = () =>
    paidRegistry({
      answer: (input) =>
        input.prompt === "item 1"
          ? Effect.fail(makeError("invalid_response", "no", { usage: { inputTokens: 10, outputTokens: 5 } }))
          : Effect.succeed(said("yes"))
    })

  it.effect("a plan that accepts what the run lost does not replay identical", () =>
    Effect.gen(function* () {
      const layer = engineOn(MemoryDisk.make(), halfDown().layer, { guards: once })
      const spec = { program: "half", goal: "g" }
      const summary = yield* Alembic.runProgram(spec, half(false)).pipe(Effect.provide(layer))
      assert.strictEqual(summary.status, "incomplete")
      const replay = yield* Alembic.replayProgram(spec, half(true)).pipe(Effect.provide(layer))
      assert.strictEqual(replay.divergence?.kind, "end_differs", JSON.stringify(replay))
    })
  )

  it.effect(
    "a failure that was billed is journaled before others land, and not paid again after a stop",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const stop = yield* Deferred.make<string>()
        const waiting = yield* Deferred.make<void>()
        const events: Array<string> = []
        const paid = paidRegistry({
          answer: (input) =>
            input.prompt === "item 0"
              ? Effect.fail(
                  makeError("invalid_response", "no", { usage: { inputTokens: 10, outputTokens: 5 } })
                )
              : Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)
        })
        const spec = { program: "two", goal: "g", concurrency: 2 }
        const journaled = yield* Deferred.make<void>()
        const observe = (event: { readonly type: string }) =>
          Effect.suspend(() => {
            events.push(event.type)
            return event.type === "CallCompleted" ? Deferred.succeed(journaled, undefined) : Effect.void
          })
        const running = yield* Effect.forkChild(
          Alembic.runProgram(
            { ...spec, stop, observe: (event) => Effect.asVoid(observe(event)) },
            fanOut(2)
          ).pipe(Effect.provide(engineOn(disk, paid.layer, { guards: once })))
        )
        yield* Deferred.await(waiting)
        yield* Deferred.await(journaled)
        yield* Deferred.succeed(stop, "SIGINT")
        const summary = yield* Fiber.join(running)
        assert.strictEqual(summary.status, "interrupted")
        assert.strictEqual(summary.usage.outputTokens, 5)
        // One call is still open, so what the run has cost is not known.
        assert.isUndefined(summary.costUsd)
        assert.strictEqual(summary.unpricedCalls, 1)
        const after = paidRegistry()
        const resumed = yield* Alembic.runProgram(spec, fanOut(2)).pipe(
          Effect.provide(engineOn(disk, after.layer, { guards: once }))
        )
        assert.deepStrictEqual(after.made, ["item 1"])
        assert.strictEqual(resumed.status, "incomplete")
      })
  )

  it.effect("free calls never count towards a budget of calls, also after a stop", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const free = paidRegistry({ free: true })
      const spec = { program: "free", goal: "g", contract: { budget: { calls: 1 } } }
      const first = yield* Alembic.runProgram(spec, fanOut(5)).pipe(
        Effect.provide(engineOn(disk, free.layer))
      )
      assert.strictEqual(first.status, "completed")
      assert.strictEqual(first.calls.total, 5)
    })
  )

  it.effect("calls in doubt count their worst in tokens", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "tokens", goal: "g", contract: { budget: { outputTokens: 25 } } }
      const one = Effect.gen(function* () {
        const h = yield* Hooks
        const answer = yield* h.agent("q", { maxOutputTokens: 10 })
        return answer.ok ? "answered" : answer.error.code
      })
      let asked = 0
      for (let life = 1; life <= 4; life++) {
        const stop = yield* Deferred.make<string>()
        const hanging = paidRegistry({
          answer: () =>
            Effect.andThen(
              Effect.sync(() => void asked++),
              Effect.andThen(Deferred.succeed(stop, "SIGKILL"), Effect.never)
            )
        })
        yield* Alembic.runProgram({ ...spec, stop }, one).pipe(
          Effect.provide(engineOn(disk, hanging.layer, { guards: once }))
        )
      }
      assert.strictEqual(asked, 2, "two calls of ten tokens fit in 25, a third does not")
    })
  )

  it.effect("refused calls are in the total they are a part of", () =>
    Effect.gen(function* () {
      const paid = paidRegistry()
      const spec = { program: "six", goal: "g", contract: { budget: { calls: 3 } }, concurrency: 1 }
      const summary = yield* Alembic.runProgram(spec, fanOut(6)).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: once }))
      )
      assert.strictEqual(paid.made.length, 3)
      assert.strictEqual(summary.calls.total, 6)
      assert.strictEqual(summary.calls.failed, 3)
      assert.isAtMost(summary.calls.failed, summary.calls.total)
    })
  )

  it.effect("a disk that fills up in mid-run is told with what was done", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      // So full that giving up the ballast does not help.
      const paid = paidRegistry({
        answer: ({ prompt }, made) =>
          Effect.sync(() => {
            if (made === 7) disk.limit(0)
            return said(prompt)
          })
      })
      const summary = yield* Alembic.runProgram(
        { program: "full", goal: "g", concurrency: 1 },
        fanOut(200)
      ).pipe(Effect.provide(engineOn(disk, paid.layer)))
      assert.strictEqual(summary.error?.code, "no_space")
      assert.isAbove(summary.calls.live, 5)
      assert.notStrictEqual(summary.dir, "")
    })
  )
})

describe("a stop while the plan is at work", () => {
  it.effect("keeps the answers that have come in meanwhile", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<string>()
      const release = yield* Deferred.make<void>()
      const paid = paidRegistry({
        answer: (input) =>
          input.prompt === "second"
            ? Effect.as(Deferred.await(release), said("second"))
            : Effect.succeed(said("first"))
      })
      const call = (n: number, prompt: string) =>
        ({ t: "call", n, verb: "agent", options: { prompt } }) as const
      // A plan that never goes quiet after its first answer. Its second one lands while it is at work; then the stop.
      const driver: PlanDriver = {
        start: Effect.succeed({
          requests: [call(1, "first"), call(2, "second")],
          delivered: 0,
          state: { t: "waiting" }
        }),
        deliver: () =>
          Deferred.succeed(release, undefined).pipe(
            Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 50 })),
            Effect.andThen(Deferred.succeed(stop, "SIGINT")),
            Effect.andThen(Effect.never)
          )
      }
      const spec = { goal: "g", plan: [], program: "busy" }
      const versions = { engine: "0", node: "0", v8: "0", icu: "0" }
      const summary = yield* executeRun({
        spec,
        describe: Effect.orDie(Effect.fromResult(describeRun({ spec, versions }))),
        launch: Effect.succeed(driver),
        options: runOptions({ concurrency: 2, stop }, undefined, undefined)
      }).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer)))
      assert.strictEqual(summary.status, "interrupted", JSON.stringify(summary))
      assert.strictEqual(summary.usage.outputTokens, 10, "both answers are in the journal")
    })
  )
})

describe("what does not do its work", () => {
  it.effect("a council that does not load fails the run, with the board's own code", () =>
    Effect.gen(function* () {
      const layer = engineOn(MemoryDisk.make(), paidRegistry().layer)
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const verdict = yield* h.council({ board: "nobody", question: "Shall we?" })
        return verdict.ok
      })
      const spec = { program: "council", goal: "g" }
      const summary = yield* Alembic.runProgram(spec, program).pipe(Effect.provide(layer))
      assert.strictEqual(summary.status, "failed", JSON.stringify(summary))
      assert.include(summary.error?.message ?? "", "h.council")
      const again = yield* Alembic.runProgram(spec, program).pipe(Effect.provide(layer))
      assert.strictEqual(again.status, "failed")
      const replay = yield* Alembic.replayProgram(spec, program).pipe(Effect.provide(layer))
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )

  it.effect("what a contract asserts is not met by a plan that leaves nothing behind", () =>
    Effect.gen(function* () {
      const contract = {
        publish: true,
        assertions: [{ id: "a", statement: "s", oracle: "equality", args: { value: 1 }, evidence: "e" }]
      }
      const summary = yield* Alembic.runProgram(
        { program: "none", goal: "g", contract },
        Effect.succeed("done")
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paidRegistry().layer)))
      assert.strictEqual(summary.status, "failed")
      assert.strictEqual(summary.error?.code, "gate_failed")
      assert.include(summary.error?.message ?? "", "validator did not pass: 0 of 1 assertions proven")
    })
  )

  it.effect("an approval is no answer to a question", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const human = paidRegistry({
        free: true,
        answer: () => Effect.fail(makeError("awaiting_answer", "nobody has answered"))
      })
      const layer = engineOn(disk, human.layer)
      const asked = yield* Alembic.runProgram(
        { program: "ask", goal: "g" },
        Effect.flatMap(Hooks, (h) => h.agent("Which colour?"))
      ).pipe(Effect.provide(layer))
      const refused = yield* Effect.flip(
        answerItem(asked.runId ?? "", "q-1", "approve", "approval").pipe(Effect.provide(layer))
      )
      assert.strictEqual(refused.code, "not_an_approval")
    })
  )
})
