// h.council and h.mission from both styles of plan, in the real VM, with real proofs; and what a workflow script has
// of them: nothing, and its error says the name and the place.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { missionFlags, missionFolder, missionSpec } from "../../support/missionFolder.ts"

const mission = JSON.stringify(missionSpec("T2"))
const question = JSON.stringify({ board: "three", question: "Shall it be mended?" })

const styles = {
  "promise-style plan": `export const run = async (h) => {
  const verdict = await h.council(${question})
  const done = await h.mission(${mission})
  return { decision: verdict.decision, mission: done.status, coverage: done.coverage }
}
`,
  "Effect-style plan": `import { Effect } from "effect"
import { Hooks } from "alembic/plan"
export const run = Effect.gen(function* () {
  const h = yield* Hooks
  const [verdict, done] = yield* Effect.all([h.council(${question}), h.mission(${mission})], { concurrency: 2 })
  return { decision: verdict.decision, mission: done.status, coverage: done.coverage }
})
`
}

/** The worker, in the folder: the command under test runs in this process, whose own folder is another. */
const workerIn = (cwd: string) => ({
  worker: { command: [process.execPath, "worker.mjs"], reads: "text", cwd }
})

describe("h.council and h.mission", () => {
  for (const [name, plan] of Object.entries(styles)) {
    it.live(`from a ${name}: a verdict, a mission proven, and a replay that is identical`, () =>
      Effect.gen(function* () {
        const cwd = yield* missionFolder({ plan, council: false })
        const alembicJson = { boards: { three: "boards/three.json" }, commands: workerIn(cwd) }
        writeFileSync(join(cwd, "alembic.json"), JSON.stringify(alembicJson))
        const said = yield* alembic(
          { cwd },
          "run",
          ...missionFlags,
          "--approve",
          "publish",
          "--yes",
          "--json"
        )
        assert.strictEqual(said.code, 0, said.err)
        assert.deepInclude(lastLine(said), {
          result: { decision: "GO", mission: "done", coverage: { done: 1, of: 1 } }
        })
        assert.deepInclude(lastLine(yield* alembic({ cwd }, "replay", "@last", "--json")), {
          identical: true
        })
      })
    )
  }

  for (const name of ["council", "mission"]) {
    it.live(
      `a workflow script has no ${name}: the dialect has eight globals, and the error says so by name`,
      () =>
        Effect.gen(function* () {
          const cwd = yield* missionFolder({ council: false })
          writeFileSync(
            join(cwd, "script.js"),
            `export const meta = { name: "s", description: "d" }\nreturn await ${name}({})\n`
          )
          const said = yield* alembic({ cwd }, "run", "--plan", "script.js", "--json")
          assert.strictEqual(said.code, 1)
          assert.deepNestedInclude(lastLine(said), { "error.code": "plan_error", "error.line": 2 })
          assert.include(said.err, `${name} is not defined`)
        })
    )
  }
})
