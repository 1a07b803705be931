// What a person reads of a run's cost: what was spent, what is held, and what is not known, apart.
import { assert, describe, it } from "@effect/vitest"
import { costText } from "../../../../src/cli/render/run/costText.ts"
import { project } from "../../../../src/journal/state/projection.ts"
import { costOfRun, toldCost } from "../../../../src/journal/state/RunState.ts"
import type { RunEventBody } from "../../../../src/domain/run/RunEvent.ts"
import { answer } from "../../../journal/support.ts"

const none = { spentUsd: 0, heldUsd: 0, heldCalls: 0, unknownCostCalls: 0 }

describe("costText", () => {
  for (const [cost, said] of [
    [none, "$0"],
    [{ ...none, spentUsd: 0.53 }, "$0.53"],
    [
      { ...none, spentUsd: 0.08, heldUsd: 0.03, heldCalls: 4 },
      "$0.08 spent, $0.03 held for 4 calls in doubt"
    ],
    [
      { ...none, spentUsd: 0.53, unknownCostCalls: 1, unknownCostUsd: 0.02 },
      "$0.53 + 1 call of unknown cost, at most $0.02"
    ],
    [{ ...none, spentUsd: 0.53, unknownCostCalls: 2 }, "$0.53 + 2 calls of unknown cost"],
    [{ ...none, spentUsd: 0.5, heldCalls: 1 }, "$0.5 spent, 1 call in doubt at a cost that is not bounded"]
  ] as const) {
    it(said, () => {
      assert.strictEqual(
        costText(cost, "in doubt")
          .replaceAll(/(\.\d*?)0+(?=\D|$)/g, "$1")
          .replaceAll(/\.(?=\D|$)/g, ""),
        said
      )
    })
  }

  it("one call without usage does not blank the sum", () => {
    const ref = (key: string) => ({ key, occurrence: 1 })
    const unpriced = Object.fromEntries(
      Object.entries(Object(answer("x"))).filter(([name]) => name !== "costUsd")
    )
    const bodies: ReadonlyArray<RunEventBody> = [
      { type: "CallScheduled", n: 1, ...ref("a"), call: { verb: "agent" }, paid: true, reserveUsd: 1 },
      { type: "CallScheduled", n: 2, ...ref("b"), call: { verb: "agent" }, paid: true, reserveUsd: 0.02 },
      { type: "CallCompleted", ...ref("a"), result: answer("x", 0.53) },
      { type: "CallCompleted", ...ref("b"), result: JSON.parse(JSON.stringify(unpriced)) }
    ]
    const state = project(bodies.map((body, at) => ({ seq: at + 1, at, prev: "", ...body })))
    const told = toldCost(costOfRun(state))
    assert.deepInclude(told, { spentUsd: 0.53, unknownCostCalls: 1, unknownCostUsd: 0.02, unpricedCalls: 1 })
  })
})
