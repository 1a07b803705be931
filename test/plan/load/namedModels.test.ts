// The models a plan names: literals in its agent calls and in a script's phases, and nothing that only looks like one.
import { assert, describe, it } from "@effect/vitest"
import type { PlanBundle } from "../../../src/plan/bundler/PlanBundle.ts"
import { namedModels } from "../../../src/plan/load/namedModels.ts"

const moduleOf = (body: string): PlanBundle => ({
  v: 1,
  kind: "module",
  entry: "p.ts",
  map: "",
  modules: [],
  imports: [],
  code: `async function (__alembic_prelude, __alembic_refuse) { const run = async (h) => { ${body} }\nreturn { run } }`
})

describe("namedModels of a plan module", () => {
  for (const [body, calls] of [
    [`await h.agent("a", { model: "openai:x" })`, ["openai:x"]],
    [`await h.agent({ prompt: "a", model: "openai:x" })`, ["openai:x"]],
    [`await h.agent("a", { "model": "a:b|c:d", label: "l" })`, ["a:b|c:d"]],
    [`await Promise.all([1, 2].map((n) => h.agent("a" + n, { model: "m:1" })))`, ["m:1"]],
    [`const { agent } = h; await agent("a", { model: "m:2" })`, ["m:2"]],
    [`await h.agent("a", { model: name })`, []],
    [`await h.agent("a", { schema: { model: "Toyota" } })`, []],
    [`const car = { model: "Toyota" }; await h.agent("a", {})`, []],
    [`rent("a", { model: "Toyota" })`, []],
    [`// h.agent("a", { model: "openai:x" })`, []]
  ] as const) {
    it(`${body} names ${JSON.stringify(calls)}`, () => {
      assert.deepStrictEqual(namedModels(moduleOf(body)), { phases: [], calls: [...calls] })
    })
  }

  it("that does not parse names none", () => assert.deepStrictEqual(namedModels(moduleOf("(((")).calls, []))
})

describe("namedModels of a workflow script", () => {
  it("takes phases and calls, also of the scripts it reaches", () => {
    const code = (body: string) =>
      `async function (agent, parallel, pipeline, phase, log, args, budget, workflow) {\n${body}\n}`
    const bundle: PlanBundle = {
      v: 1,
      kind: "workflow",
      entry: "s.js",
      map: "",
      modules: [],
      code: code(`await agent("a", { model: "haiku" })`),
      meta: { name: "s", phases: [{ title: "A", model: "p:1" }, { title: "B" }] },
      workflows: {
        inner: {
          entry: "i.js",
          map: "",
          code: code(`await agent("b", { model: "opus" })`),
          meta: { name: "i", phases: [{ title: "C", model: "p:2" }] }
        }
      }
    }
    assert.deepStrictEqual(namedModels(bundle), { phases: ["p:1", "p:2"], calls: ["haiku", "opus"] })
  })
})
