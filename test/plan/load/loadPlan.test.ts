// Loading plans from the disk: what is refused and how it is said, to the column; what is part of a plan's identity;
// that the bundle is what was scanned, and runs.
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan, loadPlan, StaticLayer } from "../../../src/plan/load/loadPlan.ts"
import { layer } from "../../../src/plan/bundler/PlanBundler.node.ts"
import type { PlanError } from "../../../src/plan/PlanError.ts"
import { sitesOf } from "../../../src/plan/load/sourceMap.ts"
import { planFolder } from "../../support/planFolder.ts"

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const load = (path: string) => loadPlan(path).pipe(Effect.provide(layer))
const failure = (path: string): Effect.Effect<PlanError> => load(path).pipe(Effect.flip, Effect.orDie)

const run = "export const run = async (h) => 1\n"
const places = (path: string) =>
  Effect.map(inspect(path), ({ findings }) =>
    findings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`)
  )

describe("a refusal", () => {
  it.effect("says every finding in order, the entry's first, a line each", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts":
          'import { dice } from "./a/dice.ts"\nexport const run = async () => [\n  Math.random(), dice(), new Date()\n]\n',
        "a/dice.ts": "export const dice = () => Date.now()\n"
      })
      const error = yield* failure(`${folder}/plan.ts`)
      assert.strictEqual(error.code, "non_deterministic")
      assert.strictEqual(
        error.message,
        `plan module ${folder}/plan.ts is non-deterministic: ` +
          "Non-deterministic construct detected: Math.random() (plan.ts:3:3)\n" +
          "Non-deterministic construct detected: new Date() (plan.ts:3:26)\n" +
          "Non-deterministic construct detected: Date.now() (a/dice.ts:1:27)"
      )
      assert.include(error.findings[0]?.instead, "seed")
    })
  )

  it.effect("leaves out what stands behind the type of a name that no plan has, a require too", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts":
          'const fs = typeof process !== "undefined" && process.versions.node ? require("node:fs") : undefined\n' +
          'export const run = async () => (typeof process === "object" ? process.env.X : fs)\n',
        "live.js": `${run}const fs = typeof process !== "undefined" ? 1 : require("node:fs")\n`,
        "both.js": `${run}const a = typeof process !== "undefined" && require("fs"), b = require("fs")\n`
      })
      assert.deepStrictEqual(yield* places(`${folder}/plan.ts`), [])
      assert.deepStrictEqual(yield* places(`${folder}/live.js`), ["require() live.js:2:49"])
      assert.deepStrictEqual(yield* places(`${folder}/both.js`), ["require() both.js:2:45"])
    })
  )

  it.effect("covers what nothing uses: the plan's own files are not tree-shaken", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "package.json": '{ "name": "p", "sideEffects": false }',
        "plan.js": `import "./unused.js"\nimport { one } from "./half.js"\n${run}const never = () => Date.now()\n`,
        "unused.js": "export const at = Date.now()\n",
        "half.js": "export const one = 1\nexport const other = () => Math.random()\n"
      })
      assert.deepStrictEqual(yield* places(`${folder}/plan.js`), [
        "Date.now() plan.js:4:21",
        "Math.random() half.js:2:28",
        "Date.now() unused.js:1:19"
      ])
    })
  )

  it.effect("is placed by the text, not by a source map that the text names", () =>
    Effect.gen(function* () {
      const map = { version: 3, sources: ["elsewhere.ts"], names: [], mappings: "AAAA" }
      const none = { version: 3, sources: [], names: [], mappings: "" }
      const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64")
      for (const url of [
        `data:application/json;base64,${encoded(map)}`,
        `data:application/json;base64,${encoded(none)}`,
        "beside.map"
      ]) {
        for (const comment of [
          `//# sourceMappingURL=${url}`,
          `//@ sourceMappingURL=${url}`,
          `/*# sourceMappingURL=${url} */`
        ]) {
          const folder = yield* planFolder({
            "plan.js": `${run}export const at = Date.now()\n${comment}`,
            "beside.map": JSON.stringify(map)
          })
          assert.deepStrictEqual(yield* places(`${folder}/plan.js`), ["Date.now() plan.js:2:19"])
        }
      }
    })
  )

  it.effect("comes before a missing run", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.js": "export const at = Date.now()\n", "empty.js": "" })
      assert.strictEqual((yield* failure(`${folder}/plan.js`)).code, "non_deterministic")
      const error = yield* failure(`${folder}/empty.js`)
      assert.strictEqual(error.code, "no_run")
      assert.strictEqual(error.message, `plan module ${folder}/empty.js must export a run(hooks) function`)
    })
  )

  it.effect("with the sweep, covers mentions too", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.js": `${run}// Date.now() is not used\nconst s = "Math.random()"\n`
      })
      assert.deepStrictEqual(yield* places(`${folder}/plan.js`), [])
      const swept = yield* loadPlan(`${folder}/plan.js`, { sweep: true }).pipe(
        Effect.provide(layer),
        Effect.flip
      )
      assert.deepStrictEqual(
        swept.findings.map(({ construct, line, column }) => `${construct} ${line}:${column}`),
        ["Date.now() 2:4", "Math.random() 3:12"]
      )
    })
  )
})

describe("a plan that cannot be loaded", () => {
  const cases: ReadonlyArray<readonly [name: string, file: string, message: string]> = [
    ["is not there", "none.js", "plan module PATH cannot be read: no such file"],
    ["is a folder", "folder", "plan module PATH cannot be read: it is a directory"],
    ["is UTF-16", "utf16.js", "plan module PATH cannot be read: it is UTF-16: save it as UTF-8"],
    ["is not UTF-8", "latin1.js", "plan module PATH cannot be read: it is not UTF-8 text"],
    [
      "imports what is not UTF-8",
      "helper.js",
      "plan module PATH cannot be read: latin1.js cannot be read: it is not UTF-8 text"
    ],
    [
      "imports what is not there",
      "lost.js",
      'plan module PATH does not parse: Could not resolve "./none.js" (lost.js:1:8)'
    ],
    ["imports what is no module", "style.js", "plan module PATH does not parse: a.css is not a module"],
    ["has a syntax error", "syntax.js", 'plan module PATH does not parse: Unexpected ";" (syntax.js:2:18)'],
    [
      "has a syntax error after wide characters",
      "wide.js",
      'plan module PATH does not parse: Unexpected "*" (wide.js:1:20)'
    ],
    [
      "imports what has a syntax error",
      "deep.js",
      "plan module PATH does not parse: Unexpected end of file (broken.js:1:11)"
    ]
  ]
  for (const [name, file, message] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({
          "folder/x": "",
          "utf16.js": new Uint8Array([0xff, 0xfe, 0x61, 0x00]),
          "latin1.js": new Uint8Array([0x2f, 0x2f, 0xe9]),
          "helper.js": `import "./latin1.js"\n${run}`,
          "lost.js": `import "./none.js"\n${run}`,
          "style.js": `import "./a.css"\n${run}`,
          "a.css": "a {}",
          "syntax.js": "export const run = async (h) => {\n  return h.agent(;\n}\n",
          "wide.js": "const s = '😀é日' + *\n",
          "deep.js": `import "./broken.js"\n${run}`,
          "broken.js": "const a = "
        })
        const error = yield* failure(`${folder}/${file}`)
        assert.include(error.message.replaceAll(folder + "/" + file, "PATH"), message)
      })
    )
  }

  it.effect("is nested too deeply", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.js": `export const run = async (h) => h${".a()".repeat(20_000)}`
      })
      assert.include((yield* failure(`${folder}/plan.js`)).message, "does not parse")
    })
  )
})

describe("a plan's identity", () => {
  const hashes = (files: Record<string, string>) =>
    Effect.gen(function* () {
      const folder = yield* planFolder(files)
      return (yield* load(`${folder}/plan.ts`)).bundle.modules
    })
  const files = {
    "plan.ts": 'import { a } from "./a.ts"\nexport const run = async () => a\n',
    "a.ts": "export const a = 1\n"
  }

  it.effect("changes with every module of the graph, and with nothing else in the folder", () =>
    Effect.gen(function* () {
      const base = yield* hashes(files)
      assert.deepStrictEqual(
        yield* hashes({ ...files, "scratch.ts": "export const at = Date.now()\n" }),
        base
      )
      assert.notDeepEqual(yield* hashes({ ...files, "a.ts": "export const a = 2\n" }), base)
      assert.notDeepEqual(yield* hashes({ ...files, "a.ts": "export const a = 1 // why\n" }), base)
    })
  )

  it.effect("has the tsconfig beside it, which changes what code comes of it", () =>
    Effect.gen(function* () {
      const withConfig = yield* hashes({ ...files, "tsconfig.json": "{}" })
      assert.deepStrictEqual(
        withConfig.map(([path]) => path),
        ["a.ts", "plan.ts", "tsconfig.json"]
      )
    })
  )

  it.effect("does not depend on where the folder is: same bundle, byte for byte", () =>
    Effect.gen(function* () {
      const one = yield* load(`${yield* planFolder(files)}/plan.ts`)
      const other = yield* load(`${yield* planFolder(files)}/plan.ts`)
      assert.deepStrictEqual(one.bundle, other.bundle)
    })
  )

  it.effect("is that of the file a link leads to", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(
        { "real/plan.ts": files["plan.ts"], "real/a.ts": files["a.ts"] },
        { "link.ts": "real/plan.ts" }
      )
      const { bundle } = yield* load(`${folder}/link.ts`)
      assert.deepStrictEqual(
        bundle.modules.map(([path]) => path),
        ["a.ts", "plan.ts"]
      )
    })
  )
})

describe("the bundle", () => {
  const evaluate = (
    code: string,
    prelude: Record<string, unknown> = {}
  ): Effect.Effect<() => Promise<unknown>> =>
    Effect.promise(async () => {
      const module = await runInNewContext(code)(prelude, (construct: string) => {
        throw new Error(`refused ${construct}`)
      })
      return module.run
    })

  it.effect("reads the prelude where the plan imports it, before any of the plan runs", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts":
          'import "./first.ts"\nimport { Effect as E, Layer } from "effect"\nimport * as Schema from "effect/Schema"\n' +
          'import type { Hooks } from "alembic/plan"\nexport { gen } from "effect/Effect"\n' +
          "export const run = async () => [E, Layer, Schema.x]\n",
        "first.ts":
          'import { Effect } from "effect"\nif (Effect !== "an effect") throw new Error("too early")\n'
      })
      const { bundle } = yield* load(`${folder}/plan.ts`)
      assert.strictEqual(bundle.kind, "module")
      assert.deepStrictEqual(bundle.kind === "module" ? bundle.imports : [], [
        "effect",
        "effect/Effect",
        "effect/Schema"
      ])
      const prelude = {
        effect: { Effect: "an effect", Layer: "a layer" },
        "effect/Schema": { x: 1 },
        "effect/Effect": { gen: 2 }
      }
      const run = yield* evaluate(bundle.code, prelude)
      assert.strictEqual(JSON.stringify(yield* Effect.promise(() => run())), '["an effect","a layer",1]')
    })
  )

  it.effect("says what the prelude has not, as a loader of modules does", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts": 'import { Nope } from "effect"\nexport const run = async () => Nope\n'
      })
      const { bundle } = yield* load(`${folder}/plan.ts`)
      const error = yield* Effect.tryPromise(() => runInNewContext(bundle.code)({ effect: {} })).pipe(
        Effect.flip
      )
      assert.include(
        String(error.cause),
        "The requested module 'effect' does not provide an export named 'Nope'"
      )
    })
  )

  it.effect("is strict, has no this and no arguments, and may await at its top", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.js":
          "const top = await Promise.resolve(typeof this)\n" +
          "const own = (function () { return this })() === undefined\n" +
          "export const run = async () => [top, own, typeof arguments]\n"
      })
      const { bundle } = yield* load(`${folder}/plan.js`)
      const run = yield* evaluate(bundle.code)
      assert.strictEqual(JSON.stringify(yield* Effect.promise(() => run())), '["undefined",true,"undefined"]')
    })
  )

  it.effect("maps every line of what runs to the author's", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts": 'import { boom } from "./lib/boom.ts"\n\nexport const run = async () => boom()\n',
        "lib/boom.ts":
          "interface Gone {}\n\nexport const boom = (): never => {\n  throw new Error('here')\n}\n"
      })
      const { bundle } = yield* load(`${folder}/plan.ts`)
      const run = yield* Effect.promise(
        async () => (await runInNewContext(bundle.code, {}, "BUNDLE")({}, () => {})).run
      )
      const stack = yield* Effect.promise(() => run().catch((error: { stack: string }) => error.stack))
      const frames = [...String(stack).matchAll(/BUNDLE:(\d+):(\d+)/g)].map(([, line, column]) =>
        sitesOf(bundle)(Number(line), Number(column))
      )
      assert.deepStrictEqual(frames, [
        { file: "lib/boom.ts", line: 4, column: 9 },
        { file: "plan.ts", line: 3, column: 32 }
      ])
      assert.isUndefined(sitesOf(bundle)(1, 1))
    })
  )

  it.effect("runs with an interpreter line", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.js": `#!/usr/bin/env node\n${run}` })
      const { bundle } = yield* load(`${folder}/plan.js`)
      const main = yield* evaluate(bundle.code)
      assert.strictEqual(yield* Effect.promise(() => main()), 1)
    })
  )

  it.effect("may not use the engine's names", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.js": "export const run = async () => __alembic_prelude\n" })
      assert.deepStrictEqual(yield* places(`${folder}/plan.js`), ["__alembic_prelude plan.js:1:32"])
    })
  )

  it.effect("meets the refusal when it runs, if the static layer is switched off", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "fs.js": `import { readFileSync } from "node:fs"\nexport const at = readFileSync\n${run}`,
        "meta.js": "export const run = async () => import.meta.url\n"
      })
      const off = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.provideService(effect, StaticLayer, () => [])
      const fs = yield* load(`${folder}/fs.js`).pipe(off)
      const first = yield* evaluate(fs.bundle.code).pipe(Effect.catchDefect(Effect.succeed))
      assert.include(String(first), "refused import node:fs")
      const meta = yield* load(`${folder}/meta.js`).pipe(off)
      const reach = yield* evaluate(meta.bundle.code)
      const second = yield* Effect.promise(() => reach().catch(String))
      assert.include(second, "refused import.meta")
    })
  )
})
