// Imports whose name is computed, links that are no packages, and configurations: none of them leads a plan to a file
// outside its root, and what is refused is refused before it is read.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan, loadPlan } from "../../src/plan/load/loadPlan.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { planFolder } from "../support/planFolder.ts"

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const constructs = (path: string) =>
  inspect(path).pipe(
    Effect.map(({ findings }) =>
      findings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`)
    )
  )
const everything = (path: string) =>
  inspect(path).pipe(Effect.map((inspection) => JSON.stringify(inspection)))
const plan = (expression: string) =>
  `const n: string = "secret"\nexport const run = async () => ${expression}\n`

describe("an import with a computed name", () => {
  const forms: ReadonlyArray<readonly [expression: string, construct: string]> = [
    ["(await import(`../${n}.json`)).default", "import() plan.ts:2:39"],
    ["(await import(`./${n}.json`)).default", "import() plan.ts:2:39"],
    ["await import('./link/' + n + '.json')", "import() plan.ts:2:38"],
    ["await import(/* a */ `.${'/'}${n}/${n}.json`, { with: { type: 'json' } })", "import() plan.ts:2:38"],
    ["require(`../${n}.json`)", "require() plan.ts:2:32"],
    [
      "[() => { try { return require('../' + n + '.json') } catch { return 1 } }][0]!()",
      "require() plan.ts:2:54"
    ]
  ]
  for (const [expression, construct] of forms) {
    it.effect(`is refused, and reads nothing: ${expression}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder(
          { "p/plan.ts": plan(expression), "p/secret.json": '"OWN-SECRET"', "secret.json": '"SECRET"' },
          { "p/link": ".." }
        )
        assert.deepStrictEqual(yield* constructs(`${folder}/p/plan.ts`), [construct])
        assert.notInclude(yield* everything(`${folder}/p/plan.ts`), "SECRET")
      })
    )
  }

  it.effect("hides nothing else that is refused", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts": `import fs from "node:fs"\nimport { now } from "./own.tsx"\n${plan("[fs, now(), Math.random(), await import(`./${n}.ts`), await import(`./${n}.ts`)]")}`,
        "own.tsx": "export const now = () => Date.now()\n",
        "data.json": "1"
      })
      assert.deepStrictEqual(yield* constructs(`${folder}/plan.ts`), [
        "import node:fs plan.ts:1:1",
        "Math.random() plan.ts:4:44",
        "import() plan.ts:4:65",
        "import() plan.ts:4:92",
        "Date.now() own.tsx:1:26"
      ])
    })
  )

  it.effect("further up than the text says by an enum's constants", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "p/q/plan.ts": `enum U { A = "../", B = \`\${A}\${A}\` }\n${plan("await import(U.B + n + '.json')")}`,
        "secret.json": '"SECRET"'
      })
      assert.deepStrictEqual(yield* constructs(`${folder}/p/q/plan.ts`), ["import() plan.ts:3:38"])
    })
  )

  const calls: ReadonlyArray<readonly [name: string, main: string]> = [
    ["require", "module.exports = (n) => require('../../../' + n + '.json')"],
    ["import", "module.exports = (n) => import(`../../../${n}.json`)"],
    [
      "require in a try",
      "module.exports = (n) => { try { return require(`./${n}.json`) } catch { return 0 } }"
    ]
  ]
  for (const [name, main] of calls) {
    it.effect(`in a package is left as it is, and finds no file: ${name}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({
          "p/plan.ts": 'import pack from "pack"\nexport const run = async () => pack("secret")\n',
          "p/node_modules/pack/package.json": '{ "name": "pack", "version": "1.0.0", "main": "main.js" }',
          "p/node_modules/pack/main.js": `${main}\n`,
          "p/node_modules/pack/secret.json": '"SECRET"',
          "secret.json": '"SECRET"'
        })
        const { bundle } = yield* loadPlan(`${folder}/p/plan.ts`).pipe(Effect.provide(layer))
        assert.notInclude(JSON.stringify(bundle), "SECRET")
        assert.deepStrictEqual(
          bundle.modules.map(([path]) => path),
          ["npm:pack@1.0.0/main.js", "plan.ts"]
        )
      })
    )
  }
})

describe("a link in node_modules", () => {
  const links: ReadonlyArray<readonly [name: string, link: string, target: string]> = [
    ["to a folder that holds the plan", "p/node_modules/up", "../.."],
    ["to the plan's own folder's parent, in a scope", "p/node_modules/@up/up", "../../.."],
    ["to a folder that is no package", "p/node_modules/up", "../../out"],
    ["above the plan", "node_modules/up", "../out"],
    ["to a package of another name", "p/node_modules/up", "../../other"]
  ]
  for (const [name, link, target] of links) {
    for (const uses of ["import s from", "const s = require("]) {
      it.effect(`is no package, ${name}: ${uses}`, () =>
        Effect.gen(function* () {
          const specifier = `${link.replace(/^.*node_modules\//, "")}/secret.json`
          const call = uses.endsWith("(") ? `${uses}"${specifier}")` : `${uses} "${specifier}"`
          const folder = yield* planFolder(
            {
              "p/plan.ts": `${call}\nexport const run = async () => s\n`,
              "secret.json": '"SECRET"',
              "out/secret.json": '"SECRET"',
              "other/secret.json": '"SECRET"',
              "other/package.json": '{ "name": "other" }'
            },
            { [link]: target }
          )
          const said = yield* everything(`${folder}/p/plan.ts`)
          assert.notInclude(said, "SECRET")
          assert.strictEqual((yield* constructs(`${folder}/p/plan.ts`)).length, 1)
        })
      )
    }
  }
})
