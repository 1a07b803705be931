// A `command:` model under a budget: it runs where it names what a call costs at most, and is held to that.
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
