// Timers and events of npm packages: a wait is a sleep of the run, what is due at once waits for nothing, what is left
// over hinders no run, and the author has none of it. Real processes.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan, StaticLayer } from "../../../src/plan/load/loadPlan.ts"
import type { PlanRequest } from "../../../src/plan/host/PlanProtocol.ts"
import { liveRoom, packageOf, planOf, playWith } from "../../support/packagePlans.ts"
import { errorOf, resultOf } from "../../support/planBodies.ts"
import { planFolder } from "../../support/planFolder.ts"

const later = packageOf(
  "later",
  `
export const wait = (ms, value) => new Promise((done) => setTimeout(done, ms, value))
export const node = (ms) => new Promise((done) => globalThis.setTimeout(done, ms).unref())
export const withTimeout = async (promise, ms) => {
  let timer
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error("late")), ms) })
  try { return await Promise.race([promise, late]) } finally { clearTimeout(timer) }
}
export const order = async () => {
  const seen = []
  await new Promise((done) => {
    setTimeout(() => { seen.push("timeout"); Promise.resolve().then(() => seen.push("its microtask")) }, 0)
    setImmediate(() => seen.push("immediate"))
    setTimeout(() => { seen.push("last"); done() })
    const gone = setTimeout(() => seen.push("cleared"))
    clearTimeout(gone)
    Promise.resolve().then(() => Promise.resolve()).then(() => seen.push("microtask"))
  })
  return seen
}
export const ticks = (n) => new Promise((done) => { let i = 0; const t = setInterval(() => { if (++i === n) { clearInterval(t); done(i) } }, 5) })
export const byNumber = () => new Promise((done) => { const id = +setTimeout(() => done("fired"), 9); clearTimeout(id); setTimeout(done, 1, "cleared") })
export const leave = () => { setTimeout(() => {}, 1e6); setInterval(() => {}, 1e6).unref(); return "left" }
export const bad = () => new Promise(() => setTimeout(() => { throw new TypeError("in a timer") }, 3))
export const now = () => [Date.now(), performance.now(), new Intl.DateTimeFormat("en-US", { timeStyle: "long" }).format(), new Intl.DateTimeFormat().formatToParts().length]
export const limit = (ms) => new Promise((done) => AbortSignal.timeout(ms).addEventListener("abort", (e) => done(e.target.reason.name)))
export const t = setTimeout, i = setInterval, E = Event, S = AbortSignal
class Bus extends EventTarget {}
export const events = () => {
  const bus = new Bus(), seen = []
  const once = (e) => seen.push(e.type + e.detail)
  const ended = new AbortController()
  bus.addEventListener("a", once, { once: true })
  bus.addEventListener("a", { handleEvent(e) { seen.push(e instanceof Event, e.timeStamp, e.target === bus); e.preventDefault() } }, { signal: ended.signal })
  const kept = bus.dispatchEvent(new CustomEvent("a", { detail: 1, cancelable: true }))
  ended.abort()
  bus.dispatchEvent(new CustomEvent("a", { detail: 2 }))
  return [seen, kept, ended.signal instanceof EventTarget]
}
`
)

const playPlan = (text: string) => playWith(later, text)
const sleeps = (requests: ReadonlyArray<PlanRequest>) =>
  requests.flatMap((request) => (request.t === "call" && request.verb === "sleep" ? [request.options] : []))
const all = 'import * as later from "later"'

layer(liveRoom)("timers of npm packages", (it) => {
  it.effect("wait as sleeps of the run, which move the plan's clock", () =>
    Effect.gen(function* () {
      const { requests, state } = yield* playPlan(
        planOf(all, '[await later.wait(700, "slept"), await later.node(300), later.now()]')
      )
      assert.deepStrictEqual(resultOf(state), ["slept", null, [1000, 1000, "12:00:01 AM UTC", 5]])
      assert.deepStrictEqual(sleeps(requests), [{ ms: 700 }, { ms: 300 }])
    })
  )

  it.effect("end a wait that is too long, and are given up where it was not", () =>
    Effect.gen(function* () {
      const { requests, state } = yield* playPlan(
        planOf(
          all,
          '[(await later.withTimeout(h.agent("y"), 50)).text, await later.withTimeout(new Promise(() => {}), 60).catch((e) => e.message)]'
        )
      )
      assert.deepStrictEqual(resultOf(state), ["echo:y", "late"])
      assert.deepStrictEqual(sleeps(requests), [{ ms: 50 }, { ms: 60 }])
      assert.isTrue(requests.some(({ t }) => t === "cancel"))
    })
  )

  it.effect("run what is due at once when the plan is quiet, in order, and make no call of it", () =>
    Effect.gen(function* () {
      const { requests, state } = yield* playPlan(planOf(all, "later.order()"))
      const expected = ["microtask", "timeout", "its microtask", "immediate", "last"]
      assert.deepStrictEqual(resultOf(state), expected)
      assert.deepStrictEqual(sleeps(requests), [])
    })
  )

  it.effect("tick until they are cleared, by what was given or by its number", () =>
    Effect.gen(function* () {
      const { requests, state } = yield* playPlan(
        planOf(all, "[await later.ticks(3), await later.byNumber()]")
      )
      assert.deepStrictEqual(resultOf(state), [3, "cleared"])
      assert.deepStrictEqual(sleeps(requests), [{ ms: 5 }, { ms: 5 }, { ms: 5 }, { ms: 9 }, { ms: 1 }])
    })
  )

  it.effect("are given up when the run returns", () =>
    Effect.gen(function* () {
      const { requests, state } = yield* playPlan(planOf(all, "later.leave()"))
      assert.strictEqual(resultOf(state), "left")
      assert.strictEqual(requests.filter(({ t }) => t === "cancel").length, 2)
    })
  )

  it.effect("end the run by what their callbacks throw", () =>
    Effect.gen(function* () {
      const error = errorOf((yield* playPlan(planOf(all, "later.bad()"))).state)
      assert.strictEqual(error.code, "plan_error")
      assert.include(error.message, "TypeError: in a timer")
    })
  )

  it.effect("abort a signal, and tell listeners", () =>
    Effect.gen(function* () {
      const { state } = yield* playPlan(planOf(all, "[await later.limit(20), later.events()]"))
      const events = [["a1", true, 20, true], false, true]
      assert.deepStrictEqual(resultOf(state), ["TimeoutError", events])
    })
  )

  it.effect("are named in a notice of the check, and not warned of", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ ...later, "plan.js": planOf(all, "later.ticks(1)") })
      const { notices, warnings } = yield* inspectPlan(`${folder}/plan.js`)
      assert.deepStrictEqual(warnings, [])
      assert.include(
        notices.join(),
        "setImmediate(), setInterval() and setTimeout() as sleeps of the run: they are journaled, and a replay does not wait"
      )
    })
  )

  const refused: ReadonlyArray<readonly [value: string, construct: string]> = [
    ["later.t(() => {}, 1)", "setTimeout()"],
    ["later.i(() => {}, 1)", "setInterval()"],
    ['new later.E("x")', "new Event().timeStamp"],
    ["later.S.timeout(5)", "AbortSignal.timeout()"],
    ["new Intl.DateTimeFormat().format()", "Intl.DateTimeFormat().format()"],
    ["setTimeout(() => {}, 1)", "setTimeout"],
    ["globalThis.setTimeout(() => {}, 1)", "setTimeout"]
  ]
  for (const [value, construct] of refused) {
    it.effect(`are refused to the author: ${value}`, () =>
      Effect.gen(function* () {
        const played = playPlan(planOf(all, value))
        const { state } = yield* Effect.provideService(played, StaticLayer, () => [])
        const { code, message } = errorOf(state)
        assert.include(message, construct)
        assert.include(["non_deterministic", "plan_error"], code)
      })
    )
  }
})
