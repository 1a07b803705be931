// A model without a known price cannot run under a cost bound: said before anything is made.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

it.live("a cap on a model without a price is refused before there is a run, and the cure is the price", () =>
  Effect.gen(function* () {
    const cwd = yield* planFolder({
      "GOAL.md": "Go.\n",
      "alembic.plan.ts": `export const run = async (h) => (await h.agent("q")).text`
    })
    const env = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1" }
    const args = ["run", "--model", "openai-compatible:m", "--max-usd", "1", "--yes", "--json"]
    const ended = yield* alembic({ cwd, env }, ...args)
    assert.strictEqual(ended.code, 2, ended.err)
    const summary = JSON.parse(ended.out.trim().split("\n").at(-1) ?? "")
    assert.strictEqual(summary.error.code, "unknown_price")
    assert.include(summary.error.cure, "prices")
  })
)
