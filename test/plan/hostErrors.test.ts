// No error of the host comes into a plan, and what a plan does to errors changes nothing for the engine.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { replayRun } from "../../src/engine/replay/replayRun.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry } from "../support/paidRegistry.ts"
import { playBody, resultOf, run } from "../support/planBodies.ts"

const inputs = { goal: "g", attachments: [] }

describe("an import that was not bundled", () => {
  it.live(
    "rejects with an error of the plan's own, which names it and no path; where it ends the run, by name",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const packageFiles = {
          "node_modules/lazy/package.json":
            '{ "name": "lazy", "version": "1.0.0", "type": "module", "exports": "./main.js" }',
          "node_modules/lazy/main.js":
            "export const load = (name) => import(name)\nexport const probe = (name) => import(/* webpackIgnore: true */ name).catch((error) => error)\n"
        }
        yield* writeFiles(folder, packageFiles)
        const caught = yield* writeFiles(folder, {
          "caught.plan.js": `import { probe } from "lazy"
export const run = async () => { const error = await probe("x"); return [error instanceof Error, error.constructor === Object.getPrototypeOf(error).constructor, String(error.stack), Object.getPrototypeOf(Object.getPrototypeOf(error)) === Error.prototype] }`
        })
        const layer = liveEngine(`${folder}/.alembic`, paidRegistry().layer)
        const summary = yield* runPlanFile({ plan: caught, inputs }).pipe(Effect.provide(layer))
        const said = "NonDeterministicError: Non-deterministic construct detected: import()"
        assert.deepStrictEqual(summary.result, [true, true, said, true], JSON.stringify(summary))
        const thrown = yield* writeFiles(folder, {
          "thrown.plan.js": 'import { load } from "lazy"\nexport const run = async () => await load("x")'
        })
        const refused = yield* runPlanFile({ plan: thrown, inputs }).pipe(Effect.provide(layer))
        assert.strictEqual(refused.status, "refused", JSON.stringify(refused))
        assert.strictEqual(refused.findings?.[0]?.construct, "import()")
      })
  )
})

describe("what libraries ask of the host", () => {
  it.live("the global object by Function is the plan's; any other text makes no code", () =>
    Effect.gen(function* () {
      const { state } = yield* playBody(
        run(`const root = Function("return this")(); const made = []
          for (const text of ["return process", "return this.x", " return this"]) { try { Function(text)(); made.push(text) } catch {} }
          try { Function("a", "return this") ; made.push("a") } catch {}
          return [root === globalThis, new Function("return this")() === globalThis, typeof root.process, made]`)
      )
      assert.deepStrictEqual(resultOf(state), [true, true, "undefined", []])
    })
  )

  it.live("a buffer that grows is refused, and any other is what it was", () =>
    Effect.gen(function* () {
      const plain = yield* playBody(
        run(`const b = new ArrayBuffer(8); class C extends ArrayBuffer {}
          return [b instanceof ArrayBuffer, b.constructor === ArrayBuffer, b.slice(2).byteLength, new Uint8Array(b).length, ArrayBuffer.isView(new DataView(b)), new C(4).byteLength, structuredClone(b).byteLength, new TextDecoder().decode(new TextEncoder().encode("é").buffer)]`)
      )
      assert.deepStrictEqual(resultOf(plain.state), [true, true, 6, 8, true, 4, 8, "é"])
      const { state } = yield* playBody(
        run(`try { new ArrayBuffer(1, { maxByteLength: 2 ** 40 }) } catch {} return 1`)
      )
      assert.strictEqual(state.t === "failed" && state.error.code, "non_deterministic")
    })
  )
})

describe("what a plan does to errors", () => {
  const bodies: ReadonlyArray<string> = [
    "Object.freeze(Error)",
    "Object.freeze(Error); Object.freeze(Error.prototype); Object.freeze(Object.prototype); Object.freeze(Promise); Object.freeze(Array.prototype)",
    "Object.defineProperty(Error, 'stackTraceLimit', { value: 0, writable: false })",
    "Error.stackTraceLimit = { valueOf() { throw 1 } }",
    "Error.captureStackTrace = () => { throw 1 }"
  ]
  for (const body of bodies) {
    it.live(`leaves the verbs working: ${body}`, () =>
      Effect.gen(function* () {
        const { state } = yield* playBody(
          run(
            `try { ${body} } catch {} const [a] = await h.parallel([() => h.agent("x")]); h.log("l"); return [a.text, (await h.agent("y")).text]`
          )
        )
        assert.deepStrictEqual(resultOf(state), ["echo:x", "echo:y"])
      })
    )
  }

  it.live("a message of any length is plan_error, live and replayed", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const plan = yield* writeFiles(folder, {
        "plan.js": 'export const run = async (h) => { await h.agent("a"); throw new Error("m".repeat(3e8)) }'
      })
      const layer = liveEngine(`${folder}/.alembic`, paidRegistry().layer)
      const summary = yield* runPlanFile({ plan, inputs }).pipe(Effect.provide(layer))
      assert.strictEqual(summary.error?.code, "plan_error")
      assert.isBelow(summary.error?.message.length ?? 0, 5_000)
      const replay = yield* replayRun(summary.runId ?? "").pipe(Effect.provide(layer))
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )
})
