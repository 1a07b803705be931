// --reuse and rooms: a council that is the same is taken as it is, one that was cut short pays only for the rest; a
// mission is never taken as it is, since what it hangs on is not in its question, but its workers are not paid again.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { makeError } from "../../../src/domain/ModelError.ts"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { layerWithMissions } from "../../../src/engine/subflows/layerWithMissions.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { GivenFiles } from "../../../src/kernel/files/GivenFiles.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { ProofRunner } from "../../../src/mission/proofs/ProofRunner.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import type { MissionUnit } from "../../../src/plan/hooks/HookSpecs.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"

const board = {
  members: [
    { id: "a", role: "engineer" },
    { id: "b", role: "seller" },
    { id: "c", role: "user" },
    { id: "d", role: "contrarian" }
  ]
}
const members = () => {
  const offline = makeOfflineAdapter()
  return paidRegistry({ answer: (input) => offline.attempt(input) })
}
const debate = Effect.gen(function* () {
  const h = yield* Hooks
  const verdict = yield* h.council({ board, question: "Shall we?" })
  return verdict.decision ?? null
})

describe("--reuse of a council", () => {
  it.effect("that some members failed in holds it again, and asks those members only", () =>
    Effect.gen(function* () {
      const offline = makeOfflineAdapter()
      let down = true
      const some = paidRegistry({
        answer: (input, made) =>
          down && made % 5 === 0 ? Effect.fail(makeError("client_error", "no")) : offline.attempt(input)
      })
      const disk = MemoryDisk.make()
      const guards = { retry: { maxAttempts: 1 } }
      const failures = Effect.gen(function* () {
        const h = yield* Hooks
        const { failures } = yield* h.council({ board, question: "Shall we?" })
        return Array.isArray(failures) ? failures.length : null
      })
      const first = yield* Alembic.runProgram({ program: "one", goal: "g" }, failures).pipe(
        Effect.provide(engineOn(disk, some.layer, { guards }))
      )
      assert.isAbove(Number(first.result), 0, JSON.stringify(first))
      down = false
      const again = yield* Alembic.runProgram(
        { program: "two", goal: "g", reuse: first.runId ?? "" },
        failures
      ).pipe(Effect.provide(engineOn(disk, some.layer, { guards })))
      assert.strictEqual(again.result, 0, JSON.stringify(again))
      assert.isAbove(again.calls.cached, 0)
      assert.isAbove(again.calls.live, 0)
    })
  )

  it.effect("that is the same asks nobody; one that was cut short asks only those who had not answered", () =>
    Effect.gen(function* () {
      const whole = members()
      const disk = MemoryDisk.make()
      const first = yield* Alembic.runProgram({ program: "one", goal: "g" }, debate).pipe(
        Effect.provide(engineOn(disk, whole.layer))
      )
      const asked = whole.made.length
      const spec = { program: "two", goal: "g", reuse: first.runId ?? "" }
      const again = yield* Alembic.runProgram(spec, debate).pipe(Effect.provide(engineOn(disk, whole.layer)))
      assert.deepStrictEqual(again.result, first.result)
      assert.strictEqual(whole.made.length, asked)

      let partial = 0
      for (let step = 60; ; step += 2) {
        const cut = members()
        const crashing = MemoryDisk.make().crashAfterStep(step)
        const one = Alembic.runProgram({ program: "one", goal: "g" }, debate)
        yield* Effect.exit(one.pipe(Effect.provide(engineOn(crashing, cut.layer))))
        if (!crashing.crashed) break
        const before = cut.made.length
        const { calls, result, status } = yield* Alembic.runProgram(spec, debate).pipe(
          Effect.provide(engineOn(crashing.afterCrash("power"), cut.layer, { pid: 2 }))
        )
        // It was killed before there was a run.
        if (status === "invalid") continue
        assert.deepStrictEqual(result, first.result)
        assert.strictEqual(cut.made.length - before, calls.live)
        if (calls.cached === 1 && calls.live === 0) continue
        assert.strictEqual(calls.live + calls.cached, asked, `step ${step}`)
        if (calls.cached > 0) partial++
      }
      assert.isAbove(partial, 3)
    })
  )
})

const proof = { id: "check", command: ["check"] }
const assertion = (code: number) => ({
  id: "checked",
  statement: "the check passes",
  oracle: "exit_code",
  args: { code },
  evidence: "proof:check"
})
const work = Effect.gen(function* () {
  const h = yield* Hooks
  const units: ReadonlyArray<MissionUnit> = [
    { id: "mend", prompt: "Mend it.", proof: ["check"], fulfills: ["checked"], tier: "T2" }
  ]
  const done = yield* h.mission({ title: "mend it", units, maxFixRounds: 0 })
  return done.ok
})

describe("--reuse of a mission", () => {
  it.effect(
    "decides its gates anew, by the contract of now; the worker that answered is not paid again",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const workers = paidRegistry({
          answer: () =>
            Effect.succeed({
              text: JSON.stringify({ summary: "done", files: [], notes: "" }),
              finishReason: "stop",
              usage: { inputTokens: 1, outputTokens: 1 }
            })
        })
        let proofs = 0
        const runner = ProofRunner.layerScripted(({ command, id }) =>
          Effect.sync(() => {
            proofs++
            return { id, command, exitCode: 0, stdout: "", stderr: "" }
          })
        )
        const rooms = layerWithMissions("/work").pipe(
          Layer.provide(Layer.merge(runner, GivenFiles.layerMemory()))
        )
        const run = (program: string, code: number, reuse?: string) =>
          Alembic.runProgram(
            {
              program,
              goal: "g",
              contract: { proofs: [proof], assertions: [assertion(code)] },
              ...(reuse === undefined ? {} : { reuse })
            },
            work
          ).pipe(Effect.provide(Layer.merge(engineOn(disk, workers.layer), rooms)))
        const first = yield* run("one", 0)
        assert.deepInclude(first, { status: "completed", result: true }, JSON.stringify(first))
        const [asked, proved] = [workers.made.length, proofs]
        const second = yield* run("two", 1, first.runId)
        // The assertion is another one now, and does not hold.
        assert.deepInclude(second, { status: "failed", result: false }, JSON.stringify(second))
        assert.strictEqual(second.error?.code, "gate_failed")
        assert.strictEqual(workers.made.length, asked)
        assert.isAbove(proofs, proved)
      })
  )
})

describe("--reuse of what was edited", () => {
  const handoff = JSON.stringify({ summary: "done", files: [], notes: "" })
  const workers = () =>
    paidRegistry({
      answer: () => Effect.succeed({ text: handoff, finishReason: "stop", usage: {} })
    })
  const runner = ProofRunner.layerScripted(({ command, id }) =>
    Effect.succeed({ id, command, exitCode: 0, stdout: "", stderr: "" })
  )
  const rooms = layerWithMissions("/work").pipe(Layer.provide(Layer.merge(runner, GivenFiles.layerMemory())))
  const mission = (title: string, prompts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const h = yield* Hooks
      const units = prompts.map((prompt, index) => ({
        id: `u${index}`,
        prompt,
        proof: ["check"],
        tier: "T2" as const
      }))
      const { ok } = yield* h.mission({ title, units })
      return ok
    })
  const run = <A>(
    disk: MemoryDisk,
    made: ReturnType<typeof workers>,
    spec: { readonly program: string; readonly reuse?: string },
    program: Effect.Effect<A, never, Hooks>
  ) =>
    Alembic.runProgram({ goal: "g", contract: { proofs: [proof] }, ...spec }, program).pipe(
      Effect.provide(Layer.merge(engineOn(disk, made.layer), rooms))
    )

  it.effect(
    "a mission pays for the unit that changed; a title changes nothing; equal units get an answer each",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const made = workers()
        const first = yield* run(disk, made, { program: "one" }, mission("a", ["A.", "B.", "B.", "C."]))
        assert.strictEqual(first.result, true, JSON.stringify(first))
        const reuse = first.runId ?? ""
        for (const [program, title, prompts, paid] of [
          ["title", "another", ["A.", "B.", "B.", "C."], 0],
          ["unit", "a", ["A.", "B.", "B.", "D."], 1],
          ["order", "a", ["C.", "A.", "B."], 0],
          ["more", "a", ["B.", "B.", "B."], 1]
        ] as const) {
          const before = made.made.length
          const next = yield* run(disk, made, { program, reuse }, mission(title, prompts))
          assert.strictEqual(next.result, true, JSON.stringify(next))
          assert.strictEqual(made.made.length - before, paid, program)
          assert.strictEqual(next.calls.cached, prompts.length - paid, program)
        }
      })
  )

  it.effect(
    "a worker that was acting when its run was stopped is in doubt in a mission of another title too",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const reached = yield* Deferred.make<void>()
        const acting = (prompt: string, stops: boolean) =>
          paidRegistry({
            hasSideEffects: true,
            answer: (input) =>
              stops && input.prompt.includes(prompt)
                ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
                : Effect.succeed({ text: handoff, finishReason: "stop", usage: {} })
          })
        const first = acting("B.", true)
        const running = yield* Effect.forkChild(
          run(disk, first, { program: "one" }, mission("a", ["A.", "B.", "B."]))
        )
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(running)
        const [lender] = yield* Effect.provide(
          Effect.flatMap(Journal, ({ list }) => list),
          engineOn(disk, first.layer)
        )
        const second = acting("B.", false)
        const spec = { program: "two", reuse: String(lender?.runId) }
        const asked = yield* run(disk, second, spec, mission("another", ["A.", "B.", "B."]))
        assert.deepInclude(asked.suspended, { reason: "in_doubt" }, JSON.stringify(asked))
        assert.deepStrictEqual(second.made, [])
        for (const item of asked.suspended?.items ?? []) {
          yield* Effect.provide(
            answerItem(asked.runId ?? "", item, "retry"),
            Layer.merge(engineOn(disk, second.layer), rooms)
          )
        }
        const done = yield* run(disk, second, spec, mission("another", ["A.", "B.", "B."]))
        assert.strictEqual(done.result, true, JSON.stringify(done))
        // Each was asked about once, and made once after the answer.
        assert.isAtLeast(second.made.length, 2)
        assert.strictEqual(second.made.length, asked.suspended?.items.length)
      })
  )

  it.effect("a council whose weights changed asks nobody again who is asked the same", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const made = members()
      const on = (weight: number) =>
        Effect.gen(function* () {
          const h = yield* Hooks
          const axes = [
            { id: "value", weight },
            { id: "risk", weight: 1 }
          ]
          const verdict = yield* h.council({ board: { ...board, axes }, question: "Shall we?" })
          return verdict.decision ?? null
        })
      const first = yield* run(disk, made, { program: "one" }, on(1))
      const before = made.made.length
      const next = yield* run(disk, made, { program: "two", reuse: first.runId ?? "" }, on(3))
      assert.strictEqual(next.status, "completed", JSON.stringify(next))
      assert.isBelow(made.made.length - before, before / 2)
      assert.isAbove(next.calls.cached, before / 2)
    })
  )
})
