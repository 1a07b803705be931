// Calls that act on the world, killed as often as it takes, and the people who are asked about them: how often the
// call was made is counted by its adapter.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import { makeHumanAdapter } from "../../src/adapters/providers/human.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import type { LeftProcess } from "../../src/kernel/HostIdentity.ts"
import { RunChildren } from "../../src/kernel/subprocess/RunChildren.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
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
      hasSideEffects: true,
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

/** A plan that asks for the same call, and for another one before and after it. */
const edited = (n: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const answer = yield* h.agent("deploy")
    const more = yield* h.agent(`report ${n}`)
    return [answer, more].map((one) => (one.ok ? one.text : `${one.error.code}: ${one.error.message}`))
  })

/** A world whose runs of edited plans take answers from one another. `made` are the prompts, in order. */
const lending = (options: { readonly children?: boolean } = {}) => {
  let disk = MemoryDisk.make()
  const made: Array<string> = []
  const ended: Array<LeftProcess> = []
  const layerOf = (pid: number, attempt: Adapter["attempt"], alive: ReadonlyArray<number> = []) => {
    const adapter: Adapter = {
      id: "acting",
      free: false,
      hasSideEffects: true,
      attempt: (input) =>
        Effect.scoped(
          Effect.gen(function* () {
            if (options.children === true) yield* (yield* RunChildren).register("acting").pipe(Effect.orDie)
            made.push(input.prompt)
            return yield* attempt(input)
          })
        )
    }
    const registry = Layer.succeed(AdapterRegistry, {
      resolve: (given) => Effect.succeed(identityOf(given, "acting:m")),
      bind: () => Effect.succeed([{ adapter, modelId: "m" }]),
      identity: { default: "acting:m" }
    })
    const endLeft = (left: LeftProcess) => Effect.sync(() => (ended.push(left), { ended: 1, alive: [] }))
    return engineOn(disk, registry, { pid, alive, endLeft, guards: { retry: { maxAttempts: 1 } } })
  }
  const done: Adapter["attempt"] = ({ prompt }) => Effect.succeed(said(`did ${prompt}`))
  const run = (
    n: number,
    more: {
      readonly reuse?: string
      readonly retryFailed?: boolean
      readonly alive?: ReadonlyArray<number>
    } = {},
    attempt: Adapter["attempt"] = done
  ) =>
    Effect.suspend(() => {
      const { alive, ...asked } = more
      return Alembic.runProgram({ program: `edit ${n}`, goal: "g", ...asked }, edited(n)).pipe(
        Effect.provide(layerOf(10 + n, attempt, alive))
      )
    })
  /** The first run, while its call is being made. */
  const acting = Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const hangs = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const running = yield* Effect.forkChild(run(1, {}, hangs))
    yield* Deferred.await(reached)
    return running
  })
  /** The same, whose process is killed there. */
  const killed = Effect.gen(function* () {
    const running = yield* acting
    disk = disk.afterCrash("process")
    yield* Fiber.interrupt(running)
  })
  const answer = (runId: string | undefined, item: string | undefined, text: string) =>
    Effect.suspend(() => answerItem(runId ?? "", item ?? "", text).pipe(Effect.provide(layerOf(99, done))))
  const only = Effect.suspend(() =>
    Effect.gen(function* () {
      const [first] = yield* (yield* Journal).list
      return String(first?.runId)
    }).pipe(Effect.provide(layerOf(98, done)))
  )
  /** The first run, stopped while its call is being made. */
  const stopped = Effect.gen(function* () {
    yield* Fiber.interrupt(yield* acting)
    return yield* only
  })
  return { run, acting, killed, stopped, answer, only, layerOf, made, ended }
}

const did = "did deploy"
const skipped = "cancelled: in doubt after a crash, and not made again: so answered"

describe("a call that was skipped", () => {
  it.effect("is asked about again by --retry-failed, and never made unasked", () =>
    Effect.gen(function* () {
      const { answer, made, run, stopped } = lending()
      const runId = yield* stopped
      const asked = yield* run(1)
      yield* answer(runId, asked.suspended?.items[0], "skip")
      const fails = ({ prompt }: { readonly prompt: string }) =>
        Effect.fail(makeError("invalid_input", `no ${prompt}`))
      assert.deepStrictEqual((yield* run(1, {}, fails)).result, [skipped, "invalid_input: no report 1"])
      assert.deepStrictEqual(made, ["deploy", "report 1"])
      const again = yield* run(1, { retryFailed: true })
      assert.deepInclude(again.suspended, { reason: "in_doubt" })
      assert.notDeepEqual(again.suspended?.items, asked.suspended?.items)
      assert.deepStrictEqual((yield* run(1)).suspended, again.suspended)
      yield* answer(runId, again.suspended?.items[0], "skip")
      assert.deepStrictEqual((yield* run(1)).result, [skipped, "did report 1"])
      assert.deepStrictEqual(made, ["deploy", "report 1", "report 1"])
      const third = yield* run(1, { retryFailed: true })
      yield* answer(runId, third.suspended?.items[0], "retry")
      assert.deepStrictEqual((yield* run(1)).result, [did, "did report 1"])
      assert.strictEqual(made.filter((one) => one === "deploy").length, 2)
    })
  )
})

describe("a call in doubt in a run whose answers are taken", () => {
  it.effect("is asked about before it is made again; the answer is for the borrower alone", () =>
    Effect.gen(function* () {
      const { answer, made, run, stopped } = lending()
      const lender = yield* stopped
      for (const _again of [1, 2]) {
        const asked = yield* run(2, { reuse: lender })
        assert.deepInclude(asked.suspended, { reason: "in_doubt" })
        assert.deepStrictEqual(made, ["deploy"])
      }
      const asked = yield* run(2)
      yield* answer(asked.runId, asked.suspended?.items[0], "retry")
      assert.deepStrictEqual((yield* run(2)).result, [did, "did report 2"])
      assert.deepStrictEqual(made, ["deploy", "deploy", "report 2"])
      assert.deepInclude((yield* run(1)).suspended, { reason: "in_doubt" })
    })
  )

  it.effect(
    "is asked about also while the lender asks, and what the lender was told to skip is skipped",
    () =>
      Effect.gen(function* () {
        const { answer, made, run, stopped } = lending()
        const lender = yield* stopped
        const there = yield* run(1)
        assert.deepInclude((yield* run(2, { reuse: lender })).suspended, { reason: "in_doubt" })
        yield* answer(lender, there.suspended?.items[0], "skip")
        assert.deepStrictEqual((yield* run(3, { reuse: lender })).result, [skipped, "did report 3"])
        assert.deepStrictEqual((yield* run(1)).result, [skipped, "did report 1"])
        const fourth = yield* run(4, { reuse: lender })
        assert.deepStrictEqual(fourth.result, [skipped, "did report 4"])
        assert.strictEqual(made.filter((one) => one === "deploy").length, 1)
        // What was lent as skipped is no failure that is made again unasked.
        assert.deepInclude((yield* run(4, { retryFailed: true })).suspended, { reason: "in_doubt" })
        assert.strictEqual(made.filter((one) => one === "deploy").length, 1)
      })
  )

  it.effect("is lent on: by a borrower that asks, and by one that never came to it", () =>
    Effect.gen(function* () {
      const { answer, made, run, stopped } = lending()
      const lender = yield* stopped
      const second = yield* run(2, { reuse: lender })
      const third = yield* run(3, { reuse: second.runId ?? "" })
      assert.deepInclude(third.suspended, { reason: "in_doubt" })
      assert.deepStrictEqual(made, ["deploy"])
      yield* answer(third.runId, third.suspended?.items[0], "retry")
      yield* run(3)
      const fourth = yield* run(4, { reuse: third.runId ?? "" })
      assert.deepStrictEqual(fourth.result, [did, "did report 4"])
      assert.strictEqual(made.filter((one) => one === "deploy").length, 2)
    })
  )

  it.effect("verifies and replays as it went", () =>
    Effect.gen(function* () {
      const { answer, layerOf, run, stopped } = lending()
      const asked = yield* run(2, { reuse: yield* stopped })
      yield* answer(asked.runId, asked.suspended?.items[0], "skip")
      yield* run(2)
      yield* Effect.gen(function* () {
        const store = yield* Journal
        const runId = yield* store.runId(asked.runId ?? "")
        assert.isTrue((yield* store.verify(runId)).ok)
        const journal = yield* store.open(runId, "read")
        const types = yield* Stream.runCollect(Stream.map(journal.events, ({ type }) => type))
        assert.includeMembers(types, ["QuestionAsked", "QuestionAnswered", "RunCompleted"])
      }).pipe(Effect.scoped, Effect.provide(layerOf(97, () => Effect.succeed(said("")))))
    })
  )
})

describe("what the lender has started", () => {
  it.effect("is ended first where its process died", () =>
    Effect.gen(function* () {
      const world = lending({ children: true })
      yield* world.killed
      yield* world.run(2, { reuse: yield* world.only })
      assert.strictEqual(world.ended.length, 1)
      assert.deepStrictEqual(world.made, ["deploy"])
    })
  )

  it.effect("keeps the borrower from beginning where its process lives", () =>
    Effect.gen(function* () {
      const { acting, made, only, run } = lending({ children: true })
      const running = yield* acting
      const lender = yield* only
      const refused = yield* run(2, { reuse: lender, alive: [11] })
      assert.deepInclude(refused, { status: "locked" })
      assert.include(refused.error?.message, "is running a command")
      assert.deepStrictEqual(made, ["deploy"])
      yield* Fiber.interrupt(running)
    })
  )
})
