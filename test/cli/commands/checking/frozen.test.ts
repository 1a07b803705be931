// Frozen runs: a plan that does as it did passes, one that does otherwise fails with the first place that differs; by the
// command, and by the vitest file that stands beside the archive.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { replayFrozen } from "../../../../src/testing.ts"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { planFolder } from "../../../support/planFolder.ts"

const plan = `export const run = async (h) => {
  const first = await h.agent("one", { label: "first" })
  return (await h.agent("two after " + first.text, { label: "second" })).text
}
`
const frozen = Effect.gen(function* () {
  const cwd = yield* planFolder({ "GOAL.md": "g", "alembic.plan.ts": plan })
  yield* alembic({ cwd }, "run")
  const said = yield* alembic({ cwd }, "test", "--from", "@last", "--name", "happy", "--json")
  assert.strictEqual(said.code, 0, said.err)
  return cwd
})

describe("alembic test", () => {
  it.live("passes while the plan does as it did, also where it reads otherwise", () =>
    Effect.gen(function* () {
      const cwd = yield* frozen
      writeFileSync(join(cwd, "alembic.plan.ts"), `// a comment\n${plan}`)
      const said = yield* alembic({ cwd }, "test")
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.out, /✓ happy\.run\.tar/)
      const archive = join(cwd, "test/runs/happy.run.tar")
      assert.strictEqual(
        yield* Effect.promise(() => replayFrozen(archive, join(cwd, "alembic.plan.ts"))),
        "identical"
      )
      const test = readFileSync(join(cwd, "test/runs/happy.test.ts"), "utf8")
      assert.include(test, 'beside("../../alembic.plan.ts")')
    })
  )

  it.live("fails with the line of the plan, and what differs, where it does otherwise", () =>
    Effect.gen(function* () {
      const cwd = yield* frozen
      writeFileSync(join(cwd, "alembic.plan.ts"), plan.replace("two after", "three after"))
      const said = yield* alembic({ cwd }, "test")
      assert.strictEqual(said.code, 1)
      assert.match(said.out, /✗ happy\.run\.tar[\s\S]*alembic\.plan\.ts:3:/)
      const lines = jsonLines(yield* alembic({ cwd }, "test", "test/runs/happy.run.tar", "--json"))
      assert.deepInclude(lines.at(-1), { type: "TestSummary", ok: false, runs: 1, failed: 1 })
      const told = yield* Effect.promise(() =>
        replayFrozen(join(cwd, "test/runs/happy.run.tar"), join(cwd, "alembic.plan.ts"))
      )
      assert.match(told, /differs[\s\S]*then: "two after[\s\S]*now: "three after/)
    })
  )

  it.live("writes over nothing, and says where nothing is frozen or no run", () =>
    Effect.gen(function* () {
      const cwd = yield* frozen
      const again = yield* alembic({ cwd }, "test", "--from", "@last", "--name", "happy")
      assert.notStrictEqual(again.code, 0)
      writeFileSync(join(cwd, "broken.run.tar"), "no archive")
      assert.notStrictEqual((yield* alembic({ cwd }, "test", "broken.run.tar")).code, 0)
      const empty = yield* planFolder({ "alembic.plan.ts": plan })
      const nothing = yield* alembic({ cwd: empty }, "test", "--json")
      assert.strictEqual(nothing.code, 2)
      assert.deepNestedInclude(lastLine(nothing), {
        "error.cure": "alembic test --from RUN (freezes one into test/runs)"
      })
    })
  )
})
