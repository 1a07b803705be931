// Scripts that a workflow script reaches by a path, written out or computed, anywhere in its project: found, part of
// the run, and run. What no script has is said beforehand.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { absentGlobals, presentGlobals } from "../../src/plan/determinism/catalogue.ts"
import { inspectPlan } from "../../src/plan/load/loadPlan.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { liveEngine, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry } from "../support/paidRegistry.ts"
import { planFolder } from "../support/planFolder.ts"

const meta = (name: string) => `export const meta = { name: "${name}", description: "d" }\n`
const project = {
  "package.json": "{}",
  "tools/shared.js": `${meta("shared")}return "shared " + args`,
  ".claude/workflows/steps/one.js": `${meta("one")}return "one " + args`,
  ".claude/workflows/steps/two.mjs": `${meta("two")}return "two " + args`,
  ".claude/workflows/steps/clock.js": `${meta("clock")}return Date.now()`,
  ".claude/workflows/steps/broken.js": `${meta("broken")}return (`,
  ".claude/workflows/steps/no-script.js": "export default 1",
  "node_modules/x/steps/one.js": `${meta("package")}return "package"`,
  "other/steps/one.js": `${meta("elsewhere")}return "elsewhere"`
}

/** Calls of `workflow` in `.claude/workflows/main.js`, and what they give. */
const calls: ReadonlyArray<readonly [call: string, result: unknown]> = [
  ['{ scriptPath: "steps/one.js" }, 1', "one 1"],
  ['{ scriptPath: "./steps/one.js" }, 1', "one 1"],
  ['{ scriptPath: ".claude/workflows/steps/one.js" }, 1', "one 1"],
  ['{ scriptPath: "../../tools/shared.js" }, 1', "shared 1"],
  ['{ scriptPath: "tools/shared.js" }, 1', "shared 1"],
  ["{ scriptPath: `steps/${args.which}.js` }, 2", "one 2"],
  ["{ scriptPath: `./steps/../steps/${args.which}.js` }, 2", "one 2"],
  ['{ scriptPath: "steps/" + args.other }, 2', "two 2"],
  ["{ scriptPath: `.claude/workflows/steps/${args.which}.js` }, 2", "one 2"],
  ["{ scriptPath: `../../${args.folder}/shared.js` }, 2", "shared 2"],
  ["{ scriptPath: args.whole }, 3", "shared 3"],
  ["{ scriptPath: [args.folder, 'shared.js'].join('/') }, 3", "shared 3"],
  ["args.ref ?? { scriptPath: args.whole }, 3", "shared 3"]
]

const args = { which: "one", other: "two.mjs", folder: "tools", whole: "tools/shared.js" }

describe("a script that is reached by its path", () => {
  for (const [call, result] of calls) {
    it.live(`is found and run: ${call}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder(project)
        const plan = `${folder}/.claude/workflows/main.js`
        yield* writeFiles(folder, {
          ".claude/workflows/main.js": `${meta("main")}return await workflow(${call})`
        })
        const summary = yield* runPlanFile({ plan, inputs: { goal: "g", args, attachments: [] } }).pipe(
          Effect.provide(liveEngine(`${folder}/.alembic`, paidRegistry().layer))
        )
        assert.strictEqual(summary.result, result, JSON.stringify(summary))
      })
    )
  }

  const inspect = (main: string, files: Readonly<Record<string, string>> = project) =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ ...files, ".claude/workflows/main.js": `${meta("main")}${main}` })
      return yield* inspectPlan(`${folder}/.claude/workflows/main.js`).pipe(Effect.provide(layer))
    })

  it.effect("is part of the run by what is known of its path, and nothing else is", () =>
    Effect.gen(function* () {
      const { bundle, findings, warnings } = yield* inspect(
        "return await workflow({ scriptPath: `steps/${args.which}.js` })"
      )
      assert.deepStrictEqual(
        bundle.modules.map(([path]) => path),
        ["main.js", "steps/clock.js", "steps/one.js"]
      )
      assert.deepStrictEqual(findings, [])
      assert.deepStrictEqual(
        warnings.map(({ message }) => message),
        ["Non-deterministic construct detected: Date.now() (steps/clock.js:2:8)"]
      )
    })
  )

  it.live("is refused when it is reached, if it is not deterministic", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        ...project,
        ".claude/workflows/main.js": `${meta("main")}return await workflow({ scriptPath: \`steps/\${args.which}.js\` })`
      })
      const run = runPlanFile({
        plan: `${folder}/.claude/workflows/main.js`,
        inputs: { goal: "g", args: { which: "clock" }, attachments: [] }
      })
      const summary = yield* run.pipe(Effect.provide(liveEngine(`${folder}/.alembic`, paidRegistry().layer)))
      assert.strictEqual(summary.status, "refused", JSON.stringify(summary))
      assert.deepInclude(summary.findings?.[0], { construct: "Date.now()", file: "steps/clock.js", line: 2 })
    })
  )

  it.effect("outside the project is not found, by link neither", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(
        {
          "outside.js": `${meta("outside")}return 1`,
          "project/package.json": "{}",
          "project/main.js": `${meta("main")}await workflow({ scriptPath: "../outside.js" }); await workflow({ scriptPath: "link.js" })`
        },
        { "project/link.js": "../outside.js" }
      )
      const { notices } = yield* inspectPlan(`${folder}/project/main.js`).pipe(Effect.provide(layer))
      assert.deepStrictEqual(notices, [
        'workflow({ scriptPath: "../outside.js" }) names no script in the project of main.js',
        'workflow({ scriptPath: "link.js" }) names no script in the project of main.js'
      ])
    })
  )

  it.effect("names that exist nowhere are said, and what is guarded or exists is not", () =>
    Effect.gen(function* () {
      const { findings, notices } = yield* inspect(
        "const all = await glob('*.ts'); await bash('ls'); if (exists(all)) glob(1); const JSONish = JSON.stringify([Map, parallel]); if (typeof Bun2 !== 'undefined') log(typeof readFile); return JSONish"
      )
      assert.deepStrictEqual(findings, [])
      assert.strictEqual(notices.length, 1)
      assert.match(notices[0] ?? "", /^main\.js uses glob, bash, exists, which exist nowhere: /)
    })
  )
})

describe("the names of a plan's context", () => {
  it.live("are those that the check takes for present, and none that it takes for absent", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "promise.plan.js": "export const run = async () => Object.getOwnPropertyNames(globalThis)",
        "effect.plan.ts":
          'import { Effect } from "effect"\nexport const run = () => Effect.sync(() => Object.getOwnPropertyNames(globalThis))'
      })
      for (const plan of ["promise.plan.js", "effect.plan.ts"]) {
        const { result } = yield* runPlanFile({
          plan: `${folder}/${plan}`,
          inputs: { goal: "g", attachments: [] }
        }).pipe(Effect.provide(liveEngine(`${folder}/.alembic`, paidRegistry().layer)))
        const names = (Array.isArray(result) ? result : []).map(String)
        assert.isAbove(names.length, 50)
        assert.deepStrictEqual(
          names.filter((name) => absentGlobals.has(name)),
          []
        )
        assert.deepStrictEqual(
          names.filter((name) => !presentGlobals.has(name) && /^[\w$]+$/.test(name)),
          []
        )
      }
    })
  )
})
