// Approvals are given by name: a gate's is its own, a unit's its mission's, a call's its label. What the plan calls its
// calls opens nothing else, and what was refused is let through by that name alone.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { nameGiven, nameOfCall } from "../../src/engine/people/approvalName.ts"
import { Alembic, type ProgramSpec } from "../../src/engine/Alembic.ts"
import { answerItem } from "../../src/engine/people/answerItem.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

/** A plan with one T4 call of that label, on one disk. */
const labelled = (label: string | undefined) => {
  const disk = MemoryDisk.make()
  const paid = paidRegistry()
  const engine = () => engineOn(disk, paid.layer)
  const program = Effect.gen(function* () {
    const h = yield* Hooks
    const options = label === undefined ? {} : { label }
    const [slot] = yield* h.parallel([h.agent({ prompt: "Do it.", tier: "T4", ...options })])
    return slot?.ok === true ? slot.text : (slot?.error.code ?? "none")
  })
  return {
    made: paid.made,
    run: (more: Partial<ProgramSpec> = {}) =>
      Effect.suspend(() =>
        Alembic.runProgram({ program: "p", goal: "g", ...more }, program).pipe(Effect.provide(engine()))
      ),
    answer: (runId: string | undefined, item: string, answer: string) =>
      Effect.suspend(() => answerItem(runId ?? "", item, answer).pipe(Effect.provide(engine())))
  }
}

const foreign = ["publish", "council", "m-0123abcd/deploy", "approve-1", "call:x"]

describe("an approval that is given beforehand", () => {
  for (const label of foreign) {
    it.effect(`is not for a call that the plan calls ${label}`, () =>
      Effect.gen(function* () {
        const { made, run } = labelled(label)
        assert.strictEqual((yield* run({ approve: [label] })).status, "suspended")
        assert.deepStrictEqual(made, [])
        assert.strictEqual((yield* run({ approve: [`call:${label}`] })).status, "completed")
        assert.strictEqual(made.length, 1)
      })
    )
  }

  it.effect("is for the call of that label, with or without what tells that it is one", () =>
    Effect.gen(function* () {
      for (const name of ["deploy", "call:deploy"]) {
        assert.strictEqual((yield* labelled("deploy").run({ approve: [name] })).status, "completed")
      }
    })
  )

  it.prop(
    "no two labels have one name, and none that of a gate, a unit or an item",
    [Schema.String, Schema.String],
    ([a, b]) => {
      for (const one of [a, b, ...foreign, ...foreign.map((name) => `call:${name}`)]) {
        assert.strictEqual(nameGiven(nameOfCall(one)), nameOfCall(one))
        for (const other of [a, b, ...foreign])
          assert.strictEqual(nameOfCall(one) === nameOfCall(other), one === other)
      }
      for (const name of foreign.slice(0, 4)) assert.notInclude([a, b, name].map(nameOfCall), name)
    }
  )
})

describe("what a person has refused", () => {
  for (const [label, name] of [
    ["ship it", "approve-1"],
    ["ship", "ship"],
    ["publish", "call:publish"],
    [undefined, "approve-1"]
  ] as const) {
    it.effect(`stays so, and what is said is what lets it through (${label ?? "no label"})`, () =>
      Effect.gen(function* () {
        const { answer, made, run } = labelled(label)
        const { runId } = yield* run()
        yield* answer(runId, "approve-1", "refuse")
        const refused = yield* run()
        assert.strictEqual(refused.status, "incomplete", JSON.stringify(refused))
        const cure = refused.error?.cure ?? ""
        assert.include(cure, `alembic resume ${runId} --retry-failed --approve ${name}`)
        // Printed again it says the same.
        assert.strictEqual((yield* run()).error?.cure, cure)
        assert.strictEqual((yield* run({ retryFailed: true })).error?.cure, cure)
        assert.deepStrictEqual(made, [])
        assert.strictEqual((yield* run({ retryFailed: true, approve: [name] })).status, "completed")
        assert.strictEqual(made.length, 1)
      })
    )
  }
})
