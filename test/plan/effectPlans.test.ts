// Plans in Effect style: the same program is driven in the plan's process and in this one, and must make the same
// calls and come to the same end, in whatever order its answers come.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { programDriver } from "../../src/engine/program/ProgramDriver.ts"
import { loadPlan } from "../../src/plan/load/loadPlan.ts"
import * as PlanBundlerNode from "../../src/plan/bundler/PlanBundler.node.ts"
import type { PlanCall } from "../../src/plan/host/PlanProtocol.ts"
import { Prelude } from "../../src/plan/prelude/Prelude.ts"
import * as PreludeNode from "../../src/plan/prelude/Prelude.node.ts"
import { PlanVm } from "../../src/plan/host/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { errorOf, resultOf } from "../support/planBodies.ts"
import { play, stubAnswer, success, type AnswerOf, type Choose, type Played } from "../support/planHarness.ts"
import { run } from "./effectful.plan.ts"

class Folder extends Context.Service<Folder, string>()("test/plan/Folder") {}

const folder = Layer.effect(
  Folder,
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-effect-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
)

const live = Layer.mergeAll(PlanBundlerNode.layer, PlanVmNode.layer, PreludeNode.layer, folder)
const input = { goal: "the goal", files: [] }

const launchFile = Effect.fnUntraced(function* (path: string) {
  const { bundle } = yield* loadPlan(path)
  const prelude = yield* (yield* Prelude).load(bundle.kind === "module" ? bundle.imports : [])
  return yield* (yield* PlanVm).launch(bundle, input, { prelude })
})

const launchSource = Effect.fnUntraced(function* (source: string) {
  const path = join(yield* Folder, "plan.ts")
  writeFileSync(path, source)
  return yield* launchFile(path)
})

const withoutSites = (played: Played) => ({
  state: played.state,
  requests: played.requests.map((request) => {
    if (request.t !== "call") return request
    const { site: _, ...rest } = request
    return rest
  })
})

const answerOf: AnswerOf = (call) =>
  JSON.stringify(call.options).includes('"schema"')
    ? success("{}", { output: { score: 7.5 } })
    : stubAnswer(call)

const orders: ReadonlyArray<readonly [name: string, choose: Choose]> = [
  ["first come", () => 0],
  ["last come", (pending) => pending.length - 1],
  [
    "sleeps first",
    (pending) =>
      Math.max(
        0,
        pending.findIndex((call) => call.verb === "sleep")
      )
  ],
  [
    "sleeps last",
    (pending) =>
      Math.max(
        0,
        pending.findIndex((call) => call.verb !== "sleep")
      )
  ],
  [
    "by a rule",
    (pending) => pending.reduce((sum: number, call: PlanCall) => sum + call.n * 7, 3) % pending.length
  ]
]

layer(live)("Effect plans", (it) => {
  const path = fileURLToPath(new URL("./effectful.plan.ts", import.meta.url))
  for (const [name, choose] of orders) {
    it.effect(`the same in the VM and in process: ${name}`, () =>
      Effect.gen(function* () {
        const inVm = yield* play(yield* launchFile(path), answerOf, choose)
        const driver = yield* programDriver(run, Context.empty(), input.goal)
        const inProcess = yield* play(driver, answerOf, choose)
        assert.deepStrictEqual(withoutSites(inVm).requests, withoutSites(inProcess).requests)
        assert.deepStrictEqual(resultOf(inVm.state), resultOf(inProcess.state))
        assert.isAbove(inVm.requests.filter((request) => request.t === "call").length, 15)
      })
    )
  }

  it.effect("known answers in one go lead to where they led one at a time", () =>
    Effect.gen(function* () {
      const first = yield* play(yield* launchFile(path), answerOf, orders[4]?.[1])
      for (const known of [1, 7, first.answers.length]) {
        const again = yield* play(
          yield* launchFile(path),
          answerOf,
          orders[4]?.[1],
          first.answers.slice(0, known)
        )
        assert.deepStrictEqual(again, first)
      }
    })
  )

  it.effect("calls know the author's line", () =>
    Effect.gen(function* () {
      const { requests } = yield* play(yield* launchFile(path), answerOf)
      const rate = requests.find((request) => request.t === "call")
      assert.deepStrictEqual(rate?.t === "call" && rate.site, {
        file: "effectful.plan.ts",
        line: 61,
        column: 26
      })
    })
  )

  it.effect("a function that gives an Effect runs too, with its input", () =>
    Effect.gen(function* () {
      const driver = yield* launchSource(`
        import { Effect } from "effect"
        import { Hooks, type PlanHooks, type PlanInput } from "alembic/plan"
        export const run = (_: PlanHooks, input: PlanInput) =>
          Effect.map(Hooks.use((h) => h.agent(input.goal)), (r) => (r.ok ? r.text : ""))`)
      assert.strictEqual(resultOf((yield* play(driver)).state), "echo:the goal")
    })
  )

  it.effect("an Effect that fails, dies or reaches for the clock ends the run by what it is", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, string, RegExp]> = [
        [`Effect.fail(new Error("broken"))`, "plan_error", /^broken/],
        [`Effect.die("dead")`, "plan_error", /dead/],
        [`Effect.sync(() => { throw new RangeError("far") })`, "plan_error", /^far/],
        [`Effect.never`, "plan_stalled", /./],
        [`Effect.sync(() => DateTime.nowUnsafe())`, "non_deterministic", /Date.now/],
        [`Effect.sync(() => Cron.next(Cron.parseUnsafe("* * * * *")))`, "non_deterministic", /new Date/],
        [`Effect.promise((signal) => new Promise(() => signal.aborted))`, "plan_stalled", /./],
        [`Hooks.use((h) => h.agent("x", { a: () => 1 } as never))`, "plan_error", /\\$\\.a: a function/]
      ]
      for (const [program, code, message] of cases) {
        const driver = yield* launchSource(
          `import { Cron, DateTime, Effect } from "effect"\nimport { Hooks } from "alembic/plan"\nexport const run = ${program}\nexport const keep = [Cron, DateTime, Hooks]`
        )
        const error = errorOf((yield* play(driver)).state)
        assert.strictEqual(error.code, code, `${program}: ${error.message}`)
        assert.match(error.message, new RegExp(message.source.replaceAll("\\\\", "\\")), program)
      }
    })
  )

  it.effect("an answer that does not decode is invalid_response", () =>
    Effect.gen(function* () {
      const driver = yield* launchSource(`
        import { Schema } from "effect"
        import { Hooks } from "alembic/plan"
        export const run = Hooks.use((h) => h.agent("x", { schema: Schema.Struct({ n: Schema.Int }) }))`)
      const { state } = yield* play(driver, () => success("{}", { output: { n: "one" } }))
      assert.include(JSON.stringify(resultOf(state)), '"code":"invalid_response"')
    })
  )

  it.effect("what the prelude does not have is said by name", () =>
    Effect.gen(function* () {
      const driver = yield* launchSource(
        `import * as x from "effect/Nonsense"\nexport const run = async () => Object.keys(x)`
      )
      assert.include(errorOf((yield* driver.start).state).message, "there is no module effect/Nonsense")
      const refused = yield* Effect.flip(
        launchSource(`import * as x from "effect/http"\nexport const run = async () => x`)
      )
      assert.include(refused.message, "effect/http is not for plans")
    })
  )
})
