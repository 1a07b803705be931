// The plan's process: turns and batches, what the verbs do, and that every plan that misbehaves ends as a named error
// in bounded time with the host unharmed. Real processes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PlanState } from "../../src/plan/PlanProtocol.ts"
import { PlanVm, type LaunchOptions } from "../../src/plan/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/PlanVm.node.ts"
import { moduleOf, play, stubAnswer, success, type AnswerOf } from "../support/planHarness.ts"

const input = { goal: "G", args: { a: [1] }, files: [{ path: "f", text: "t", sha256: "s" }] }

const launch = Effect.fnUntraced(function* (body: string, options: LaunchOptions = {}) {
  const vm = yield* PlanVm
  return yield* vm.launch(moduleOf(body), input, { turnTimeoutMs: 2_000, ...options })
})

const playBody = (body: string, options: LaunchOptions = {}, answerOf?: AnswerOf) =>
  launch(body, options).pipe(
    Effect.flatMap((driver) => play(driver, answerOf)),
    Effect.scoped,
    Effect.provide(PlanVmNode.layer)
  )

const run = (body: string) => `return { run: async (h, input) => { ${body} } }`

const resultOf = (state: PlanState): unknown => {
  assert.strictEqual(state.t, "returned", JSON.stringify(state))
  return state.t === "returned" && state.result !== undefined ? JSON.parse(state.result) : undefined
}

const errorOf = (state: PlanState): { readonly code: string; readonly message: string } => {
  assert.strictEqual(state.t, "failed", JSON.stringify(state))
  return state.t === "failed" ? state.error : { code: "", message: "" }
}

const answer = (n: number, text: string) => ({ n, json: JSON.stringify(success(text)) })

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
          "give () => h.agent"
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

const endings: ReadonlyArray<readonly [what: string, body: string, code: string, message: RegExp]> = [
  ["a loop at the top", `while (true) {}`, "plan_timeout", /without going quiet/],
  ["a loop in run", run(`for (;;) {}`), "plan_timeout", /2000 ms/],
  ["a loop after an await", run(`await h.agent("x"); for (;;) {}`), "plan_timeout", /2000 ms/],
  [
    "a loop in a getter of a thrown error",
    run(`throw { get message() { for (;;) {} } }`),
    "plan_timeout",
    /./
  ],
  [
    "a flood of microtasks",
    run(`let p = 0; const f = async () => { for (;;) { await null } }; await f()`),
    "plan_timeout",
    /./
  ],
  ["a regular expression that blows up", run(`/^(a+)+$/.test("a".repeat(40) + "!")`), "plan_timeout", /./],
  [
    "a bomb of arrays",
    run(`const a = []; for (;;) a.push(new Array(1000).fill(a.length))`),
    "plan_out_of_memory",
    /64 MiB/
  ],
  ["a bomb of numbers", run(`const a = []; for (;;) a.push(a.length)`), "plan_out_of_memory", /64 MiB/],
  [
    "a bomb of bytes outside the heap",
    run(`const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))`),
    "plan_out_of_memory",
    /64 MiB/
  ],
  [
    "a bomb of strings",
    run(`let s = "x"; const a = []; for (;;) { s += s; a.push(s.split("")) }`),
    "plan_out_of_memory",
    /64 MiB/
  ],
  ["deep recursion", run(`const f = (n) => f(n + 1) + 1; return f(0)`), "plan_error", /Maximum call stack/],
  ["a wait for nothing", run(`await new Promise(() => {})`), "plan_stalled", /no call was made/],
  [
    "a wait for nothing after a call",
    run(`await h.agent("x")\nawait new Promise(() => {})`),
    "plan_stalled",
    /agent #1, is answered\) \(plan.js:1:45\)/
  ],
  ["a wait for nothing at the top", `await new Promise(() => {}); return { run() {} }`, "plan_stalled", /./],
  [
    "a call nobody awaits",
    run(`h.agent("x"); return 1`),
    "hook_pending",
    /`agent` is not awaited \(plan.js:1:39\)/
  ],
  [
    "a call nobody awaits, answered",
    run(`h.agent("x"); await h.agent("y"); return 1`),
    "hook_pending",
    /`agent` is not awaited/
  ],
  [
    "a fan-out nobody awaits",
    run(`h.parallel([() => h.agent("x")]); await h.agent("y"); return 1`),
    "hook_pending",
    /`parallel` is not awaited/
  ],
  [
    "a branch nobody awaits",
    run(`(async () => { await h.agent("x") })(); return 1`),
    "hook_pending",
    /`agent` is still pending/
  ],
  [
    "a call after run returned",
    run(`Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(() => h.agent("late"))`),
    "hook_pending",
    /./
  ],
  [
    "a rejection nobody looks at",
    run(`Promise.reject(new Error("lost")); await h.agent("x"); return 1`),
    "unhandled_rejection",
    /lost/
  ],
  [
    "a rejected call nobody looks at",
    run(`h.agent().then(() => 1); await h.agent("x"); return 1`),
    "unhandled_rejection",
    /prompt/
  ],
  [
    "a hostile rejection nobody looks at",
    run(`Promise.reject(new Proxy({}, { get() { throw 1 } })); return 1`),
    "unhandled_rejection",
    /./
  ],
  ["a result with a hole", run(`return { a: [1, , 2] }`), "result_not_json", /\$\.a\[1\]/],
  ["a result with a Date", run(`return { at: new Date(0) }`), "result_not_json", /\$\.at: Date/],
  [
    "a result too deep",
    run(`let o = {}; for (let i = 0; i < 5e4; i++) o = { o }; return o`),
    "result_not_json",
    /1000 levels/
  ],
  ["a function as result", run(`return () => 1`), "result_not_json", /a function/],
  ["a cycle as result", run(`const o = {}; o.self = o; return o`), "result_not_json", /\$\.self: a cycle/],
  ["a generator as run", `return { run: function* () {} }`, "no_run", /run is a generator/],
  ["an async generator as run", `return { run: async function* () {} }`, "no_run", /async generator/],
  ["a class as run", `return { run: class { constructor() {} } }`, "no_run", /run is a class/],
  ["no run", `return {}`, "no_run", /must export a run\(hooks\) function/],
  ["a string as run", `return { run: "x" }`, "no_run", /run is string/],
  ["throw null", run(`throw null`), "plan_error", /null/],
  ["throw undefined", run(`throw undefined`), "plan_error", /undefined/],
  [
    "a thrown Proxy",
    run(`throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })`),
    "plan_error",
    /cannot be read/
  ],
  [
    "a thrown error says where",
    run(`await h.agent("x")\nthrow new RangeError("bad")`),
    "plan_error",
    /RangeError: bad \(plan.js:2:7\)/
  ],
  [
    "a Proxy as argument",
    run(`return h.agent("x", { o: new Proxy({}, {}) })`),
    "plan_error",
    /\$\.o: a Proxy is not plain data/
  ],
  ["code that does not parse", `return {`, "plan_error", /Unexpected token/],
  ["calls without end", run(`for (;;) h.agent("x")`), "plan_limit", /wait at one time/],
  ["log lines without end", run(`for (;;) await h.log("x")`), "plan_limit", /log lines/],
  [
    "a list without end",
    run(`return h.parallel(Array.from({ length: 1e6 }, () => () => h.agent("x")))`),
    "plan_limit",
    /a list of 1000000/
  ],
  ["a caught limit", run(`try { for (;;) h.agent("x") } catch {} await h.agent("y")`), "plan_limit", /./],
  [
    "a caught clock",
    run(`try { Date.now() } catch {} await h.agent("y"); return 1`),
    "non_deterministic",
    /Date.now\(\) \(plan.js:1:\d+\)/
  ],
  ["an uncaught absent global", run(`return process.env`), "non_deterministic", /process/],
  ["a dynamic import", run(`return import("node:fs")`), "non_deterministic", /import\(\)/]
]

describe("every plan ends as what it is", () => {
  for (const [what, body, code, message] of endings) {
    it.live(what, () =>
      Effect.gen(function* () {
        const { state } = yield* playBody(body, { heapMb: 64 })
        const error = errorOf(state)
        assert.strictEqual(error.code, code, error.message)
        assert.match(error.message, message)
      })
    )
  }

  it.live("a long batch is given its time from one sign of progress to the next", () =>
    Effect.gen(function* () {
      const driver = yield* launch(
        run(
          `for (let i = 0; i < 30; i++) { await h.agent("p" + i); let n = 0; while (n < 3e7) n++ } return "done"`
        ),
        { turnTimeoutMs: 600 }
      )
      yield* driver.start
      const turn = yield* driver.deliver(Array.from({ length: 30 }, (_, index) => answer(index + 1, "x")))
      assert.strictEqual(resultOf(turn.state), "done")
    }).pipe(Effect.scoped, Effect.provide(PlanVmNode.layer))
  )

  it.live("losers of a race are cancelled when run returns", () =>
    Effect.gen(function* () {
      const { state, requests } = yield* playBody(
        run(`const r = await Promise.race([h.agent("a"), h.agent("b")]); return r.text`)
      )
      assert.strictEqual(resultOf(state), "echo:a")
      assert.deepStrictEqual(requests.at(-1), { t: "cancel", n: 2 })
    })
  )

  it.live("a rejection that is looked at later is not lost", () =>
    Effect.gen(function* () {
      const { state } = yield* playBody(
        run(
          `const p = Promise.reject(new Error("later")); await h.agent("x"); await h.agent("y"); return p.catch((e) => e.message)`
        )
      )
      assert.strictEqual(resultOf(state), "later")
    })
  )
})

describe("escapes", () => {
  const attempts: ReadonlyArray<string> = [
    `(await h.agent("x")).constructor.constructor("return typeof process")()`,
    `(await h.parallel([() => h.agent("x")])).constructor.constructor("return typeof process")()`,
    `h.agent.constructor("return process")()`,
    `h.agent("x").constructor.constructor("return process")()`,
    `Object.getPrototypeOf(h.agent("x")).constructor.constructor("return process")()`,
    `(await import("node:fs").catch((e) => e)).constructor.constructor("return process")()`,
    `import("node:fs").constructor.constructor("return process")()`,
    `(await h.agent(Symbol("x")).catch((e) => e)).constructor.constructor("return process")()`,
    `(() => { const f = () => { try { f() } catch (e) { throw e } }; try { f() } catch (e) { return e.constructor.constructor("return process")() } })()`,
    `(() => { let e; const f = () => { try { return h.agent("x", { a: [[[[]]]] }) } finally { try { f() } catch (x) { e = x } } }; try { f() } catch (x) { e = x } return e.constructor.constructor("return process")() })()`,
    `(() => { Error.prepareStackTrace = (_, s) => s; const s = new Error().stack; return s[0].getThis() ?? s[0].getFunction().constructor("return process")() })()`,
    `(() => { globalThis.Error = class extends Error { static prepareStackTrace(_, s) { return s } }; return new Error().stack.at(-1).getThis().process })()`,
    `(() => { const f = () => { try { f() } catch { Error.prepareStackTrace } }; f(); const e = new Error(); e.name = { toString() { const g = () => g(); try { g() } catch (x) { throw x } } }; try { e.stack } catch (x) { return x.constructor.constructor("return process")() } throw 0 })()`,
    `(function () { return this })().process`,
    `globalThis.process.exit(7)`,
    `console.log.constructor("return process")()`,
    `new URL("http://x").searchParams.constructor.constructor("return process")()`,
    `structuredClone.constructor("return process")()`,
    `(() => { Object.prototype.then = function (r) { r(this) }; Function.prototype.call = function () { return process }; return h.log("x").process })()`,
    `(() => { Object.defineProperty(Object.prototype, "get", { get() { throw 1 }, configurable: true }); return h.agent("x").mainModule })()`,
    `new Proxy(h, {}).agent.caller.constructor("return process")()`,
    `h.agent.arguments.callee.caller`,
    `Reflect.construct(Function, ["return process"])()`,
    `[].constructor.constructor.constructor("return process")()`,
    `Object.getPrototypeOf(async function () {}).constructor("return process")()`,
    `(class extends Function {}).constructor("return process")()`,
    `new (class extends Function { constructor() { super("return process") } })()()`,
    `eval("process")`,
    `(0, eval)("process")`,
    `Function.prototype.bind.call(Function, null, "return process")()()`
  ]
  for (const attempt of attempts) {
    it.live(attempt.slice(0, 90), () =>
      Effect.gen(function* () {
        const { state } = yield* playBody(
          run(`let got; try { got = ${attempt} } catch (e) { return "kept" }
            const reach = got !== null && (typeof got === "object" || typeof got === "function") && ("mainModule" in got || "binding" in got || "exit" in got)
            return reach || got === "object" ? "escaped" : "kept"`)
        )
        assert.notDeepEqual(state.t === "returned" ? state.result : "", '"escaped"')
        if (state.t === "failed") assert.notStrictEqual(state.error.code, "plan_crashed", state.error.message)
        assert.strictEqual((globalThis as { polluted?: unknown }).polluted, undefined)
      })
    )
  }
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
