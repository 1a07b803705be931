// A verdict that lost members to money says so: in what the plan gets, in what a person reads, and in inspect.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Result, Schema } from "effect"
import { inspectRun } from "../../../src/engine/inspect/inspectRun.ts"
import { inspectionText } from "../../../src/cli/render/run/inspectionText.ts"
import { makeStyle } from "../../../src/cli/terminal/style.ts"
import { verdictText } from "../../../src/council/renderVerdict.ts"
import { Verdict } from "../../../src/council/Verdict.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { good } from "../../support/councilAnswers.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const board = (usd: number) => ({
  members: [
    { id: "a", role: "engineer" },
    { id: "b", role: "seller" },
    { id: "c", role: "user" },
    { id: "d", role: "contrarian" }
  ],
  phases: ["opening", "contrarian", "ballot"] as const,
  axes: [{ id: "value", weight: 1 }],
  budget: { usd }
})

const decodeVerdict = Schema.decodeUnknownResult(Schema.toCodecJson(Verdict))

const held = (usd: number) =>
  Effect.gen(function* () {
    const disk = MemoryDisk.make()
    const paid = paidRegistry({ answer: ({ prompt }) => Effect.succeed(said(good(prompt, 9))) })
    const program = Effect.gen(function* () {
      const h = yield* Hooks
      return yield* h.council({ board: board(usd), question: "Shall we?" })
    })
    const engine = engineOn(disk, paid.layer)
    const summary = yield* Alembic.runProgram({ program: `money ${usd}`, goal: "g" }, program).pipe(
      Effect.provide(engine)
    )
    const inspection = yield* Effect.gen(function* () {
      return yield* inspectRun(yield* (yield* Journal).runId(summary.runId ?? ""))
    }).pipe(Effect.provide(engine), Effect.provide(FileSystem.layerNoop({})))
    const verdict = Result.getOrThrow(decodeVerdict(summary.result))
    return { verdict, inspected: inspectionText(inspection, makeStyle(undefined)), inspection }
  })

describe("a council whose money is used up", () => {
  it.effect("names whom it did not hear, and why, wherever its verdict is read", () =>
    Effect.gen(function* () {
      const { inspected, inspection, verdict } = yield* held(0.000_01)
      const lost = verdict.failures.filter(({ code }) => code === "budget_exceeded")
      assert.isAbove(lost.length, 0, JSON.stringify(verdict.failures))
      assert.isFalse(verdict.conclusive)
      for (const { member, phase } of lost) {
        const told = verdict.inconclusive.some(
          ({ detail }) => detail.startsWith(`${member} in ${phase}: budget`) && detail.includes("money")
        )
        assert.isTrue(told, `${member} in ${phase}`)
        assert.include(inspected, `${member} in ${phase}`)
      }
      const [headline = ""] = verdictText(verdict).split("\n")
      assert.include(headline, `the money was used up: ${lost[0]?.member}`)
      assert.include(inspected, "(budget_exceeded)")
      assert.isTrue(inspection.calls.some(({ lostToMoney }) => lostToMoney?.length === lost.length))
    })
  )

  it.effect("says nothing of money where there was enough", () =>
    Effect.gen(function* () {
      const { inspected, verdict } = yield* held(5)
      assert.strictEqual(verdict.failures.length, 0, JSON.stringify(verdict.failures))
      assert.notInclude(verdictText(verdict), "money was used up")
      assert.notInclude(inspected, "money was used up")
    })
  )
})
