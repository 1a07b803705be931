// What npm packages get where a plan is refused: random numbers by the run's goal, the plan's clock. Theirs alone: the
// author is refused both, by whatever name. Real processes.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { inspectPlan, loadPlan, StaticLayer } from "../../src/plan/loadPlan.ts"
import * as PlanBundlerNode from "../../src/plan/PlanBundler.node.ts"
import { PlanVm } from "../../src/plan/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/PlanVm.node.ts"
import { Prelude } from "../../src/plan/Prelude.ts"
import * as PreludeNode from "../../src/plan/Prelude.node.ts"
import { resultOf } from "../support/planBodies.ts"
import { planFolder } from "../support/planFolder.ts"
import { play } from "../support/planHarness.ts"

const live = Layer.mergeAll(PlanBundlerNode.layer, PlanVmNode.layer, PreludeNode.layer)

const packages = {
  "node_modules/dice/package.json":
    '{ "name": "dice", "version": "1.0.0", "type": "module", "exports": "./main.js" }',
  "node_modules/dice/main.js": `
const atLoad = [Math.random(), Date.now()]
const { random } = Math
export const roll = () => Math.floor(random() * 1e9)
export const loaded = () => atLoad
export const time = () => [Date.now(), new Date().getTime(), Date(), performance.now()]
export const id = () => { const bytes = new Uint8Array(4); crypto.getRandomValues(bytes); return [...bytes] }
export const uuid = () => crypto.randomUUID()
export const kinds = () => [typeof crypto, typeof process, new Date() instanceof Date, new Date().constructor === Date]
export const M = Math, D = Date, r = Math.random, c = crypto, given = (f) => f()
`,
  "node_modules/@old/cjs/package.json": '{ "name": "@old/cjs", "version": "2.0.0" }',
  "node_modules/@old/cjs/index.js": `
const root = Function("return this")()
const { webcrypto } = require("node:crypto")
const object = { crypto }
exports.roll = function () { return Math.floor(root.Math.random() * 1e9) }
exports.now = function () { return root.Date.now() }
exports.byte = function () { return webcrypto.getRandomValues(new Uint8Array(1)).length + object.crypto.randomUUID().length }
exports.box = { ["m" + "ath"]: root.Math, date: root.Date, random: root.Math.random }
`
}

const planOf = (imports: string, value: string): string =>
  `${imports}\nexport const run = async (h) => {\nconst one = await h.agent("x")\nreturn ${value}\n}\n`

const everything = planOf(
  'import * as dice from "dice"\nimport old from "@old/cjs"',
  "[dice.roll(), dice.roll(), old.roll(), old.roll(), dice.id(), dice.uuid(), dice.loaded(), dice.time(), old.now(), old.byte(), dice.kinds()]"
)

const playFile = Effect.fnUntraced(function* (path: string, goal: string) {
  const { bundle } = yield* loadPlan(path)
  const imports = bundle.kind === "module" ? bundle.imports : []
  const prelude = imports.length === 0 ? {} : { prelude: yield* (yield* Prelude).load(imports) }
  return yield* play(yield* (yield* PlanVm).launch(bundle, { goal, files: [] }, prelude))
})

const playPlan = Effect.fnUntraced(function* (text: string, goal = "the goal") {
  const folder = yield* planFolder({ ...packages, "plan.js": text })
  return yield* playFile(`${folder}/plan.js`, goal)
})

layer(live)("npm packages", (it) => {
  it.effect("draw by the run's goal, each its own sequence, and read the plan's clock", () =>
    Effect.gen(function* () {
      const first = resultOf((yield* playPlan(everything)).state)
      assert.isArray(first)
      const [a, b, c, d, bytes, uuid, loaded, time, now, length, kinds] = Array.isArray(first) ? first : []
      assert.strictEqual(new Set([a, b, c, d]).size, 4)
      assert.lengthOf(bytes, 4)
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.strictEqual(loaded[1], 0)
      assert.deepStrictEqual(time, [
        0,
        0,
        "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)",
        0
      ])
      assert.deepStrictEqual([now, length, kinds], [0, 37, ["object", "undefined", true, true]])
      assert.deepStrictEqual(resultOf((yield* playPlan(everything)).state), first)
      assert.notDeepEqual(resultOf((yield* playPlan(everything, "another goal")).state), first)
    })
  )

  it.effect("draw the same, whatever other packages draw", () =>
    Effect.gen(function* () {
      const alone = planOf('import { roll } from "dice"', "[roll(), roll()]")
      const beside = planOf(
        'import old from "@old/cjs"\nimport { roll } from "dice"',
        "[roll(), [old.roll(), roll()][1]]"
      )
      assert.deepStrictEqual(
        resultOf((yield* playPlan(alone)).state),
        resultOf((yield* playPlan(beside)).state)
      )
    })
  )

  it.effect("read a clock that an Effect plan's sleep moves", () =>
    Effect.gen(function* () {
      const { state } = yield* playPlan(`
import { Effect } from "effect"
import { time } from "dice"
export const run = Effect.gen(function* () {
  const before = time()[0]
  yield* Effect.sleep("3 seconds")
  return [before, time()[0], time()[3]]
})`)
      assert.deepStrictEqual(resultOf(state), [0, 3000, 3000])
    })
  )

  it.effect("are named in a notice with what they get, and are not warned of for it", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ ...packages, "plan.js": everything })
      const { notices, warnings } = yield* inspectPlan(`${folder}/plan.js`)
      const seed = "by a seed: the same for every run of one goal"
      const clock = "by the plan's clock: it starts at 0, which is 1970"
      assert.deepStrictEqual(notices, [
        `npm:@old/cjs@2.0.0 gets Math.random(), crypto.getRandomValues() and crypto.randomUUID() ${seed}; Date.now() ${clock}`,
        `npm:dice@1.0.0 gets Math.random(), crypto.getRandomValues() and crypto.randomUUID() ${seed}; Date(), Date.now(), new Date() and performance.now() ${clock}`
      ])
      assert.deepStrictEqual(
        warnings.map(({ construct }) => construct),
        ["import node:crypto"]
      )
    })
  )

  const refused: ReadonlyArray<readonly [imports: string, value: string, construct: string]> = [
    ["", "globalThis['Ma' + 'th'].random()", "Math.random()"],
    ["", "Date.now()", "Date.now()"],
    ['import { roll } from "dice"', "[roll(), new Date()]", "new Date()"],
    ['import { M } from "dice"', "M.random()", "Math.random()"],
    ['import { r } from "dice"', "r()", "Math.random()"],
    ['import { r } from "dice"', "[1].map(r)", "Math.random()"],
    ['import { D } from "dice"', "new D()", "new Date()"],
    ['import { D } from "dice"', "D()", "Date()"],
    ['import { c } from "dice"', "c.randomUUID()", "crypto.randomUUID()"],
    ['import { given } from "dice"', "given(() => Date.now())", "Date.now()"],
    ['import old from "@old/cjs"', "old.box.math.random()", "Math.random()"],
    ['import old from "@old/cjs"', "old.box.random()", "Math.random()"],
    ['import old from "@old/cjs"', "Reflect.construct(old.box.date, [])", "new Date()"],
    ["", "crypto.randomUUID()", "crypto"],
    ["", "performance.now()", "performance"]
  ]
  for (const [imports, value, construct] of refused) {
    it.effect(`have it for themselves alone: ${value} is refused to the author`, () =>
      Effect.gen(function* () {
        const played = playPlan(planOf(`${imports}`, value))
        const { state } = yield* Effect.provideService(played, StaticLayer, () => [])
        const error = state.t === "failed" ? state.error : undefined
        assert.strictEqual(error?.code, "non_deterministic")
        assert.include(error?.message, construct)
      })
    )
  }

  it.effect("are taken in the form that needs no Node, where they have one", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "node_modules/ids/package.json":
          '{ "name": "ids", "version": "1.0.0", "exports": { "browser": "./web.js", "default": "./node.js" } }',
        "node_modules/ids/web.js": "export const id = () => crypto.getRandomValues(new Uint8Array(3)).join()",
        "node_modules/ids/node.js": "export const id = () => Buffer.alloc(3).join()",
        "plan.js": planOf('import { id } from "ids"', "id()")
      })
      const { state } = yield* playFile(`${folder}/plan.js`, "the goal")
      assert.match(String(resultOf(state)), /^\d+,\d+,\d+$/)
    })
  )

  it.effect("change nothing of a bundle where there are none", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.js": planOf("", "1") })
      const { bundle } = yield* loadPlan(`${folder}/plan.js`)
      assert.notProperty(bundle, "packages")
      assert.match(bundle.code, /^\(async \(__alembic_prelude, __alembic_refuse\) =>/)
    })
  )

  it.effect("Effect hashes objects, and names spans, by numbers of its own", () =>
    Effect.gen(function* () {
      const plan = `
import { Effect, Equal, Hash, HashMap } from "effect"
class Point { constructor(x) { this.x = x } }
const one = () => 1
export const run = Effect.gen(function* () {
  const map = HashMap.fromIterable([[one, 1], [() => 2, 2], [new Point(1), 3]])
  const span = yield* Effect.withSpan(Effect.map(Effect.currentSpan, (span) => span.spanId), "s")
  return [Equal.equals(new Point(1), new Point(1)), Hash.hash(one), [...HashMap.values(map)], Hash.random({}), span]
})`
      const first = resultOf((yield* playPlan(plan)).state)
      assert.isArray(first)
      assert.deepStrictEqual(resultOf((yield* playPlan(plan)).state), first)
    })
  )
})
