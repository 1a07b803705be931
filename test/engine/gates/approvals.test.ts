// An approval is for what was seen: other content is asked about again, and one given beforehand is for the first
// decision of its name. So is a refusal.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import type { ProgramSpec } from "../../../src/engine/program/runProgram.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { layerWithMissions } from "../../../src/engine/subflows/layerWithMissions.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { GivenFiles } from "../../../src/kernel/files/GivenFiles.ts"
import { ProofRunner } from "../../../src/mission/proofs/ProofRunner.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const handoff = JSON.stringify({ summary: "done", files: ["out.txt"], notes: "" })
const workers = () => paidRegistry({ answer: () => Effect.succeed(said(handoff)) })

/** What stands in out.txt. */
interface Left {
  text: string
}

const rooms = (left: Left) =>
  layerWithMissions("/folder").pipe(
    Layer.provide(
      Layer.merge(
        Layer.succeed(GivenFiles, { read: () => Effect.sync(() => new TextEncoder().encode(left.text)) }),
        ProofRunner.layerScripted(({ command, id }) =>
          Effect.succeed({ id, command, exitCode: 0, stdout: "", stderr: "" })
        )
      )
    )
  )

/** A run on a disk, a process each time: what it ended with. */
const made = (spec: ProgramSpec, left: Left) => {
  const disk = MemoryDisk.make()
  let pid = 0
  const models = workers()
  const engine = () => Layer.merge(engineOn(disk, models.layer, { pid: ++pid }), rooms(left))
  return {
    asked: models.made,
    go: <A>(program: Effect.Effect<A, never, Hooks>, more: Partial<ProgramSpec> = {}) =>
      Alembic.runProgram({ ...spec, ...more }, program).pipe(Effect.provide(engine())),
    answer: (runId: string | undefined, item: string | undefined, answer = "approve") =>
      answerItem(runId ?? "", item ?? "", answer).pipe(Effect.provide(engine()))
  }
}

const assertions = [
  { id: "written", statement: "s", oracle: "containment", args: { value: "yes" }, evidence: "file:out.txt" }
]
const contract = { assertions, publish: true }
const plain = Effect.gen(function* () {
  const h = yield* Hooks
  const slot = yield* h.agent("Do it.")
  return slot.ok
})
const mission = Effect.gen(function* () {
  const h = yield* Hooks
  const units = [{ id: "u", prompt: "p", fulfills: ["written"], tier: "T1" as const }]
  const { ok } = yield* h.mission({ title: "m", units })
  return ok
})

describe("an approval to publish", () => {
  for (const [name, program] of [
    ["a mission", mission],
    ["a run without a mission", plain]
  ] as const) {
    it.effect(`of ${name} dies with what it was for: what has changed since is asked about again`, () =>
      Effect.gen(function* () {
        const left: Left = { text: "yes" }
        const run = made({ program: name, goal: "g", contract }, left)
        const first = yield* run.go(program)
        assert.strictEqual(first.suspended?.reason, "approval", JSON.stringify(first))
        yield* run.answer(first.runId, first.suspended?.items[0])
        left.text = "yes, and what nobody has seen"
        const second = yield* run.go(program)
        assert.strictEqual(second.suspended?.reason, "approval", JSON.stringify(second))
        assert.notDeepEqual(second.suspended?.items, first.suspended?.items)
        yield* run.answer(second.runId, second.suspended?.items[0])
        const third = yield* run.go(program)
        assert.strictEqual(third.status, "completed", JSON.stringify(third))
        assert.strictEqual(run.asked.length, 1)
      })
    )

    it.effect(`of ${name} given beforehand lets it through`, () =>
      Effect.gen(function* () {
        const left: Left = { text: "yes" }
        const run = made({ program: name, goal: "g", contract, approve: ["publish"] }, left)
        const first = yield* run.go(program)
        assert.strictEqual(first.status, "completed", JSON.stringify(first))
      })
    )

    it.effect(`that ${name} was refused is asked for again where the content is another`, () =>
      Effect.gen(function* () {
        const left: Left = { text: "yes" }
        const run = made({ program: name, goal: "g", contract }, left)
        const first = yield* run.go(program)
        yield* run.answer(first.runId, first.suspended?.items[0], "refuse")
        const refused = yield* run.go(program)
        assert.strictEqual(refused.error?.code, "gate_failed", JSON.stringify(refused))
        const again = yield* run.go(program, { retryFailed: true })
        assert.strictEqual(again.error?.code, "gate_failed", JSON.stringify(again))
        left.text = "yes, better"
        const other = yield* run.go(program, { retryFailed: true })
        assert.strictEqual(other.suspended?.reason, "approval", JSON.stringify(other))
      })
    )
  }

  it.effect("given beforehand lets the first of two missions through, and not the second", () =>
    Effect.gen(function* () {
      const left: Left = { text: "yes" }
      const two = Effect.gen(function* () {
        const h = yield* Hooks
        const units = [{ id: "u", prompt: "p", fulfills: ["written"], tier: "T1" as const }]
        const one = yield* h.mission({ title: "one", units })
        const other = yield* h.mission({ title: "other", units })
        return [one.ok, other.ok]
      })
      const run = made({ program: "two", goal: "g", contract, approve: ["publish"] }, left)
      for (let times = 0; times < 2; times++) {
        const waits = yield* run.go(two)
        assert.strictEqual(waits.suspended?.reason, "approval", JSON.stringify(waits))
      }
      // Given to a resume, it is another one.
      const done = yield* run.go(two, { approve: ["publish", "publish"] })
      assert.deepStrictEqual(done.result, [true, true], JSON.stringify(done))
    })
  )
})

describe("an approval of a call", () => {
  it.effect("given beforehand by label is for the first call of that label alone", () =>
    Effect.gen(function* () {
      const run = made({ program: "tier", goal: "g", approve: ["deploy"] }, { text: "" })
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        yield* h.agent({ prompt: "to staging", tier: "T4", label: "deploy" })
        yield* h.agent({ prompt: "to everybody", tier: "T4", label: "deploy" })
        return "done"
      })
      const waits = yield* run.go(program)
      assert.strictEqual(waits.suspended?.reason, "approval", JSON.stringify(waits))
      assert.deepStrictEqual(run.asked, ["to staging"])
      const again = yield* run.go(program)
      assert.strictEqual(again.suspended?.reason, "approval")
      yield* run.answer(again.runId, again.suspended?.items[0])
      assert.strictEqual((yield* run.go(program)).result, "done")
    })
  )

  it.effect("of a unit given beforehand is not one of its fix, which does something else", () =>
    Effect.gen(function* () {
      const run = made({ program: "unit", goal: "g", contract: { assertions } }, { text: "no" })
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const units = [{ id: "u", prompt: "p", fulfills: ["written"], tier: "T4" as const }]
        const { ok } = yield* h.mission({ title: "m", units })
        return ok
      })
      const waits = yield* run.go(program)
      yield* run.answer(waits.runId, waits.suspended?.items[0])
      const fix = yield* run.go(program)
      assert.strictEqual(fix.suspended?.reason, "approval", JSON.stringify(fix))
      assert.strictEqual(run.asked.length, 1)
    })
  )
})
