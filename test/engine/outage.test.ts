// An outage that stops a run takes nothing from it: what it made answers of, because nobody had asked for more yet,
// is made again with what it stopped. And --retry-failed makes failed calls again wherever the run stands.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeError, type ErrorCode } from "../../src/domain/ModelError.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import type { ProgramSpec } from "../../src/engine/program/runProgram.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import { layerWithMissions } from "../../src/engine/subflows/layerWithMissions.ts"
import { GivenFiles } from "../../src/kernel/files/GivenFiles.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { ProofRunner } from "../../src/mission/proofs/ProofRunner.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import type { BoardSpec } from "../../src/plan/hooks/HookSpecs.ts"
import { good } from "../support/councilAnswers.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const once = { retry: { maxAttempts: 1 } }
const rooms = layerWithMissions("/folder").pipe(
  Layer.provide(
    Layer.mergeAll(
      GivenFiles.layerMemory(),
      ProofRunner.layerScripted(({ command, id }) =>
        Effect.succeed({ id, command, exitCode: 0, stdout: "", stderr: "" })
      )
    )
  )
)

/** A provider that answers by `answer` except while `down(made)` says why not. */
const flaky = (
  answer: (prompt: string) => string,
  down: (made: number, prompt: string) => ErrorCode | undefined
) =>
  paidRegistry({
    answer: ({ prompt }, made) => {
      const code = down(made, prompt)
      return code === undefined ? Effect.succeed(said(answer(prompt))) : Effect.fail(makeError(code, "down"))
    }
  })

const wide = (concurrency: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(
      Array.from({ length: 12 }, (_, index) => h.agent(`item ${index}`)),
      { concurrency }
    )
    return slots.filter((slot) => slot.ok).length
  })

const units = Array.from({ length: 9 }, (_, index) => ({
  id: `u${index}`,
  prompt: `Do part ${index}.`,
  proof: ["check"],
  tier: "T2" as const
}))
const mission = (concurrency: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const { coverage } = yield* h.mission({ title: "parts", units, concurrency })
    return coverage
  })

const board = {
  members: [
    { id: "a", role: "engineer" },
    { id: "b", role: "seller" },
    { id: "c", role: "user" },
    { id: "d", role: "contrarian" }
  ],
  phases: ["opening", "critique", "contrarian", "ballot"],
  axes: [{ id: "value", weight: 1 }]
} satisfies BoardSpec
const options = [
  { id: "x", text: "this" },
  { id: "y", text: "that" }
]
const councilOn = (more: { readonly options?: typeof options }) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const { failures } = yield* h.council({ board, question: "Shall we?", ...more })
    return Array.isArray(failures) ? failures.length : null
  })
const council = councilOn({})

const contract = { proofs: [{ id: "check", command: ["check"] }] }
const handoff = JSON.stringify({ summary: "done", files: [], notes: "" })

const run = <A>(
  disk: MemoryDisk,
  made: ReturnType<typeof paidRegistry>,
  spec: ProgramSpec,
  program: Effect.Effect<A, never, Hooks>,
  pid: number
) =>
  Alembic.runProgram(spec, program).pipe(
    Effect.provide(Layer.merge(engineOn(disk, made.layer, { pid, guards: once }), rooms))
  )

describe("what an outage made answers of", () => {
  for (const concurrency of [1, 2, 3, 5]) {
    it.effect(`parallel with its own concurrency of ${concurrency} gets it back`, () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const spec = { program: `wide ${concurrency}`, goal: "g", concurrency: 32 }
        const down = flaky(
          (prompt) => prompt,
          (made) => (made > 2 ? "network" : undefined)
        )
        const first = yield* run(disk, down, spec, wide(concurrency), 1)
        assert.strictEqual(first.status, "suspended", JSON.stringify(first))
        const up = flaky(
          (prompt) => prompt,
          () => undefined
        )
        const second = yield* run(disk, up, spec, wide(concurrency), 2)
        assert.strictEqual(second.status, "completed", JSON.stringify(second))
        assert.strictEqual(second.result, 12)
        assert.strictEqual(up.made.length, 10)
        const replayed = yield* Alembic.replayProgram(spec, wide(concurrency)).pipe(
          Effect.provide(engineOn(disk, up.layer, { pid: 3 }))
        )
        assert.isTrue(replayed.identical, JSON.stringify(replayed))
      })
    )

    it.effect(`a mission of ${concurrency} at once does all of its units`, () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const spec = { program: `mission ${concurrency}`, goal: "g", concurrency: 32, contract }
        const down = flaky(
          () => handoff,
          (made) => (made > 2 ? "quota_exhausted" : undefined)
        )
        const first = yield* run(disk, down, spec, mission(concurrency), 1)
        assert.strictEqual(first.status, "suspended", JSON.stringify(first))
        const up = flaky(
          () => handoff,
          () => undefined
        )
        const second = yield* run(disk, up, spec, mission(concurrency), 2)
        assert.strictEqual(second.status, "completed", JSON.stringify(second))
        assert.deepStrictEqual(second.result, { done: 9, of: 9 })
        assert.strictEqual(up.made.length, 7)
      })
    )
  }

  it.effect("a council gets its critique back", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "council", goal: "g", concurrency: 32 }
      const down = flaky(
        (prompt) => good(prompt, 9),
        (_, prompt) => (prompt.includes("Your task (opening)") ? undefined : "server_error")
      )
      const first = yield* run(disk, down, spec, council, 1)
      assert.strictEqual(first.status, "suspended", JSON.stringify(first))
      const up = flaky(
        (prompt) => good(prompt, 9),
        () => undefined
      )
      const second = yield* run(disk, up, spec, council, 2)
      assert.strictEqual(second.result, 0, JSON.stringify(second))
      assert.isTrue(up.made.some((prompt) => prompt.includes("Your task (critique)")))
      assert.isFalse(up.made.some((prompt) => prompt.includes("Your task (opening)")))
    })
  )

  it.effect("is answers where the run ends with it", () =>
    Effect.gen(function* () {
      const spec = { program: "ends", goal: "g", concurrency: 32 }
      const down = flaky(
        (prompt) => prompt,
        () => "network"
      )
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const slots = yield* h.parallel([1, 2, 3].map((n) => h.agent(`item ${n}`)))
        return slots.map((slot) => slot.ok)
      })
      const summary = yield* run(MemoryDisk.make(), down, spec, program, 1)
      assert.strictEqual(summary.status, "incomplete")
      assert.deepStrictEqual(summary.result, [false, false, false])
    })
  )
})

describe("--retry-failed", () => {
  const program = Effect.gen(function* () {
    const h = yield* Hooks
    const first = yield* h.agent("first")
    const second = yield* h.agent({ prompt: "second", tier: "T4" })
    return [first.ok, second.ok]
  })

  it.effect("of a suspended run makes its failed calls again", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "stands", goal: "g" }
      const some = flaky(
        (prompt) => prompt,
        (made) => (made === 1 ? "content_filtered" : undefined)
      )
      const first = yield* run(disk, some, spec, program, 1)
      assert.strictEqual(first.suspended?.reason, "approval", JSON.stringify(first))
      const again = yield* run(disk, some, { ...spec, retryFailed: true }, program, 2)
      assert.strictEqual(again.suspended?.reason, "approval", JSON.stringify(again))
      assert.deepStrictEqual(some.made, ["first", "first"])
      const [item = ""] = again.suspended?.items ?? []
      yield* answerItem(again.runId ?? "", item, "approve").pipe(
        Effect.provide(engineOn(disk, some.layer, { pid: 3 }))
      )
      const last = yield* run(disk, some, spec, program, 4)
      assert.deepStrictEqual(last.result, [true, true], JSON.stringify(last))
    })
  )

  it.effect("asks a member again whose statement nobody could read, and only that one", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "unreadable", goal: "g" }
      const ranked = councilOn({ options })
      let mumbles = true
      const mumbling = paidRegistry({
        answer: ({ prompt }) => {
          if (!prompt.includes("Your task (ballot)")) return Effect.succeed(said(good(prompt, 9)))
          // It has the form that was asked for, and ranks one option twice.
          const ranking = mumbles ? ["x", "x"] : ["x", "y"]
          mumbles = false
          return Effect.succeed(said(JSON.stringify({ ...JSON.parse(good(prompt, 9)), ranking })))
        }
      })
      const first = yield* run(disk, mumbling, spec, ranked, 1)
      assert.strictEqual(first.result, 1, JSON.stringify(first))
      const before = mumbling.made.length
      const again = yield* run(disk, mumbling, { ...spec, retryFailed: true }, ranked, 2)
      assert.strictEqual(again.result, 0, JSON.stringify(again))
      assert.strictEqual(mumbling.made.length, before + 1)
      const third = yield* run(disk, mumbling, { ...spec, retryFailed: true }, ranked, 3)
      assert.strictEqual(third.result, 0)
      assert.strictEqual(mumbling.made.length, before + 1)
    })
  )
})
