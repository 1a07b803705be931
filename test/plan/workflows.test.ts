// Workflow scripts run unchanged: original scripts of different shapes, loaded as files, driven in the plan's process.
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { loadPlan } from "../../src/plan/load/loadPlan.ts"
import * as PlanBundlerNode from "../../src/plan/bundler/PlanBundler.node.ts"
import type { PlanCall, PlanInput, PlanRequest } from "../../src/plan/host/PlanProtocol.ts"
import { PlanVm } from "../../src/plan/host/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { resultOf } from "../support/planBodies.ts"
import { failure, play, promptOf, stubAnswer, success, type AnswerOf } from "../support/planHarness.ts"

const live = Layer.mergeAll(PlanBundlerNode.layer, PlanVmNode.layer)

const runScript = (name: string, more: Partial<PlanInput> = {}, answerOf: AnswerOf = stubAnswer) =>
  Effect.gen(function* () {
    const path = fileURLToPath(new URL(`./workflows/${name}.workflow.js`, import.meta.url))
    const { bundle } = yield* loadPlan(path)
    assert.strictEqual(bundle.kind, "workflow")
    const driver = yield* (yield* PlanVm).launch(bundle, { goal: "g", files: [], ...more })
    const { requests, state } = yield* play(driver, answerOf)
    return { requests, result: resultOf(state) }
  }).pipe(Effect.scoped, Effect.provide(live))

const slotsOf = (requests: ReadonlyArray<PlanRequest>) =>
  requests.flatMap((request) => (request.t === "slots" ? [`${request.done}/${request.of}`] : []))

const groupsOf = (requests: ReadonlyArray<PlanRequest>) =>
  requests.flatMap((request) => (request.t === "call" ? [[promptOf(request), request.phase]] : []))

const logsOf = (requests: ReadonlyArray<PlanRequest>) =>
  requests.flatMap((request) => (request.t === "log" ? [request.message] : []))

const structured =
  (rule: (prompt: string) => unknown): AnswerOf =>
  (call: PlanCall) => {
    const output = rule(promptOf(call))
    return output === undefined ? stubAnswer(call) : success(JSON.stringify(output), { output })
  }

describe("workflow scripts", () => {
  it.live("fan-out: text, labels, phases, and .filter(Boolean)", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript(
        "fan-out",
        { args: { files: ["a.ts", "b.ts", "c.ts"] } },
        (call) => (promptOf(call) === "Read b.ts" ? failure("timeout", "slow") : stubAnswer(call))
      )
      assert.deepStrictEqual(result, {
        summary: "echo:Sum up:\necho:Read a.ts\necho:Read c.ts",
        coverage: "2 of 3"
      })
      assert.deepStrictEqual(slotsOf(requests), ["2/3"])
      assert.deepStrictEqual(
        groupsOf(requests).map(([, phase]) => phase),
        ["Read", "Read", "Read", "Sum up"]
      )
      assert.deepStrictEqual(requests[1]?.t === "call" && requests[1].site?.line, 9)
    })
  )

  it.live("pipeline: a throw makes the item null, null itself goes on", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript("pipeline", {}, (call) =>
        promptOf(call) === "Draft fail body" ? failure("timeout", "slow") : stubAnswer(call)
      )
      assert.deepStrictEqual(result, [
        { index: 0, item: "intro", checked: "echo:Check echo:Draft intro" },
        { index: 1, item: "fail body", checked: "echo:Check null" },
        null
      ])
      assert.deepStrictEqual(slotsOf(requests), ["2/3"])
      assert.include(logsOf(requests).join(), "no end")
    })
  )

  it.live("until dry: a loop that ends by itself", () =>
    Effect.gen(function* () {
      const rounds: ReadonlyArray<ReadonlyArray<string>> = [["a", "b"], ["b", "c"], ["a"], ["c"]]
      const { requests, result } = yield* runScript("until-dry", {}, (call) => {
        const items = rounds[call.n - 1] ?? []
        return success("", { output: { items } })
      })
      assert.deepStrictEqual(result, ["a", "b", "c"])
      assert.deepStrictEqual(logsOf(requests), [
        "round 1: 2 new",
        "round 2: 1 new",
        "round 3: 0 new",
        "round 4: 0 new"
      ])
    })
  )

  it.live("jury: identical calls are as many calls", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript("jury", {}, (call) =>
        success("", { output: { guilty: call.n !== 2 } })
      )
      assert.deepStrictEqual(result, { guilty: true, valid: 3 })
      const options = requests.flatMap((request) => (request.t === "call" ? [request.options] : []))
      assert.deepStrictEqual(options[0], options[2])
      assert.deepInclude(options[0], { model: "opus", providerOptions: { workflow: { effort: "high" } } })
    })
  )

  it.live("nested: one level deep, sharing budget and journal", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript("nested", {}, (call) =>
        success(`echo:${promptOf(call)}`, { usage: { outputTokens: 5 } })
      )
      assert.deepStrictEqual(result, {
        inner: { said: "echo:About tea", spent: 5 },
        deeper: "workflow: scripts nest one level deep"
      })
      assert.deepStrictEqual(groupsOf(requests), [
        ["About tea", "Leaf"],
        ["after", "Outer"]
      ])
    })
  )

  it.live("budget: counts what answers cost", () =>
    Effect.gen(function* () {
      const { result } = yield* runScript("budget", { budgetOutputTokens: 450 }, (call) =>
        success(promptOf(call), { usage: { outputTokens: 120 } })
      )
      assert.deepStrictEqual(result, { parts: 3, spent: 360, left: 90, total: 450 })
    })
  )

  it.live("args: an object, JSON text, or none", () =>
    Effect.gen(function* () {
      const named = { names: ["b", "a"] }
      const expected = ["echo:Greet a", "echo:Greet b"]
      assert.deepStrictEqual((yield* runScript("args-text", { args: named })).result, expected)
      assert.deepStrictEqual(
        (yield* runScript("args-text", { args: JSON.stringify(named) })).result,
        expected
      )
      assert.deepStrictEqual((yield* runScript("args-text")).result, ["echo:Greet nobody"])
      assert.deepStrictEqual((yield* runScript("no-args")).result, ["undefined", null, true])
    })
  )

  it.live("phases: named by phase() for what starts after it, or by the call", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript("phases")
      assert.deepStrictEqual(groupsOf(requests), [
        ["first", "One"],
        ["in one", "One"],
        ["in two", "Two"],
        ["last", "Three"]
      ])
      assert.strictEqual(result, undefined)
      const last = requests.findLast((request) => request.t === "call")
      assert.deepStrictEqual(last?.t === "call" && last.options, { prompt: "last", label: "the last" })
    })
  )

  it.live("schema everywhere: validated objects, which the script may change", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript(
        "schema-everywhere",
        {},
        structured((prompt) =>
          prompt === "Plan the work" ? { tasks: ["t1", "t2"] } : { done: prompt === "Do t2" }
        )
      )
      assert.deepStrictEqual(result, ["t2"])
      const work = requests.findLast((request) => request.t === "call")
      assert.deepInclude(work?.t === "call" && work.options, {
        providerOptions: { workflow: { agentType: "worker", isolation: "worktree", stallMs: 60_000 } }
      })
    })
  )

  it.live("failures: null for a lost call, a throw where the dialect throws", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript("failures", {}, (call) =>
        promptOf(call) === "unmet" ? failure("invalid_response", "not an object") : stubAnswer(call)
      )
      assert.deepStrictEqual(result, {
        lone: null,
        slots: [null, "echo:fine", null],
        unmet: "agent: not an object"
      })
      assert.deepStrictEqual(slotsOf(requests), ["0/1", "1/3"])
    })
  )

  it.live("limits: 4,096 in a list, 1,000 agents a run", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* runScript("limits")
      assert.deepStrictEqual(result, {
        messages: [
          "parallel: a list of 4097; at most 4096",
          "pipeline: a list of 4097; at most 4096",
          "agent: more than 1000 agents in one run"
        ],
        slots: [null]
      })
      assert.strictEqual(groupsOf(requests).length, 1_000)
    })
  )

  it.live("options: the dialect's are passed on, others kept and warned about once", () =>
    Effect.gen(function* () {
      const { requests } = yield* runScript("options")
      const [known, unknown] = requests.flatMap((request) => (request.t === "call" ? [request] : []))
      assert.deepStrictEqual(known?.options, {
        prompt: "known",
        label: "l",
        model: "sonnet",
        providerOptions: { workflow: { effort: "low" } }
      })
      assert.strictEqual(known?.phase, "p")
      assert.deepInclude(unknown?.options, { providerOptions: { workflow: { temperament: "calm" } } })
      const logs = logsOf(requests)
      assert.strictEqual(logs.filter((line) => line.includes("temperament")).length, 1)
      assert.strictEqual(logs.at(-1), "[object Object]")
    })
  )
})
