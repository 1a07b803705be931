// Every plan that misbehaves ends as a named error in bounded time, the host unharmed. Real processes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { answer, errorOf, launch, playBody, resultOf, run } from "../support/planBodies.ts"

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
  [
    "a result with an invalid Date",
    run(`return { at: new Date(NaN) }`),
    "result_not_json",
    /\$\.at: an invalid/
  ],
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
    run(`return h.parallel(Array.from({ length: 2e5 }, () => () => h.agent("x")))`),
    "plan_limit",
    /a list of 200000/
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
