// `Buffer` inside a plan: bundled where something needs it, and only there; pure; the import of the author is refused.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan, loadPlan } from "../../../src/plan/load/loadPlan.ts"
import { liveRoom, packageOf, planOf, playWith } from "../../support/packagePlans.ts"
import { resultOf } from "../../support/planBodies.ts"
import { planFolder } from "../../support/planFolder.ts"

const bytes = packageOf(
  "bytes",
  `
export const make = () => [
  Buffer.from("é").toString("hex"), Buffer.concat([Buffer.from([1]), Buffer.alloc(2)]).length,
  Buffer.from("aGk=", "base64").toString(), Buffer.isBuffer(Buffer.allocUnsafe(3)), [...Buffer.allocUnsafe(3)],
  Buffer.from("x").constructor.name, Buffer.compare(Buffer.from("a"), Buffer.from("b"))
]
export const constants = "not the buffer's"
export const named = () => typeof constants
`
)
const old = packageOf(
  "old",
  'const { Buffer } = require("node:buffer")\nexports.b = () => Buffer.from("old").length',
  false
)
const asks = packageOf(
  "asks",
  'export const has = () => typeof Buffer !== "undefined" && Buffer.isBuffer("x")'
)

const isGiven = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, plan: string) {
  const folder = yield* planFolder({ ...files, "plan.js": plan })
  const { bundle } = yield* loadPlan(`${folder}/plan.js`)
  return bundle.modules.some(([name]) => name === "npm:buffer@6.0.3/index.js")
})

layer(liveRoom)("Buffer in a plan", (it) => {
  it.effect("is there for a package that names or imports it", () =>
    Effect.gen(function* () {
      const plan = planOf(
        'import { make, named } from "bytes"\nimport old from "old"',
        "[make(), named(), old.b()]"
      )
      const { state } = yield* playWith({ ...bytes, ...old }, plan)
      const made = ["c3a9", 3, "hi", true, [0, 0, 0], "Buffer", -1]
      assert.deepStrictEqual(resultOf(state), [made, "string", 3])
    })
  )

  it.effect("is there for the author, who imports no module of Node's for it", () =>
    Effect.gen(function* () {
      const { state } = yield* playWith({}, planOf("", 'Buffer.from("hi").toString("base64")'))
      assert.strictEqual(resultOf(state), "aGk=")
      const folder = yield* planFolder({
        "plan.js": planOf('import { Buffer } from "node:buffer"', "Buffer.from('x').length")
      })
      const { findings } = yield* inspectPlan(`${folder}/plan.js`)
      assert.deepStrictEqual(
        findings.map(({ construct }) => construct),
        ["import node:buffer"]
      )
    })
  )

  it.effect("is bundled only where something needs it", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isGiven(bytes, planOf('import { make } from "bytes"', "make()")))
      assert.isFalse(yield* isGiven({}, planOf("", '"Buffer"')))
      assert.isFalse(yield* isGiven({}, planOf("// Buffer", "typeof Buffer")))
      assert.isFalse(yield* isGiven(asks, planOf('import { has } from "asks"', "has()")))
      assert.isFalse(yield* isGiven({}, planOf("const Buffer = 1", "Buffer")))
    })
  )
})
