// What belongs to a plan: imports that are refused, with the place of the statement, and those that are not; npm packages
// of the plan's project; decorators by its tsconfig.
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan, loadPlan } from "../../../src/plan/load/loadPlan.ts"
import { layer } from "../../../src/plan/bundler/PlanBundler.node.ts"
import { planFolder } from "../../support/planFolder.ts"

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const places = (path: string) =>
  Effect.map(inspect(path), ({ findings }) =>
    findings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`)
  )
const load = (path: string) => loadPlan(path).pipe(Effect.provide(layer))
const failure = (path: string) => load(path).pipe(Effect.flip, Effect.orDie)
const run = "export const run = async (h) => 1\n"

const imports: ReadonlyArray<readonly [text: string, place: string]> = [
  ['import fs from "node:fs"; fs()', "import node:fs plan.ts:1:1"],
  ["import 'fs'", "import fs plan.ts:1:1"],
  ['/* a */ import { a,\n  b } from "fs/promises"; a(b)', "import fs/promises plan.ts:1:9"],
  ['import {\n  // from here\n  readFileSync as import_,\n} from "fs"\nimport_()', "import fs plan.ts:1:1"],
  ['export { readFileSync } from "fs"', "import fs plan.ts:1:1"],
  ['const a = 1; export * from "fs"', "import fs plan.ts:1:14"],
  ['export * as fs from "fs"', "import fs plan.ts:1:1"],
  ['import fs = require("fs"); fs()', "import x = require() plan.ts:1:1"],
  ['export import fs = require("fs")', "import x = require() plan.ts:1:1"],
  ['const fs = require("fs")', "require() plan.ts:1:12"],
  ['const fs = await import("fs")', "import() plan.ts:1:18"],
  ["const fs = await import(name)", "import() plan.ts:1:18"],
  ['const fs = await import("./helper.ts")', "import() plan.ts:1:18"],
  ['import x from "http://example.invalid/x.js"; x()', "import http: plan.ts:1:1"],
  ['import x from "data:text/javascript,export default 1"; x()', "import data: plan.ts:1:1"],
  ['import x from "bun:sqlite"; x()', "import bun: plan.ts:1:1"],
  ['import x from "/etc/x.js"; x()', "import / plan.ts:1:1"],
  ['import x from "../outside.ts"; x()', "import ../ plan.ts:1:1"],
  ['import x from "./lib/../../outside.ts"; x()', "import ../ plan.ts:1:1"],
  ['import x from "./link.ts"; x()', "symlinked helper plan.ts:1:1"],
  ['import { runPlan } from "alembic"; runPlan()', "import alembic plan.ts:1:1"]
]

describe("an import", () => {
  for (const [text, place] of imports) {
    it.effect(`is refused: ${text}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder(
          {
            "plan/plan.ts": `${text}\nexport const run = async () => 1\n`,
            "plan/helper.ts": "export const a = 1\n",
            "plan/lib/x.ts": "export {}\n",
            "outside.ts": "export default () => 1\n"
          },
          { "plan/link.ts": "../outside.ts" }
        )
        assert.deepStrictEqual(yield* places(`${folder}/plan/plan.ts`), [place])
      })
    )
  }

  it.effect("that is only of types is none", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts":
          'import type { Stats } from "node:fs"\nimport { type Dirent } from "node:fs"\nimport { Socket } from "net"\n' +
          'type F = typeof import("node:os")\nexport type { X } from "../outside.ts"\n' +
          "export const run = async (a?: Stats, b?: Dirent, c?: Socket, d?: F) => 1\n"
      })
      assert.deepStrictEqual(yield* places(`${folder}/plan.ts`), [])
    })
  )

  it.effect("may be of JSON, of text, without an extension, of a folder, of a link inside the root", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(
        {
          "plan.ts":
            'import data from "./d.json"\nimport text from "./d.txt"\nimport { a } from "./a"\nimport { b } from "./b"\n' +
            'import { a as c } from "./link.ts"\nexport const run = async () => [data.x, text, a, b, c]\n',
          "d.json": '{ "x": 1 }',
          "d.txt": "hello",
          "a.ts": "export const a = 2\n",
          "b/index.ts": "export const b = 3\n"
        },
        { "link.ts": "a.ts" }
      )
      const { bundle } = yield* load(`${folder}/plan.ts`)
      assert.deepStrictEqual(
        bundle.modules.map(([path]) => path),
        ["a.ts", "b/index.ts", "d.json", "d.txt", "plan.ts"]
      )
    })
  )
})

describe("npm packages", () => {
  const files = {
    "plan/plan.js":
      'import { pure, dirty } from "pack"\nimport cjs from "@s/cjs"\nexport const run = async () => [pure(1), cjs.sum(1, 2)]\n',
    "node_modules/pack/package.json":
      '{ "name": "pack", "version": "1.2.3", "type": "module", "exports": "./main.js" }',
    "node_modules/pack/main.js":
      'import { readFileSync } from "node:fs"\nexport const pure = (x) => x + 1\n' +
      "export const dirty = () => [Date.now(), readFileSync('x'), import.meta.url]\n" +
      'export const mode = process.env.NODE_ENV\nif (mode !== "production") throw new Error("not told")\n',
    "node_modules/@s/cjs/package.json": '{ "name": "@s/cjs", "version": "4.5.6" }',
    "node_modules/@s/cjs/index.js":
      'const os = require("os")\nexports.sum = (a, b) => a + b\nexports.bad = () => os.uptime()\n'
  }

  it.effect("are bundled, known by name and version; their findings are warnings", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(files)
      const { bundle, warnings, sources } = yield* load(`${folder}/plan/plan.js`)
      assert.deepStrictEqual(
        bundle.modules.map(([path]) => path),
        ["npm:@s/cjs@4.5.6/index.js", "npm:pack@1.2.3/main.js", "plan.js"]
      )
      assert.deepStrictEqual(
        sources.map(([path]) => path),
        ["plan.js"]
      )
      assert.deepStrictEqual(
        warnings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`),
        [
          "import os npm:@s/cjs@4.5.6/index.js:1:12",
          "import node:fs npm:pack@1.2.3/main.js:1:1",
          "import.meta.url npm:pack@1.2.3/main.js:3:60"
        ]
      )
    })
  )

  it.effect("run as long as they do not reach for what a plan has not", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(files)
      const { bundle } = yield* load(`${folder}/plan/plan.js`)
      const refused: Array<string> = []
      const module: Promise<{ run: () => Promise<unknown> }> = runInNewContext(bundle.code)(
        {},
        (construct: string) => refused.push(construct)
      )
      const { run } = yield* Effect.promise(() => module)
      assert.deepStrictEqual(JSON.stringify(yield* Effect.promise(() => run())), "[2,3]")
      assert.deepStrictEqual(refused, [])
    })
  )

  it.effect("that are not there are said to be missing, with the place", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.js": `import x from "not-there"\nx()\n${run}` })
      const error = yield* failure(`${folder}/plan.js`)
      assert.strictEqual(error.code, "plan_unparsable")
      assert.include(error.message, 'Could not resolve "not-there" (plan.js:1:15)')
    })
  )
})

describe("decorators", () => {
  const source =
    "const seen: string[] = []\nfunction note(target: any, key?: any) { seen.push(typeof key) }\n" +
    "class A { @note m() {} }\nvoid A\nexport const run = async () => seen\n"

  for (const [name, config, seen] of [
    ["standard by default", undefined, "object"],
    ["legacy by the plan's tsconfig", '{ "compilerOptions": { "experimentalDecorators": true } }', "string"]
  ] as const) {
    it.effect(`are ${name}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({
          "plan.ts": source,
          ...(config === undefined ? {} : { "tsconfig.json": config })
        })
        const { bundle } = yield* load(`${folder}/plan.ts`)
        const run = yield* Effect.promise(async () => (await runInNewContext(bundle.code)({}, () => {})).run)
        assert.strictEqual(JSON.stringify(yield* Effect.promise(() => run())), JSON.stringify([seen]))
      })
    )
  }
})
