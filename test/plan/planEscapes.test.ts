// Attempts to get from a plan's context to Node: none reaches it, and none ends the process. Real processes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { playBody, run } from "../support/planBodies.ts"

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
      })
    )
  }
})
