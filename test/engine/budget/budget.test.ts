// The budget of a run: one attempt is reserved for at a time, what does not fit waits for what is in flight, and nothing
// passes a cap, over retries, repairs, links, parts of the run, crashes and resumes.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import type { Adapter } from "../../../src/adapters/Adapter.ts"
import { AdapterRegistry, type Binding } from "../../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../../src/adapters/registry/offlineRegistry.ts"
import { reserveUsd } from "../../../src/adapters/Pricing.ts"
import { makeHumanAdapter } from "../../../src/adapters/providers/human.ts"
import { makeError } from "../../../src/domain/ModelError.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"

const once = { retry: { maxAttempts: 1 } }
const soon = { retry: { maxAttempts: 3, baseMs: 0, maxMs: 0 } }
const price = { inputUsdPerMillion: 0, outputUsdPerMillion: 1_000 }
/** Costs a tenth of what is held for it, at 100 tokens of output: $0.01 of $0.10. */
const cheap = (text: string) => ({ text, finishReason: "stop", usage: { inputTokens: 1, outputTokens: 10 } })
const names = (count: number) => Array.from({ length: count }, (_, index) => `item ${index}`)

const fanOut = (count: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(names(count).map((name) => h.agent(name, { maxOutputTokens: 100 })))
    return slots.map((slot) => (slot.ok ? "ok" : slot.error.code))
  })

const eventsOf = (disk: MemoryDisk, runId: string) =>
  Effect.gen(function* () {
    const journal = yield* (yield* Journal).open(yield* (yield* Journal).runId(runId), "read")
    return yield* Stream.runCollect(journal.events)
  }).pipe(Effect.scoped, Effect.provide(engineOn(disk, paidRegistry().layer, { pid: 99 })))

describe("a run that a budget ended says what to raise", () => {
  const endOf = (
    spec: object,
    program: Effect.Effect<ReadonlyArray<string>, never, Hooks>,
    paid = paidRegistry({ price })
  ) =>
    Alembic.runProgram({ program: "p", goal: "g", ...spec }, program).pipe(
      Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: once }))
    )

  it.effect("its cap, by a flag of resume", () =>
    Effect.gen(function* () {
      const { error } = yield* endOf({ maxUsd: 0.05 }, fanOut(1))
      assert.deepInclude(error, {
        code: "budget_exceeded",
        message: "1 call(s) did not fit in the budget and were not sent"
      })
      assert.match(error?.cure ?? "", /^alembic resume run-\w+ --retry-failed --max-usd 0\.1$/)
    })
  )

  it.effect("the price of a model that has none: no cap is large enough", () =>
    Effect.gen(function* () {
      const { error } = yield* endOf({ maxUsd: 5 }, fanOut(2), paidRegistry({ price: "unknown" }))
      assert.match(error?.message ?? "", /^2 call\(s\) were not sent: what a model costs is not known/)
      assert.match(
        error?.cure ?? "",
        /^name the price of paid:\S* under prices in alembic\.json, then: alembic resume run-\w+ --retry-failed --config alembic\.json$/
      )
    })
  )

  it.effect("a board's budget, whatever the cap of the run", () =>
    Effect.gen(function* () {
      const board = {
        members: ["a", "b", "c", "con"].map((id) => ({ id, role: id === "con" ? "contrarian" : id })),
        axes: [{ id: "value", weight: 1 }],
        budget: { usd: 0.0001 }
      }
      const council = Effect.gen(function* () {
        const h = yield* Hooks
        const verdict = yield* h.council({ question: "Shall we?", board })
        return [String(verdict.ok)]
      })
      const { error } = yield* endOf({ maxUsd: 100 }, council)
      assert.strictEqual(error?.code, "budget_exceeded")
      assert.match(error?.cure ?? "", /^raise the board's budget, then: alembic run --reuse run-/)
    })
  )
})

describe("a run's cap", () => {
  it.effect("a call waits for what is in flight, and all are made that the true cost leaves room for", () =>
    Effect.gen(function* () {
      // 30 calls of $0.01, of which $0.10 is held each: $0.45 is 1.5 times what they cost.
      let flying = 0
      let most = 0
      const paid = paidRegistry({
        price,
        answer: ({ prompt }) =>
          Effect.gen(function* () {
            most = Math.max(most, ++flying)
            for (let n = 0; n < 3; n++) yield* Effect.yieldNow
            flying--
            return cheap(prompt)
          })
      })
      const summary = yield* Alembic.runProgram(
        { program: "fan", goal: "g", maxUsd: 0.45, concurrency: 8 },
        fanOut(30)
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: once })))
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.closeTo(summary.costUsd ?? 0, 0.3, 1e-9)
      assert.isAtMost(most, 4)
      assert.isAbove(most, 1)
      assert.deepInclude(summary, { heldUsd: 0, heldCalls: 0, unknownCostCalls: 0 })
      assert.closeTo(summary.spentUsd, 0.3, 1e-9)
    })
  )

  it.effect("what waits is refused only when nothing in flight can free enough", () =>
    Effect.gen(function* () {
      const dear = { text: "x", finishReason: "stop", usage: { inputTokens: 1, outputTokens: 100 } }
      const paid = paidRegistry({ price, answer: () => Effect.succeed(dear) })
      const summary = yield* Alembic.runProgram(
        { program: "fan", goal: "g", maxUsd: 0.25, concurrency: 8 },
        fanOut(5)
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: once })))
      assert.strictEqual(paid.made.length, 2)
      assert.deepStrictEqual(summary.result, ["ok", "ok", ...names(3).map(() => "budget_exceeded")])
      assert.strictEqual(summary.error?.code, "budget_exceeded")
    })
  )

  it.effect(
    "a run that the cap ended goes on under a larger one, as its cure says, and pays nothing again",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const dear = { text: "x", finishReason: "stop", usage: { inputTokens: 1, outputTokens: 100 } }
        const paid = paidRegistry({ price, answer: () => Effect.succeed(dear) })
        const engine = (pid: number) => engineOn(disk, paid.layer, { pid, guards: once })
        const spec = { program: "fan", goal: "g", concurrency: 2 }
        const first = yield* Alembic.runProgram({ ...spec, maxUsd: 0.25 }, fanOut(5)).pipe(
          Effect.provide(engine(1))
        )
        assert.strictEqual(first.error?.code, "budget_exceeded")
        assert.strictEqual(first.error?.cure, `alembic resume ${first.runId} --retry-failed --max-usd 0.5`)
        const second = yield* Alembic.runProgram({ ...spec, maxUsd: 0.5, retryFailed: true }, fanOut(5)).pipe(
          Effect.provide(engine(2))
        )
        assert.strictEqual(second.status, "completed", JSON.stringify(second))
        assert.lengthOf(paid.made, 5)
        assert.closeTo(second.spentUsd, 0.5, 1e-9)
      })
  )

  it.effect(
    "each retry is reserved for and journaled before it is sent; its end is told, and counted once",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const paid = paidRegistry({
          price,
          answer: ({ prompt }, made) =>
            made < 3
              ? Effect.fail(
                  makeError("server_error", "down", { usage: { inputTokens: 1, outputTokens: 10 } })
                )
              : Effect.succeed(cheap(prompt))
        })
        // Room for one attempt and what the two before it cost, not for three.
        const summary = yield* Alembic.runProgram(
          { program: "fan", goal: "g", maxUsd: 0.125, concurrency: 1 },
          fanOut(1)
        ).pipe(Effect.provide(engineOn(disk, paid.layer, { guards: soon })))
        assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
        assert.closeTo(summary.spentUsd, 0.03, 1e-9)
        const events = yield* eventsOf(disk, summary.runId ?? "")
        const attempts = events.flatMap((event) =>
          event.type === "AttemptStarted"
            ? [["started", event.attempt, event.kind, event.reserveUsd]]
            : event.type === "AttemptEnded"
              ? [["ended", event.attempt, event.error?.code, event.costUsd]]
              : []
        )
        assert.deepStrictEqual(attempts, [
          ["ended", 1, "server_error", 0.01],
          ["started", 2, "retry", 0.1],
          ["ended", 2, "server_error", 0.01],
          ["started", 3, "retry", 0.1]
        ])
        const scheduled = events.find((event) => event.type === "CallScheduled")
        assert.strictEqual(scheduled?.type === "CallScheduled" ? scheduled.reserveUsd : undefined, 0.1)
      })
  )

  it.effect("a retry that does not fit waits in no place of the concurrency", () =>
    Effect.gen(function* () {
      const paid = paidRegistry({
        price,
        answer: ({ prompt }, made) =>
          Effect.gen(function* () {
            // The first fails at a cost; the second is slow, and what it holds is what the retry waits for.
            if (made === 1)
              return yield* makeError("server_error", "down", {
                usage: { inputTokens: 1, outputTokens: 60 }
              })
            for (let n = 0; n < 20; n++) yield* Effect.yieldNow
            return cheap(prompt)
          })
      })
      const summary = yield* Alembic.runProgram(
        { program: "fan", goal: "g", maxUsd: 0.2, concurrency: 1 },
        fanOut(2)
      ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: soon })))
      assert.deepStrictEqual(summary.result, ["ok", "ok"], JSON.stringify(summary))
      assert.isAtMost(summary.costUsd ?? Infinity, 0.2)
    })
  )

  it.effect("what a model said off schema is kept beside the call, as a blob that verify knows", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry({
        price,
        answer: (_input, made) => Effect.succeed(cheap(made === 1 ? "no json at all" : '{"n":1}'))
      })
      const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
      const engine = engineOn(disk, paid.layer, { guards: once })
      const summary = yield* Alembic.runProgram(
        { program: "schema", goal: "g", maxUsd: 5 },
        Effect.gen(function* () {
          const h = yield* Hooks
          const slot = yield* h.agent("a number", { schema, maxOutputTokens: 100 })
          return slot.ok ? (slot.output ?? null) : slot.error.code
        })
      ).pipe(Effect.provide(engine))
      assert.deepStrictEqual(summary.result, { n: 1 })
      const events = yield* eventsOf(disk, summary.runId ?? "")
      const ended = events.find((event) => event.type === "AttemptEnded")
      const blob = ended?.type === "AttemptEnded" ? ended.raw?.blob : undefined
      const said = yield* Effect.gen(function* () {
        const store = yield* Journal
        const journal = yield* store.open(yield* store.runId(summary.runId ?? ""), "read")
        return yield* journal.blobs.get(blob ?? "")
      }).pipe(Effect.scoped, Effect.provide(engine))
      assert.strictEqual(said, "no json at all")
    })
  )

  it.effect("over ten crashes in mid-flight known cost and what is held stay within the cap", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      let asked = 0
      for (let life = 1; life <= 10; life++) {
        const stop = yield* Deferred.make<string>()
        const paid = paidRegistry({
          price,
          answer: ({ prompt }, made) =>
            Effect.suspend(() => {
              asked++
              return made < 3
                ? Effect.succeed(cheap(prompt))
                : Effect.andThen(Deferred.succeed(stop, "SIGKILL"), Effect.never)
            })
        })
        const summary = yield* Alembic.runProgram(
          { program: "fan", goal: "g", maxUsd: 0.6, concurrency: 3, stop },
          fanOut(40)
        ).pipe(Effect.provide(engineOn(disk, paid.layer, { pid: life, guards: once })))
        assert.isAtMost(summary.costUsd ?? Infinity, 0.6 + 1e-9)
        const { heldUsd, spentUsd, unknownCostUsd = 0 } = summary
        assert.closeTo(spentUsd + heldUsd + unknownCostUsd, summary.costUsd ?? -1, 1e-9)
      }
      assert.isAbove(asked, 6)
    })
  )
})

/** A chain of adapters, the same for every call. */
const chainRegistry = (name: string, chain: ReadonlyArray<Binding>) =>
  Layer.succeed(AdapterRegistry, {
    resolve: (given) => Effect.succeed(identityOf(given, name)),
    bind: () => Effect.succeed(chain),
    identity: { default: name }
  })

describe("a person", () => {
  for (const order of ["human|paid", "paid|human"] as const) {
    it.effect(`in ${order} costs nothing: nothing is held, and the answer is used`, () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const made: Array<string> = []
        const adapter: Adapter = {
          id: "paid",
          free: false,
          hasSideEffects: false,
          attempt: ({ prompt }) =>
            Effect.suspend(() => {
              made.push(prompt)
              return Effect.fail(makeError("auth", "no key", { httpStatus: 401 }))
            })
        }
        const paid: Binding = { adapter, modelId: "m", price }
        const human: Binding = { adapter: makeHumanAdapter(), modelId: "human" }
        const registry = chainRegistry(order, order === "human|paid" ? [human, paid] : [paid, human])
        const spec = {
          program: "ask",
          goal: "g",
          maxUsd: 0.15,
          contract: { budget: { calls: order === "human|paid" ? 0.5 : 1 } }
        }
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          const slot = yield* h.agent("which colour?", { maxOutputTokens: 100 })
          return slot.ok
            ? { text: slot.text, attempts: slot.attempts, from: slot.fellBackFrom ?? [] }
            : slot.error.code
        })
        const life = (pid: number) =>
          Alembic.runProgram(spec, program).pipe(
            Effect.provide(engineOn(disk, registry, { pid, guards: once }))
          )
        let summary = yield* life(1)
        for (let pid = 2; pid <= 6; pid++) {
          assert.strictEqual(summary.status, "suspended", JSON.stringify(summary))
          assert.deepInclude(summary, { spentUsd: 0, heldUsd: 0, heldCalls: 0 })
          summary = yield* life(pid)
        }
        yield* answerItem(summary.runId ?? "", summary.suspended?.items[0] ?? "", "green").pipe(
          Effect.provide(engineOn(disk, registry, { pid: 7 }))
        )
        const last = yield* life(8)
        assert.deepInclude(last, { status: "completed", costUsd: 0 }, JSON.stringify(last))
        // The answer tells of the whole chain, although the person was asked in another process.
        const error = { code: "auth", message: "no key", retryable: false, httpStatus: 401 }
        assert.deepStrictEqual(
          last.result,
          order === "human|paid"
            ? { text: "green", attempts: 1, from: [] }
            : { text: "green", attempts: 2, from: [{ adapterId: "paid", modelId: "m", error }] }
        )
        assert.strictEqual(made.length, order === "human|paid" ? 0 : 1)
      })
    )
  }

  it.effect("is not what the run's time is for: it does not count while the run waits for them", () =>
    Effect.gen(function* () {
      const { RunHistory } = yield* Effect.promise(() => import("../../../src/engine/replay/RunHistory.ts"))
      const history = new RunHistory()
      const at = (seq: number, at: number) => ({ seq, at, prev: "" })
      history.add({ ...at(1, 0), type: "RunStarted", runId: "r", v: 1, concurrency: 1 })
      history.add({ ...at(2, 100), type: "RunSuspended", reason: "question", items: ["q-1"] })
      history.add({ ...at(3, 5_000_000), type: "QuestionAnswered", item: "q-1", answer: "x" })
      history.add({ ...at(4, 9_000_000), type: "RunResumed" })
      history.add({ ...at(5, 9_000_050), type: "Logged", message: "m" })
      assert.strictEqual(history.activeMs, 150)
    })
  )
})

describe("a board's budget", () => {
  const council = (budget: number) =>
    Effect.gen(function* () {
      const h = yield* Hooks
      const verdict = yield* h.council({
        board: {
          members: [
            ...["ana", "bo", "cy", "di"].map((id) => ({ id, role: "engineer" })),
            { id: "con", role: "contrarian" }
          ],
          budget: { usd: budget },
          maxOutputTokens: 100
        },
        question: "shall we?"
      })
      return verdict
    })
  const answer = ({ prompt }: { readonly prompt: string }) =>
    Effect.succeed({ ...cheap("{}"), text: prompt.slice(0, 3) })

  it.effect("lets members wait for each other instead of refusing them", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry({ price: { inputUsdPerMillion: 0, outputUsdPerMillion: 1_000 }, answer })
      // One attempt at a time fits: $0.10 is held for each, and each costs $0.01.
      const summary = yield* Alembic.runProgram(
        { program: "council", goal: "g", concurrency: 8 },
        council(0.7)
      ).pipe(Effect.provide(engineOn(disk, paid.layer, { guards: once })))
      const events = yield* eventsOf(disk, summary.runId ?? "")
      const refused = events.filter(
        (event) => event.type === "CallCompleted" && JSON.stringify(event.result).includes("budget_exceeded")
      )
      assert.lengthOf(refused, 0)
      assert.isAtMost(summary.costUsd ?? Infinity, 0.7)
      const scopes = new Set(
        events.flatMap((event) =>
          event.type === "CallScheduled" && event.scope !== undefined ? [event.scope] : []
        )
      )
      assert.strictEqual(scopes.size, 1)
    })
  )

  it.effect("is not begun anew by a restart", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      let asked = 0
      for (let life = 1; life <= 8; life++) {
        const stop = yield* Deferred.make<string>()
        const hanging = paidRegistry({
          price,
          answer: () =>
            Effect.suspend(() => {
              asked++
              return Effect.andThen(Deferred.succeed(stop, "SIGKILL"), Effect.never)
            })
        })
        yield* Alembic.runProgram(
          { program: "council", goal: "g", concurrency: 1, stop },
          council(0.35)
        ).pipe(Effect.provide(engineOn(disk, hanging.layer, { pid: life, guards: once })))
      }
      assert.strictEqual(asked, 3, "three attempts of ten cents fit in 35, whatever process makes them")
    })
  )
})

describe("what is held for an attempt", () => {
  it("is of one attempt: a kilobyte, 300 tokens of output and a schema cost cents, not half a dollar", () => {
    const adapter: Adapter = { id: "a", free: false, hasSideEffects: false, attempt: () => Effect.never }
    const binding: Binding = {
      adapter,
      modelId: "m",
      price: {
        inputUsdPerMillion: 3,
        outputUsdPerMillion: 15,
        tiers: [{ aboveInputTokens: 200_000, inputUsdPerMillion: 6, outputUsdPerMillion: 22.5 }]
      }
    }
    const schema = { type: "object", properties: { ok: { type: "boolean" } } }
    const input = { prompt: "x".repeat(1000), model: "m", maxOutputTokens: 300, schema }
    assert.isAtMost(reserveUsd(binding, input) ?? Infinity, 0.011)
  })
})
