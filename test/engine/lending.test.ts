// What --reuse lends is the borrower's own: the lender may go at any time, and a borrower lends on what it was lent.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import { lentTo } from "../../src/engine/reuse/lending.ts"
import { isLentRole, readIndex } from "../../src/engine/reuse/lentCopy.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const steps = (first: string, count = 10) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    yield* h.agent(first)
    for (let n = 0; n < count; n++) yield* h.agent(`step ${n}`)
  })

/** Removes the run as `gc` does. */
const remove = (runId: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const plan = yield* journal.planGc({ keep: 0, unfinished: true })
    const { removed } = yield* journal.collect(plan.filter((one) => one.runId === runId))
    assert.strictEqual(removed.length, 1)
  })

const one = (disk: MemoryDisk) =>
  Alembic.runProgram({ program: "one", goal: "g" }, steps("a")).pipe(
    Effect.map(({ runId }) => runId ?? ""),
    Effect.provide(engineOn(disk, paidRegistry().layer))
  )

/** A run that borrows and is killed while its first call, which it does not borrow, is in flight. */
const killedBorrower = Effect.fnUntraced(function* (
  disk: MemoryDisk,
  program: string,
  first: string,
  reuse: string
) {
  const asked = yield* Deferred.make<void>()
  const hangs = paidRegistry({
    answer: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
  })
  const running = yield* Effect.forkChild(
    Alembic.runProgram({ program, goal: "g", reuse }, steps(first)).pipe(
      Effect.provide(engineOn(disk, hangs.layer))
    )
  )
  yield* Deferred.await(asked)
  yield* Fiber.interrupt(running)
})

const resumed = Effect.fnUntraced(function* (disk: MemoryDisk, program: string, first: string) {
  const after = paidRegistry()
  const summary = yield* Alembic.runProgram({ program, goal: "g" }, steps(first)).pipe(
    Effect.provide(engineOn(disk, after.layer, { pid: 2 }))
  )
  return { summary, made: after.made }
})

describe("lending", () => {
  it.effect("a run goes on without the run it was begun with, and pays for nothing that one had", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const lender = yield* one(disk)
      yield* killedBorrower(disk, "two", "b", lender)
      yield* Effect.provide(remove(lender), engineOn(disk, paidRegistry().layer))
      const { made, summary } = yield* resumed(disk, "two", "b")
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.strictEqual(summary.calls.cached, 10)
      assert.deepStrictEqual(made, ["b"])
    })
  )

  it.effect("the lender may be removed under a run that is at work", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const big = "x".repeat(300_000)
      const wordy = paidRegistry({ answer: ({ prompt }) => Effect.succeed(said(`${prompt} ${big}`)) })
      const lender = yield* Alembic.runProgram({ program: "one", goal: "g" }, steps("a")).pipe(
        Effect.map(({ runId }) => runId ?? ""),
        Effect.provide(engineOn(disk, wordy.layer))
      )
      const asked = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const slow = paidRegistry({
        answer: ({ prompt }) =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Deferred.await(gone)),
            Effect.as(said(`late ${prompt}`))
          )
      })
      const running = yield* Effect.forkChild(
        Alembic.runProgram({ program: "two", goal: "g", reuse: lender }, steps("b")).pipe(
          Effect.provide(engineOn(disk, slow.layer))
        )
      )
      yield* Deferred.await(asked)
      yield* Effect.provide(remove(lender), engineOn(disk, slow.layer, { pid: 2 }))
      yield* Deferred.succeed(gone, undefined)
      const summary = yield* Fiber.join(running)
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.deepStrictEqual(slow.made, ["b"])
    })
  )

  it.effect("a borrower lends on what it was lent, also what it had not come to itself", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const first = yield* one(disk)
      yield* killedBorrower(disk, "two", "b", first)
      const store = yield* Effect.provide(Journal, engineOn(disk, paidRegistry().layer))
      const second = (yield* store.list).find(({ runId }) => runId !== first)?.runId ?? ""
      yield* killedBorrower(disk, "three", "c", second)
      for (const runId of [first, second])
        yield* Effect.provide(remove(runId), engineOn(disk, paidRegistry().layer, { pid: 2 }))
      const { made, summary } = yield* resumed(disk, "three", "c")
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.deepStrictEqual(made, ["c"])
    })
  )

  it.effect("an archive of the borrower alone goes on elsewhere", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const lender = yield* one(disk)
      yield* killedBorrower(disk, "two", "b", lender)
      const layer = engineOn(disk, paidRegistry().layer, { pid: 2 })
      yield* Effect.gen(function* () {
        const journal = yield* Journal
        const borrower = (yield* journal.list).find(({ runId }) => runId !== lender)?.runId ?? ""
        yield* journal.export(yield* journal.runId(borrower), "/base/two.tar")
        yield* remove(lender)
        yield* remove(borrower)
        yield* journal.import("/base/two.tar")
      }).pipe(Effect.provide(layer))
      const { made, summary } = yield* resumed(disk, "two", "b")
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.deepStrictEqual(made, ["b"])
    })
  )

  it.effect("a run of before, which kept only its lender's name, takes a copy, or goes on without", () =>
    Effect.gen(function* () {
      for (const gone of [false, true]) {
        const disk = MemoryDisk.make()
        const lender = yield* one(disk)
        yield* killedBorrower(disk, "two", "b", lender)
        const layer = engineOn(disk, paidRegistry().layer, { pid: 2 })
        yield* Effect.gen(function* () {
          const store = yield* Journal
          const borrower = (yield* store.list).find(({ runId }) => runId !== lender)?.runId ?? ""
          const journal = yield* store.open(yield* store.runId(borrower), "write")
          const roles = Object.keys(journal.meta.blobs).filter(isLentRole)
          yield* journal.keep(Object.fromEntries(roles.map((role) => [role, undefined])))
        }).pipe(Effect.scoped, Effect.provide(layer))
        if (gone) yield* Effect.provide(remove(lender), layer)
        const { made, summary } = yield* resumed(disk, "two", "b")
        assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
        assert.strictEqual(made.length, gone ? 11 : 1)
      }
    })
  )

  it.effect("many and large answers are lent in pieces, each as it was", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const text = (prompt: string) => `${prompt} é ${"y".repeat(700_000)}`
      const wordy = paidRegistry({ answer: ({ prompt }) => Effect.succeed(said(text(prompt))) })
      yield* Alembic.runProgram({ program: "one", goal: "g" }, steps("a", 20)).pipe(
        Effect.provide(engineOn(disk, wordy.layer))
      )
      yield* Alembic.runProgram({ program: "two", goal: "g" }, steps("b", 0)).pipe(
        Effect.provide(engineOn(disk, paidRegistry().layer))
      )
      yield* Effect.gen(function* () {
        const store = yield* Journal
        const runs = yield* store.list
        const journals = yield* Effect.forEach(runs, ({ runId }) => store.open(runId, "read"))
        const lender = journals.find((one) => one.state().completed.length === 21)
        const other = journals.find((one) => one.state().completed.length === 1)
        if (lender === undefined || other === undefined) return assert.fail("no such runs")
        const borrower = yield* store.open(other.runId, "write")
        const lent = yield* lentTo(borrower, lender, undefined)
        if (lent === undefined) return assert.fail("nothing lent")
        const index = yield* readIndex(borrower)
        assert.isAbove(index?.pieces.length ?? 0, 1)
        for (let rank = 0; rank < 21; rank++) {
          const { id = "" } = lender.state().completed.at(rank) ?? {}
          assert.deepStrictEqual(yield* lent.answer(id), Option.some(yield* lender.readResult(id)))
        }
        assert.isTrue((yield* store.verify(borrower.runId)).ok)
      }).pipe(Effect.scoped, Effect.provide(engineOn(disk, paidRegistry().layer, { pid: 2 })))
    })
  )
})
