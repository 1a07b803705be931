// What a worker is asked with: its unit, what it hangs on, what failed; and nothing of how others went.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { ModelRunFailure } from "../../src/domain/ModelRun.ts"
import { loadMission } from "../../src/mission/loadMission.ts"
import { initialState, unitRun, type UnitRun } from "../../src/mission/missionState.ts"
import { attemptCall, handoffOf, taskId } from "../../src/mission/unitPrompt.ts"
import { contract, spec, worked } from "./script.ts"

const mission = Result.getOrThrow(loadMission(spec(), contract))
const fresh = unitRun(initialState(mission), "test")
if (fresh === undefined) throw new Error("the unit is there")
const success = (answer: ReturnType<typeof worked>) => {
  if (!answer.ok) throw new Error("a success was meant")
  return answer
}

describe("attemptCall", () => {
  it("says what will prove it, under the mission's prefix, with its tier", () => {
    const call = attemptCall(mission, fresh, [])
    assert.include(call.prompt, "Test it")
    assert.include(call.prompt, "- npm test")
    assert.strictEqual(call.label, `${mission.id}/test#1`)
    assert.strictEqual(call.tier, "T1")
    assert.strictEqual(taskId(mission, fresh.unit), `${mission.id}/test`)
  })

  it("shows the end of a long output, and only of proofs that failed", () => {
    const proof = { id: "suite", command: ["npm", "test"], stderr: "" }
    const failed: UnitRun = {
      ...fresh,
      attempts: 1,
      proofs: [
        { ...proof, exitCode: 0, stdout: "MARK-PASSED" },
        { ...proof, exitCode: 1, stdout: `MARK-BEGIN${"x".repeat(50_000)}MARK-END` }
      ]
    }
    const { prompt } = attemptCall(mission, failed, [])
    assert.include(prompt, "MARK-END")
    assert.notInclude(prompt, "MARK-BEGIN")
    assert.notInclude(prompt, "MARK-PASSED")
    assert.isBelow(prompt.length, 20_000)
  })
})

describe("handoffOf", () => {
  const words = (summary: string) => Result.succeed({ summary, files: [], notes: "" })
  const failed = (detail: Json): ModelRunFailure => ({
    ok: false,
    status: "failed",
    adapterId: "fake",
    modelId: "m",
    requestId: "r",
    durationMs: 0,
    attempts: 3,
    costUsd: 0,
    error: { code: "invalid_response", message: "the answer holds no JSON value", retryable: false, detail }
  })

  it("is the structured answer, or the worker's own words", () => {
    assert.deepStrictEqual(
      handoffOf(success(worked("did it", ["a.ts"]))),
      Result.succeed({ summary: "did it", files: ["a.ts"], notes: "" })
    )
    const { output: _output, ...plain } = success(worked("just words"))
    assert.deepStrictEqual(handoffOf(plain), words("just words"))
  })

  it("is those words too where JSON was asked for again, and no failure that is none", () => {
    assert.deepStrictEqual(handoffOf(failed({ issues: [], prose: "I built it" })), words("I built it"))
    assert.isTrue(Result.isFailure(handoffOf(failed({ issues: [] }))))
    assert.isTrue(Result.isFailure(handoffOf({ ...failed({ prose: "x" }), status: "parked" })))
  })
})
