// The plan's process: turns and batches, and what the verbs do. Real processes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PlanVm } from "../../../src/plan/host/PlanVm.ts"
import * as PlanVmNode from "../../../src/plan/host/PlanVm.node.ts"
import { answer, input, launch, playBody, resultOf, run } from "../../support/planBodies.ts"
import { moduleOf, stubAnswer, success } from "../../support/planHarness.ts"

describe("turns", () => {
  it.live("says what the plan did, in order, with the author's places, and waits", () =>
    Effect.gen(function* () {
      const driver = yield* launch(
        run(`h.phase("one"); h.log("hi", { n: 1 }); console.log("x", 2)
          const [a] = await Promise.all([h.agent("a", { label: "l" }),
            h.agent({ prompt: "b", temperature: 0 })])
          return a.text`)
      )
      assert.deepStrictEqual(yield* driver.start, {
        requests: [
          { t: "phase", title: "one" },
          { t: "log", message: "hi", data: { n: 1 } },
          { t: "log", message: "x 2" },
          {
            t: "call",
            n: 1,
            verb: "agent",
            options: { prompt: "a", label: "l" },
            phase: "one",
            site: { file: "plan.js", line: 2, column: 44 }
          },
          {
            t: "call",
            n: 2,
            verb: "agent",
            options: { prompt: "b", temperature: 0 },
            phase: "one",
            site: { file: "plan.js", line: 3, column: 15 }
          }
        ],
        delivered: 0,
        state: { t: "waiting" }
      })
      const turn = yield* driver.deliver([answer(2, "B"), answer(1, "A")])
      assert.deepStrictEqual(turn, { requests: [], delivered: 2, state: { t: "returned", result: '"A"' } })
    }).pipe(Effect.scoped, Effect.provide(PlanVmNode.layer))
  )

  it.live(
    "delivers a batch one answer at a time, quiet in between, up to the first that is not pending",
    () =>
      Effect.gen(function* () {
        const driver = yield* launch(
          run(`const seen = []; const one = async (p) => { seen.push((await h.agent(p)).text); seen.push("after " + p) }
          await Promise.all([one("a"), one("b")]); await h.agent("c"); return seen`)
        )
        yield* driver.start
        const turn = yield* driver.deliver([answer(2, "B"), answer(1, "A"), answer(9, "?"), answer(3, "C")])
        assert.strictEqual(turn.delivered, 2)
        assert.deepStrictEqual(
          turn.requests.map((request) => request.t === "call" && request.n),
          [3]
        )
        const last = yield* driver.deliver([answer(3, "C"), answer(4, "D")])
        assert.strictEqual(last.delivered, 1)
        assert.deepStrictEqual(resultOf(last.state), ["B", "after b", "A", "after a"])
      }).pipe(Effect.scoped, Effect.provide(PlanVmNode.layer))
  )

  it.live("prestart gives the next launch its process, and ends it if nobody comes", () =>
    Effect.gen(function* () {
      const vm = yield* PlanVm
      yield* Effect.scoped(vm.prestart)
      yield* vm.prestart
      const driver = yield* vm.launch(moduleOf(run("return 1")), input)
      assert.deepStrictEqual(resultOf((yield* driver.start).state), 1)
    }).pipe(Effect.scoped, Effect.provide(PlanVmNode.layer))
  )
})

describe("verbs", () => {
  it.live("slots: the value itself, a failure as it is, a throw as plan_error; losses are counted", () =>
    Effect.gen(function* () {
      const { state, requests } = yield* playBody(
        run(`const r = await h.parallel([() => h.agent("a"), () => h.agent("fail b"), () => { throw new Error("boom") }, () => 7], { concurrency: 2 })
          const q = await h.parallel([() => h.agent("fail")], { accept: "loss" })
          return [r[0].text, r[1].error.code, r[2], r[3], q[0].ok]`)
      )
      const lost = {
        ok: false,
        status: "failed",
        error: { code: "plan_error", message: "boom", retryable: false }
      }
      assert.deepStrictEqual(resultOf(state), ["echo:a", "server_error", lost, 7, false])
      assert.deepStrictEqual(
        requests.filter((request) => request.t === "slots"),
        [
          { t: "slots", done: 2, of: 4, accepted: false },
          { t: "slots", done: 0, of: 1, accepted: true }
        ]
      )
    })
  )

  it.live("parallel starts no more thunks than its concurrency", () =>
    Effect.gen(function* () {
      const { state } = yield* playBody(
        run(`let now = 0, most = 0
          await h.parallel(Array.from({ length: 9 }, (_, i) => async () => { most = Math.max(most, ++now); await h.agent("p" + i); now-- }), { concurrency: 3 })
          return most`)
      )
      assert.strictEqual(resultOf(state), 3)
    })
  )

  it.live("pipeline: no barrier; a throw or a failure ends its item and no later stage sees it", () =>
    Effect.gen(function* () {
      const { state, requests } = yield* playBody(
        run(`const seen = []
          const r = await h.pipeline(["x", "fail y", "z"],
            (item) => h.agent(item),
            (previous, item, index) => { seen.push([previous.text, item, index]); if (item === "z") throw new Error("no z"); return h.agent("2" + item) },
            (previous) => previous.text,
            { accept: "loss" })
          return [seen, r[0], r[1].error.code, r[2].error.message]`)
      )
      const seen = [
        ["echo:x", "x", 0],
        ["echo:z", "z", 2]
      ]
      assert.deepStrictEqual(resultOf(state), [seen, "echo:2x", "server_error", "no z"])
      assert.deepStrictEqual(requests.at(-1), { t: "slots", done: 1, of: 3, accepted: true })
    })
  )

  it.live("phase with a body groups the body's calls only, also beside another", () =>
    Effect.gen(function* () {
      const { requests, state } = yield* playBody(
        run(`h.phase("outer")
          const both = Promise.all([h.phase("one", async (p) => { await p.agent("1a"); return (await p.agent("1b")).text }), h.phase("two", (p) => p.agent("2"))])
          const [one] = await both
          await h.agent("rest"); return one`)
      )
      const groups = requests.flatMap((r) => (r.t === "call" ? [[JSON.stringify(r.options), r.phase]] : []))
      assert.deepStrictEqual(groups, [
        ['{"prompt":"1a"}', "one"],
        ['{"prompt":"2"}', "two"],
        ['{"prompt":"1b"}', "one"],
        ['{"prompt":"rest"}', "outer"]
      ])
      assert.strictEqual(resultOf(state), "echo:1b")
    })
  )

  it.live("input is deeply frozen, an answer is the plan's own copy", () =>
    Effect.gen(function* () {
      const { state } = yield* playBody(
        run(`const tries = [() => { input.goal = 1 }, () => { input.args.a.push(2) }, () => { input.files[0].text = "" }]
          const r = await h.agent("x"); r.text = "mine"
          return [tries.map((f) => { try { f(); return "changed" } catch (e) { return e.name } }), r.text]`)
      )
      assert.deepStrictEqual(resultOf(state), [["TypeError", "TypeError", "TypeError"], "mine"])
    })
  )

  it.live("arguments that are not plain data reject with the path, before anything is asked", () =>
    Effect.gen(function* () {
      const bad: ReadonlyArray<readonly [string, string]> = [
        [`h.agent()`, "agent: $.prompt"],
        [`h.agent(Symbol("x"))`, "agent: $.prompt"],
        [`h.agent("x", { f: () => 1 })`, "$.f: a function"],
        [`h.agent("x", { a: [1, , 2] })`, "$.a[1]: a hole"],
        [`h.agent("x", { get model() { return "m" } })`, "$.model: a getter"],
        [`h.agent("x", { at: new Date(0) })`, "$.at: Date"],
        [`h.agent("x", { n: NaN })`, "$.n: NaN"],
        [`h.agent("x", { toJSON() { return {} } })`, "$.toJSON: a function"],
        [`(() => { const o = {}; o.o = o; return h.agent("x", o) })()`, "$.o: a cycle"],
        [`h.agent("x", "y")`, "must be an object"],
        [
          `(() => { const q = h.agent("q"); q.then(() => 1); return h.parallel([q]) })()`,
          "give () => … that makes the call"
        ],
        [`h.parallel("x")`, "must be an array"],
        [`h.parallel([], { concurrency: 0 })`, "$.concurrency"],
        [`h.pipeline([1], "stage")`, "$[0] is not a function"],
        [`h.council(new Map())`, "$: Map"]
      ]
      const { state, requests } = yield* playBody(
        run(`const out = []
          for (const f of [${bad.map(([code]) => `() => ${code}`).join()}]) out.push(await f().then(() => "took it", (e) => e.name + " " + e.message))
          await h.agent("end"); return out`)
      )
      const messages = resultOf(state)
      assert.isTrue(Array.isArray(messages))
      bad.forEach(([code, part], index) => {
        const message = Array.isArray(messages) ? String(messages[index]) : ""
        assert.include(message, part, code)
        assert.include(message, "TypeError", code)
      })
      // What was given to `parallel` as a promise did make its call before it was refused.
      assert.strictEqual(requests.filter((request) => request.t === "call").length, 2)
    })
  )
})

describe("answers", () => {
  it.live("verbs other than agent take a spec and give the answer as it is", () =>
    Effect.gen(function* () {
      const { state, requests } = yield* playBody(
        run(`const c = await h.council({ board: "b", question: "q" })
          const s = await h.swarm({ promptTemplate: "x {{item}}", items: ["a", "b"], accept: "loss" })
          return [c.decision, s.results.length, (await h.mission({ title: "t", units: [] })).ok]`),
        {},
        (call) =>
          call.verb === "council"
            ? { ok: true, decision: "GO" }
            : call.verb === "swarm"
              ? {
                  ok: true,
                  results: [success("1"), { ok: false, status: "failed", error: { code: "timeout" } }]
                }
              : stubAnswer(call)
      )
      assert.deepStrictEqual(resultOf(state), ["GO", 2, true])
      assert.deepStrictEqual(
        requests.filter((request) => request.t === "slots"),
        [{ t: "slots", done: 1, of: 2, accepted: true }]
      )
    })
  )
})
