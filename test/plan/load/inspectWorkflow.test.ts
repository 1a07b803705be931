// Workflow scripts from the disk: the scripts they reach, findings where they stand, lines as they are.
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { inspectPlan, loadPlan } from "../../../src/plan/load/loadPlan.ts"
import { layer } from "../../../src/plan/bundler/PlanBundler.node.ts"
import { sitesOf } from "../../../src/plan/load/sourceMap.ts"
import { planFolder } from "../../support/planFolder.ts"

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const places = (path: string) =>
  Effect.map(inspect(path), ({ findings }) =>
    findings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`)
  )
const load = (path: string) => loadPlan(path).pipe(Effect.provide(layer))
const run = "export const run = async (h) => 1\n"

describe("workflow scripts", () => {
  const meta = "export const meta = { name: 'main', description: 'd' }\n"

  it.effect("are loaded with the scripts they reach, which are part of their identity", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "flows/main.js": `${meta}await workflow('one'); await workflow({ scriptPath: 'sub/two.js' }); await workflow('by-name'); return 1`,
        "flows/one.js": "export const meta = { name: 'uno', description: 'd' }\nreturn 1",
        "flows/sub/two.js": "export const meta = { name: 'two', description: 'd' }\nreturn 2",
        "flows/other-file.workflow.js": "export const meta = { name: 'by-name', description: 'd' }\nreturn 3",
        "flows/unused.js": "export const meta = { name: 'unused', description: 'd' }\nreturn Date.now()"
      })
      const { bundle, notices } = yield* load(`${folder}/flows/main.js`)
      assert.strictEqual(bundle.kind, "workflow")
      if (bundle.kind !== "workflow") return
      assert.deepStrictEqual(Object.keys(bundle.workflows).toSorted(), ["by-name", "one", "sub/two.js"])
      assert.strictEqual(bundle.workflows["by-name"]?.entry, "other-file.workflow.js")
      assert.deepStrictEqual(
        bundle.modules.map(([path]) => path),
        ["main.js", "one.js", "other-file.workflow.js", "sub/two.js"]
      )
      assert.deepStrictEqual(notices, [])
    })
  )

  it.effect("reach every script beside them where only the run knows the name", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "main.js": `${meta}return await workflow(args.which)`,
        "a.js": "export const meta = { name: 'alpha', description: 'd' }\nreturn 1",
        "b.workflow.js": "export const meta = { name: 'b', description: 'd' }\nreturn 2",
        "plan.js": run
      })
      const { bundle } = yield* load(`${folder}/main.js`)
      const names = bundle.kind === "workflow" ? Object.keys(bundle.workflows).toSorted() : []
      assert.deepStrictEqual(names, ["a", "a.js", "alpha", "b", "b.workflow.js"])
    })
  )

  it.effect("are told about a script that is not there, or outside their folder", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "flows/main.js": `${meta}await workflow('none'); await workflow('../outside')`,
        "outside.js": "export const meta = { name: 'x', description: 'd' }\nreturn 1"
      })
      const { notices } = yield* load(`${folder}/flows/main.js`)
      assert.deepStrictEqual(notices, [
        'workflow("none") names no script beside main.js',
        'workflow("../outside") names no script beside main.js'
      ])
    })
  )

  it.effect("have their findings where they stand, nested ones too", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "main.js": `${meta}\n  const at = Date.now()\nawait workflow('one')`,
        "one.js": "export const meta = { name: 'one', description: 'd' }\nconst D = Date; return D.now()"
      })
      assert.deepStrictEqual(yield* places(`${folder}/main.js`), [
        "Date.now() main.js:3:14",
        "Date (alias) one.js:2:11"
      ])
    })
  )

  it.effect("are scanned as what runs: nothing hides behind a comment that only scripts know", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "main.js": `${meta}let a = 1, b = 1\na <!-- b /*\nlog(Date.now())\n// */\n`
      })
      assert.deepStrictEqual(yield* places(`${folder}/main.js`), ["Date.now() main.js:4:5"])
    })
  )

  it.effect("map lines and columns as they are", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "main.js": `${meta}\n  throw new Error('here')` })
      const { bundle } = yield* load(`${folder}/main.js`)
      const stack: unknown = yield* Effect.promise(() =>
        runInNewContext(bundle.code, {}, "BUNDLE")().catch((error: { stack: string }) => error.stack)
      )
      const [, line, column] = /BUNDLE:(\d+):(\d+)/.exec(String(stack)) ?? []
      assert.deepStrictEqual(sitesOf(bundle)(Number(line), Number(column)), {
        file: "main.js",
        line: 3,
        column: 9
      })
    })
  )

  it.effect("that do not parse say where", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "main.js": `${meta}return (;` })
      const result = yield* Effect.result(load(`${folder}/main.js`))
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) {
        assert.strictEqual(
          result.failure.message,
          `plan module ${folder}/main.js does not parse: Unexpected token (main.js:2:9)`
        )
      }
    })
  )
})
