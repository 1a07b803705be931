// A `command:` model under a budget: it runs where it names what a call costs at most, and is held to that.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, jsonLines, lastLine } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const plan = `export const run = async (h) => {
  const slots = await h.parallel([1, 2, 3].map((n) => () => h.agent("work " + n, { model: "command:worker" })))
  return slots.map((slot) => (slot.ok ? slot.text : slot.error.code))
}`

const folder = (bound: Readonly<Record<string, number>>) =>
  planFolder({
    "GOAL.md": "g\n",
    "alembic.plan.ts": plan,
    "alembic.json": JSON.stringify({
      commands: { worker: { command: [process.execPath, "-e", "console.log('done')"], ...bound } }
    })
  })

describe("a command under a budget", () => {
  it.live("does not run where nothing bounds it, and is told how it is bounded", () =>
    Effect.gen(function* () {
      const cwd = yield* folder({})
      const { code, err } = yield* alembic({ cwd }, "run", "--max-usd", "1", "--yes")
      assert.strictEqual(code, 2)
      assert.match(err, /unknown_price.*\n.*"worker": \{ "maxUsdPerCall"/)
    })
  )

  it.live("names a cap under which what was refused fits, and goes on under it", () =>
    Effect.gen(function* () {
      const cwd = yield* folder({ maxUsdPerCall: 0.4 })
      const run = yield* alembic({ cwd }, "run", "--max-usd", "0.1", "--yes")
      assert.match(run.err, /next: alembic resume run-\w+ --yes --retry-failed --max-usd 1\.2\b/)
      const why = yield* alembic({ cwd }, "why", "@last")
      assert.match(why.out, /next: alembic resume run-\w+ --retry-failed --max-usd 1\.2\b/)
      const again = yield* alembic({ cwd }, "resume", "@last", "--retry-failed", "--max-usd", "1.2", "--yes")
      assert.strictEqual(again.code, 0, again.err)
    })
  )

  it.live("says so where a tool billed more than its bound, and so more than the cap", () =>
    Effect.gen(function* () {
      const cwd = yield* folder({ maxUsdPerCall: 0.4 })
      const dear = JSON.stringify({
        type: "result",
        subtype: "success",
        is_error: false,
        result: "done",
        total_cost_usd: 9
      })
      const command = [process.execPath, "-e", `console.log(${JSON.stringify(dear)})`]
      writeFileSync(
        join(cwd, "alembic.json"),
        JSON.stringify({ commands: { worker: { command, reads: "claude", maxUsdPerCall: 0.4 } } })
      )
      const run = yield* alembic({ cwd }, "run", "--max-usd", "0.5", "--yes", "--accept-loss")
      assert.match(
        run.err,
        /\$9\.00 was billed under a cap of \$0\.500: a call cost more than the bound that it was held to/
      )
      const told = lastLine(yield* alembic({ cwd }, "run", "--json", "--yes", "--accept-loss"))
      assert.deepInclude(told, { overCapUsd: 8.5 })
    })
  )

  it.live("costs its bound where it does not say, and no call goes beyond the cap", () =>
    Effect.gen(function* () {
      const cwd = yield* folder({ maxUsdPerCall: 0.4 })
      const run = yield* alembic({ cwd }, "run", "--max-usd", "1", "--yes", "--json", "--accept-loss")
      assert.deepInclude(lastLine(run), { spentUsd: 0.8, unknownCostCalls: 0 })
      assert.deepStrictEqual(lastLine(run)["result"], ["done", "done", "budget_exceeded"])
      const foretold = jsonLines(yield* alembic({ cwd }, "run", "--dry", "--max-usd", "1", "--json"))
      assert.deepNestedInclude(
        foretold.find((line) => line["total"] === true),
        { "costUsd.expected": 1.2, "costUsd.high": 1.2 }
      )
    })
  )
})
