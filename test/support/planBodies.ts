// One-module plans as text, played in the plan's own process with the stub's answers: what the tests of the plan VM
// share.
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { PlanState } from "../../src/plan/host/PlanProtocol.ts"
import { PlanVm, type LaunchOptions } from "../../src/plan/host/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { moduleOf, play, success, type AnswerOf } from "./planHarness.ts"

export const input = { goal: "G", args: { a: [1] }, files: [{ path: "f", text: "t", sha256: "s" }] }

export const launch = Effect.fnUntraced(function* (body: string, options: LaunchOptions = {}) {
  const vm = yield* PlanVm
  return yield* vm.launch(moduleOf(body), input, { turnTimeoutMs: 2_000, ...options })
})

export const playBody = (body: string, options: LaunchOptions = {}, answerOf?: AnswerOf) =>
  launch(body, options).pipe(
    Effect.flatMap((driver) => play(driver, answerOf)),
    Effect.scoped,
    Effect.provide(PlanVmNode.layer)
  )

/** `body` is the body of `run(h, input)`, and the author's line 1. */
export const run = (body: string) => `return { run: async (h, input) => { ${body} } }`

export const resultOf = (state: PlanState): unknown => {
  assert.strictEqual(state.t, "returned", JSON.stringify(state))
  return state.t === "returned" && state.result !== undefined ? JSON.parse(state.result) : undefined
}

export const errorOf = (state: PlanState): { readonly code: string; readonly message: string } => {
  assert.strictEqual(state.t, "failed", JSON.stringify(state))
  return state.t === "failed" ? state.error : { code: "", message: "" }
}

export const answer = (n: number, text: string) => ({ n, json: JSON.stringify(success(text)) })
