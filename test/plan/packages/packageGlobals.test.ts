// What npm packages get where a plan is refused: random numbers by the run's goal, the plan's clock. Theirs alone: the
// author is refused both, by whatever name. Real processes.
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { inspectPlan, loadPlan, StaticLayer } from "../../../src/plan/load/loadPlan.ts"
import { liveRoom, packageOf, planOf, playFile, playWith } from "../../support/packagePlans.ts"
import { resultOf } from "../../support/planBodies.ts"
import { planFolder } from "../../support/planFolder.ts"

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

const everything = planOf(
  'import * as dice from "dice"\nimport old from "@old/cjs"',
  "[dice.roll(), dice.roll(), old.roll(), old.roll(), dice.id(), dice.uuid(), dice.loaded(), dice.time(), old.now(), old.byte(), dice.kinds()]"
)

const playPlan = (text: string, goal = "the goal") => playWith(packages, text, goal)

layer(liveRoom)("npm packages", (it) => {
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

  const numbers = packageOf(
    "numbers",
    `
const draw = Math.random
const { random } = Math
export const roll = () => Math.floor((Math.random() + draw()) * 1e9)
export const alias = () => random()
export const time = () => [Date.now(), globalThis.crypto.randomUUID().length]
export const replace = () => { const own = Math.random; Math.random = () => 0.25; const seen = [Math.random(), draw() === 0.25]; Math.random = own; return seen }
export const many = () => { let sum = 0; for (let index = 0; index < 1e6; index++) sum += Math.random(); return sum }
`
  )

  it.effect("are bound to their numbers where they call by name, and draw one sequence whichever way", () =>
    Effect.gen(function* () {
      const plan = (value: string) => planOf('import * as numbers from "numbers"', value)
      const folder = yield* planFolder({ ...numbers, "plan.js": plan("1") })
      const { bundle } = yield* loadPlan(`${folder}/plan.js`)
      assert.include(bundle.code, 'Math.floor((__alembic_packages.random["npm:numbers@1.0.0"]() + draw()')
      assert.include(bundle.code, "[__alembic_packages.now(), __alembic_packages.crypto.randomUUID().length]")
      assert.include(bundle.code, 'draw = __alembic_packages.drawn["npm:numbers@1.0.0"]')
      const played = yield* playWith(
        numbers,
        plan("[numbers.replace(), numbers.time(), numbers.many() > 4e5]")
      )
      assert.deepStrictEqual(resultOf(played.state), [[0.25, false], [0, 36], true])
      const looked = yield* playWith(numbers, plan("[1, 2, 3, 4].map(() => numbers.alias())"))
      const mixed = yield* playWith(numbers, plan("[numbers.alias(), numbers.roll(), numbers.alias()]"))
      const [a, b, c, d] = Schema.decodeUnknownSync(Schema.Array(Schema.Number))(resultOf(looked.state))
      assert.deepStrictEqual(resultOf(mixed.state), [a, Math.floor(((b ?? 0) + (c ?? 0)) * 1e9), d])
    })
  )

  it.effect("that make code are refused where they do, and say so with what to take", () =>
    Effect.gen(function* () {
      const maker = packageOf("maker", 'export const make = (text) => new Function("x", text)')
      const plan = planOf('import { make } from "maker"', 'make("return x")(1)')
      const folder = yield* planFolder({ ...maker, "plan.js": plan })
      const { notices } = yield* inspectPlan(`${folder}/plan.js`)
      assert.deepStrictEqual(notices, [
        "npm:maker@1.0.0 is refused where it generates code: new Function(); what it does without that runs"
      ])
      const { state } = yield* playFile(`${folder}/plan.js`)
      const cure = state.t === "failed" ? state.error.cure : undefined
      assert.include(cure, "npm:maker@1.0.0 generates code while it runs, which no plan can: take a package")
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
